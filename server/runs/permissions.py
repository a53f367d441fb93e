"""Permissions: may this person see or change a run, or a file of it, now?"""

from datetime import datetime
from typing import Literal

from sqlalchemy.orm import Session

from server.access.service import find_team, sees_all
from server.core.actors import Actor
from server.core.dates import format_utc
from server.core.errors import PhaseClosed
from server.core.i18n import N_
from server.phases import windows
from server.runs.models import Run
from server.submissions.models import Submission

TeamChoice = Literal["primary", "order"]
"""What a team may choose about its runs until its deadline."""
CHOICE_CLOSED_MESSAGES: dict[TeamChoice, str] = {
    "primary": N_("%(phase)s is not open for your team on %(at)s, so you cannot change the primary run."),
    "order": N_("%(phase)s is not open for your team on %(at)s, so you cannot change the order of runs."),
}
RunChange = Literal["name", "withdrawal"]
"""What may change about one run until the deadline."""
CHANGE_CLOSED_MESSAGES: dict[RunChange, str] = {
    "name": N_("%(phase)s is not open for this run on %(at)s, so its name cannot be changed."),
    "withdrawal": N_("%(phase)s is not open for this run on %(at)s, so it cannot be withdrawn or restored."),
}


def sees_scores(session: Session, actor: Actor, submission: Submission) -> bool:
    """Whether `actor`, who may read the submission, may see its scores: by the phase's rules or a role."""
    return submission.run.phase.feedback != "hidden" or sees_all(session, actor, submission.run.team.task)


def can_withdraw(session: Session, actor: Actor, submission: Submission, now: datetime) -> bool:
    """Whether `actor` may withdraw or restore the submission now."""
    team = submission.run.team
    is_member = actor.console or find_team(session, actor, team.task) is team
    return is_member and not is_withdrawal_closed(session, submission, now)


def is_withdrawal_closed(session: Session, submission: Submission, now: datetime) -> bool:
    """Whether it is too late to withdraw or restore the submission."""
    run = submission.run
    state = windows.window_of(session, run.phase, run.team).state(now)
    return run.baseline is not None or not (state == "open" or (submission.late and state == "grace"))


def is_phase_open(session: Session, run: Run, now: datetime) -> bool:
    """Whether the team's deadline is in the future: until then it may choose primary run and order."""
    return run.baseline is None and windows.window_of(session, run.phase, run.team).state(now) == "open"


def is_run_open(session: Session, run: Run, now: datetime) -> bool:
    """Whether the run can be renamed, withdrawn or restored: a late run also in the grace period."""
    window = windows.window_of(session, run.phase, run.team)
    late = window.closes is not None and run.created_at > window.closes
    return run.baseline is None and (window.state(now) == "open" or (late and window.state(now) == "grace"))


def require_phase_open(session: Session, run: Run, now: datetime, what: TeamChoice) -> None:
    """Raise unless the team may still choose this.

    Raises:
        PhaseClosed: the deadline has passed.
    """
    if not is_phase_open(session, run, now):
        raise PhaseClosed.of(CHOICE_CLOSED_MESSAGES[what], phase=run.phase.title, at=format_utc(now))


def require_run_open(session: Session, run: Run, now: datetime, what: RunChange) -> None:
    """Raise as `require_phase_open` does unless the team may still change the run."""
    if not is_run_open(session, run, now):
        raise PhaseClosed.of(CHANGE_CLOSED_MESSAGES[what], phase=run.phase.title, at=format_utc(now))
