"""What `infer_board` found, as it stands beside a board: ranges, rules and intervals, and tables of its own.

Works on plain values and needs no numpy, so that a stored inference is shown as a new one is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import comb
from typing import Any

from scorer.boards.board import Board, ColumnKey, Row, rows_of
from scorer.reports.escaping import markdown_cell, single_line
from scorer.reports.scores import DASH
from scorer.reports.tables import latex_table, text_table
from scorer.statistics.swap_rules import swap_notes
from scorer.values import Undefined

InferenceEntry = Mapping[str, Any]
TSV_COLUMNS = ("low", "high", "degenerate", "rank_low", "rank_high", "cluster")
"""What is appended to the columns of a board's TSV."""
_TEXT_COLUMNS = ("Team", "Run", "Rule")
_RULE_LABELS = {
    "spearman": "every level by Spearman",
    "mean_of_ranks": "mean of the ranks at the levels entered",
    "without_level": "without the level {}",
    "without_genre": "without the genre {}",
}


class InferenceIndex:
    """An inference by column and system.

    Parameters
    ----------
    values : mapping
        From `infer_board`.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self.values = values
        self.columns: dict[ColumnKey, InferenceEntry] = {
            (column["level"], column["metric"]): column for column in values["columns"]
        }
        self._intervals = self._by_system("intervals")
        self._ranks = self._by_system("ranks")

    @property
    def tested(self) -> bool:
        """Whether pairs of systems were tested."""
        return any("tests" in column for column in self.columns.values())

    @property
    def coverage(self) -> str:
        """What a head says of intervals."""
        return f"{100 * self.values['options']['level']:g} % interval"

    def interval(self, key: ColumnKey, system: int) -> InferenceEntry | None:
        """The interval of a system, None where it has no value."""
        return self._intervals.get((key, system))

    def rank(self, key: ColumnKey, system: int) -> InferenceEntry | None:
        """The rank, its range and its cluster; None where it was not tested."""
        return self._ranks.get((key, system))

    def ends(self, key: ColumnKey, system: int) -> str:
        """The interval in words."""
        interval = self.interval(key, system)
        if interval is None or interval["low"] is None:
            return DASH
        return f"[{_rounded(interval['low'])}, {_rounded(interval['high'])}]"

    def range(self, key: ColumnKey, system: int) -> str:
        """The ranks that the data leave, in words."""
        rank = self.rank(key, system)
        if rank is None:
            return DASH
        return str(rank["low"]) if rank["low"] == rank["high"] else f"{rank['low']}-{rank['high']}"

    def cluster(self, key: ColumnKey, system: int) -> str:
        """The number of the cluster, in words."""
        rank = self.rank(key, system)
        return DASH if rank is None else str(rank["cluster"])

    def tsv_cells(self, key: ColumnKey, system: int) -> list[str]:
        """The cells of TSV_COLUMNS."""
        interval, rank = self.interval(key, system) or {}, self.rank(key, system) or {}
        values = [interval.get(name) for name in TSV_COLUMNS[:3]]
        values += [rank.get(name) for name in ("low", "high", "cluster")]
        return ["" if value is None else repr(value) for value in values]

    def _by_system(self, group: str) -> dict[tuple[ColumnKey, int], InferenceEntry]:
        return {
            (key, entry["system"]): entry
            for key, column in self.columns.items()
            for entry in column.get(group, [])
        }


@dataclass(frozen=True, slots=True)
class _InferenceTable:
    """One table; `clusters` has the cluster of each row, where there are any."""

    title: str
    head: list[str]
    rows: list[list[str]]
    clusters: list[str]

    @property
    def rules(self) -> list[int]:
        """The places of rows that have a rule above them."""
        return cluster_starts(self.clusters)


def _rounded(value: float | Undefined) -> str:
    """Three decimals, or three digits where these would be 0."""
    if isinstance(value, Undefined):
        return DASH
    return f"{value:z.3f}" if value == 0 or 5e-4 <= abs(value) < 1e6 else f"{value:.3g}"


def cluster_starts(clusters: Sequence[str]) -> list[int]:
    """Where another cluster begins; a row without one is in none."""
    pairs = enumerate(pairwise(clusters), start=1)
    return [place for place, (above, below) in pairs if DASH not in (above, below) and above != below]


def text_sections(board: Board, inferred: InferenceIndex) -> list[str]:
    """The tables below a board, as lines of text."""
    lines = []
    for table in _tables(board, inferred):
        head, *rows = text_table(table.head, table.rows, _TEXT_COLUMNS)
        width = max(map(len, (head, *rows)))
        lines += [single_line(table.title), head]
        for place, row in enumerate(rows):
            lines += [*(["-" * width] if place in table.rules else []), row]
        lines.append("")
    return lines


def markdown_sections(board: Board, inferred: InferenceIndex) -> list[str]:
    """The same as Markdown, which has no rules: a column says which cluster a system is in."""
    lines = []
    for table in _tables(board, inferred):
        head, rows = table.head, table.rows
        if table.clusters:
            head = [*head, "Cluster"]
            rows = [[*row, cluster] for row, cluster in zip(rows, table.clusters, strict=True)]
        rule = ["---" if name in _TEXT_COLUMNS else "---:" for name in head]
        lines += [f"### {markdown_cell(table.title)}", "", _markdown_row(head), f"| {' | '.join(rule)} |"]
        lines += [*map(_markdown_row, rows), ""]
    return lines


def latex_sections(board: Board, inferred: InferenceIndex) -> list[str]:
    """The same as LaTeX, a tabular each."""
    lines: list[str] = []
    for table in _tables(board, inferred):
        whole = latex_table(table.head, table.rows, _TEXT_COLUMNS)[1:]
        start = whole.index(r"\midrule") + 1
        for place in sorted(table.rules, reverse=True):
            whole.insert(start + place, r"\midrule")
        lines += ["", f"% {single_line(table.title)}", *whole]
    return lines


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(markdown_cell, cells))} |"


def _tables(board: Board, inferred: InferenceIndex) -> Iterator[_InferenceTable]:
    for level in board.levels if board.totals else ():  # without a total, each level has its table already
        yield _level_table(board, inferred, (level.slug, level.metrics[0]))
    if inferred.values["stability"]:
        rows = [
            [_rule_words(each), str(each["systems"]), DASH if each["tau"] is None else f"{each['tau']:z.3f}"]
            for each in inferred.values["stability"]
        ]
        yield _InferenceTable(
            "Kendall's tau with the order by another rule", ["Rule", "Systems", "tau-b"], rows, []
        )


def _rule_words(each: InferenceEntry) -> str:
    return _RULE_LABELS[each["rule"]].format(each["name"])


def _level_table(board: Board, inferred: InferenceIndex, key: ColumnKey) -> _InferenceTable:
    """A level by its official metric: official systems in its own order, then late ones and baselines."""
    slug, metric = key
    column = inferred.columns[key]
    board_rows = rows_of(board)
    cells = {system: row.cells[slug or ""][metric] for system, row in enumerate(board_rows)}
    shown = [system for system, cell in cells.items() if not isinstance(cell.value, Undefined)]
    shown.sort(key=lambda system: (cells[system].rank is None, cells[system].rank or 0, system))
    rows = [
        [
            *_rank_cells(inferred, key, cells[system].rank, system),
            *_system_cells(board_rows[system]),
            _rounded(cells[system].value),
            inferred.ends(key, system),
        ]
        for system in shown
    ]
    clusters = [inferred.cluster(key, system) for system in shown] if inferred.tested else []
    head = ["Rank", *(["Range"] if inferred.tested else []), "Team", "Run", metric, inferred.coverage]
    groups = "" if column["groups"] is None else f" in {column['groups']} groups"
    return _InferenceTable(f"{slug} ({metric}, {column['n']} items{groups})", head, rows, clusters)


def _rank_cells(inferred: InferenceIndex, key: ColumnKey, rank: int | None, system: int) -> list[str]:
    shown = DASH if rank is None else str(rank)
    return [shown, inferred.range(key, system)] if inferred.tested else [shown]


def _system_cells(row: Row) -> tuple[str, str]:
    return row.team, row.run + ("" if row.kind == "official" else f" ({row.kind})")


def inference_notes(inferred: InferenceIndex) -> list[str]:
    """How it was made, and what is not there and why."""
    options = inferred.values["options"]
    method = {"bca": "BCa bootstrap", "percentile": "percentile bootstrap"}[options["interval"]]
    grouped = any(column["groups"] is not None for column in inferred.columns.values())
    lines = [
        f"Intervals: {100 * options['level']:g} %, {method}, {options['b']} resamples of the items"
        f"{' in their groups' if grouped else ''}, the same for all systems, seed {options['seed']}."
    ]
    tests = [column["tests"] for column in inferred.columns.values() if "tests" in column]
    most = max((test["permutations"] for test in tests), default=0)
    if most:
        lines += [
            f"Ranges and rules: paired permutation test of each two systems ({most} permutations), Holm "
            f"within a column, family-wise error {options['alpha']:g}. A range goes from 1 + the systems "
            "that are significantly better to the number of systems less those that are significantly worse; "
            "a rule stands where every system above is significantly better than every one below."
        ]
        lines += swap_notes(
            key[1] for key, column in inferred.columns.items() if key[0] and "tests" in column
        )
    if _total_is_partly_tested(inferred):
        lines.append(
            "Total: two systems that entered different levels are not compared, so no range and no rule "
            "tells them apart."
        )
    lines += [
        note for key, column in inferred.columns.items() for note in _missing_notes(inferred, key, column)
    ]
    lines += [
        f"{_rule_words(each)}: no tau, {each['undefined']['reason']}."
        for each in inferred.values["stability"]
        if each["tau"] is None
    ]
    return lines


def _total_is_partly_tested(inferred: InferenceIndex) -> bool:
    """Whether the official total lacks the test of a pair."""
    tests = [
        column["tests"]
        for (level, _), column in inferred.columns.items()
        if level is None and "tests" in column
    ]
    return any(not test["refused"] and test["pairs"] < comb(test["systems"], 2) for test in tests)


def _missing_notes(inferred: InferenceIndex, key: ColumnKey, column: InferenceEntry) -> Iterator[str]:
    """What a column lacks: tests, intervals, resamples."""
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
