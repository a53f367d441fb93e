"""Reads the phases of a bundle: dates, submission limits and feedback."""

from collections.abc import Sequence
from typing import Any

from scorer.bundles.bundle import LevelSpec, PhaseSpec
from scorer.bundles.toml_table import TomlTable

MAX_REMINDERS = 5
MIN_STEP, MAX_STEP = 0.0001, 1


def read_phase(table: TomlTable, levels: Sequence[LevelSpec], runs_per_team: int) -> PhaseSpec:
    """Read a [[phase]] table and note every problem."""
    values = table.read(runs_per_team=runs_per_team)
    split, opens, closes, feedback = (values[key] for key in ("split", "opens", "closes", "feedback"))
    if not any(split in level.splits for level in levels):
        table.refuse("split", "unknown_value", f'no level lists a split "{split}"')
    if opens is not None and closes is not None and closes <= opens:
        table.refuse("closes", "out_of_range", "must be after opens")
    if feedback == "public-part":
        _require_public_items(table, split, levels)
    places = _feedback_option(table, feedback, "rounded", "places", values.pop("places"), default=2)
    step = _feedback_option(table, feedback, "ladder", "step", values.pop("step"), default=0.01)
    if step is not None and not MIN_STEP <= step <= MAX_STEP:
        table.refuse("step", "out_of_range", f"must be from {MIN_STEP} to {MAX_STEP}, not {step:g}")
    if values["board"] == "live" and feedback == "hidden":
        table.refuse("board", "unknown_value", 'a live leaderboard shows scores; feedback cannot be "hidden"')
    if values["title"] is None:
        values["title"] = values["slug"].replace("-", " ").capitalize()
    values["reminders"] = _sort_reminders(table, values["reminders"])
    return PhaseSpec(**values, feedback_places=places, ladder_step=step)


def _feedback_option(
    table: TomlTable, feedback: str, needed: str, name: str, value: Any, *, default: float
) -> Any:
    """Return the value or the default of a key that only one kind of feedback has, else None."""
    if feedback == needed:
        return default if value is None else value
    if name in table.values:
        table.refuse(name, "unknown_key", f'goes with feedback = "{needed}"')
    return None


def _sort_reminders(table: TomlTable, hours: Sequence[int]) -> tuple[int, ...]:
    """Return how many hours before the deadline teams are reminded, the first reminder first."""
    if len(hours) > MAX_REMINDERS:
        table.refuse("reminders", "too_long", f"has {len(hours)} numbers; use at most {MAX_REMINDERS}")
    return tuple(sorted(set(hours), reverse=True))


def _require_public_items(table: TomlTable, split: str, levels: Sequence[LevelSpec]) -> None:
    """Note a problem if a level does not name the file of its public items."""
    for level in levels:
        if split in level.splits and level.splits[split].public_items is None:
            message = f"level[{level.slug}].{split}.public_items is missing; name the file of their ids"
            table.refuse("feedback", "missing_key", message)
