"""Renders intervals, rank ranges and clusters from `infer_board` for a leaderboard, and tables of their own.

Works on plain values without numpy, so that a stored result is rendered in the same way as a new one.
"""

from collections.abc import Iterable, Iterator, Mapping
from math import comb
from typing import Any

from scorer.boards.board import Board, ColumnKey, Row, rows_of
from scorer.reports.scores import DASH
from scorer.reports.tables import TableSection, WordTable, cluster_starts, plain_table
from scorer.statistics.adjustments import ADJUSTMENT_NAMES
from scorer.statistics.swap_rules import swap_notes
from scorer.values import Undefined

InferenceEntry = Mapping[str, Any]
TSV_COLUMNS = ("low", "high", "degenerate", "rank_low", "rank_high", "cluster")
_TEXT_COLUMNS = ("Team", "Run", "Rule")
_RULE_LABELS = {
    "spearman": "every level by Spearman",
    "mean_of_ranks": "mean of the ranks at the levels entered",
    "without_level": "without the level {}",
    "without_genre": "without the genre {}",
}
METHODS = {"bca": "BCa bootstrap", "percentile": "percentile bootstrap"}


class InferenceIndex:
    """Intervals and tests by column and system; without any, the leaderboard gets no additions.

    Parameters
    ----------
    values : mapping, optional
        The result of `infer_board`.
    """

    def __init__(self, values: Mapping[str, Any] | None) -> None:
        self.is_given = values is not None
        self.values = values or {"columns": [], "stability": []}
        self.columns: dict[ColumnKey, InferenceEntry] = {
            (column["level"], column["metric"]): column for column in self.values["columns"]
        }
        self.tested = any("tests" in column for column in self.columns.values())
        self._intervals = self._by_system("intervals")
        self._ranks = self._by_system("ranks")

    @property
    def permutations(self) -> int:
        """The number of permutations of the tests; 0 if there are none."""
        tests = [column["tests"] for column in self.columns.values() if "tests" in column]
        return max((test["permutations"] for test in tests), default=0)

    @property
    def tsv_columns(self) -> tuple[str, ...]:
        """The columns that are added to the TSV of a leaderboard."""
        return TSV_COLUMNS if self.is_given else ()

    def tsv_values(self, key: ColumnKey, system: int) -> list[float | None]:
        """Return the values of `tsv_columns`."""
        if not self.is_given:
            return []
        interval, rank = self.interval(key, system) or {}, self._ranks.get((key, system), {})
        values = [interval.get(name) for name in TSV_COLUMNS[:3]]
        return [*values, *(rank.get(name) for name in ("low", "high", "cluster"))]

    @property
    def interval_head(self) -> list[str]:
        """The heading of the column of intervals, if there is one."""
        return [f"{100 * self.values['options']['level']:g} % interval"] if self.is_given else []

    def interval_cells(self, key: ColumnKey, system: int) -> list[str]:
        """Format an interval for the column `interval_head`."""
        if not self.is_given:
            return []
        interval = self.interval(key, system)
        if interval is None or interval["low"] is None:
            return [DASH]
        return [f"[{_rounded(interval['low'])}, {_rounded(interval['high'])}]"]

    @property
    def range_head(self) -> list[str]:
        """The heading of the column of rank ranges, if pairs of systems were tested."""
        return ["Range"] if self.tested else []

    def range_cells(self, key: ColumnKey, system: int) -> list[str]:
        """Format a rank range for the column `range_head`."""
        if not self.tested:
            return []
        rank = self._ranks.get((key, system))
        if rank is None:
            return [DASH]
        return [str(rank["low"]) if rank["low"] == rank["high"] else f"{rank['low']}-{rank['high']}"]

    def interval(self, key: ColumnKey, system: int) -> InferenceEntry | None:
        """Return the interval of a system, or None if it has no value."""
        return self._intervals.get((key, system))

    def clusters(self, key: ColumnKey, systems: Iterable[int]) -> list[int | None]:
        """Return the cluster of each system, or None if a system was not tested."""
        return [self._ranks.get((key, system), {}).get("cluster") for system in systems]

    def _by_system(self, group: str) -> dict[tuple[ColumnKey, int], InferenceEntry]:
        return {
            (key, entry["system"]): entry
            for key, column in self.columns.items()
            for entry in column.get(group, [])
        }


def _rounded(value: float | Undefined) -> str:
    """Format a value with three decimal places, or with three significant digits if those would be 0."""
    if isinstance(value, Undefined):
        return DASH
    return f"{value:z.3f}" if value == 0 or 5e-4 <= abs(value) < 1e6 else f"{value:.3g}"


def inference_tables(
    board: Board, inferred: InferenceIndex, *, cluster_column: bool
) -> Iterator[tuple[str, WordTable]]:
    """Yield the tables below a leaderboard with their titles.

    Parameters
    ----------
    board : Board
    inferred : InferenceIndex
    cluster_column : bool
        Whether to add a column with the cluster, for formats without rules such as Markdown.
    """
    has_more = inferred.is_given and board.totals  # without a total, each level already has its own table
    for level in board.levels if has_more else ():
        yield _level_table(board, inferred, (level.slug, level.metrics[0]), cluster_column=cluster_column)
    if inferred.values["stability"]:
        rows = [
            [
                _rule_text(entry),
                str(entry["systems"]),
                DASH if entry["tau"] is None else f"{entry['tau']:z.3f}",
            ]
            for entry in inferred.values["stability"]
        ]
        table = plain_table(["Rule", "Systems", "tau-b"], rows, _TEXT_COLUMNS)
        yield "Kendall's tau with the ranking by another rule", table


def _rule_text(entry: InferenceEntry) -> str:
    return _RULE_LABELS[entry["rule"]].format(entry["name"])


