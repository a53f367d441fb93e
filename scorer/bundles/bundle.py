"""Task bundles: a folder with a `task.toml` that names levels, files, metrics, phases and runs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from scorer.boards.board import BoardLevel, BoardRules
from scorer.errors import BundleError, GoldError, NotEntered, Problem
from scorer.files.public_items import ItemsPart, parse_public_items
from scorer.files.reading import (
    Gold,
    Items,
    ItemsLayout,
    KeyedFormat,
    Run,
    parse_gold,
    parse_items,
    parse_run,
    read_bytes,
)
from scorer.files.text import Problems, count_content_lines, decode_lines
from scorer.metrics import needs_groups

SPLITS = ("trial", "training", "test")
BASELINES = ("lcs", "gst")


@dataclass(frozen=True, slots=True)
class ScaleSpec:
    """The rating scale; `labels` pairs a point of it with its words."""

    min: float
    max: float
    step: float | None = None
    labels: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """What a bundle says of the task itself; `description` and `terms` are Markdown, not file names."""

    slug: str
    title: str
    description: str
    terms: str | None
    licence: str
    scale: ScaleSpec
    keyed: KeyedFormat | None
    confidence_max: float


@dataclass(frozen=True, slots=True)
class SplitSpec:
    """The files of one split of a level, relative to the bundle's folder."""

    name: str
    items: str
    gold: str | None
    public_gold: bool
    held_out_genres: tuple[str, ...]
    public_items: str | None = None
    scored: int | None = None
    """Only the first so many items are scored, and the gold has no lines for the others; None: all are."""


@dataclass(frozen=True, slots=True)
class LevelSpec:
    """One comparison level; the first of `metrics` is the official one."""

    slug: str
    title: str
    sides: tuple[str, ...]
    layout: ItemsLayout
    metrics: tuple[str, ...]
    counts: bool
    senses: str | None
    splits: Mapping[str, SplitSpec]

    @property
    def board_level(self) -> BoardLevel:
        """What the ranking function needs to know of the level."""
        return BoardLevel(self.slug, self.title, self.metrics, self.counts)


@dataclass(frozen=True, slots=True)
class PhaseSpec:
    """One phase: which split, when, and what a team gets to see."""

    slug: str
    title: str
    split: str
    opens: datetime | None
    closes: datetime | None
    grace_hours: int
    feedback: str
    board: str
    runs_public: bool
    runs_per_team: int
    files_per_level: int | None
    files_per_day: int | None = None
    feedback_places: int | None = None
    ladder_step: float | None = None
    reminders: tuple[int, ...] = ()
    baselines: Literal["after", "always"] = "after"
    """Whether a released board has baselines only once no deadline on the items is to come."""


@dataclass(frozen=True, slots=True)
class TeamsSpec:
    """Who may take part: the most people of a team (None: any number), and whether each team is approved."""

    size: int | None = None
    registration: Literal["open", "approved"] = "open"


@dataclass(frozen=True, slots=True)
class RunSpec:
    """One run of the bundle: files by level, or the name of a baseline. `phase` None: the main phase.

    A run that was added for the board of one split names that `split` instead of a phase.

    A baseline that has a file at a level is not computed there: so it needs no dictionary.

    `late` names levels whose file in `files` is late; `late_files` are late files beside those on time.
    """

    team: str
    name: str
    description: str
    baseline: Literal["lcs", "gst"] | None
    files: Mapping[str, str]
    late: tuple[str, ...]
    phase: str | None
    late_files: Mapping[str, str] = field(default_factory=dict)
    method: str = ""
    resources: str = ""
    links: tuple[str, ...] = ()
    authors: str = ""
    primary: bool = False
    split: str | None = None

    def file(self, level: str, *, late: bool) -> str | None:
        """The file on time, or the late one, that the run has at a level."""
        if late and level in self.late_files:
            return self.late_files[level]
        return self.files.get(level) if (level in self.late) == late else None


