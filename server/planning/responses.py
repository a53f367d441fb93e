"""For pages and the API: copies of a task, and its baselines."""

from collections.abc import Mapping, Sequence
from datetime import timedelta

from server import bundles
from server.access import tasks
from server.core.actors import Actor
from server.planning import baselines
from server.planning.baselines import BaselineKey
from server.submissions import whole_runs
from server.web import context

TEXTS_OVERHEAD = 100_000
"""The maximum size of the texts of a baseline in a form, which come with its files."""


def copy_task(slug: str, actor: Actor, copy_slug: str, days: int) -> str:
    """Copy a task as a draft with its dates moved, and return the slug of the copy."""
    session = context.session()
    task = tasks.get_task(session, slug)
    shift = timedelta(days=days)
    with bundles.plan_copy(session, actor, task, copy_slug, shift) as plan, context.writing():
        task = tasks.get_task(session, slug)
        return bundles.add_copy(session, actor, task, plan, context.arrival_time()).slug


def limit_baseline_upload(slug: str, phase: str) -> int:
    """Return the maximum size of a form with the files and the texts of a baseline."""
    session = context.session()
    target = tasks.get_phase(session, tasks.get_task(session, slug), phase)
    return whole_runs.run_size_limit(target) + TEXTS_OVERHEAD


def save_own_baseline(
    slug: str,
    phase: str,
    actor: Actor,
    run_id: int | None,
    name: str | None,
    texts: Mapping[str, str],
    sent: Sequence[whole_runs.SentFile],
) -> int:
    """Add a baseline that the site does not compute, or edit one, and return the id of its run."""
    session, now = context.session(), context.arrival_time()
    target = tasks.get_phase(session, tasks.get_task(session, slug), phase)
    needs_files = bool(sent) or run_id is None
    files = baselines.read_files(session, actor, target, sent, now) if needs_files else ()
    with context.writing() as session:
        target = tasks.get_phase(session, tasks.get_task(session, slug), phase)
        return baselines.save_own(session, actor, target, run_id, name, texts, files, now).id


def add_baseline(slug: str, phase: str, actor: Actor, key: BaselineKey) -> None:
    """Add a baseline to a phase."""
    with context.writing() as session:
        target = tasks.get_phase(session, tasks.get_task(session, slug), phase)
        baselines.add_baseline(session, actor, target, key, context.arrival_time())


def remove_baseline(slug: str, phase: str, actor: Actor, key: BaselineKey) -> None:
    """Remove a baseline from a phase."""
    with context.writing() as session:
        target = tasks.get_phase(session, tasks.get_task(session, slug), phase)
        baselines.remove_baseline(session, actor, target, key, context.arrival_time())