def _level_table(
    board: Board, inferred: InferenceIndex, key: ColumnKey, *, cluster_column: bool
) -> tuple[str, WordTable]:
    """Build the table of a level: official systems by rank, then late ones and baselines."""
    slug, metric = key
    column = inferred.columns[key]
    board_rows = rows_of(board)
    cells = {system: row.cells[slug or ""][metric] for system, row in enumerate(board_rows)}
    shown = [system for system, cell in cells.items() if not isinstance(cell.value, Undefined)]
    shown.sort(key=lambda system: (cells[system].rank is None, cells[system].rank or 0, system))
    clusters = inferred.clusters(key, shown)
    head = ["Rank", *inferred.range_head, "Team", "Run", metric, *inferred.interval_head]
    rows = [
        [
            rank_words(cells[system].rank),
            *inferred.range_cells(key, system),
            *_system_cells(board_rows[system]),
            _rounded(cells[system].value),
            *inferred.interval_cells(key, system),
        ]
        for system in shown
    ]
    if cluster_column and inferred.tested and rows:
        head.append("Cluster")
        for row, cluster in zip(rows, clusters, strict=True):
            row.append(rank_words(cluster))
    groups = "" if column["groups"] is None else f" in {column['groups']} groups"
    table = WordTable(head, [TableSection(rows, rules=cluster_starts(clusters))], _TEXT_COLUMNS)
    return f"{slug} ({metric}, {column['n']} items{groups})", table


def rank_words(rank: int | None) -> str:
    """Format a rank or the number of a cluster; a dash if there is none."""
    return DASH if rank is None else str(rank)


def _system_cells(row: Row) -> tuple[str, str]:
    return row.team, row.run + ("" if row.kind == "official" else f" ({row.kind})")


def inference_notes(inferred: InferenceIndex) -> list[str]:
    """Describe the methods, and explain what is missing."""
    if not inferred.is_given:
        return []
    options = inferred.values["options"]
    method = METHODS[options["interval"]]
    grouped = any(column["groups"] is not None for column in inferred.columns.values())
    lines = [
        f"Intervals: {100 * options['level']:g} %, {method}, {options['b']} resamples of the items"
        f"{' in their groups' if grouped else ''}, the same for all systems, seed {options['seed']}."
    ]
    if permutations := inferred.permutations:
        lines += [
            f"Rank ranges and lines: paired permutation test of each pair of systems ({permutations} "
            f"permutations), {ADJUSTMENT_NAMES[options['adjust']]} within a column, family-wise error rate "
            f"{options['alpha']:g}. "
            "A range goes from 1 + the number of systems that are significantly better to the number of "
            "systems minus those that are significantly worse. A line separates systems if every system "
            "above it is significantly better than every system below it."
        ]
        of_levels = {key: column for key, column in inferred.columns.items() if key[0] and "tests" in column}
        groups = [column["groups"] for column in of_levels.values() if column["groups"] is not None]
        lines += swap_notes((metric for _, metric in of_levels), min(groups, default=None))
    lines += _baseline_notes(inferred)
    if total_is_partly_tested(inferred):
        lines.append(
            "Total: two systems that entered different levels are not compared, so ranges and lines never "
            "show them as significantly different."
        )
    lines += [
        note for key, column in inferred.columns.items() for note in _missing_notes(inferred, key, column)
    ]
    lines += [
        f"{_rule_text(entry)}: no tau, {entry['undefined']['reason']}."
        for entry in inferred.values["stability"]
        if entry["tau"] is None
    ]
    return lines


def _baseline_notes(inferred: InferenceIndex) -> Iterator[str]:
    """Yield how systems are tested against the best baseline, and those that are not significantly better."""
    compared = {key: column["baseline"] for key, column in inferred.columns.items() if "baseline" in column}
    if compared:
        method = ADJUSTMENT_NAMES[inferred.values["options"]["adjust"]]
        yield (
            "The best baseline is the one with the best value in a column. Each system is tested against it "
            f"by a paired permutation test, with {method} over these tests of the column alone; "
            "on the total, only if both have values at the same levels."
        )
    names = [f"{system['team']} {system['run']}" for system in inferred.values.get("systems", ())]
    for key, baseline in compared.items():
        below = [names[test["system"]] for test in baseline["tests"] if not test["better"]]
        column, best, count = (
            f"{key[0] or 'total'}, {key[1]}",
            names[baseline["system"]],
            len(baseline["tests"]),
        )
        if below:
            yield (
                f"{column}: not significantly better than the best baseline, {best}: {', '.join(below)} "
                f"({len(below)} of {count})."
            )
        else:
            yield f"{column}: all systems that were tested ({count}) are significantly better than {best}."


def total_is_partly_tested(inferred: InferenceIndex) -> bool:
    """Whether some pairs were not tested for the official total."""
    tests = [
        column["tests"]
        for (level, _), column in inferred.columns.items()
        if level is None and "tests" in column
    ]
    return any(not test["refused"] and test["pairs"] < comb(test["systems"], 2) for test in tests)


def _missing_notes(inferred: InferenceIndex, key: ColumnKey, column: InferenceEntry) -> Iterator[str]:
    """Yield notes on missing tests, intervals and resamples of a column."""
    name = f"{key[0] or 'total'}, {key[1]}"
    if column.get("tests", {}).get("refused"):
        yield f"{name}: {column['tests']['refused']}."
    for entry in column["intervals"]:
        system = inferred.values["systems"][entry["system"]]
        who = f"{system['team']} {system['run']}"
        if entry["undefined"] is not None:
            yield f"{name}, {who}: no interval, {entry['undefined']['reason']}."
        elif entry["degenerate"]:
            yield f"{name}, {who}: {entry['degenerate']} resamples had no value and were left out."
