"""Task bundles: a folder with a `task.toml` that names levels, files, metrics, phases and runs."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Literal

from scorer.board import BoardLevel, BoardRules
from scorer.errors import BundleError, DataError, GoldError, NotEntered, Problem
from scorer.io import (
    Gold,
    Items,
    ItemsLayout,
    KeyedFormat,
    Run,
    header_of,
    parse_gold,
    parse_items,
    parse_run,
    read_bytes,
)
from scorer.metrics import needs_groups
from scorer.parts import ItemsPart, parse_public_items

SPLITS = ("trial", "training", "test")
BASELINES = ("lcs", "gst")


@dataclass(frozen=True, slots=True)
class Scale:
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
    scale: Scale
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
        """Whether a run is in the phase: the one that it names, else the main one; a baseline, in every."""
        if run.phase is not None:
            return phase is not None and run.phase == phase.slug
        return run.baseline is not None or phase is self.main_phase

    def splits_of(self, run: RunSpec) -> set[str]:
        """The splits whose items the files of `run` answer; without phases, any."""
        if not self.phases:
            return set(SPLITS)
        return {phase.split for phase in self.phases if self.belongs(run, phase)}

    def read(self, path: str) -> bytes:
        """The bytes of one of the bundle's files."""
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
        return parse_gold_for(items, self.read(path), path, self.task.keyed, scale)

    def parts(self, level: LevelSpec, split: str, items: Items) -> tuple[ItemsPart, ItemsPart] | None:
        """The public items of a split of a level, and the rest; None where all are alike."""
        path = level.splits[split].public_items
        groups = items.groups if needs_groups(level.metrics) else None
        return None if path is None else parse_public_items(self.read(path), path, items.ids, groups)

    def run(self, path: str, items: Items) -> Run | None:
        """One run file, in the order of the level's items; None where it does not enter the level."""
        task = self.task
        try:
            return parse_run(
                self.read(path),
                path,
                n=len(items),
                ids=items.ids,
                keyed=task.keyed,
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


def _has_header(data: bytes, column: str) -> bool:
    """Whether the first line of a file names a column, or has several of which one is a word."""
    first = (data[:4096].splitlines() or [b""])[0].decode("utf-8-sig", "replace")
    fields = re.split(r"[\t,;]", first)
    return column in first or (len(fields) > 1 and any(re.match(r"\W*[^\W\d]", field) for field in fields))


def check_bundle(bundle: Bundle) -> None:
    """Read every file that a bundle names, and raise one BundleError with all problems of all of them."""
    found: list[Problem] = []
    count = 0
    for problems, total in _file_problems(bundle):
        found.extend(problems)
        count += total
    if found:
        raise BundleError(found, count)


def _file_problems(bundle: Bundle) -> Iterator[tuple[tuple[Problem, ...], int]]:
    astray = tuple(_files_astray(bundle))
    if astray:
        yield astray, len(astray)
    for level in bundle.levels:
        for split in level.splits.values():
            try:
                items = bundle.items(level, split.name)
            except DataError as error:
                yield error.problems, error.count
                continue
            if lacking := _groups_lacking(level, split, items):
                yield (lacking,), 1
            yield from _split_problems(bundle, level, split, items)


def _groups_lacking(level: LevelSpec, split: SplitSpec, items: Items) -> Problem | None:
    """Items without the groups that a metric of their level needs."""
    if items.groups is not None or not needs_groups(level.metrics):
        return None
    name = next(name for name in level.metrics if needs_groups([name]))
    why = f"{name} of {level.slug} needs a column that says which items are compared"
    mend = "add the column, and group to the level's columns, or choose another metric"
    return Problem(split.items, None, "no_groups", f"{why}; {mend}")


def _split_problems(
    bundle: Bundle, level: LevelSpec, split: SplitSpec, items: Items
) -> Iterator[tuple[tuple[Problem, ...], int]]:
    shown = tuple(_gold_shown(bundle, level, split))
    if shown:
        yield shown, len(shown)
    reads: list[Callable[[], object]] = (
        [] if split.gold is None else [partial(bundle.gold, level, split.name, items)]
    )
    reads += [partial(bundle.parts, level, split.name, items)]
    reads += [
        partial(bundle.run, path, items)
        for run in bundle.runs
        if split.name in bundle.splits_of(run)
        for path in run_files(run, level)
    ]
    for read in reads:
        try:
            read()
        except DataError as error:
            yield error.problems, error.count


def run_files(run: RunSpec, level: LevelSpec) -> list[str]:
    """The files of a run at a level: one, or one on time and one that was late."""
    paths = (files.get(level.slug) for files in (run.files, run.late_files))
    return [path for path in paths if path is not None]


def _gold_shown(bundle: Bundle, level: LevelSpec, split: SplitSpec) -> Iterator[Problem]:
    """Hidden gold that stands in the items: everybody gets those."""
    if split.public_gold:
        return
    mend = "everybody gets the items: name a file without it, or say public_gold = true"
    data = bundle.read(split.items)
    if split.gold is not None and bundle.read(split.gold) == data:
        yield Problem(split.items, None, "gold_shown", f"is the gold of {level.slug} too, and {mend}")
    elif bundle.task.keyed is not None and level.layout.has_header:
        column = bundle.task.keyed.gold_column
        if column in header_of(data, level.layout):
            message = f'has the column "{column}", the gold of {level.slug}, and {mend}'
            yield Problem(split.items, 1, "gold_shown", message)


def _files_astray(bundle: Bundle) -> Iterator[Problem]:
    """Files for a level that has no items in the split of the run's phase: no board would show them."""
    for run in bundle.runs if bundle.phases else ():
        splits = bundle.splits_of(run)
        for level in bundle.levels:
            for path in run_files(run, level) if splits.isdisjoint(level.splits) else ():
                why = f"answers {level.slug}, which has no {min(splits)} split"
                message = f"{why}; leave the file out, or name the phase"
                yield Problem(path, None, "no_split", message)
