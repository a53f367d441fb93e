"""The rules that a release was made under, as plain values that stay what they were."""

from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.access import tasks, terms
from server.gold import versions as gold_versions
from server.gold.models import GoldEvent, GoldVersion
from server.phases import windows
from server.phases.models import Extension, Phase
from server.scoring import service as scoring
from server.tasks.models import Split

SCHEMA = "assay.rules/1"


def rules_of(session: Session, phase: Phase, now: datetime, *, opens_gold: bool = False) -> dict[str, Any]:
    """What held for a phase as its board was released: nothing of it depends on the gold's values."""
    in_force = terms.find_terms(session, phase.task)
    return {
        "schema": SCHEMA,
        "phase": {
            "slug": phase.slug,
            "title": phase.title,
            "split": phase.split,
            "opens": _instant(phase.opens),
            "closes": _instant(phase.closes),
            "grace_hours": phase.grace_hours,
        },
        "extensions": _extensions(session, phase),
        "runs_per_team": phase.runs_per_team,
        "files_per_level": phase.files_per_level,
        "files_per_day": phase.files_per_day,
        "feedback": {"kind": phase.feedback, "places": phase.feedback_places, "step": phase.ladder_step},
        "board": dict(phase.task.board_rules),
        "levels": _levels(session, phase),
        "baselines": windows.baselines_hidden_until(session, phase, now) is None,
        "runs_public": phase.runs_public,
        "opens_gold": opens_gold,
        "terms": None if in_force is None else in_force.number,
        "scorer": scoring.VERSION,
    }


def _extensions(session: Session, phase: Phase) -> dict[str, Any]:
    """The later deadlines for all, in the order they were given, and how many teams had their own."""
    given = select(Extension.closes).where(Extension.phase_id == phase.id, Extension.team_id.is_(None))
    teams = select(func.count(Extension.team_id.distinct())).where(Extension.phase_id == phase.id)
    return {
        "for_all": [_instant(closes) for closes in session.scalars(given.order_by(Extension.id))],
        "teams": session.scalar(teams) or 0,
    }


def _levels(session: Session, phase: Phase) -> list[dict[str, Any]]:
    found = [(level, tasks.find_split(level, phase.split)) for level in tasks.levels_of(phase)]
    pairs = [(level, split) for level, split in found if split is not None]
    golds = _golds(session, [split for _, split in pairs])
    return [
        {
            "slug": level.slug,
            "title": level.title,
            "metrics": list(level.metrics),
            "counts": level.counts,
            "items": split.n_items,
            "public_items": split.n_public,
            "gold": golds.get(split.id),
        }
        for level, split in pairs
    ]


def _golds(session: Session, splits: list[Split]) -> dict[int, dict[str, Any]]:
    """The number of each gold version in force and since when it is, by the id of its split."""
    versions = gold_versions.list_golds(session, splits)
    since = select(func.max(GoldEvent.made_at), GoldEvent.gold_version_id)
    published = since.where(
        GoldEvent.event == "published", GoldEvent.gold_version_id.in_(_ids(list(versions.values())))
    )
    dates = {row[1]: row[0] for row in session.execute(published.group_by(GoldEvent.gold_version_id))}
    return {
        split_id: {"version": version.number, "since": _instant(dates[version.id])}
        for split_id, version in versions.items()
    }


def _ids(versions: list[GoldVersion]) -> list[int]:
    return [version.id for version in versions]


def _instant(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="seconds").replace("+00:00", "Z")
