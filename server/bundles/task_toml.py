"""`task.toml` of an export, which describes the task, its levels, phases and runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tomli_w

from server.bundles.export_files import ExportFiles
from server.bundles.task_history.history import HISTORY_FILE
from server.phases.models import Phase
from server.runs.links import split_links
from server.runs.models import Run
from server.tasks.models import Level, Split, Task

TOML_HEADER = (
    "# `scorer board` recomputes the leaderboards from this folder; `assay task import` imports the task.\n\n"
)
PHASE_KEYS = {
    "slug": "slug",
    "title": "title",
    "split": "split",
    "opens": "opens",
    "closes": "closes",
    "grace_hours": "grace_hours",
    "feedback": "feedback",
    "feedback_places": "places",
    "ladder_step": "step",
    "board": "board",
    "runs_public": "runs_public",
    "runs_per_team": "runs_per_team",
    "files_per_level": "files_per_level",
    "files_per_day": "files_per_day",
    "reminders": "reminders",
    "baselines": "baselines",
}
"""The columns of a phase that a bundle contains, and their keys in `task.toml`."""


@dataclass(frozen=True, slots=True)
class CountingRun:
    """A run with the submissions that count, by level: on time, and late."""

    run: Run
    files: dict[str, str]
    late_files: dict[str, str]


def write_toml(
    task: Task,
    phases: Sequence[Phase],
    runs: Sequence[CountingRun],
    gold: Mapping[int, str],
    files: ExportFiles,
    *,
    history: str | None = HISTORY_FILE,
) -> bytes:
    """Write the description, and add the files that it names to `files`; `gold`: the files by split."""
    values = {
        "task": task_values(task, history),
        "board": {**task.board_rules, "oov": task.oov},
        "teams": _teams(task),
        "level": [_level(level, gold, files) for level in task.levels],
        "phase": [_phase(phase) for phase in phases],
        "run": [_run(run) for run in runs if run.files or run.late_files or run.run.is_computed],
    }
    return (TOML_HEADER + tomli_w.dumps({name: value for name, value in values.items() if value})).encode()


def task_values(task: Task, history: str | None = HISTORY_FILE) -> dict[str, Any]:
    """Return the description of the task itself."""
    scale = {"min": task.scale_min, "max": task.scale_max, "step": task.scale_step}
    return drop_none(
        {
            "slug": task.short_name,
            "title": task.title,
            "description": "description.md",
            "terms": "terms.md" if task.terms else "none",
            "licence": task.licence,
            "organizers": task.organizers or None,
            "contact": task.contact or None,
            "mailing_list": task.mailing_list or None,
            "citation": task.citation or None,
            "history": history,
            "run_format": "aligned" if task.keyed is None else "keyed",
            "scale": drop_none(scale) or None,
            "labels": {_point(point): words for point, words in task.labels} or None,
            "keyed": None if task.keyed is None else drop_none(task.keyed),
            "confidence": None if task.confidence_max == 1 else task.confidence_max,
        }
    )


def _teams(task: Task) -> dict[str, Any]:
    """Return the rules for teams."""
    return drop_none({"size": task.team_size, "registration": task.registration})


def _level(level: Level, gold: Mapping[int, str], files: ExportFiles) -> dict[str, Any]:
    values = {
        "slug": level.slug,
        "title": level.title,
        **level.layout,
        "sides": level.sides,
        "metrics": level.metrics,
        "counts": level.counts,
        "senses": files.senses(level),
    }
    splits = {split.name: _split(split, gold.get(split.id), files) for split in level.splits}
    return drop_none(values) | splits


def _split(split: Split, gold: str | None, files: ExportFiles) -> dict[str, Any]:
    return drop_none(
        {
            "items": files.items(split),
            "gold": gold,
            "public_gold": split.public_gold,
            "held_out_genres": split.held_out_genres,
            "public_items": files.public_items(split),
        }
    )


def _phase(phase: Phase) -> dict[str, Any]:
    values = {key: getattr(phase, column) for column, key in PHASE_KEYS.items()}
    return drop_none(values | {"reminders": phase.reminders or None})


def _run(counting: CountingRun) -> dict[str, Any]:
    run = counting.run
    return drop_none(
        {
            "team": run.team.name,
            "name": run.name,
            "phase": run.phase.slug,
            "description": run.description or None,
            "method": run.method or None,
            "resources": run.resources or None,
            "links": split_links(run.links) or None,
            "authors": run.authors or None,
            "version": run.version or None,
            "licence": run.licence or None,
            "command": run.command or None,
            "primary": run.is_primary or None,
            "baseline": run.baseline,
            "files": counting.files or None,
            "late_files": counting.late_files or None,
        }
    )


def drop_none(values: Mapping[str, Any]) -> dict[str, Any]:
    """Remove values that are None, which TOML cannot express."""
    return {name: value for name, value in values.items() if value is not None}


def _point(point: float) -> str:
    """Format a point of the scale as the key of its label."""
    return str(int(point)) if float(point).is_integer() else repr(float(point))
