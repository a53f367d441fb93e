"""Public items: items of a split whose scores teams may see, declared before the first submission."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from server.access import service as access, tasks
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict
from server.core.i18n import _
from server.core.storage import storage_of
from server.gold.models import GoldVersion
from server.phases.feedback import draw_public_items
from server.phases.models import Phase
from server.runs.models import Run
from server.scoring import service as scoring
from server.scoring.models import PartScore, Score
from server.submissions import rescoring
from server.submissions.models import Submission
from server.tasks.models import Split

MIN_ITEMS = 4
"""The minimum number of items: each part needs at least two for a correlation."""


def can_declare_public_items(session: Session, phase: Phase) -> bool:
    """Whether no team has uploaded a file for the phase's split yet."""
    query = (
        select(Submission.id)
        .join(Run)
        .join(Phase)
        .where(Phase.task_id == phase.task_id, Phase.split == phase.split, Run.baseline.is_(None))
    )
    return session.scalar(query.limit(1)) is None


def declare_public_items(
    session: Session, actor: Actor, phase: Phase, percent: int, seed: str, now: datetime
) -> None:
    """Draw the public items of every level of the phase's split; anyone can download the list.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: a team has sent a file for the split, or a level has too few items.
    """
    _require_can_declare(session, actor, phase)
    splits = [split for _level, split in tasks.splits_of(phase)]
    for split in splits:
        if split.n_items < MIN_ITEMS:
            raise Conflict.of_count(
                "%(level)s has %(num)d item, but a public part needs at least %(minimum)d.",
                "%(level)s has %(num)d items, but a public part needs at least %(minimum)d.",
                split.n_items,
                level=split.level.title,
                minimum=MIN_ITEMS,
            )
        _draw_public_items(session, split, percent, seed)
    _finish_declaration(session, actor, phase, splits, seed, now)


def declare_listed_items(
    session: Session, actor: Actor, phase: Phase, level: str, ids: str, now: datetime
) -> None:
    """Declare the items of one level whose ids are listed, one per line, in place of those it had.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task; the level has no such split.
        Conflict: a team has sent a file for the split.
        InvalidFile: a line is no id of an item, is there twice, or a part has fewer than two items.
    """
    _require_can_declare(session, actor, phase)
    _level, split = tasks.get_level_split(phase.task, level, phase.split)
    public, _rest = scoring.parse_parts(session, split, ids.encode(), _("Your list"))
    all_ids = scoring.items_of(session, split).ids
    _store_public_items(session, split, [all_ids[place] for place in sorted(public.places)])
    _finish_declaration(session, actor, phase, [split], None, now)


def _require_can_declare(session: Session, actor: Actor, phase: Phase) -> None:
    access.require_organizer(session, actor, phase.task)
    access.require_not_archived(phase.task)
    if not can_declare_public_items(session, phase):
        raise Conflict.of(
            "There are submissions on these items, so the public items can no longer be changed."
        )


def _finish_declaration(
    session: Session, actor: Actor, phase: Phase, splits: Sequence[Split], seed: str | None, now: datetime
) -> None:
    """Score both parts of these splits, and record their public items; a list has no seed."""
    session.flush()
    for split in splits:
        _score_both_parts(session, split, now)
    counts = {split.level.slug: [split.n_public, split.public_items_sha256] for split in splits}
    details = {"split": phase.split, "seed": seed, "levels": counts}
    audit.record(session, actor, now, "items.declare_public", phase.task_id, **details)


def _draw_public_items(session: Session, split: Split, percent: int, seed: str) -> None:
    items = scoring.list_sampling_units(scoring.items_of(session, split), split.level)
    units = list(dict.fromkeys(unit for _, unit in items))
    if len(units) < MIN_ITEMS:
        raise Conflict.of_count(
            "%(level)s has %(num)d group, but a public part needs at least %(minimum)d.",
            "%(level)s has %(num)d groups, but a public part needs at least %(minimum)d.",
            len(units),
            level=split.level.title,
            minimum=MIN_ITEMS,
        )
    public = set(draw_public_items(units, percent, seed))
    _store_public_items(session, split, [id_ for id_, unit in items if unit in public])


def _store_public_items(session: Session, split: Split, ids: Sequence[str]) -> None:
    split.public_items_sha256 = storage_of(session).put("".join(f"{id_}\n" for id_ in ids).encode())
    split.n_public = len(ids)
    session.add(split)


def _score_both_parts(session: Session, split: Split, now: datetime) -> None:
    """Score both parts of the existing submissions, all baselines, against each of their gold versions."""
    of_split = (Phase.task_id == split.level.task_id) & (Phase.split == split.name)
    query = select(Submission).join(Run).join(Phase).where(of_split, Submission.level_id == split.level_id)
    submissions = list(session.scalars(query))
    ids = [submission.id for submission in submissions]
    session.execute(delete(PartScore).where(PartScore.submission_id.in_(ids)))  # never shown on a leaderboard
    parts = scoring.parts_of(session, split)
    for version in session.scalars(select(GoldVersion).where(GoldVersion.split_id == split.id)):
        gold = scoring.gold_of(session, split, version)
        met = select(Score.submission_id).where(Score.gold_version_id == version.id)
        scored = set(session.scalars(met.where(Score.submission_id.in_(ids))))
        results = {
            submission.id: rescoring.score_stored_file(session, split, gold, parts, submission)
            for submission in submissions
            if submission.id in scored
        }
        scoring.add_part_scores(session, version, results, now)
