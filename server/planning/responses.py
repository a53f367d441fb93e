"""For pages and the API: copies of a task, and its baselines."""

from datetime import timedelta

from server import bundles
from server.access import tasks
from server.core.actors import Actor
from server.planning import baselines
from server.scoring.baselines import BaselineName
from server.web import context


def copy_task(slug: str, actor: Actor, copy_slug: str, days: int) -> str:
    """Copy a task as a draft with its dates moved, and return the slug of the copy."""
    session = context.session()
    task = tasks.get_task(session, slug)
    shift = timedelta(days=days)
    with bundles.plan_copy(session, actor, task, copy_slug, shift) as plan, context.writing():
        task = tasks.get_task(session, slug)
        return bundles.add_copy(session, actor, task, plan, context.arrival_time()).slug


def add_baseline(slug: str, phase: str, actor: Actor, name: BaselineName) -> None:
    """Add a baseline to a phase."""
    with context.writing() as session:
        target = tasks.get_phase(session, tasks.get_task(session, slug), phase)
        baselines.add_baseline(session, actor, target, name, context.arrival_time())


def remove_baseline(slug: str, phase: str, actor: Actor, name: BaselineName) -> None:
    """Remove a baseline from a phase."""
    with context.writing() as session:
        target = tasks.get_phase(session, tasks.get_task(session, slug), phase)
        baselines.remove_baseline(session, actor, target, name, context.arrival_time())
