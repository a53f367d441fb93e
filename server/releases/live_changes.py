"""What makes a board change: its draft is looked at anew, and a live one released soon after."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.jobs import service as jobs
from server.phases.models import Phase
from server.releases import inferences
from server.releases import service as releases
from server.submissions.changes import RELEASE

APART = timedelta(minutes=1)
"""How far two live releases of a phase are apart."""


def note_change(session: Session, phase: Phase, now: datetime) -> None:
    """Have it computed which ranks are real now, and a board released soon that does so by itself."""
    inferences.note_draft(session, phase, now)
    note_live(session, phase, now)


def note_live(session: Session, phase: Phase, now: datetime) -> None:
    """Have a board released soon that does so by itself."""
    if phase.board != "live":
        return
    newest = releases.find_newest(session, phase)
    apart = now if newest is None else newest.release.made_at + APART
    due = max(now, apart, now if phase.opens is None else phase.opens)
    job = jobs.add_job(session, RELEASE, {"phase": phase.id}, now, due_at=due, key=f"{RELEASE}:{phase.id}")
    job.due_at = min(job.due_at, due)  # the phase may open earlier than it was to


def note_changes(session: Session, phases: Iterable[Phase], now: datetime) -> None:
    """The same for each of the phases."""
    for phase in phases:
        note_change(session, phase, now)


def list_on_items(session: Session, task_id: int, split: str) -> list[Phase]:
    """The phases on the items of a split."""
    query = select(Phase).where(Phase.task_id == task_id, Phase.split == split)
    return list(session.scalars(query.order_by(Phase.position)))
