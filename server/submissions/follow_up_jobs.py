"""What follows from a change of what counts: jobs that packages above this one do, named by their kinds."""

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from server.jobs import service as jobs
from server.jobs.models import Job
from server.phases.models import Phase
from server.submissions.models import Submission

CONFIRMATION_JOB = "mail.confirm"
"""The kind of job that writes one confirmation."""
CONFIRMATION_DELAY = timedelta(minutes=1)
"""From a file on, how long others of the same person and task come into its mail."""
INFERENCE_JOB = "board.infer"
"""The kind of job that computes which ranks are real."""
INFERENCE_DELAY = timedelta(minutes=2)
"""How long a draft waits for further changes before it is computed."""
RELEASE_JOB = "board.release"
"""The kind of job that releases a live leaderboard; it waits a minute after the release before it."""


def add_follow_up_jobs(session: Session, phase: Phase, now: datetime) -> None:
    """Have it computed which ranks are real now, and a live leaderboard released."""
    waiting = jobs.add_jobs(session, make_follow_up_jobs(phase, now))
    if phase.board == "live":
        # A job that waits already may be due later, for a phase that was to open later.
        waiting[-1].due_at = min(waiting[-1].due_at, _live_due(phase, now))


def make_follow_up_jobs(phase: Phase, now: datetime) -> list[Job]:
    """The jobs of `add_follow_up_jobs`, for a caller that adds others with them."""
    return [make_draft_job(phase, now), *([make_live_job(phase, now)] if phase.board == "live" else [])]


def make_draft_job(phase: Phase, now: datetime) -> Job:
    """Compute the leaderboard that organizers see, a while later, so that further changes are in it."""
    return jobs.new_job(
        INFERENCE_JOB, {"draft": phase.id}, now, due_at=now + INFERENCE_DELAY, key=draft_key(phase)
    )


def draft_key(phase: Phase) -> str:
    """The key of the job that computes a phase's draft."""
    return f"{INFERENCE_JOB}:draft:{phase.id}"


def make_live_job(phase: Phase, now: datetime) -> Job:
    """Release the live leaderboard of a phase as soon as it may be seen."""
    return jobs.new_job(
        RELEASE_JOB, {"phase": phase.id}, now, due_at=_live_due(phase, now), key=live_key(phase)
    )


def live_key(phase: Phase) -> str:
    """The key of the job that releases a phase's live leaderboard."""
    return f"{RELEASE_JOB}:{phase.id}"


def _live_due(phase: Phase, now: datetime) -> datetime:
    return now if phase.opens is None else max(now, phase.opens)


def make_confirmation_job(submission: Submission, now: datetime) -> Job:
    """Confirm a file, and what its person sends for a while after it, by one email."""
    key = f"{CONFIRMATION_JOB}:{submission.run.team.task_id}:{submission.submitted_by}"
    return jobs.new_job(
        CONFIRMATION_JOB, {"submission": submission.id}, now, due_at=now + CONFIRMATION_DELAY, key=key
    )
