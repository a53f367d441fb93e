"""Reads `task.toml`: every unknown key, wrong type and missing file at once."""

from collections import Counter
from pathlib import Path
from typing import Any, Literal, cast

from scorer.boards.board import BoardRules
from scorer.bundles.bundle import SPLITS, Bundle, LevelSpec, ScaleSpec, SplitSpec, TaskSpec, TeamsSpec
from scorer.bundles.phase_reader import MAX_TITLE, read_phase
from scorer.bundles.run_reader import RunsReader
from scorer.bundles.toml import LEVEL_SLUG, SLUG, TomlTable, parse_toml, read_file_path, read_slug
from scorer.errors import BundleError, Problem, RequestError
from scorer.files.items import ITEM_COLUMNS
from scorer.files.numbers import read_number
from scorer.files.reading import ItemsLayout, KeyedFormat, read_bytes
from scorer.files.text import Problems, decode_text
from scorer.metrics import METRICS

_TASK_KEYS = (
    "slug", "title", "description", "terms", "licence", "scale", "labels", "metrics", "run_format", "keyed",
    "history",
    "confidence",
)  # fmt: skip
_BOARD_KEYS = ("total", "total_needs", "enter_at_least", "oov", "runs_per_team")
_TEAMS_KEYS = ("size", "registration")
_LEVEL_KEYS = (
    "slug", "title", "columns", "sides", "genre", "header", "delimiter", "metrics", "counts", "senses",
    *SPLITS,
)  # fmt: skip
_SPLIT_KEYS = ("items", "gold", "public_gold", "held_out_genres", "public_items", "scored")
MAX_LEVELS, MAX_PHASES = 200, 50
"""How many of them a task may have."""


def read_bundle(folder: Path, config: Path | None = None) -> Bundle:
    """Read the description of a task bundle.

    Parameters
    ----------
    folder : Path
        The folder that the paths of the description are relative to, and stay inside.
    config : Path, optional
        A `task.toml` kept elsewhere; by default the one in `folder`.

    Returns
    -------
    Bundle
        The description. Every file that it names exists; their content is read later.

    Raises
    ------
    BundleError
        With every problem: unknown or missing keys, wrong types, files that are not there or lie outside.

    Notes
    -----
    Aligned gold has a line for each item, empty where the item is not scored. Where only the first items of a
    split are scored and its gold file ends with them, `scored = 250` in the split says how many they are; any
    other number of lines is an error. Runs answer all items.
    """
    path = folder / "task.toml" if config is None else config
    if not folder.is_dir():
        problem = Problem(
            str(folder), None, "no_folder", "there is no such folder; name one with a task.toml"
        )
        raise BundleError([problem])
    source = path.name
    if not path.is_file():
        message = "there is no such file; it stands at the top of the bundle, and describes it"
        raise BundleError([Problem(source, None, "no_file", message)])
    return _BundleReader(folder, parse_toml(read_bytes(str(path)), source), source).bundle()


