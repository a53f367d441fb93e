"""Reads the phases of a bundle: dates, submission limits and feedback."""

from collections.abc import Sequence

from scorer.bundles.bundle import LevelSpec, PhaseSpec
from scorer.bundles.toml_table import TomlTable

MAX_REMINDERS = 5
MIN_STEP, MAX_STEP = 0.0001, 1.0
_FEEDBACK_OPTIONS = (("places", "rounded", 2), ("step", "ladder", 0.01))
"""Keys that need one kind of feedback, and their defaults."""


def read_phase(table: TomlTable, levels: Sequence[LevelSpec], runs_per_team: int) -> PhaseSpec:
    """Read a [[phase]] table and note every problem."""
    values = table.read(runs_per_team=runs_per_team)
    split, feedback, hours = values["split"], values["feedback"], values.pop("reminders")
    opens, closes, title = values["opens"], values["closes"], values.pop("title")
    if not any(split in level.splits for level in levels):
        table.refuse("split", "unknown_value", f'no level lists a split "{split}"')
    if opens is not None and closes is not None and closes <= opens:
        table.refuse("closes", "out_of_range", "must be after opens")
    if feedback == "public-part":
        _require_public_items(table, split, levels)
    for name, required, default in _FEEDBACK_OPTIONS:
        if feedback != required and name in table.values:
            table.refuse(name, "unknown_key", f'goes with feedback = "{required}"')
        elif feedback == required and values[name] is None:
            values[name] = default
    places, step = values.pop("places"), values.pop("step")
    if step is not None and not MIN_STEP <= step <= MAX_STEP:
        table.refuse("step", "out_of_range", f"must be from {MIN_STEP} to {MAX_STEP:g}, not {step:g}")
    if values["board"] == "live" and feedback == "hidden":
        table.refuse("board", "unknown_value", 'a live leaderboard shows scores; feedback cannot be "hidden"')
    if len(hours) > MAX_REMINDERS:
        table.refuse("reminders", "too_long", f"has {len(hours)} numbers; use at most {MAX_REMINDERS}")
    return PhaseSpec(
        **values,
        title=values["slug"].replace("-", " ").capitalize() if title is None else title,
        feedback_places=places,
        ladder_step=step,
        reminders=tuple(sorted(set(hours), reverse=True)),
    )


def _require_public_items(table: TomlTable, split: str, levels: Sequence[LevelSpec]) -> None:
    """Note a problem if a level does not name the file of its public items."""
    for level in levels:
        if split in level.splits and level.splits[split].public_items is None:
            message = f"level[{level.slug}].{split}.public_items is missing; name the file of their ids"
            table.refuse("feedback", "missing_key", message)