@dataclass(frozen=True, slots=True)
class Bundle:
    """A task as its folder describes it. Files are read, and checked, when they are asked for."""

    folder: Path
    source: str
    task: TaskSpec
    rules: BoardRules
    oov: Literal["mean", "zero"]
    runs_per_team: int
    levels: tuple[LevelSpec, ...]
    phases: tuple[PhaseSpec, ...]
    runs: tuple[RunSpec, ...] = field(default=())
    history: str | None = None
    """The file of what a board does not need: older files and gold, releases, people."""
    teams: TeamsSpec = field(default=TeamsSpec())

    @property
    def main_phase(self) -> PhaseSpec | None:
        """The phase that runs belong to which name none: the first on the test split, else the first."""
        tests = [phase for phase in self.phases if phase.split == "test"]
        return next(iter(tests or self.phases), None)

    @property
    def main_split(self) -> str:
        """The split that a board shows unless another is asked for."""
        if self.main_phase is not None:
            return self.main_phase.split
        listed = {name for level in self.levels for name in level.splits}
        return next(name for name in ("test", "training", "trial") if name in listed)

    def phase_on(self, split: str) -> PhaseSpec | None:
        """The phase whose board a split shows: the main one, else the first on it."""
        phases = [phase for phase in self.phases if phase.split == split]
        return self.main_phase if self.main_phase in phases else next(iter(phases), None)

    def belongs(self, run: RunSpec, phase: PhaseSpec | None) -> bool:
        """Whether a run is in the phase: the one that it names, else the main one.

        A baseline that is computed is in every phase; one with files is as other runs. A run that was added
        for a split is in every phase on it, and on its board where there is none.
        """
        if run.split is not None:
            return phase is None or phase.split == run.split
        if run.phase is not None:
            return phase is not None and run.phase == phase.slug
        return (run.baseline is not None and not run.files) or phase is self.main_phase

    def splits_of(self, run: RunSpec) -> set[str]:
        """The splits whose items the files of `run` answer; without phases, any."""
        if run.split is not None:
            return {run.split}
        if not self.phases:
            return set(SPLITS)
        return {phase.split for phase in self.phases if self.belongs(run, phase)}

    def read(self, path: str) -> bytes:
        """The bytes of one of the bundle's files, or of an absolute path."""
        return read_bytes(str(self.folder / path))

    def items(self, level: LevelSpec, split: str) -> Items:
        """The items of a split of a level."""
        path = level.splits[split].items
        return parse_items(self.read(path), path, level.layout)

    def gold(self, level: LevelSpec, split: str, items: Items) -> Gold:
        """The gold of a split of a level, in the order of its items."""
        path = level.splits[split].gold
        if path is None:
            where = f"level[{level.slug}].{split}.gold"
            message = f"{where}: is missing; a board needs the gold of every level it shows"
            raise BundleError([Problem(self.source, None, "missing_key", message)])
        scale = (self.task.scale.min, self.task.scale.max)
        data = self.gold_data(level, split, path, len(items))
        return parse_gold_for(items, data, path, self.task.keyed, scale)

    def gold_data(self, level: LevelSpec, split: str, path: str, n: int) -> bytes:
        """The gold file of a split, with an empty line for each item that `scored` leaves out."""
        data, scored = self.read(path), level.splits[split].scored
        if scored is None:
            return data
        if scored > n:
            message = f"level[{level.slug}].{split}.scored: is {scored}, and there are {n} items"
            raise BundleError([Problem(self.source, None, "out_of_range", message)])
        return _pad_gold(data, path, scored, n)

    def parts(self, level: LevelSpec, split: str, items: Items) -> tuple[ItemsPart, ItemsPart] | None:
        """The public items of a split of a level, and the rest; None where all are alike."""
        path = level.splits[split].public_items
        groups = items.groups if needs_groups(level.metrics) else None
        return None if path is None else parse_public_items(self.read(path), path, items.ids, groups)

    def run(self, path: str, items: Items, *, baseline: bool = False) -> Run | None:
        """One run file, in the order of the level's items; None where it does not enter the level.

        A baseline's is aligned, whatever the task's runs are.
        """
        task = self.task
        try:
            return parse_run(
                self.read(path),
                path,
                n=len(items),
                ids=items.ids,
                keyed=None if baseline else task.keyed,
                scale=(task.scale.min, task.scale.max),
                confidence_max=task.confidence_max,
            )
        except NotEntered:
            return None


def parse_gold_for(
    items: Items, data: bytes, source: str, keyed: KeyedFormat | None, scale: tuple[float, float]
) -> Gold:
    """Gold in the order of its items: one value a line, or keyed as the task's format says.

    A value outside the scale is a slip of the pen: runs may leave the scale, gold may not.
    """
    if keyed is not None and not _has_header(data, keyed.id):
        keyed = None
    gold = parse_gold(data, source, n=len(items), ids=items.ids, keyed=keyed)
    low, high = scale
    message = f"is outside the scale, {low:g} to {high:g}; correct it, or the scale in task.toml"
    problems = [
        Problem(source, None, "outside_scale", f"the gold of item {item.id}, {value:g}, {message}")
        for item, value in zip(items.items, gold.values, strict=True)
        if value is not None and not low <= value <= high
    ]
    if problems:
        raise GoldError(problems)
    return replace(gold, groups=items.groups)


def _pad_gold(data: bytes, source: str, scored: int, n: int) -> bytes:
    """Gold that has lines for the first items alone, with empty ones for the rest."""
    problems = Problems(source)
    lines = [line or "" for line in decode_lines(data, problems)]
    line_count = max(count_content_lines(lines), min(len(lines), scored))
    if line_count != scored and not problems.count:
        lines_found = "1 line" if line_count == 1 else f"{line_count} lines"
        counts = f"the gold has {lines_found}, and task.toml says that the first {scored} items are scored"
        code = "too_few_lines" if line_count < scored else "too_many_lines"
        problems.add(None, code, f"{counts}; write one line for each of these, or correct scored")
    problems.raise_as(GoldError)
    return "".join(f"{line}\n" for line in [*lines[:scored], *[""] * (n - scored)]).encode()


def _has_header(data: bytes, column: str) -> bool:
    """Whether the first line of a file names a column, or has several of which one is a word."""
    first = (data[:4096].splitlines() or [b""])[0].decode("utf-8-sig", "replace")
    fields = re.split(r"[\t,;]", first)
    return column in first or (len(fields) > 1 and any(re.match(r"\W*[^\W\d]", field) for field in fields))
