"""Flags: files that look like probing, for those who see all of the task. Gold is never looked at."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from server.domain.actors import Actor
from server.domain.probing import find_probing
from server.models import Flag, Run, Submission, Team
from server.services import access, scoring, tasks
from server.storage import Storage

EARLIER = 20
"""How many of a team's earlier files for the level a new one is compared with."""


def look(session: Session, storage: Storage, submission_id: int, now: datetime) -> list[Flag]:
    """Flag a submission if it looks like probing, beside what its team sent before; once, if asked twice.

    Raises:
        NoResultFound: there is no such submission.
    """
    options = joinedload(Submission.run).joinedload(Run.team).joinedload(Team.task)
    submission = session.get_one(Submission, submission_id, options=[options])
    there = {flag.code for flag in list_of(session, [submission.id])}
    earlier = _earlier(session, submission)
    task = submission.run.team.task
    scores, *before = (_scores(storage, one) for one in (submission, *earlier))
    added = [
        Flag(
            submission_id=submission.id,
            code=finding.code,
            words=finding.words,
            other_id=None if finding.other is None else earlier[finding.other].id,
            made_at=now,
        )
        for finding in find_probing(scores, before, task.scale_max - task.scale_min)
        if finding.code not in there
    ]
    session.add_all(added)
    session.flush()
    return added


def list_seen(session: Session, actor: Actor, submission: Submission) -> list[Flag]:
    """The flags of a submission, for those who see all of the task; none for others."""
    if not access.sees_all(session, actor, submission.run.team.task):
        return []
    return list_of(session, [submission.id])


def list_of(session: Session, submission_ids: Sequence[int]) -> list[Flag]:
    """The flags of the submissions; the caller asks whether they may be seen."""
    query = select(Flag).where(Flag.submission_id.in_(submission_ids))
    return list(session.scalars(query.order_by(Flag.submission_id, Flag.code)))


def _earlier(session: Session, submission: Submission) -> list[Submission]:
    """What the team sent before for the level in the phase, withdrawn or not, the newest first."""
    run = submission.run
    same = (
        Run.team_id == run.team_id,
        Run.phase_id == run.phase_id,
        Submission.level_id == submission.level_id,
    )
    query = select(Submission).join(Run).where(*same, Submission.id < submission.id)
    return list(session.scalars(query.order_by(Submission.id.desc()).limit(EARLIER)))


def _scores(storage: Storage, submission: Submission) -> tuple[float, ...]:
    """The scores of a stored file, in the order of the items."""
    split = tasks.find_split(submission.level, submission.run.phase.split)
    assert split is not None  # noqa: S101  (the file was scored on it, and splits are never removed)
    data, baseline = storage.get(submission.sha256), submission.run.baseline is not None
    return scoring.parse_run(storage, split, data, submission.filename, baseline=baseline).scores
