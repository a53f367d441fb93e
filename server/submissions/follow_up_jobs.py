"""Jobs that follow a change of what counts; packages above this one run them, so they are named by kind."""

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from server.jobs import service as jobs
from server.phases.models import Phase
from server.submissions.models import Submission

BASELINE_JOB = "baseline.compute"
"""The kind of job that computes the files that the baselines of a task lack."""
CONFIRMATION_JOB = "mail.confirm"
"""The kind of job that writes one confirmation email."""
CONFIRMATION_DELAY = timedelta(minutes=1)
"""How long after a file others of the same person and task are included in its email."""
INFERENCE_JOB = "board.infer"
"""The kind of job that computes significance tests."""
INFERENCE_DELAY = timedelta(minutes=2)
"""How long a draft waits for further changes before it is computed."""
PAPER_JOB = "paper.make"
"""The kind of job that makes the tables and figures of a release, or of a task for its organizers."""
RELEASE_JOB = "board.release"
"""The kind of job that releases a live leaderboard, at least a minute after the previous release."""


def add_baseline_job(session: Session, task_id: int, now: datetime) -> None:
    """Add the job that computes what the baselines of a task lack."""
    jobs.add_job(session, BASELINE_JOB, {"task": task_id}, now, key=baseline_key(task_id))


def baseline_key(task_id: int) -> str:
    """Return the key of the job that computes the baselines of a task."""
    return f"{BASELINE_JOB}:{task_id}"


def add_follow_up_jobs(session: Session, phase: Phase, now: datetime) -> None:
    """Add jobs that compute the significance tests and release a live leaderboard."""
    jobs.add_jobs(session, make_follow_up_jobs(phase, now), now)


def make_follow_up_jobs(phase: Phase, now: datetime) -> list[jobs.NewJob]:
    """Make the jobs of `add_follow_up_jobs`, for callers that add others with them."""
    return [make_draft_job(phase, now), *([make_live_job(phase, now)] if phase.board == "live" else [])]


def make_draft_job(phase: Phase, now: datetime) -> jobs.NewJob:
    """Make the job for the leaderboard that organizers see, delayed to include further changes."""
    return jobs.NewJob(INFERENCE_JOB, {"draft": phase.id}, now + INFERENCE_DELAY, draft_key(phase))


def draft_key(phase: Phase) -> str:
    """Return the key of the job that computes a phase's draft."""
    return f"{INFERENCE_JOB}:draft:{phase.id}"


def make_live_job(phase: Phase, now: datetime) -> jobs.NewJob:
    """Make the job that releases a phase's live leaderboard as soon as it may be seen."""
    due_at = now if phase.opens is None else max(now, phase.opens)
    return jobs.NewJob(RELEASE_JOB, {"phase": phase.id}, due_at, live_key(phase))


def live_key(phase: Phase) -> str:
    """Return the key of the job that releases a phase's live leaderboard."""
    return f"{RELEASE_JOB}:{phase.id}"


def add_paper_job(session: Session, release_id: int, now: datetime) -> None:
    """Add the job that makes the tables and figures of a release."""
    jobs.add_job(session, PAPER_JOB, {"release": release_id}, now, key=paper_key(release_id))


def paper_key(release_id: int) -> str:
    """Return the key of the job that makes the tables and figures of a release."""
    return f"{PAPER_JOB}:release:{release_id}"


def make_confirmation_job(submission: Submission, now: datetime) -> jobs.NewJob:
    """Make the job that confirms a file, and later ones of its person, in one email."""
    key = f"{CONFIRMATION_JOB}:{submission.run.team.task_id}:{submission.submitted_by}"
    return jobs.NewJob(CONFIRMATION_JOB, {"submission": submission.id}, now + CONFIRMATION_DELAY, key)
