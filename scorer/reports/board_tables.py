"""The tables of a leaderboard for a paper: values, intervals, rank ranges and clusters."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from math import isclose

from scorer.boards.board import NOT_ENTERED, Board, ColumnKey, Row, boards_by_level, rows_of
from scorer.boards.people import PeopleRow
from scorer.errors import RequestError
from scorer.reports.inference import METHODS, InferenceIndex, total_is_partly_tested
from scorer.reports.paper_elements import PaperTable
from scorer.reports.people import people_rows
from scorer.reports.scores import DASH
from scorer.reports.table_report import ReportTable, TableCell
from scorer.reports.tables import cluster_starts
from scorer.statistics.adjustments import ADJUSTMENT_NAMES
from scorer.values import Undefined

SECTIONS = (("official", "Official"), ("late", "Late, not ranked"), ("baselines", "Baselines"))
SYSTEM = ("team", "system")
_WORDS = (*SYSTEM, "rank", "range", "interval")
DECIMALS = 3


def metric_name(metric: str) -> str:
    """Return the name of a metric for people.

    >>> metric_name("pearson"), metric_name("within_sd"), metric_name("mse")
    ('Pearson', 'within SD', 'MSE')
    """
    if len(metric) <= 4:
        return metric.upper()
    return {"within_sd": "within SD", "choice_accuracy": "accuracy of choices"}.get(
        metric, metric.replace("_", " ").capitalize()
    )


def board_tables(
    board: Board, inferred: InferenceIndex, source: str, people: PeopleRow | None = None
) -> list[PaperTable]:
    """Make the table of all systems, then one for each level if there is a total.

    Without a total and with several levels, there are only the tables of the levels.

    Parameters
    ----------
    board : Board
    inferred : InferenceIndex
        The intervals and tests of the leaderboard.
    source : str
        What `scorer board` reads to print the same values.
    people : PeopleRow, optional
        How well people would do, which is a row without a rank.
    """
    maker = _TableMaker(board, inferred, source, people or PeopleRow({}))
    tables = [] if board.ranking is None else [maker.make(board, board.ranking, "results")]
    if board.ranking is None or board.totals:
        for slug, level_board in boards_by_level(board).items():
            tables.append(
                maker.make(level_board, (slug, level_board.levels[0].metrics[0]), f"results-{slug}")
            )
    return tables


def choose_columns(tables: Sequence[PaperTable], columns: Collection[str]) -> list[PaperTable]:
    """Keep the columns with these names, and the tables that then have values; keep all if none are named.

    Raises
    ------
    RequestError
        If no table has a column, or no column of values is named.
    """
    if not columns:
        return list(tables)
    known = column_names(tables)
    unknown = [name for name in columns if name not in known]
    if unknown:
        raise RequestError(f'there is no column "{unknown[0]}"; there are {", ".join(known)}')
    chosen = [
        table.choose_columns(columns)
        for table in tables
        if not table.table.decimals.keys().isdisjoint(columns)
    ]
    if not chosen:
        values = dict.fromkeys(name for table in tables for name in table.table.decimals)
        raise RequestError(f"name at least one column of values: {', '.join(values)}")
    return chosen


def column_names(tables: Sequence[PaperTable]) -> list[str]:
    """Return the names of all columns, each once."""
    return list(dict.fromkeys(name for table in tables for name in table.table.head))


@dataclass(frozen=True, slots=True)
class _TableMaker:
    """Makes the tables of a leaderboard."""

    whole: Board
    inferred: InferenceIndex
    source: str
    people: PeopleRow

    def make(self, board: Board, key: ColumnKey, name: str) -> PaperTable:
        """Make the table of a board as `key` ranks it: best values bold, a rule between clusters."""
        inferred, numbers = self.inferred, {row.key: place for place, row in enumerate(rows_of(self.whole))}
        columns = _value_columns(board, key, inferred)
        sections, rules, rows = dict[int, str](), list[int](), list[list[TableCell]]()
        best = set[tuple[int, int]]()
        head = ["rank", *(["range"] if inferred.tested else []), *SYSTEM, *(column for column, _ in columns)]
        for kind, title in SECTIONS:
            part = [
                row for row in getattr(board, kind) if board.totals or _entered(row, board.levels[0].slug)
            ]
            if not part:
                continue
            if kind != "official" or board.late or board.baselines:
                sections[len(rows)] = title
            systems = [numbers[row.key] for row in part]
            rules += [len(rows) + start for start in cluster_starts(inferred.clusters(key, systems))]
            rows += [
                _row(board, row, system, key, columns, inferred)
                for row, system in zip(part, systems, strict=True)
            ]
            best |= _best(board, head, rows, columns) if kind == "official" else set()
        values = {cell: column for column, cell in columns if cell is not None}
        for title, cells in people_rows(self.people, values, SYSTEM):
            sections[len(rows)] = title
            rows.append([DASH if name in ("rank", "range") else cells.get(name) for name in head])
        decimals = dict.fromkeys(values.values(), DECIMALS)
        caption = self._caption(board, key)
        table = ReportTable(name, caption, head, rows, _WORDS, decimals, _headings(board, columns))
        command = f"scorer board {self.source}"
        if inferred.is_given:
            command += f" --bootstrap {inferred.values['options']['b']} --significance"
        return PaperTable(table, command, sections, rules, best)

    def _caption(self, board: Board, key: ColumnKey) -> str:
        """Describe a table; a part of the whole leaderboard leaves the methods to the table of the whole."""
        text = _caption_beginning(board, key, is_one_of_several=len(self.whole.levels) > 1)
        is_part = board is not self.whole and bool(self.whole.totals)
        return text if is_part else " ".join([text, *_caption_notes(board, self.inferred)])


def _entered(row: Row, level: str) -> bool:
    return any(cell.value != NOT_ENTERED for cell in row.cells[level].values())


def _value_columns(
    board: Board, key: ColumnKey, inferred: InferenceIndex
) -> list[tuple[str, ColumnKey | None]]:
    """Return the columns after the system: names, and the column of the board if it has a value there."""
    interval: list[tuple[str, ColumnKey | None]] = [("interval", None)] if inferred.is_given else []
    if not board.totals:
        first, *rest = board.levels[0].metrics
        slug = board.levels[0].slug
        return [(first, (slug, first)), *interval, *((metric, (slug, metric)) for metric in rest)]
    columns: list[tuple[str, ColumnKey | None]] = [
        (level.slug, (level.slug, level.metrics[0])) for level in board.levels
    ]
    partial = any(0 < row.totals[0].entered < row.totals[0].of for row in rows_of(board))
    others: list[tuple[str, ColumnKey | None]] = [
        (f"rank by {total.name}", None) for total in board.totals[1:]
    ]
    return [*columns, ("total", key), *interval, *([("levels", None)] if partial else []), *others]


def _headings(board: Board, columns: Sequence[tuple[str, ColumnKey | None]]) -> dict[str, str]:
    titles = {level.slug: level.title for level in board.levels} if board.totals else {}
    named = {column: titles.get(column, metric_name(column)) for column, cell in columns if cell is not None}
    ranks = {f"rank by {total.name}": f"{metric_name(total.name)} rank" for total in board.totals[1:]}
    fixed = {"rank": "Rank", "range": "Range", "team": "Team", "system": "System", "levels": "Levels"}
    return fixed | {"interval": "Interval"} | named | ranks | ({"total": "Total"} if board.totals else {})


def _row(
    board: Board,
    row: Row,
    system: int,
    key: ColumnKey,
    columns: Sequence[tuple[str, ColumnKey | None]],
    inferred: InferenceIndex,
) -> list[TableCell]:
    cells: list[TableCell] = [
        rank_cell(board.rank(row)),
        *inferred.range_cells(key, system),
        row.team,
        row.run,
    ]
    ranks = {f"rank by {total.name}": row.totals[place] for place, total in enumerate(board.totals)}
    for column, cell in columns:
        if cell is not None:
            found = board.cell(row, cell)
            cells.append(None if found is None else found.value)
        elif column == "interval":
            cells += inferred.interval_cells(key, system)
        elif column == "levels":
            cells.append(row.totals[0].entered)
        else:
            cells.append(rank_cell(ranks[column].rank))
    return cells


def rank_cell(rank: int | None) -> TableCell:
    """Return the cell of a rank: a dash if there is none."""
    return DASH if rank is None else rank


def _best(
    board: Board,
    head: Sequence[str],
    rows: Sequence[Sequence[TableCell]],
    columns: Sequence[tuple[str, ColumnKey | None]],
) -> set[tuple[int, int]]:
    """Return the best values of these systems; values that are printed equal are all best."""
    keys, found = dict(columns), set()
    for place, column in enumerate(head):
        values = [
            (index, round(cell, DECIMALS))
            for index, cell in enumerate(row[place] for row in rows)
            if isinstance(cell, float)
        ]
        key = keys.get(column)
        if key is not None and len(values) > 1:
            best = (max if board.higher_is_better(key) else min)(value for _, value in values)
            found |= {(index, place) for index, value in values if isclose(value, best, abs_tol=1e-9)}
    return found


def _caption_beginning(board: Board, key: ColumnKey, *, is_one_of_several: bool) -> str:
    slug, metric = key
    if board.totals:
        rule = {"sum": "the sum", "mean": "the mean", "weighted": "the mean, weighted by items,"}
        named = metric_name(board.levels[0].metrics[0])
        return f"Results by level ({named}) and in total, which is {rule[board.rules.total]} over the levels."
    level = next(level for level in board.levels if level.slug == slug)
    where = f" at the level {level.title}" if is_one_of_several else ""
    counts = {row.cells[level.slug][metric].n for row in rows_of(board)} - {None}
    items = f" ({max(counts):,} items)" if counts else ""  # type: ignore[type-var]  # None is not in it
    return f"Results{where}{items}, ranked by {metric_name(metric)}."


def unranked_notes(board: Board) -> Iterator[str]:
    """Yield which systems of a board have no rank, if any."""
    unranked = [name for name, rows in (("late runs", board.late), ("baselines", board.baselines)) if rows]
    if unranked:
        yield f"{' and '.join(unranked).capitalize()} have no rank."


def _caption_notes(board: Board, inferred: InferenceIndex) -> Iterator[str]:
    if len(board.official) > 1:
        yield "The best values are in bold."
    if inferred.is_given:
        options = inferred.values["options"]
        share, method = f"{100 * options['level']:g} %", METHODS[options["interval"]]
        yield f"Intervals: {share}, {method}, {options['b']:,} resamples of the items."
        if count := inferred.permutations:
            yield (
                "A range has the ranks that tests of all pairs leave possible, and a rule separates "
                "systems if each above it is significantly better than each below it (paired permutation "
                f"tests with {count:,} permutations, {ADJUSTMENT_NAMES[options['adjust']]}, family-wise "
                f"error rate {options['alpha']:g})."
            )
        if board.totals and total_is_partly_tested(inferred):
            yield "In total, systems that entered different levels are not compared."
    if board.totals and any(0 < row.totals[0].entered < row.totals[0].of for row in rows_of(board)):
        yield "Levels: the number of levels that a system entered."
    yield from unranked_notes(board)
    if any(
        isinstance(cell.value, Undefined)
        for row in rows_of(board)
        for cells in row.cells.values()
        for cell in cells.values()
    ):
        yield f"{DASH}: no value."
