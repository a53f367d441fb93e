"""Withdrawing a run with all its files, and restoring it; the newest record applies."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict
from server.core.i18n import _
from server.runs import permissions
from server.runs.models import Run, RunWithdrawal
from server.submissions import follow_up_jobs, standings
from server.submissions.models import Standing, Submission


@dataclass(frozen=True, slots=True)
class RunWithdrawalPreview:
    """The files that no longer count if the run is withdrawn."""

    run: Run
    counting: tuple[Submission, ...]


def preview_run_withdrawal(session: Session, run: Run) -> RunWithdrawalPreview:
    """Return the submissions of the run that count now, by level."""
    query = select(Standing).where(Standing.run_id == run.id).order_by(Standing.level_id, Standing.late)
    return RunWithdrawalPreview(run, tuple(standing.submission for standing in session.scalars(query)))


def withdraw_run(session: Session, actor: Actor, run: Run, now: datetime) -> None:
    """Withdraw a run: none of its files counts; it stays in the list and its quota stays used.

    Raises:
        NotFound: it is another team's.
        PhaseClosed: the deadline has passed.
        Conflict: it is withdrawn already.
    """
    _record_run_withdrawal(session, actor, run, now, withdrawn=True)


def restore_run(session: Session, actor: Actor, run: Run, now: datetime) -> None:
    """Restore a withdrawn run, with the files that counted; raises as `withdraw_run` does."""
    _record_run_withdrawal(session, actor, run, now, withdrawn=False)


def _record_run_withdrawal(
    session: Session, actor: Actor, run: Run, now: datetime, *, withdrawn: bool
) -> None:
    access.require_member(session, actor, run.team)
    permissions.require_run_open(session, run, now, "withdrawal")
    if standings.is_run_withdrawn(session, run) == withdrawn:
        done, not_done = _("This run is already withdrawn."), _("This run is not withdrawn.")
        raise Conflict(done if withdrawn else not_done)
    session.add(RunWithdrawal(run_id=run.id, withdrawn=withdrawn, made_by=actor.user_id, made_at=now))
    session.flush()
    for level_id in session.scalars(
        select(Submission.level_id)
        .where(Submission.run_id == run.id)
        .distinct()
        .order_by(Submission.level_id)
    ).all():
        standings.update_standing(session, run.id, level_id)
    follow_up_jobs.add_follow_up_jobs(session, run.phase, now)
    action = "run.withdraw" if withdrawn else "run.restore"
    audit.record(session, actor, now, action, run.team.task_id, run.team_id, run=run.id)
