"""Reads the phases of a bundle: when, how often, and what a team gets to see."""

from collections.abc import Sequence
from typing import Literal, cast

from scorer.bundles.bundle import SPLITS, LevelSpec, PhaseSpec
from scorer.bundles.toml import SLUG, TomlTable, read_slug

MAX_GRACE_HOURS = 366 * 24
MAX_TITLE = 200
FEEDBACKS = ("hidden", "scores", "rounded", "public-part", "ladder")
MAX_PLACES = 6
MAX_REMINDERS = 5
MAX_REMINDER_HOURS = 30 * 24
MIN_STEP, MAX_STEP = 0.0001, 1.0
_PHASE_KEYS = (
    "slug", "title", "split", "opens", "closes", "grace_hours", "feedback", "places", "step", "board",
    "runs_public", "runs_per_team", "files_per_level", "files_per_day", "reminders",
    "baselines",
)  # fmt: skip


def read_phase(table: TomlTable, levels: Sequence[LevelSpec], runs_per_team: int) -> PhaseSpec:
    """Turn one [[phase]] into a spec, noting every problem on the way."""
    table.allow(_PHASE_KEYS)
    slug = read_slug(table, SLUG)
    split = table.choice("split", SPLITS, "test")
    if not any(split in level.splits for level in levels):
        table.refuse("split", "unknown_value", f'no level lists a split "{split}"')
    opens, closes = table.moment("opens"), table.moment("closes")
    if opens is not None and closes is not None and closes <= opens:
        table.refuse("closes", "out_of_range", "must be after opens")
    feedback = table.choice("feedback", FEEDBACKS, "hidden")
    if feedback == "public-part":
        _require_public_items(table, split, levels)
    return PhaseSpec(
        slug=slug,
        title=table.text("title", slug.replace("-", " ").capitalize(), most=MAX_TITLE),
        split=split,
        opens=opens,
        closes=closes,
        grace_hours=table.whole("grace_hours", 0, most=MAX_GRACE_HOURS),
        feedback=feedback,
        feedback_places=_read_places(table, feedback),
        ladder_step=_read_step(table, feedback),
        board=_read_board(table, feedback),
        runs_public=table.flag("runs_public", False),
        runs_per_team=table.whole("runs_per_team", runs_per_team, least=1),
        files_per_level=table.optional_whole("files_per_level"),
        files_per_day=table.optional_whole("files_per_day"),
        reminders=_read_reminders(table),
        baselines=cast(Literal["after", "always"], table.choice("baselines", ("after", "always"), "after")),
    )


def _read_reminders(table: TomlTable) -> tuple[int, ...]:
    """How many hours before the deadline teams are reminded, the most first."""
    hours = table.wholes("reminders", least=1, most=MAX_REMINDER_HOURS)
    if len(hours) > MAX_REMINDERS:
        table.refuse("reminders", "too_long", f"has {len(hours)} numbers; use {MAX_REMINDERS} at most")
    return tuple(sorted(set(hours), reverse=True))


def _read_board(table: TomlTable, feedback: str) -> str:
    board = table.choice("board", ("released", "live"), "released")
    if board == "live" and feedback == "hidden":
        table.refuse("board", "unknown_value", 'a live board shows scores; feedback cannot be "hidden"')
    return board


def _read_places(table: TomlTable, feedback: str) -> int | None:
    """Decimal places of rounded feedback."""
    if not _has_feedback(table, "places", feedback, "rounded"):
        return None
    return table.whole("places", 2, most=MAX_PLACES)


def _read_step(table: TomlTable, feedback: str) -> float | None:
    """By how much a score has to grow before the ladder shows it."""
    if not _has_feedback(table, "step", feedback, "ladder"):
        return None
    step = table.number("step", 0.01)
    if not MIN_STEP <= step <= MAX_STEP:
        table.refuse("step", "out_of_range", f"must be from {MIN_STEP} to {MAX_STEP:g}, not {step:g}")
    return step


def _has_feedback(table: TomlTable, name: str, feedback: str, required: str) -> bool:
    if feedback != required and name in table.values:
        table.refuse(name, "unknown_key", f'goes with feedback = "{required}"')
    return feedback == required


def _require_public_items(table: TomlTable, split: str, levels: Sequence[LevelSpec]) -> None:
    """Refuse a public part where a level does not say which items are in it."""
    for level in levels:
        if split in level.splits and level.splits[split].public_items is None:
            message = f"level[{level.slug}].{split}.public_items is missing; name the file of their ids"
            table.refuse("feedback", "missing_key", message)
