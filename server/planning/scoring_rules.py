"""The scale, the metrics, the format of runs and the total of a task, until a team's file was scored."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from server.access import service as access, tasks
from server.audit import service as audit
from server.core.actors import Actor
from server.levels import baseline_files, changes
from server.submissions import follow_up_jobs
from server.tasks.models import Task


@dataclass(frozen=True, slots=True)
class ScoringEdit:
    """How runs of a task are read, scored and ranked; `total` and the next two are rules of its board."""

    scale_min: float
    scale_max: float
    scale_step: float | None
    labels: tuple[tuple[float, str], ...]
    metrics: tuple[str, ...]
    keyed: Mapping[str, str | None] | None
    """The columns of keyed runs and gold; None: runs are aligned."""
    confidence_max: float
    total: str
    total_needs: str
    enter_at_least: int


_COLUMNS = ("scale_min", "scale_max", "scale_step", "labels", "metrics", "keyed", "confidence_max")
"""The columns of a task that an edit changes, beside the rules of its board."""
_NO_COLUMNS = dict.fromkeys(("id", "score", "confidence", "delimiter", "gold"))


def scoring_values(task: Task) -> dict[str, Any]:
    """Return what the task has now, by the names of the edit."""
    return {name: getattr(task, name) for name in _COLUMNS} | task.board_rules


def edit_scoring(session: Session, actor: Actor, task: Task, edit: ScoringEdit, now: datetime) -> list[str]:
    """Change the rules, and return which; levels that had the metrics of the task get the new ones.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: a team's submission was scored, or the gold standard is outside the new scale.
    """
    access.require_organizer(session, actor, task)
    lists = {"labels": [list(label) for label in edit.labels], "metrics": list(edit.metrics)}
    new, old = asdict(edit) | lists, scoring_values(task)
    if new["keyed"] is not None:
        new["keyed"] = {**_NO_COLUMNS, **(task.keyed or {}), **new["keyed"]}
    changed = {name: [old[name], value] for name, value in new.items() if old[name] != value}
    if not changed:
        return []
    changes.require_changeable_task(session, actor, task)
    levels = [level for level in task.levels if level.metrics == task.metrics]
    for name in _COLUMNS:
        setattr(task, name, new[name])
    task.board_rules = {name: new[name] for name in task.board_rules}
    if "metrics" in changed:
        for level in levels:
            level.metrics = list(edit.metrics)
    session.flush()
    changes.require_fitting_gold(session, task.levels)
    removed = []
    if {"scale_min", "scale_max", "metrics"} & changed.keys():
        removed = baseline_files.compute_again(session, actor, task, task.levels, now)
    audit.record(session, actor, now, "task.scoring", task.id, changed=changed, baselines=removed)
    for view in tasks.list_phases(session, task, now):
        follow_up_jobs.add_follow_up_jobs(session, view.phase, now)
    return list(changed)
