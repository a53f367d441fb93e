"""Withdrawing and restoring a submission; nothing is deleted, the newest row applies."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from server.access import service as access
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict, PhaseClosed
from server.core.i18n import _
from server.runs import permissions
from server.submissions import follow_up_jobs, standings
from server.submissions.models import Submission, Withdrawal
from server.submissions.rules import find_counting_id


@dataclass(frozen=True, slots=True)
class WithdrawalPreview:
    """What will count if the submission is withdrawn; None: nothing."""

    submission: Submission
    counts_now: bool
    counts_then: Submission | None


def preview_withdrawal(session: Session, submission: Submission) -> WithdrawalPreview:
    """Return what counts now, and what would count without the submission."""
    files = standings.list_submission_facts(session, submission.run_id, submission.level_id)
    others = [filed for filed in files if filed.id != submission.id]
    then = find_counting_id(others, late=submission.late)
    counts_now = find_counting_id(files, late=submission.late) == submission.id
    return WithdrawalPreview(submission, counts_now, None if then is None else session.get(Submission, then))


def withdraw_submission(session: Session, actor: Actor, submission: Submission, now: datetime) -> None:
    """Withdraw a submission; the one before it counts again.

    Raises:
        NotFound: it is another team's.
        PhaseClosed: the deadline has passed.
        Conflict: it is withdrawn already.
    """
    _record_withdrawal(session, actor, submission, now, withdrawn=True)


def restore_submission(session: Session, actor: Actor, submission: Submission, now: datetime) -> None:
    """Restore a withdrawn submission; raises as `withdraw_submission` does."""
    _record_withdrawal(session, actor, submission, now, withdrawn=False)


def _record_withdrawal(
    session: Session, actor: Actor, submission: Submission, now: datetime, *, withdrawn: bool
) -> None:
    team = submission.run.team
    access.require_member(session, actor, team)
    if permissions.is_withdrawal_closed(session, submission, now):
        raise PhaseClosed.of("The deadline has passed, so you can no longer change which submissions count.")
    if standings.is_withdrawn(session, submission) == withdrawn:
        done, not_done = _("This submission is already withdrawn."), _("This submission is not withdrawn.")
        raise Conflict(done if withdrawn else not_done)
    session.add(Withdrawal(submission_id=submission.id, withdrawn=withdrawn, **actor.made(now)))
    session.flush()
    standings.update_standing(session, submission.run_id, submission.level_id)
    follow_up_jobs.add_follow_up_jobs(session, submission.run.phase, now)
    action = "submission.withdraw" if withdrawn else "submission.restore"
    audit.record(session, actor, now, action, team.task_id, team.id, submission=submission.id)
