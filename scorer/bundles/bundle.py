"""Task bundles: folders with a `task.toml` that describes levels, files, metrics, phases and runs."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from scorer.baselines import BaselineName
from scorer.boards.board import BoardLevel, BoardRules
from scorer.errors import BundleError, GoldError, NotEntered, Problem
from scorer.files.aligned import has_gold_header
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
from scorer.metrics import needs_groups, needs_sds

SPLITS = ("trial", "training", "test")
OWN_BASELINE: Literal["own"] = "own"
"""The kind of a baseline that is not computed: a system of the organizers, whose files are given."""


@dataclass(frozen=True, slots=True)
class ScaleSpec:
    """The rating scale; `labels` pairs points of the scale with their labels."""

    min: float
    max: float
    step: float | None = None
    labels: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True, slots=True)
class TaskTexts:
    """What a task says of itself; `description` is Markdown text, not the name of a file."""

    title: str
    description: str
    licence: str
    organizers: str
    contact: str
    """An email address, or a link."""
    mailing_list: str
    citation: str
    """The BibTeX entries by which the task asks to be cited; empty for none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskSpec(TaskTexts):
    """The properties of the task itself; `terms` are Markdown text, too."""

    slug: str
    terms: str | None
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
    """The number of scored items if the gold has lines for the first items only; None: all are scored."""


@dataclass(frozen=True, slots=True)
class LevelSpec:
    """A comparison level; the first of its `metrics` is the official one."""

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
        """The properties of the level that the ranking function needs."""
        return BoardLevel(self.slug, self.title, self.metrics, self.counts)


@dataclass(frozen=True, slots=True)
class PhaseSettings:
    """The title and the dates of a phase, how many files teams may send, and what they can see."""

    title: str
    opens: datetime | None
    closes: datetime | None
    grace_hours: int
    runs_per_team: int
    files_per_level: int | None
    files_per_day: int | None
    feedback: Literal["hidden", "scores", "rounded", "public-part", "ladder"]
    feedback_places: int | None = None
    ladder_step: float | None = None
    board: Literal["released", "live"] = "released"
    runs_public: bool = False
    baselines: Literal["after", "always"] = "after"
    """Whether releases have baselines always, or only after the last deadline for the items."""
    reminders: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PhaseSpec(PhaseSettings):
    """A phase of a bundle, on a split of the items."""

    slug: str
    split: str


@dataclass(frozen=True, slots=True)
class TeamsSpec:
    """The maximum team size (None: no limit), and whether an organizer must approve each team."""

    size: int | None = None
    registration: Literal["open", "approved"] = "open"


@dataclass(frozen=True, slots=True)
class RunSpec:
    """A run of the bundle: files by level, or the name of a baseline. `phase` None means the main phase.

    The baseline "own" is a system of the organizers, which has files.

    A run that was added for the leaderboard of one split has that `split` instead of a phase.

    A baseline with a file for a level is not computed for that level, so it needs no dictionary there.

    `late` has the levels whose file in `files` is late; `late_files` are late files of levels that also have
    a file on time.
    """

    team: str
    name: str
    description: str
    baseline: BaselineName | Literal["own"] | None
    files: Mapping[str, str]
    late: tuple[str, ...]
    phase: str | None
    late_files: Mapping[str, str] = field(default_factory=dict)
    method: str = ""
    resources: str = ""
    links: tuple[str, ...] = ()
    authors: str = ""
    version: str = ""
    licence: str = ""
    command: str = ""
    primary: bool = False
    split: str | None = None

    @property
    def computed(self) -> BaselineName | None:
        """The baseline that the scorer computes; None: a run that only has files."""
        return None if self.baseline == OWN_BASELINE else self.baseline

    def file(self, level: str, *, late: bool) -> str | None:
        """Return the timely file, or the late file, of the run for a level."""
        if late and level in self.late_files:
            return self.late_files[level]
        return self.files.get(level) if (level in self.late) == late else None


