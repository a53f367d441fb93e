"""Finds the gold that pairs had before their campaign, if they are items of the task with the same scale."""

from collections import defaultdict
from pathlib import Path

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.campaigns.config import KNOWN_GOLD_NAME
from server.annotation.assignments import plans
from server.annotation.models import AnnotationRound
from server.gold.models import GoldEvent, GoldVersion
from server.gold.versions import select_in_force
from server.scoring import service as scoring
from server.tasks.models import Split


def write_known_gold(session: Session, round_: AnnotationRound, folder: Path) -> None:
    """Write the gold of the pairs of a round that was in force when the campaign was made, if there is any.

    A pair that has two labels, in different levels for example, has none here.
    """
    scale = round_.rules.scale
    task = round_.campaign.task
    if round_.kind != "rate" or (scale.min, scale.max) != (task.scale_min, task.scale_max):
        return
    labels = _list_labels(session, round_)
    of_units = (
        (unit.key, labels.get((unit.texts.get("left"), unit.texts.get("right")), set()))
        for unit in plans.list_items(session, round_)
    )
    rows = [f"{key}\t{label!r}\n" for key, found in of_units if len(found) == 1 for label in found]
    if rows:
        (folder / KNOWN_GOLD_NAME).write_text(f"unit\tgold\n{''.join(rows)}", encoding="utf-8", newline="")


def _list_labels(
    session: Session, round_: AnnotationRound
) -> dict[tuple[str | None, str | None], set[float]]:
    """List the labels of each pair of texts of the task."""
    campaign, found = round_.campaign, defaultdict[tuple[str | None, str | None], set[float]](set)
    of_task = Split.level_id.in_([level.id for level in campaign.task.levels])
    in_force = select_in_force(of_task, GoldEvent.made_at <= campaign.made_at)
    for version in session.scalars(select(GoldVersion).where(GoldVersion.id.in_(in_force))):
        items = scoring.items_of(session, version.split).items
        values = scoring.gold_of(session, version.split, version).values
        for item, value in zip(items, values, strict=True):
            if value is not None:
                found[item.left, item.right].add(value)
    return found
