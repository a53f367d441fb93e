"""Editing a run: its description and name, which run is primary, and the order of runs."""

from datetime import datetime
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict, RunWithdrawn
from server.core.i18n import _
from server.core.storage import text_sha256
from server.runs import permissions, service as runs
from server.runs.models import Run
from server.submissions import standings

Direction = Literal["up", "down"]


def edit_run(
    session: Session, actor: Actor, run: Run, name: str | None, texts: runs.RunTexts, now: datetime
) -> list[str]:
    """Edit a run's texts, at any time, and its name (None: unchanged) until the deadline.

    Returns which fields changed; the audit log gets the hashes of the old and the new texts.

    Raises:
        NotFound: the run is another team's.
        PhaseClosed: another name, after the deadline.
        NameTaken: the team has a run of this name in the phase.
    """
    access.require_member(session, actor, run.team)
    if is_renamed(run, name):
        permissions.require_run_open(session, run, now, "name")
    return change_run(session, actor, run, name, texts, now)


def is_renamed(run: Run, name: str | None) -> bool:
    """Whether a name is another than the run has; None: unchanged."""
    return name is not None and " ".join(name.split()) != run.name


def change_run(
    session: Session, actor: Actor, run: Run, name: str | None, texts: runs.RunTexts, now: datetime
) -> list[str]:
    """Edit a run as `edit_run` does; the caller checks the permission.

    Raises:
        NameTaken: the team has a run of this name in the phase.
    """
    before = _name_and_texts(run)
    if name is not None and is_renamed(run, name):
        run.name = runs.require_free_name(session, run.team, run.phase, name)
    runs.set_texts(run, texts)
    session.flush()
    after = _name_and_texts(run)
    changed = {
        key: [text_sha256(before[key]), text_sha256(after[key])] for key in after if before[key] != after[key]
    }
    if changed:
        audit.record(
            session, actor, now, "run.edit", run.team.task_id, run.team_id, run=run.id, changed=changed
        )
    return list(changed)


def choose_primary(session: Session, actor: Actor, run: Run, now: datetime, *, primary: bool = True) -> None:
    """Make a run its team's primary run in the phase, or let the team have none.

    Raises:
        NotFound: the run is another team's.
        PhaseClosed: the deadline has passed.
        RunWithdrawn: it has to be restored first.
        Conflict: the run is in this state already.
    """
    access.require_member(session, actor, run.team)
    permissions.require_phase_open(session, run, now, "primary")
    if primary and standings.is_run_withdrawn(session, run):
        raise RunWithdrawn.of("This run is withdrawn. Restore it first.")
    if run.is_primary == primary:
        done, not_done = _("This is already the primary run."), _("This is not the primary run.")
        raise Conflict(done if primary else not_done)
    for other in _list_runs_of_phase(session, run):
        other.is_primary = primary and other is run
    session.flush()
    action = "run.primary" if primary else "run.not-primary"
    audit.record(session, actor, now, action, run.team.task_id, run.team_id, run=run.id)


def move_run(session: Session, actor: Actor, run: Run, direction: Direction, now: datetime) -> None:
    """Swap a run with its neighbour; the first cannot move up, nor the last down.

    Raises:
        NotFound: the run is another team's.
        PhaseClosed: the deadline has passed.
    """
    access.require_member(session, actor, run.team)
    permissions.require_phase_open(session, run, now, "order")
    listed = _list_runs_of_phase(session, run)
    at = listed.index(run)
    to = at - 1 if direction == "up" else at + 1
    if not 0 <= to < len(listed):
        return
    listed[at], listed[to] = listed[to], listed[at]
    for position, listed_run in enumerate(listed, start=1):
        listed_run.position = position
    session.flush()
    order = [listed_run.id for listed_run in listed]
    audit.record(session, actor, now, "run.order", run.team.task_id, run.team_id, order=order)


def _list_runs_of_phase(session: Session, run: Run) -> list[Run]:
    query = select(Run).where(Run.team_id == run.team_id, Run.phase_id == run.phase_id)
    return list(session.scalars(query.order_by(Run.position, Run.id)))


def _name_and_texts(run: Run) -> dict[str, str]:
    return {"name": run.name, **runs.texts_of(run)}
