"""Gold versions: a new one stands beside the old, and every submission is scored against it."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session, contains_eager, joinedload

from server.domain.actors import Actor
from server.errors import NotFound
from server.models import GoldEvent, GoldVersion, Level, Phase, Run, Split, Submission, Task
from server.models.gold import GoldEventName
from server.services import access, audit, live_boards, scoring
from server.services.scoring import ItemsParts, ParsedGold, Results
from server.storage import Storage


@dataclass(frozen=True, slots=True)
class PreparedGold:
    """A gold file that was parsed, with the scores of every submission there was."""

    split_id: int
    data: bytes
    reason: str
    gold: ParsedGold
    results: dict[int, Results]


def list_versions(session: Session, actor: Actor, task: Task) -> list[GoldVersion]:
    """All gold versions of a task, by level, split and number; for those who see all of it."""
    access.require_observer(session, actor, task)
    query = (
        select(GoldVersion)
        .join(Split)
        .join(Level)
        .where(Level.task_id == task.id)
        .options(joinedload(GoldVersion.split).joinedload(Split.level))
        .order_by(Level.position, Split.id, GoldVersion.number)
    )
    return list(session.scalars(query))


def get_version(session: Session, actor: Actor, task: Task, version_id: int) -> GoldVersion:
    """A gold version of a task, for those who see all of it.

    Raises:
        NotFound: the task has none of this id.
    """
    for version in list_versions(session, actor, task):
        if version.id == version_id:
            return version
    raise NotFound("There is no such gold version.")


def prepare(
    session: Session, storage: Storage, actor: Actor, split: Split, data: bytes, filename: str, reason: str
) -> PreparedGold:
    """Parse a gold file and score every submission of its split against it; writes nothing.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Refused: the file is invalid, with every problem.
    """
    access.require_organizer(session, actor, split.level.task)
    gold = scoring.parse_gold(storage, split, data, filename)
    parts = scoring.parts_of(storage, split)
    results = {
        submission.id: _results(storage, split, gold, parts, submission)
        for submission in _submissions(session, split)
    }
    return PreparedGold(split.id, data, reason.strip(), gold, results)


def publish(
    session: Session, storage: Storage, actor: Actor, prepared: PreparedGold, now: datetime
) -> GoldVersion:
    """Put a prepared gold in force, with a score for each submission, those that came meanwhile too."""
    split = session.get_one(Split, prepared.split_id)
    access.require_organizer(session, actor, split.level.task)
    version = add_version(session, storage, actor, split, prepared.data, prepared.reason, now)
    add_event(session, actor, version, "published", prepared.reason, now)
    parts = scoring.parts_of(storage, split)
    for submission in _submissions(session, split):
        results = prepared.results.get(submission.id)
        if results is None:
            results = _results(storage, split, prepared.gold, parts, submission)
        session.add_all(scoring.score_rows(submission, version, results, now))
    session.flush()
    for phase in session.scalars(
        select(Phase).where(Phase.task_id == split.level.task_id, Phase.split == split.name)
    ):
        live_boards.note_change(session, phase, now)
    return version


def add_version(
    session: Session,
    storage: Storage,
    actor: Actor,
    split: Split,
    data: bytes,
    reason: str,
    now: datetime,
) -> GoldVersion:
    """The next gold version of a split; the caller sees to the scores."""
    newest = session.scalar(select(func.max(GoldVersion.number)).where(GoldVersion.split_id == split.id))
    version = GoldVersion(
        split_id=split.id,
        number=1 if newest is None else newest + 1,
        sha256=storage.put(data),
        scorer=scoring.VERSION,
        reason=reason,
        made_by=actor.user_id,
        made_at=now,
    )
    session.add(version)
    session.flush()
    audit.record(
        session,
        actor,
        now,
        "gold.add",
        split.level.task_id,
        level=split.level.slug,
        split=split.name,
        version=version.number,
    )
    return version


def add_event(
    session: Session, actor: Actor, version: GoldVersion, event: GoldEventName, reason: str, now: datetime
) -> None:
    """Say what became of a gold version; the caller has the right to."""
    session.add(
        GoldEvent(gold_version_id=version.id, event=event, reason=reason, made_by=actor.user_id, made_at=now)
    )
    session.flush()


def _submissions(session: Session, split: Split) -> list[Submission]:
    query = (
        select(Submission)
        .join(Run)
        .join(Phase)
        .where(Submission.level_id == split.level_id, Phase.split == split.name)
        .options(contains_eager(Submission.run))
        .order_by(Submission.id)
    )
    return list(session.scalars(query))


def _results(
    storage: Storage, split: Split, gold: ParsedGold, parts: ItemsParts, submission: Submission
) -> Results:
    data, baseline = storage.get(submission.sha256), submission.run.baseline is not None
    run = scoring.parse_run(storage, split, data, submission.filename, baseline=baseline)
    return scoring.evaluate_run(gold, run, split.level.metrics, parts)
