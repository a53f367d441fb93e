"""Dry runs: scoring a run file against the gold in force without submitting it. The file is not stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.orm import Session

from server.access import service as access
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import NoGold
from server.gold import versions as gold_versions
from server.phases.quotas import upload_limit
from server.scoring import service as scoring
from server.submissions import eligibility
from server.tasks.models import Split, Task


@dataclass(frozen=True, slots=True)
class DryScore:
    """One metric over all items (`part` None) or a part of them: a value, or why it is undefined."""

    part: str | None
    metric: str
    value: float | None
    reason: str | None
    n: int
    signature: str


@dataclass(frozen=True, slots=True)
class DryRun:
    """The scores that a file would get, and warnings about it."""

    scores: tuple[DryScore, ...]
    warnings: tuple[str, ...]
    gold_version: int


def list_splits(session: Session, actor: Actor, task: Task) -> dict[str, Split]:
    """Return the splits with gold labels that files can be scored against, by "level.split".

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, task)
    splits = {f"{level.slug}.{split.name}": split for level in task.levels for split in level.splits}
    golds = gold_versions.list_golds(session, list(splits.values()))
    return {key: split for key, split in splits.items() if split.id in golds}


def dry_run_size_limit(split: Split) -> int:
    """Return the maximum size of a file for the split, which is the same as for teams."""
    return upload_limit(split.n_items, keyed=split.level.task.keyed is not None)


def dry_run(
    session: Session, actor: Actor, split: Split, data: bytes, filename: str, *, first_is_score: bool
) -> DryRun:
    """Score a file as an upload would be, against the gold in force; writes nothing.

    `first_is_score` as in `ReceivedFile`.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        NoGold: there are no gold labels.
        TooLarge: more bytes than such a file can need.
        InvalidFile: the file is invalid, with every problem.
    """
    access.require_organizer(session, actor, split.level.task)
    eligibility.require_size(split, data, filename)
    version = gold_versions.find_gold(session, split)
    if version is None:
        raise NoGold.of(
            "There is no gold standard for %(level)s, %(split)s.", level=split.level.title, split=split.name
        )
    run = scoring.parse_run(session, split, data, filename, first_is_score=first_is_score)
    gold, parts = scoring.gold_of(session, split, version), scoring.parts_of(session, split)
    results = scoring.evaluate_run(gold, run, split.level.metrics, parts)
    scores = _scores(None, results.whole)
    for part, part_results in results.parts.items():
        scores += _scores(part, part_results)
    return DryRun(tuple(scores), tuple(str(warning) for warning in run.warnings), version.number)


def record_dry_run(session: Session, actor: Actor, split: Split, gold_version: int, now: datetime) -> None:
    """Record in the audit log that `actor` scored a file; nothing about the file.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    task = split.level.task
    access.require_organizer(session, actor, task)
    level, name = split.level.slug, split.name
    audit.record(session, actor, now, "gold.dry-run", task.id, level=level, split=name, version=gold_version)


def _scores(part: str | None, results: Sequence[scoring.MetricResult]) -> list[DryScore]:
    return [
        DryScore(
            part=part,
            metric=result.metric,
            value=result.value if isinstance(result.value, float) else None,
            reason=None if isinstance(result.value, float) else result.value.reason,
            n=result.n,
            signature=result.signature,
        )
        for result in results
    ]
