"""The task that a request's address names, and whether the person who asks may see or run it."""

from server.access import service as access
from server.access import tasks
from server.access.tasks import PhaseView
from server.tasks.models import Task
from server.web import context


def get_task(slug: str) -> Task:
    """The task of the request's address."""
    return tasks.get_task(context.session(), slug)


def get_observed_task(slug: str) -> Task:
    """The task of the request's address, for those who see all of it."""
    task = get_task(slug)
    access.require_observer(context.session(), context.actor(), task)
    return task


def get_organized_task(slug: str) -> Task:
    """The task of the request's address, for those who run it."""
    task = get_task(slug)
    access.require_organizer(context.session(), context.actor(), task)
    return task


def list_phases(of_task: Task) -> list[PhaseView]:
    """The phases of a task as they stand for whoever asks: its team may have more time."""
    return tasks.list_phases_for_actor(context.session(), context.actor(), of_task, context.arrival_time())
