"""The task that a request's path names, and whether the person may see all of it or organize it."""

from collections.abc import Callable

from server.access import service as access, tasks
from server.phases.models import Phase
from server.tasks.models import Task
from server.web import context


def get_task(slug: str) -> Task:
    """Return the task of the request's path."""
    return tasks.get_task(context.session(), slug)


def get_observed_task(slug: str) -> Task:
    """Return the task of the request's path, for people who may see all of it."""
    task = get_task(slug)
    access.require_observer(context.session(), context.actor(), task)
    return task


def get_organized_task(slug: str) -> Task:
    """Return the task of the request's path, for organizers."""
    task = get_task(slug)
    access.require_organizer(context.session(), context.actor(), task)
    return task


def get_phase(task: Task, slug: str) -> Phase:
    """Return the phase of the request's path.

    Raises:
        NotFound: there is none.
        Conflict: the form that was sent is of a deleted one.
    """
    phase = tasks.get_phase(context.session(), task, slug)
    context.require_made_for(phase.id)
    return phase


def limit_for_organizers(size: int) -> Callable[[], int | None]:
    """Make a function that returns the maximum size of a body for organizers; None: that of other forms."""

    def limit() -> int | None:
        task = get_task(context.path_values()["slug"])
        return size if access.is_organizer(context.session(), context.actor(), task) else None

    return limit


def list_phases(of_task: Task) -> list[tasks.PhaseView]:
    """List the phases of a task with their states for the person: their team may have more time."""
    return tasks.list_phases_for_actor(context.session(), context.actor(), of_task, context.arrival_time())