class _BundleReader:
    """Turns the parsed TOML into a Bundle, noting every problem on the way."""

    def __init__(self, folder: Path, values: dict[str, Any], source: str) -> None:
        self.folder = folder
        self.problems = Problems(source)
        self.top = TomlTable(values, "", self.problems)
        self.keyed = False

    def bundle(self) -> Bundle:
        self.top.allow(("task", "board", "teams", "level", "phase", "run"))
        task_table = self.top.table("task")
        if task_table is None:
            self.top.refuse(
                "task", "missing_key", "is missing; a bundle starts with [task], its slug and title"
            )
            raise BundleError(self.problems.kept, self.problems.count)
        metrics = self._metrics(task_table, ("pearson", "spearman"))
        task = self._task(task_table)
        history = self._path(task_table, "history") if "history" in task_table.values else None
        self.keyed = task.keyed is not None
        board = self.top.table("board") or TomlTable({}, "board", self.problems)
        runs_per_team = board.whole("runs_per_team", 3, least=1)
        levels = tuple(self._level(table, metrics) for table in self.top.tables("level", most=MAX_LEVELS))
        if not levels:
            self.top.refuse("level", "missing_key", "is missing; a task has at least one [[level]]")
        self._unique("level", [level.slug for level in levels])
        rules = self._rules(board, levels)
        phases = tuple(
            read_phase(table, levels, runs_per_team) for table in self.top.tables("phase", most=MAX_PHASES)
        )
        self._unique("phase", [phase.slug for phase in phases])
        runs = RunsReader(self.folder, self.top).read(levels, phases)
        teams = self._teams(self.top.table("teams") or TomlTable({}, "teams", self.problems))
        oov = cast(Literal["mean", "zero"], board.choice("oov", ("mean", "zero"), "mean"))
        source = self.problems.source
        bundle = Bundle(
            self.folder, source, task, rules, oov, runs_per_team, levels, phases, runs, history, teams
        )
        self._require_once(bundle)
        self.problems.raise_as(BundleError)
        return bundle

    def _task(self, table: TomlTable) -> TaskSpec:
        table.allow(_TASK_KEYS)
        run_format = table.choice("run_format", ("aligned", "keyed"), "aligned")
        terms = self._prose(table, "terms")
        return TaskSpec(
            slug=read_slug(table, SLUG),
            title=table.text("title", required=True, most=MAX_TITLE),
            description=self._prose(table, "description"),
            terms=None if terms in ("", "none") else terms,
            licence=table.text("licence"),
            scale=self._scale(table),
            keyed=self._keyed(table, run_format),
            confidence_max=self._confidence(table),
        )

    def _prose(self, table: TomlTable, name: str) -> str:
        """A text, or the text of the file that it names."""
        value = table.text(name)
        if "\n" in value or len(value) > 255 or not value.endswith((".md", ".txt")):
            return value
        path = self._path(table, name)
        if path is None:
            return ""
        data, problems = read_bytes(str(self.folder / path)), Problems(path)
        if not data.strip():
            return ""
        text = decode_text(data, problems)
        for problem in problems.kept:
            table.refuse(name, problem.code, str(problem))
        return text or ""

    def _scale(self, table: TomlTable) -> ScaleSpec:
        inner = table.table("scale")
        if inner is None:
            table.refuse("scale", "missing_key", "is missing; give the rating scale as { min = 0, max = 4 }")
            return ScaleSpec(0.0, 1.0)
        inner.allow(("min", "max", "step"))
        low, high = inner.number("min", 0.0, required=True), inner.number("max", 1.0, required=True)
        if not low < high:
            inner.refuse("max", "out_of_range", f"must be above min, {low:g}")
        step = inner.number("step", 0.0)
        if "step" in inner.values and not 0 < step <= high - low:
            inner.refuse("step", "out_of_range", "must be above 0 and at most max - min")
        return ScaleSpec(low, high, step or None, self._labels(table))

    def _labels(self, table: TomlTable) -> tuple[tuple[float, str], ...]:
        inner = table.table("labels")
        labels: dict[float, str] = {}
        if inner is None:
            return ()
        for name in inner.values:
            point = read_number(name)
            if point is None or point in labels:
                inner.refuse(name, "wrong_type", 'a label\'s key is a point of the scale, such as "0", once')
                continue
            labels[point] = inner.text(name)
        return tuple(sorted(labels.items()))

    def _keyed(self, table: TomlTable, run_format: str) -> KeyedFormat | None:
        inner = table.table("keyed")
        if run_format == "aligned":
            if inner is not None:
                table.refuse("keyed", "unknown_key", 'goes with run_format = "keyed"')
            return None
        if inner is None:
            table.refuse("keyed", "missing_key", "is missing; name the columns: { id = ..., score = ... }")
            return None
        inner.allow(("id", "score", "confidence", "delimiter", "gold"))
        delimiter = (
            inner.choice("delimiter", ("tab", "comma"), "tab") if "delimiter" in inner.values else None
        )
        return KeyedFormat(
            id=inner.text("id", required=True),
            score=inner.text("score", required=True),
            confidence=inner.text("confidence") or None,
            delimiter=cast(Literal["tab", "comma"] | None, delimiter),
            gold=inner.text("gold") or None,
        )

    def _confidence(self, table: TomlTable) -> float:
        """The highest confidence; the lowest is 0."""
        highest = table.number("confidence", 1.0)
        if highest <= 0:
            table.refuse("confidence", "out_of_range", "must be above 0: it is the highest confidence")
        return highest

    def _metrics(self, table: TomlTable, default: tuple[str, ...]) -> tuple[str, ...]:
        names = table.texts("metrics", default)
        for name in names:
            if name not in METRICS:
                table.refuse("metrics", "unknown_value", f'"{name}" is not one of {", ".join(METRICS)}')
        if not names or len(set(names)) < len(names):
            table.refuse("metrics", "unknown_value", "names each metric once, the official one first")
        metrics = tuple(name for name in names if name in METRICS)
        return metrics or default

    def _rules(self, board: TomlTable, levels: tuple[LevelSpec, ...]) -> BoardRules:
        board.allow(_BOARD_KEYS)
        usual = "none" if len(levels) == 1 else "sum"  # the total of one level would be its value again
        rules = BoardRules(
            total=cast(Any, board.choice("total", ("sum", "mean", "weighted", "none"), usual)),
            total_needs=cast(Any, board.choice("total_needs", ("entered", "all"), "entered")),
            enter_at_least=board.whole("enter_at_least", 1, least=1),
        )
        try:
            rules.check([level.board_level for level in levels])
        except RequestError as error:
            board.refuse("total", "unknown_value", str(error))
        return rules

    def _teams(self, table: TomlTable) -> TeamsSpec:
        table.allow(_TEAMS_KEYS)
        registration = table.choice("registration", ("open", "approved"), "open")
        return TeamsSpec(
            size=table.optional_whole("size"),
            registration=cast(Literal["open", "approved"], registration),
        )

    def _level(self, table: TomlTable, metrics: tuple[str, ...]) -> LevelSpec:
        table.allow(_LEVEL_KEYS)
        columns, named = self._columns(table)
        genre = table.text("genre", "genre" if "genre" in dict(named) else "id-prefix")
        if genre != "id-prefix" and not named and not table.values.get("header") and genre not in columns:
            table.refuse("genre", "unknown_value", f'must be "id-prefix" or one of columns, not "{genre}"')
        layout = ItemsLayout(
            columns=named or columns or None,
            header=table.flag("header", False),
            genre=genre,
            delimiter=cast(Any, table.choice("delimiter", ("tab", "comma"), "tab")),
        )
        slug = read_slug(table, LEVEL_SLUG)
        splits = {
            name: self._split(inner, name) for name in SPLITS if (inner := table.table(name)) is not None
        }
        if not splits:
            table.refuse("test", "missing_key", "a level has at least one split: trial, training or test")
        return LevelSpec(
            slug=slug,
            title=table.text("title", slug, most=MAX_TITLE),
            sides=table.texts("sides", ("left", "right")),
            layout=layout,
            metrics=self._metrics(table, metrics),
            counts=table.flag("counts", True),
            senses=self._path(table, "senses") if "senses" in table.values else None,
            splits=splits,
        )

    def _columns(self, table: TomlTable) -> tuple[tuple[str, ...], tuple[tuple[str, str], ...]]:
        """The columns of items files by position, and those that are named in their header."""
        named: tuple[tuple[str, str], ...] = ()
        if isinstance(table.values.get("columns"), dict):
            inner = cast(TomlTable, table.table("columns"))
            inner.allow((*ITEM_COLUMNS, "genre"))
            named = tuple((name, inner.text(name, required=True)) for name in inner.values)
            columns = tuple(name for name, _ in named)
        else:
            columns = table.texts("columns")
        if columns:
            once = ["pair"] if "pair" in columns else ["left", "right"]
            once += ["id"] if self.keyed or "id" in columns else []
            for name in once:
                if columns.count(name) != 1:
                    table.refuse("columns", "unknown_value", f'must name "{name}" once')
            if "pair" in columns and {"left", "right"} & {*columns}:
                table.refuse("columns", "unknown_value", 'a "pair" is both sides, "left" and "right"')
            if "..." in columns[:-1]:
                table.refuse("columns", "unknown_value", '"..." stands last, for all that is not read')
        return columns, named

    def _split(self, table: TomlTable, name: str) -> SplitSpec:
        table.allow(_SPLIT_KEYS)
        if "items" not in table.values:
            table.refuse("items", "missing_key", "is missing; name the file with the split's items")
        return SplitSpec(
            name=name,
            items=(self._path(table, "items") if "items" in table.values else None) or "",
            gold=self._path(table, "gold") if "gold" in table.values else None,
            public_gold=table.flag("public_gold", False),
            held_out_genres=table.texts("held_out_genres"),
            public_items=self._path(table, "public_items") if "public_items" in table.values else None,
            scored=self._scored(table),
        )

    def _scored(self, table: TomlTable) -> int | None:
        """How many items are scored, where the gold has lines for the first ones alone."""
        if "scored" in table.values and (self.keyed or "gold" not in table.values):
            table.refuse("scored", "unknown_key", "goes with aligned gold; keyed gold names its items")
        return table.optional_whole("scored")

    def _path(self, table: TomlTable, name: str) -> str | None:
        return read_file_path(self.folder, table, name)

    def _require_once(self, bundle: Bundle) -> None:
        """Refuse two runs of one team and name in one phase, and two primary ones."""
        for phase in bundle.phases or (None,):
            runs = [run for run in bundle.runs if bundle.belongs(run, phase)]
            self._unique("run", [f"{run.team}/{run.name}" for run in runs])
            primary = Counter(run.team for run in runs if run.primary)
            for team in sorted(team for team, count in primary.items() if count > 1):
                self.top.refuse("run", "duplicate", f"{team} has two primary runs; one at most is")

    def _unique(self, name: str, slugs: list[str]) -> None:
        for slug in sorted(slug for slug, count in Counter(slugs).items() if count > 1):
            self.top.refuse(name, "duplicate", f'"{slug}" stands there twice; each has a name of its own')
