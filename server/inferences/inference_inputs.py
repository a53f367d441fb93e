"""The inputs of an inference: collected as ids, read from storage when it is computed."""

from collections import defaultdict
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, contains_eager, joinedload

from server.access import tasks
from server.boards.service import RunNames
from server.core.errors import InvalidFile
from server.core.storage import storage_of
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.phases.models import Phase
from server.runs.models import Run
from server.scoring import service as scoring
from server.submissions.models import Standing, Submission
from server.tasks.models import Split


def collect_inputs(
    session: Session,
    phase: Phase,
    *,
    baselines: bool = True,
    names: RunNames | None = None,
    instead: GoldVersion | None = None,
) -> dict[str, Any]:
    """Collect the gold versions in force and the submissions that count, as ids.

    `instead`: a gold version to use in place of the one in force.
    """
    level_splits = tasks.splits_of(phase)
    golds = gold_versions.list_golds(session, [split for _level, split in level_splits])
    golds |= {} if instead is None else {instead.split_id: instead}
    return {
        "levels": [
            {
                "level": level.slug,
                "gold": golds[split.id].id,
                "public_items": split.public_items_sha256 if phase.feedback == "public-part" else None,
            }
            for level, split in level_splits
            if split.id in golds
        ],
        "systems": _systems(session, phase, baselines=baselines, names=names or {}),
    }


def _systems(session: Session, phase: Phase, *, baselines: bool, names: RunNames) -> list[dict[str, Any]]:
    query = (
        select(Standing)
        .join(Standing.submission)
        .join(Run, Run.id == Standing.run_id)
        .where(Run.phase_id == phase.id)
        .options(contains_eager(Standing.submission).joinedload(Submission.run).joinedload(Run.team))
        .order_by(Standing.run_id, Standing.late, Standing.level_id)
    )
    slugs = {level.id: level.slug for level in phase.task.levels}
    files: dict[tuple[int, bool], dict[str, int]] = defaultdict(dict)
    runs: dict[int, Run] = {}
    for standing in session.scalars(query):
        run = standing.submission.run
        if baselines or run.baseline is None:
            runs[run.id] = run
            files[run.id, standing.late][slugs[standing.level_id]] = standing.submission_id
    return [
        _system_values(runs[run_id], "late" if late else "official", names) | {"files": submission_ids}
        for (run_id, late), submission_ids in files.items()
    ]


def _system_values(run: Run, kind: str, names: RunNames) -> dict[str, Any]:
    """Return a system's names on the leaderboard, and its true names if they differ."""
    named = {"team": run.team.name, "run": run.name}
    if run.id not in names:
        return {"run_id": run.id, "kind": "baseline" if run.baseline is not None else kind, **named}
    team, own = names[run.id]
    return {"run_id": run.id, "kind": kind, "team": team, "run": own, "named": named}


def read_inputs(
    session: Session, phase: Phase, inputs: Mapping[str, Any], only: str | None = None
) -> dict[str, Any]:
    """Read gold labels, groups, genres and scores; a file that the scorer rejects drops its system.

    `only`: the level whose scores are read, if not all are.
    """
    splits = {level.slug: split for level, split in tasks.splits_of(phase)}
    systems, left_out = [], []
    files = _files(session, inputs)
    for system in inputs["systems"]:
        who = {name: system[name] for name in ("kind", "team", "run")}
        answers = {}
        for slug, submission_id in system["files"].items():
            if only is not None and slug != only:
                continue
            file, split = files[submission_id], splits[slug]
            try:
                answers[slug] = _read_scores(session, split, file)
            except InvalidFile as error:
                why = " ".join([error.message, *map(str, error.problems[:1])])
                left_out.append({**who, "level": slug, "reason": why})
                break
        else:
            systems.append({**who, "answers": answers})
    return {
        "levels": [_read_level(session, splits[level["level"]], level) for level in inputs["levels"]],
        "systems": systems,
        "left_out": left_out,
    }


def _files(session: Session, inputs: Mapping[str, Any]) -> dict[int, Submission]:
    ids = [submission_id for system in inputs["systems"] for submission_id in system["files"].values()]
    query = select(Submission).where(Submission.id.in_(ids)).options(joinedload(Submission.run))
    return {file.id: file for file in session.scalars(query)}


def _read_scores(session: Session, split: Split, file: Submission) -> dict[str, Any]:
    """Read the scores of a stored file in the order of the items."""
    data, baseline = storage_of(session).get(file.sha256), file.run.baseline is not None
    run = scoring.parse_run(session, split, data, file.filename, baseline=baseline)
    return {"scores": run.scores, "confidences": run.confidences}


def _read_level(session: Session, split: Split, level: Mapping[str, Any]) -> dict[str, Any]:
    """Read the gold labels of a level, which items decide, and their groups and genres."""
    gold = scoring.gold_of(session, split, session.get_one(GoldVersion, level["gold"]))
    items, sha256 = scoring.items_of(session, split), level["public_items"]
    parts = (
        None
        if sha256 is None
        else scoring.parse_parts(session, split, storage_of(session).get(sha256), "public items")
    )
    return {
        "slug": level["level"],
        "gold": gold.values,
        "places": None if parts is None else sorted(parts[1].places),
        "groups": gold.groups,
        "sds": gold.sds,
        "genres": items.genres,
    }
