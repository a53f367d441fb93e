"""Which submission counts at a run and level: derived from submissions and withdrawals, and stored."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import ColumnElement, ScalarSelect, bindparam, delete, select
from sqlalchemy.orm import Session, joinedload

from server.phases import windows
from server.runs.models import Run, RunWithdrawal
from server.submissions.models import Standing, Submission, Withdrawal
from server.submissions.rules import SubmissionFacts, find_counting_id
from server.tasks.models import Level


def _newest_withdrawal(
    table: type[Withdrawal] | type[RunWithdrawal], of: ColumnElement[bool]
) -> ScalarSelect[bool]:
    return select(table.withdrawn).where(of).order_by(table.id.desc()).limit(1).scalar_subquery()


WITHDRAWN = _newest_withdrawal(Withdrawal, Withdrawal.submission_id == Submission.id)
"""A column of queries on submissions: whether the newest withdrawal row withdraws it; null: none."""
RUN_WITHDRAWN = _newest_withdrawal(RunWithdrawal, RunWithdrawal.run_id == Run.id)
"""The same column for queries on runs."""
GIVEN_RUN_WITHDRAWN = _newest_withdrawal(RunWithdrawal, RunWithdrawal.run_id == bindparam("run_id"))
"""A column for any query: whether the run with the id `run_id` is withdrawn."""


def update_standing(session: Session, run_id: int, level_id: int) -> None:
    """Recompute which submissions count at a run and level."""
    files = list_submission_facts(session, run_id, level_id)
    session.execute(delete(Standing).where(Standing.run_id == run_id, Standing.level_id == level_id))
    for late in (False, True):
        submission_id = find_counting_id(files, late=late)
        if submission_id is not None:
            session.add(Standing(run_id=run_id, level_id=level_id, late=late, submission_id=submission_id))
    session.flush()


def set_standing(session: Session, standing: Standing | None, submission: Submission) -> None:
    """Let a file that was just stored count.

    The run is not withdrawn, so this is what `update_standing` derives from all of its files.
    """
    if standing is None:
        run_id, level_id = submission.run_id, submission.level_id
        standing = Standing(run_id=run_id, level_id=level_id, late=submission.late)
        session.add(standing)
    standing.submission = submission


def does_count(session: Session, submission: Submission) -> bool:
    """Whether the submission is the one that counts at its run and level."""
    standing = session.get(Standing, (submission.run_id, submission.level_id, submission.late))
    return standing is not None and standing.submission_id == submission.id


def find_counting(session: Session, run: Run, level: Level, now: datetime) -> Submission | None:
    """Return the submission that a file arriving at `now` would replace at a run and level."""
    late = windows.window_of(session, run.phase, run.team).state(now) == "grace"
    key = (run.id, level.id, late)
    standing = session.get(Standing, key, options=[joinedload(Standing.submission)])
    return None if standing is None else standing.submission


def has_on_time(session: Session, run: Run, level: Level) -> bool:
    """Whether a file that was on time counts at a run and level."""
    return session.get(Standing, (run.id, level.id, False)) is not None


def list_missing_levels(session: Session, run: Run, levels: Sequence[Level]) -> list[Level]:
    """List those of the levels at which no file of a run counts, neither on time nor late."""
    filed_level_ids = set(session.scalars(select(Standing.level_id).where(Standing.run_id == run.id)))
    return [level for level in levels if level.id not in filed_level_ids]


def withdrawn_ids(session: Session, submission_ids: Sequence[int]) -> set[int]:
    """Return the ids of those submissions that are withdrawn."""
    query = select(Submission.id).where(Submission.id.in_(submission_ids), WITHDRAWN.is_(True))
    return set(session.scalars(query))


def is_withdrawn(session: Session, submission: Submission) -> bool:
    """Whether the submission is withdrawn."""
    return submission.id in withdrawn_ids(session, [submission.id])


def withdrawn_run_ids(session: Session, run_ids: Sequence[int]) -> set[int]:
    """Return the ids of those runs that are withdrawn, with all their files."""
    return set(session.scalars(select(Run.id).where(Run.id.in_(run_ids), RUN_WITHDRAWN.is_(True))))


def is_run_withdrawn(session: Session, run: Run) -> bool:
    """Whether the run is withdrawn."""
    return run.id in withdrawn_run_ids(session, [run.id])


def list_submission_facts(session: Session, run_id: int, level_id: int) -> list[SubmissionFacts]:
    """List the submissions of a run and level for the rule of what counts: none of a withdrawn run."""
    query = select(Submission.id, Submission.late)
    rows = session.execute(query.where(Submission.run_id == run_id, Submission.level_id == level_id)).all()
    withdrawn = withdrawn_ids(session, [row.id for row in rows])
    run_gone = run_id in withdrawn_run_ids(session, [run_id])
    return [SubmissionFacts(row.id, row.late, run_gone or row.id in withdrawn) for row in rows]
