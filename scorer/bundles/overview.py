"""Says what a bundle holds: the levels with their items and gold, the phases, the runs."""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from scorer.bundles.bundle import Bundle, LevelSpec, PhaseSpec, RunSpec, SplitSpec
from scorer.bundles.drafts.columns import describe_columns
from scorer.bundles.drafts.items_preview import SAMPLE_ROWS, read_first_rows
from scorer.bundles.placeholders import PLACEHOLDER_YEAR
from scorer.files.aligned import has_gold_header
from scorer.files.text import Problems, decode_lines
from scorer.reports.tables import Paragraph, WordTable, plain_table, write_text

GoldState = Literal["hidden", "public", "none"]
FIELDS = ("level", "split", "n", "genres", "scored", "gold", "metric")
"""The columns of the table of splits."""
_MAX_PLACES = 10


@dataclass(frozen=True, slots=True)
class SplitOverview:
    """One split of a level: its items, and its gold.

    Parameters
    ----------
    level, split : str
    n : int
        The number of items.
    genres : int
        The number of genres; 0 if there are none.
    scored : int or None
        The number of items with gold; None if there is no gold.
    gold : "hidden", "public" or "none"
        Whether everyone can download the gold.
    metric : str
        The official metric.
    """

    level: str
    split: str
    n: int
    genres: int
    scored: int | None
    gold: GoldState
    metric: str


def list_splits(bundle: Bundle) -> list[SplitOverview]:
    """Describe every split of every level of a bundle whose files are valid.

    Parameters
    ----------
    bundle : Bundle
        `check_bundle` has accepted it.

    Returns
    -------
    list of SplitOverview
        In the order of the task.toml.
    """
    return [
        _split_overview(bundle, level, split) for level in bundle.levels for split in level.splits.values()
    ]


def _split_overview(bundle: Bundle, level: LevelSpec, split: SplitSpec) -> SplitOverview:
    items = bundle.items(level, split.name)
    genres = len([genre for genre in items.genre_names if genre])
    scored, state = None, _gold_state(split)
    if state != "none":
        scored = sum(value is not None for value in bundle.gold(level, split.name, items).values)
    return SplitOverview(level.slug, split.name, len(items), genres, scored, state, level.metrics[0])


def _gold_state(split: SplitSpec) -> GoldState:
    if split.gold is None:
        return "none"
    return "public" if split.public_gold else "hidden"


@dataclass(frozen=True, slots=True)
class OffStep:
    """Gold values of a split that are not on a step of the scale.

    Parameters
    ----------
    level, split : str
    step, low : float
        The step of the scale, and its lowest value, from which steps are counted.
    places : tuple of str
        The lines of the gold file, or the ids of the items if the gold is keyed.
    are_lines : bool
    """

    level: str
    split: str
    step: float
    low: float
    places: tuple[str, ...]
    are_lines: bool

    @property
    def first_places(self) -> str:
        """The first places, and how many others there are."""
        rest = len(self.places) - _MAX_PLACES
        more = f" and {rest} more" if rest > 0 else ""
        return ", ".join(self.places[:_MAX_PLACES]) + more


def divides_scale(step: float, low: float, high: float) -> bool:
    """Whether steps from the lowest value reach the highest.

    Examples
    --------
    >>> divides_scale(0.1, 0, 5), divides_scale(0.3, 0, 5)
    (True, False)
    """
    return is_on_step(high, step, low)


def list_off_step(bundle: Bundle) -> list[OffStep]:
    """Return the splits with gold values that are not on a step of the scale.

    Parameters
    ----------
    bundle : Bundle
        `check_bundle` has accepted it.

    Returns
    -------
    list of OffStep
        In the order of the task.toml.
    """
    scale = bundle.task.scale
    if scale.step is None:
        return []
    found = []
    for level in bundle.levels:
        for split in level.splits.values():
            places, are_lines = _find_off_step(bundle, level, split, scale.step)
            if places:
                found.append(OffStep(level.slug, split.name, scale.step, scale.min, places, are_lines))
    return found


def _find_off_step(
    bundle: Bundle, level: LevelSpec, split: SplitSpec, step: float
) -> tuple[tuple[str, ...], bool]:
    """Return the lines of values that are not on a step, or the ids of their items if the gold is keyed."""
    if split.gold is None:
        return (), True
    gold, low = bundle.gold(level, split.name, bundle.items(level, split.name)), bundle.task.scale.min
    first = 1 + has_gold_header(decode_lines(bundle.read(split.gold), Problems(split.gold)))
    names = gold.ids or tuple(str(line) for line in range(first, first + len(gold.values)))
    pairs = zip(names, gold.values, strict=True)
    places = tuple(name for name, value in pairs if value is not None and not is_on_step(value, step, low))
    return places, gold.ids is None


def is_on_step(value: float, step: float, low: float) -> bool:
    """Whether a value is a whole number of steps above the lowest value of the scale."""
    steps = (value - low) / step
    return math.isclose(steps, round(steps), rel_tol=1e-9, abs_tol=1e-6)


def list_notes(bundle: Bundle, splits: list[SplitOverview]) -> list[str]:
    """Return what a valid bundle lacks before it can be hosted, as sentences."""
    notes = []
    if not bundle.phases:
        notes.append("There is no [[phase]]; a site needs at least one to host the task.")
    public = [split.level for split in splits if split.split == "test" and split.gold == "public"]
    if public:
        notes.append(f"Everyone can download the gold of the test split: {', '.join(public)}.")
    if not bundle.task.organizers or not bundle.task.contact:
        notes.append("There are no organizers, or no contact; a site needs both to publish the task.")
    for level in bundle.levels:
        for split in level.splits.values():
            notes += _split_notes(bundle, level, split)
    notes += map(_write_off_step, list_off_step(bundle))
    missing = [f"{split.level} ({split.split})" for split in splits if split.gold == "none"]
    if missing:
        notes.append(f"No gold for {', '.join(missing)}: files are rejected there until you add it.")
    return notes