@dataclass(frozen=True, slots=True)
class Bundle:
    """A task as its folder describes it. Files are read and checked when they are needed."""

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
    """The file of data that a leaderboard does not need: older files and gold, releases, people."""
    teams: TeamsSpec = field(default=TeamsSpec())
    first_is_score: bool = False
    """Whether the runs were accepted before, so that a first column like ids is no reason to refuse them."""

    @property
    def main_phase(self) -> PhaseSpec | None:
        """The phase of runs that do not name a phase: the first on the test split, else the first."""
        tests = [phase for phase in self.phases if phase.split == "test"]
        return next(iter(tests or self.phases), None)

    @property
    def main_split(self) -> str:
        """The default split of a leaderboard."""
        if self.main_phase is not None:
            return self.main_phase.split
        listed = {name for level in self.levels for name in level.splits}
        return next(name for name in ("test", "training", "trial") if name in listed)

    def phase_on(self, split: str) -> PhaseSpec | None:
        """Return the phase whose leaderboard a split shows: the main phase, else the first on the split."""
        phases = [phase for phase in self.phases if phase.split == split]
        return self.main_phase if self.main_phase in phases else next(iter(phases), None)

    def belongs(self, run: RunSpec, phase: PhaseSpec | None) -> bool:
        """Whether a run is in the phase: in the phase that it names, else in the main phase.

        A computed baseline is in every phase; a baseline with files is like any other run. A run that was
        added for a split is in every phase on that split, and on its leaderboard if there is no phase.
        """
        if run.split is not None:
            return phase is None or phase.split == run.split
        if run.phase is not None:
            return phase is not None and run.phase == phase.slug
        return (run.baseline is not None and not run.files) or phase is self.main_phase

    def splits_of(self, run: RunSpec) -> set[str]:
        """Return the splits whose items the files of a run are for; without phases, any split."""
        if run.split is not None:
            return {run.split}
        if not self.phases:
            return set(SPLITS)
        return {phase.split for phase in self.phases if self.belongs(run, phase)}

    def read(self, path: str) -> bytes:
        """Read a file of the bundle, or an absolute path."""
        return read_bytes(str(self.folder / path))

    def items(self, level: LevelSpec, split: str) -> Items:
        """Read the items of a split of a level."""
        path = level.splits[split].items
        return parse_items(self.read(path), path, level.layout)

    def gold(self, level: LevelSpec, split: str, items: Items) -> Gold:
        """Read the gold of a split of a level, in the order of its items."""
        path = level.splits[split].gold
        if path is None:
            where = f"level[{level.slug}].{split}.gold"
            message = f"{where}: is missing; a leaderboard needs the gold of every level that it shows"
            raise BundleError([Problem(self.source, None, "missing_key", message)])
        scale = (self.task.scale.min, self.task.scale.max)
        data = self.gold_data(level, split, path, len(items))
        hint = "correct it, or the scale of the task"
        keyed, with_sds = self.task.keyed, needs_sds(level.metrics)
        return parse_gold_for(items, data, path, keyed, scale, hint, with_sds=with_sds)

    def gold_data(self, level: LevelSpec, split: str, path: str, n: int) -> bytes:
        """Read the gold file of a split, and add an empty line for each item that `scored` leaves out."""
        data, scored = self.read(path), level.splits[split].scored
        if scored is None:
            return data
        if scored > n:
            message = f"level[{level.slug}].{split}.scored: is {scored}, and there are {n} items"
            raise BundleError([Problem(self.source, None, "out_of_range", message)])
        return _pad_gold(data, path, scored, n)

    def parts(self, level: LevelSpec, split: str, items: Items) -> tuple[ItemsPart, ItemsPart] | None:
        """Read the public items of a split of a level, and the rest; None if the split is not divided."""
        path = level.splits[split].public_items
        groups = items.groups if needs_groups(level.metrics) else None
        return None if path is None else parse_public_items(self.read(path), path, items.ids, groups)

    def run(self, path: str, items: Items, *, baseline: bool = False) -> Run | None:
        """Read a run file in the order of the level's items; None if it does not enter the level.

        The file of a baseline is always aligned, even if the task has keyed runs. A site has accepted the
        files of a bundle with a history.
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
                first_is_score=self.first_is_score or self.history is not None,
            )
        except NotEntered:
            return None


def parse_gold_for(
    items: Items,
    data: bytes,
    source: str,
    keyed: KeyedFormat | None,
    scale: tuple[float, float],
    hint: str = "correct it",
    *,
    with_sds: bool = False,
) -> Gold:
    """Parse gold in the order of its items: one value per line, or keyed in the task's format.

    A value outside the scale is an error here, because it must be a typo, and `hint` says how to fix it. Runs
    may have such scores.
    """
    if keyed is not None and not _has_header(data, keyed.id):
        keyed = None
    gold = parse_gold(data, source, n=len(items), ids=items.ids, keyed=keyed, with_sds=with_sds)
    low, high = scale
    message = f"is outside the scale, {low:g} to {high:g}; {hint}"
    problems = [
        Problem(
            source, None, "outside_scale", f"item {item.id} has the gold label {value:g}, which {message}"
        )
        for item, value in zip(items.items, gold.values, strict=True)
        if value is not None and not low <= value <= high
    ]
    if problems:
        raise GoldError(problems)
    return replace(gold, groups=items.groups)


def _pad_gold(data: bytes, source: str, scored: int, n: int) -> bytes:
    """Add empty lines to gold that has lines for the first items only."""
    problems = Problems(source)
    lines = [line or "" for line in decode_lines(data, problems)]
    head, lines = (lines[:1], lines[1:]) if has_gold_header(lines) else ([], lines)
    line_count = max(count_content_lines(lines), min(len(lines), scored))
    if line_count != scored and not problems.count:
        lines_text = "1 line" if line_count == 1 else f"{line_count} lines"
        counts = f"the gold has {lines_text}, and task.toml says that the first {scored} items are scored"
        code = "too_few_lines" if line_count < scored else "too_many_lines"
        problems.add(None, code, f"{counts}; write one line for each of these, or correct scored")
    problems.raise_as(GoldError)
    return "".join(f"{line}\n" for line in [*head, *lines[:scored], *[""] * (n - scored)]).encode()


def _has_header(data: bytes, column: str) -> bool:
    """Whether the first line of a file has this column name, or has several fields of which one is a word."""
    first = (data[:4096].splitlines() or [b""])[0].decode("utf-8-sig", "replace")
    fields = re.split(r"[\t,;]", first)
    if column not in first and has_gold_header([first]):
        return False
    return column in first or (len(fields) > 1 and any(re.match(r"\W*[^\W\d]", field) for field in fields))
