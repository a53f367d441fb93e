"""Copies of a task for another year: a bundle of it without teams, runs and releases, imported as a draft."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.bundles.bundle import PhaseSpec
from server.access import roles, service as access
from server.audit import service as audit
from server.bundles import task_toml
from server.bundles.export_files import ExportFiles, StoredContent, text_file
from server.bundles.exporting import add_gold_in_force, list_counting_runs
from server.bundles.importing import ImportPlan, import_task, plan_import, require_free_slug
from server.core import db
from server.core.actors import Actor
from server.core.storage import storage_of
from server.phases.models import Phase
from server.tasks.models import Task, TaskFile

YEAR = timedelta(days=364)
"""52 weeks, so that dates stay on the same day of the week."""
_FILE_COLUMNS = ("name", "sha256", "content_type", "width", "height", "is_logo")


@contextmanager
def plan_copy(
    session: Session, actor: Actor, task: Task, slug: str, shift: timedelta
) -> Iterator[ImportPlan]:
    """Yield the plan of a copy under another slug, with its dates moved; its files last as long.

    The copy has the texts, terms, levels, items, gold versions in force, phases and baselines of the task.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        NameTaken: there is a task with this slug.
    """
    with db.reading(session):
        access.require_organizer(session, actor, task)
        require_free_slug(session, slug)
        files = _collect_files(session, task)
    with TemporaryDirectory() as name:
        folder = Path(name)
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(
                storage_of(session).get(content.sha256) if isinstance(content, StoredContent) else content
            )
        plan = plan_import(folder)
        bundle = plan.bundle
        phases = tuple(_shift_dates(phase, shift) for phase in bundle.phases)
        yield replace(plan, bundle=replace(bundle, task=replace(bundle.task, slug=slug), phases=phases))


def add_copy(session: Session, actor: Actor, task: Task, plan: ImportPlan, now: datetime) -> Task:
    """Import a planned copy as a draft, with the files of the task and the people who have a role in it.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        NameTaken: there is a task with this slug.
        Conflict: the person has too many drafts.
    """
    access.require_organizer(session, actor, task)
    access.require_room_for_draft(session, actor)
    people = roles.list_people(session, actor, task)
    copy = import_task(session, actor, plan, [], now, published=False)
    for holder in people:
        roles.give_role(session, actor, copy, holder.user.id, holder.held.role, now)
    for file in session.scalars(select(TaskFile).where(TaskFile.task_id == task.id)):
        columns = {name: getattr(file, name) for name in _FILE_COLUMNS}
        session.add(TaskFile(task_id=copy.id, **columns))
    audit.record(session, actor, now, "task.copy", task.id, slug=copy.short_name)
    return copy


def _collect_files(session: Session, task: Task) -> dict[str, bytes | StoredContent]:
    """Collect the bundle of a task as it is now, without its history."""
    files = ExportFiles()
    phases = list(session.scalars(select(Phase).where(Phase.task_id == task.id).order_by(Phase.position)))
    gold = add_gold_in_force(session, task, files)
    runs = list_counting_runs(session, task, files, baselines=True)
    files.put("description.md", text_file(task.description))
    if task.terms:
        files.terms(task.terms)
    files.put("task.toml", task_toml.write_toml(task, phases, runs, gold, files, history=None))
    return files.contents


def _shift_dates(phase: PhaseSpec, shift: timedelta) -> PhaseSpec:
    opens = None if phase.opens is None else phase.opens + shift
    return replace(phase, opens=opens, closes=None if phase.closes is None else phase.closes + shift)
