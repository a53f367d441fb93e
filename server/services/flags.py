"""Flags: files that look like probing, for those who see all of the task. Gold is never looked at."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from server import db
from server.domain.actors import Actor
from server.domain.probing import FlagCode, find_probing
from server.models import Flag, Phase, Run, Submission, Team
from server.services import access, scoring, tasks
from server.site import Site
from server.storage import Storage

LOOK = "flags.look"
"""The job that a scored file leaves."""
EARLIER = 20
"""How many of a team's earlier files for the level a new one is compared with."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """What looks like probing in a submission, and the earlier one that differs so little."""

    code: FlagCode
    words: str
    other_id: int | None


def compare(session: Session, storage: Storage, submission_id: int) -> list[Likeness]:
    """Hold a submission against what its team sent before; writes nothing.

    Raises:
        NoResultFound: there is no such submission.
    """
    options = joinedload(Submission.run).joinedload(Run.team).joinedload(Team.task)
    submission = session.get_one(Submission, submission_id, options=[options])
    earlier, task = _earlier(session, submission), submission.run.team.task
    scores, *before = (_scores(storage, one) for one in (submission, *earlier))
    return [
        Likeness(one.code, one.words, None if one.other is None else earlier[one.other].id)
        for one in find_probing(scores, before, task.scale_max - task.scale_min)
    ]


def add_flags(session: Session, submission_id: int, found: Sequence[Likeness], now: datetime) -> list[Flag]:
    """Keep what was found; each code once, however often it is found."""
    there = {flag.code for flag in list_of(session, [submission_id])}
    added = [
        Flag(submission_id=submission_id, code=one.code, words=one.words, other_id=one.other_id, made_at=now)
        for one in found
        if one.code not in there
    ]
    session.add_all(added)
    session.flush()
    return added


def look(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Flag a submission if it looks like probing; the files are compared before the lock is taken."""
    session, submission_id = site.session(), payload["submission"]
    with db.reading(session):
        found = compare(session, site.storage, submission_id)
    if found:
        with db.writing(session):
            add_flags(session, submission_id, found, now)


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
    """What the team sent before for the level, in all phases on the same items, the newest first."""
    run = submission.run
    same = (
        Run.team_id == run.team_id,
        Phase.split == run.phase.split,
        Submission.level_id == submission.level_id,
    )
    query = select(Submission).join(Run).join(Phase, Phase.id == Run.phase_id)
    query = query.where(*same, Submission.id < submission.id)
    return list(session.scalars(query.order_by(Submission.id.desc()).limit(EARLIER)))


def _scores(storage: Storage, submission: Submission) -> tuple[float, ...]:
    """The scores of a stored file, in the order of the items."""
    split = tasks.find_split(submission.level, submission.run.phase.split)
    assert split is not None  # noqa: S101  (the file was scored on it, and splits are never removed)
    data, baseline = storage.get(submission.sha256), submission.run.baseline is not None
    return scoring.parse_run(storage, split, data, submission.filename, baseline=baseline).scores