def _write_off_step(off: OffStep) -> str:
    n, kind = len(off.places), "line" if off.are_lines else "item"
    values, kinds = ("value is", kind) if n == 1 else ("values are", f"{kind}s")
    where, steps = f"{off.level} ({off.split})", f"steps of {off.step:g} from {off.low:g}"
    return f"{where}: {n} gold {values} not in {steps}: {kinds} {off.first_places}."


def _split_notes(bundle: Bundle, level: LevelSpec, split: SplitSpec) -> Iterator[str]:
    """Yield what may be wrong with the gold of a split."""
    if split.scored is not None:
        place, n = f"{level.slug} ({split.name})", split.scored
        yield f"{place}: only the first {n} items are scored; see the key scored."
    numbers = _unused_numbers(bundle, level, split) if _gold_state(split) == "hidden" else []
    if numbers:
        columns = " and ".join(numbers)
        yield (
            f"{split.items} has numbers in {columns}. If these are labels, remove them: everyone can "
            "download the items."
        )


def _unused_numbers(bundle: Bundle, level: LevelSpec, split: SplitSpec) -> list[str]:
    """Return the columns of numbers of an items file that the level does not use."""
    rows = read_first_rows(bundle.read(split.items), level.layout.delimiter, SAMPLE_ROWS)
    columns = describe_columns(rows)
    used = {name for column in level.layout.columns or () if not isinstance(column, str) for name in column}
    numbers = [] if columns is None else [*filter(None, [columns.score]), *columns.numbers]
    return [name for name in numbers if name not in used]


def overview_text(bundle: Bundle, splits: list[SplitOverview], placeholders: list[str]) -> str:
    """Write what would be hosted as text: the task, its splits, its phases, its runs, and what is to do.

    Parameters
    ----------
    bundle : Bundle
    splits : list of SplitOverview
        Those of `list_splits`.
    placeholders : list of str
        Keys of task.toml that still have a placeholder.

    Returns
    -------
    str
    """
    rows = [_split_row(split) for split in splits]
    paragraphs: list[Paragraph] = [
        list(_task_lines(bundle)),
        [plain_table([name.capitalize() for name in FIELDS], rows, ["Level", "Split", "Gold", "Metric"])],
        [_phase_table(bundle)] if bundle.phases else [],
        [_runs_line(bundle)],
        list_notes(bundle, splits),
        [f"Still to do in {bundle.source}:", *(f"  {path}" for path in placeholders)] if placeholders else [],
    ]
    return write_text(paragraphs)


def _split_row(split: SplitOverview) -> list[str]:
    scored = "" if split.scored is None else str(split.scored)
    return [split.level, split.split, str(split.n), str(split.genres), scored, split.gold, split.metric]


def _task_lines(bundle: Bundle) -> Iterator[str]:
    task, rules = bundle.task, bundle.rules
    yield f"{task.title} ({task.slug})"
    step = "" if task.scale.step is None else f" in steps of {task.scale.step:g}"
    form = "aligned" if task.keyed is None else f"keyed by {task.keyed.id}, with scores in {task.keyed.score}"
    confidence = f"; confidences from 0 to {task.confidence_max:g}" if task.confidence_max != 1 else ""
    yield f"Scale: {task.scale.min:g} to {task.scale.max:g}{step}. Runs: {form}{confidence}."
    if len(bundle.levels) > 1:
        total = {
            "none": "none; each level is ranked separately",
            "sum": "the sum over the levels",
            "mean": "the mean over the levels",
            "weighted": "the mean over the levels, weighted by their items",
        }[rules.total]
        yield f"Total: {total}."


def _phase_table(bundle: Bundle) -> WordTable:
    head = ["Phase", "Split", "Opens", "Closes", "Feedback", "Leaderboard"]
    return plain_table(head, [_phase_row(phase) for phase in bundle.phases], head)


def _phase_row(phase: PhaseSpec) -> list[str]:
    opens, closes = _write_time(phase.opens, "at once"), _write_time(phase.closes, "never")
    return [phase.slug, phase.split, opens, closes, phase.feedback, phase.board]


def _write_time(moment: datetime | None, otherwise: str) -> str:
    if moment is None:
        return otherwise
    return "to do" if moment.year == PLACEHOLDER_YEAR else f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC"


def _runs_line(bundle: Bundle) -> str:
    """Count the runs with files, and name the baselines."""
    runs = Counter(run.team for run in bundle.runs if run.baseline is None)
    baselines = ", ".join(_name_baselines(bundle)) or "none"
    count, teams = runs.total(), len(runs)
    of_teams = f" of {teams} {'team' if teams == 1 else 'teams'}" if count else ""
    return f"Runs in the bundle: {count}{of_teams}. Baselines: {baselines}."


def _name_baselines(bundle: Bundle) -> Iterator[str]:
    """Yield the name of each baseline, with its phases if it is not in all of them."""
    runs_by_name: dict[str, list[RunSpec]] = {}
    for run in bundle.runs:
        if run.baseline is not None:
            runs_by_name.setdefault(run.name, []).append(run)
    for name, runs in runs_by_name.items():
        phases = [phase.slug for phase in bundle.phases if any(bundle.belongs(run, phase) for run in runs)]
        yield name if len(phases) == len(bundle.phases) else f"{name} ({', '.join(phases)})"
