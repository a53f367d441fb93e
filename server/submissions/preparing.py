"""Runs before the write lock: read, parsed, correlated and put on the disk, or refused with every bad line.

A file that is prepared and then not taken is one that nothing speaks of; the sweep removes it. A refused
file is recorded here, so that no caller can forget it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session

from server.access import tasks, terms
from server.core import db
from server.core.actors import Actor
from server.core.errors import Refused
from server.core.storage import Storage
from server.gold.commitments import commitment_to
from server.gold.models import GoldVersion
from server.phases.models import Phase
from server.phases.quotas import upload_limit
from server.runs.models import Run
from server.scoring import service as scoring
from server.scoring.service import ParsedRun, Results
from server.submissions import eligibility, runs
from server.submissions import rejections as refusals
from server.submissions.eligibility import require_golds
from server.submissions.targets import ReceivedFile
from server.tasks.models import Level, Split, Task
from server.teams.models import Membership, Team

_OWN_LIMIT = (
    select(Split.n_items, Task.keyed)
    .select_from(Run)
    .join(Run.team)
    .join(Team.task)
    .join(Run.phase)
    .join(Level, (Level.task_id == Task.id) & (Level.slug == bindparam("slug")))
    .join(Split, (Split.level_id == Level.id) & (Split.name == Phase.split))
    .join(Membership, (Membership.team_id == Team.id) & (Membership.user_id == bindparam("user_id")))
    .where(Run.id == bindparam("run_id"))
)


@dataclass(frozen=True, slots=True)
class GoldResults:
    """What a file got against a gold version, and what its receipt says of that gold."""

    results: Results
    commitment: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file that was parsed and scored, and waits for the write lock."""

    run_id: int
    level: str
    data: bytes
    sha256: str
    filename: str
    parsed: ParsedRun
    held: Mapping[int, GoldResults]
    """By the gold versions' ids: of the one in force, and of the candidate if there is one."""


def limit_for(session: Session, actor: Actor, run_id: int, level_slug: str) -> int:
    """The most bytes that an upload for this run and level may have.

    Raises:
        NotFound: no such run of the person's team, or no such level in its phase.
    """
    known = {"run_id": run_id, "slug": level_slug, "user_id": actor.user_id}
    row = session.execute(_OWN_LIMIT, known).one_or_none()
    if row is None:  # say what is not there
        run = runs.get_run(session, actor, run_id)
        split = tasks.load_level_split(session, run.team.task, level_slug, run.phase.split)[1]
        return upload_limit(split.n_items, keyed=run.team.task.keyed is not None)
    return upload_limit(row.n_items, keyed=row.keyed is not None)


def prepare(session: Session, storage: Storage, actor: Actor, file: ReceivedFile, now: datetime) -> Prepared:
    """Parse and score a file, and put its bytes aside, so that nobody waits for the disk behind the lock.

    A file that is refused is recorded, with its problems, in a transaction of its own.

    Raises:
        TermsNotAccepted: the person has still to accept the terms of the task.
        PhaseShut: the phase takes no files at `now`.
        QuotaUsed: the team has had as many files of this level scored as it may.
        TooManyRefused: the file is invalid, and so were too many others within the hour.
        TooLarge: more bytes than such a file can need.
        Refused: the file is invalid, with every problem.
    """
    run_id, level = (
        file.target.run.id,
        file.target.level.slug,
    )  # read before the transaction below ends this one
    try:
        return score(session, storage, actor, file, now)
    except Refused as refused:
        with db.writing(session):
            refusals.record_refusal(session, actor, run_id, level, file.data, file.filename, refused, now)
        raise


def score(session: Session, storage: Storage, actor: Actor, file: ReceivedFile, now: datetime) -> Prepared:
    """The same without the record of a refused file, for files that are refused together."""
    try:
        checked = _read(session, storage, actor, file, now)
    except Refused:
        eligibility.check_rejection_rate(file.target.last_allowed)
        raise
    held = evaluate(storage, checked.split, checked.parsed, checked.golds, {})
    return Prepared(
        file.target.run.id,
        checked.level.slug,
        file.data,
        storage.put(file.data),
        file.filename,
        checked.parsed,
        held,
    )


@dataclass(frozen=True, slots=True)
class Checked:
    """A file that was parsed and held against no gold."""

    level: Level
    split: Split
    golds: Sequence[GoldVersion]
    filename: str
    parsed: ParsedRun
    same: bool
    """Whether it is just the file that counts already."""


def check(session: Session, storage: Storage, actor: Actor, file: ReceivedFile, now: datetime) -> Checked:
    """Parse a file where it might be sent now; reads no gold and writes nothing.

    Raises as `prepare` does, and TooManyRefused also for a valid file.
    """
    eligibility.check_rejection_rate(file.target.last_allowed)
    return _read(session, storage, actor, file, now)


def _read(session: Session, storage: Storage, actor: Actor, file: ReceivedFile, now: datetime) -> Checked:
    """Parse a file for a target that takes it now."""
    target, split, same = file.target, file.target.split, file.target.is_same(file.data)
    terms.require_accepted(session, actor, target.run.team.task)
    if not same:
        eligibility.require_may_submit(session, file, now)
    eligibility.require_size(file)
    golds = require_golds(target)
    try:
        parsed = scoring.parse_run(storage, split, file.data, file.filename)
    except Refused as refused:
        others = _other_splits(session, actor, split, now)
        other = scoring.find_other_items(storage, split, file.data, file.filename, refused.problems, others)
        raise other or refused from refused
    return Checked(target.level, split, golds, file.filename, parsed, same)


def _other_splits(session: Session, actor: Actor, split: Split, now: datetime) -> list[Split]:
    """The other splits of the task whose items `actor` may download now: of those of the level, first.

    The number and the ids of items that are hidden may not be learned from what is said of a file.
    """
    files = tasks.list_files(session, actor, split.level.task, now)
    found = [tasks.find_split(file.level, file.split) for file in files if file.kind == "items"]
    others = [other for other in found if other is not None and other.id != split.id]
    return sorted(others, key=lambda other: other.level_id != split.level_id)


def evaluate(
    storage: Storage,
    split: Split,
    parsed: ParsedRun,
    golds: Sequence[GoldVersion],
    known: Mapping[int, GoldResults],
) -> dict[int, GoldResults]:
    """The results against each gold version, those that are known already aside."""
    held = dict(known)
    for gold in golds:
        if gold.id not in held:
            values, parts = scoring.gold_of(storage, split, gold), scoring.parts_of(storage, split)
            results = scoring.evaluate_run(values, parsed, split.level.metrics, parts)
            held[gold.id] = GoldResults(results, commitment_to(storage, gold))
    return held
