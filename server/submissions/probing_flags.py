"""Flags on files that look like probing, for people who may see all of the task. Gold is not read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.orm import Session, joinedload

from server.access import service as access, tasks
from server.core import db
from server.core.actors import Actor
from server.core.site_resources import Site
from server.core.storage import storage_of
from server.jobs import service as jobs
from server.phases.models import Phase
from server.runs.models import Run
from server.scoring import service as scoring
from server.submissions.models import Flag, Submission
from server.submissions.probing import FlagCode, ProbingSign, find_probing
from server.tasks.models import Split
from server.teams.models import Team

PROBING_JOB = "flags.look"
"""The job that is added with a submission, unless one of its team and level is waiting."""
PROBING_DELAY = timedelta(minutes=1)
"""How long a submission waits for others of its team, to be compared together."""
MAX_EARLIER_FILES = 20
"""With how many of a team's earlier files for the level a new one is compared."""


@dataclass(frozen=True, slots=True)
class ProbingMatch:
    """A sign of probing in a submission, and the earlier one that hardly differs."""

    code: FlagCode
    words: str
    other_id: int | None


def make_probing_job(submission: Submission, split: Split, now: datetime) -> jobs.NewJob:
    """Make the job that checks a file and the team's later ones for the level, reading each file once."""
    key = f"{PROBING_JOB}:{submission.run.team_id}:{split.id}"
    return jobs.NewJob(PROBING_JOB, {"submission": submission.id}, now + PROBING_DELAY, key)


def compare_files(session: Session, submission_id: int) -> dict[int, list[ProbingMatch]]:
    """Compare a submission, and its team's later ones for the level, with earlier ones.

    It writes nothing.

    Raises:
        NoResultFound: there is no such submission.
    """
    options = joinedload(Submission.run).joinedload(Run.team).joinedload(Team.task)
    submission = session.get_one(Submission, submission_id, options=[options])
    task, files = submission.run.team.task, _list_files(session, submission)
    split = tasks.find_split(submission.level, submission.run.phase.split)
    assert split is not None  # noqa: S101  (the file was scored on it, and splits are never removed)
    scores = [
        scoring.parse_run(session, split, storage_of(session).get(file.sha256), file.filename).scores
        for file in files
    ]
    (low, high), matches = task.scale, {}
    for place, file in enumerate(files):
        if file.id >= submission_id:
            before = range(place - 1, max(-1, place - 1 - MAX_EARLIER_FILES), -1)
            probing = find_probing(scores[place], [scores[other] for other in before], high - low)
            matches[file.id] = [
                _probing_match(finding, [files[other].id for other in before]) for finding in probing
            ]
    return matches


def _probing_match(finding: ProbingSign, earlier: Sequence[int]) -> ProbingMatch:
    return ProbingMatch(
        finding.code, finding.words, None if finding.other is None else earlier[finding.other]
    )


def add_flags(
    session: Session, submission_id: int, found: Sequence[ProbingMatch], now: datetime
) -> list[Flag]:
    """Store the signs; each code only once, however often it is found."""
    flagged_codes = {flag.code for flag in list_flags(session, [submission_id])}
    added = [
        Flag(
            submission_id=submission_id,
            code=match.code,
            words=match.words,
            other_id=match.other_id,
            made_at=now,
        )
        for match in found
        if match.code not in flagged_codes
    ]
    session.add_all(added)
    session.flush()
    return added


def flag_probing(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Flag signs of probing in a submission and later ones; files are compared before the lock is taken."""
    with site.reading() as session:
        matches = compare_files(session, payload["submission"])
    if any(matches.values()):
        with db.writing(session):
            for submission_id, likenesses in matches.items():
                add_flags(session, submission_id, likenesses, now)


def list_visible_flags(session: Session, actor: Actor, submission: Submission) -> list[Flag]:
    """List the flags of a submission for people who may see all of the task; empty for others."""
    if not access.sees_all(session, actor, submission.run.team.task):
        return []
    return list_flags(session, [submission.id])


def list_flags(session: Session, submission_ids: Sequence[int]) -> list[Flag]:
    """List the flags of the submissions; the caller checks the permission."""
    query = select(Flag).where(Flag.submission_id.in_(submission_ids))
    return list(session.scalars(query.order_by(Flag.submission_id, Flag.code)))


def _list_files(session: Session, first: Submission) -> list[Row[tuple[int, str, str]]]:
    """List a submission, later ones and the newest before it, of its team for the level, the oldest first.

    They are from all phases on the same items.
    """
    run = first.run
    query = (
        select(Submission.id, Submission.sha256, Submission.filename)
        .join(Run)
        .join(Phase, Phase.id == Run.phase_id)
        .where(
            Run.team_id == run.team_id,
            Phase.split == run.phase.split,
            Submission.level_id == first.level_id,
        )
    )
    before = query.where(Submission.id < first.id).order_by(Submission.id.desc()).limit(MAX_EARLIER_FILES)
    since = query.where(Submission.id >= first.id).order_by(Submission.id)
    return [*reversed(session.execute(before).all()), *session.execute(since)]
