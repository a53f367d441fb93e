"""Renders a leaderboard as text, TSV, CSV, JSON, Markdown or LaTeX. Only reports round numbers."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from scorer.boards.board import (
    NOT_ENTERED,
    Board,
    Cell,
    ColumnKey,
    Kind,
    Row,
    Total,
    boards_by_level,
    columns_of,
    rows_of,
)
from scorer.boards.people import PeopleRow
from scorer.boards.serialization import BoardFile, board_dict
from scorer.reports.board_tables import SECTIONS, board_tables, choose_columns, unranked_notes
from scorer.reports.escaping import markdown_cell, single_line
from scorer.reports.inference import InferenceIndex, inference_notes, inference_tables, rank_words
from scorer.reports.latex import STYLES, latex_table
from scorer.reports.people import NOTE, people_csv, people_sections, people_tsv
from scorer.reports.records import write_csv, write_tsv
from scorer.reports.scores import DASH
from scorer.reports.tables import (
    NEEDS_BOOKTABS,
    Paragraph,
    TableSection,
    WordTable,
    cluster_starts,
    plain_table,
    write_markdown,
    write_text,
)
from scorer.values import Undefined, write_json

FORMATS = ("text", "tsv", "csv", "json", "markdown", "latex")
"""tsv has one line per value, csv one row per system for spreadsheets; they and json do not round."""
TSV_COLUMNS = ("kind", "team", "run", "level", "metric", "value", "rank", "n", "undefined", "signature")


def render_board(
    board: Board,
    format_: str,
    *,
    task: str,
    title: str,
    split: str,
    inference: Mapping[str, Any] | None = None,
    people: PeopleRow | None = None,
    columns: Collection[str] = (),
) -> str:
    """Render a leaderboard, and the result of `infer_board` if given, in one of FORMATS.

    `people` is a row without a rank in all of them except JSON, whose bytes a site signs with their rules.
    `columns` are the names of columns of the LaTeX tables, which by default have all.
    """
    if format_ == "json":
        values = board_dict(BoardFile(board, task, title, split))
        return write_json(values if inference is None else values | {"inference": inference})
    inferred, people = InferenceIndex(inference), people or PeopleRow({})
    if format_ in ("tsv", "csv"):
        return (_tsv if format_ == "tsv" else _csv)(board, inferred, people)
    line = single_line(f"{title}, {split}")
    if format_ == "latex":
        return _latex(board, line, inferred, people, columns)
    return (_text if format_ == "text" else _markdown)(board, line, inferred, people)


def _tsv(board: Board, inferred: InferenceIndex, people: PeopleRow) -> str:
    rows = [
        _tsv_row(system, row, key, cell, inferred)
        for system, row in enumerate(rows_of(board))
        for key, cell in _cells_by_column(board, row)
    ]
    rows += [[*row, *(None for _ in inferred.tsv_columns)] for row in people_tsv(board, people)]
    return write_tsv((*TSV_COLUMNS, *inferred.tsv_columns), rows)


def _cells_by_column(board: Board, row: Row) -> Iterator[tuple[ColumnKey, Cell]]:
    for slug, cells in row.cells.items():
        yield from (((slug, metric), cell) for metric, cell in cells.items())
    for column, total in zip(board.totals, row.totals, strict=True):
        yield (None, column.name), Cell(total.value, total.rank)


def _tsv_row(system: int, row: Row, key: ColumnKey, cell: Cell, inferred: InferenceIndex) -> list[Any]:
    interval = inferred.interval(key, system)
    signature = cell.signature if interval is None else interval["signature"]
    reason = cell.value.reason if isinstance(cell.value, Undefined) else None
    names = row.kind, row.team, row.run, key[0] or "total", key[1]
    values = cell.value, cell.rank, cell.n, reason, signature
    return [*names, *values, *inferred.tsv_values(key, system)]


def _csv(board: Board, inferred: InferenceIndex, people: PeopleRow) -> str:
    """Render CSV: a missing value is an empty cell, and the column "notes" has its reason."""
    head = ["kind", "rank", "team", "run"]
    for k, column in enumerate(board.totals):
        head += [f"total ({column.name})", *([f"rank ({column.name})"] if k else ["levels entered"])]
    for level in board.levels:
        head += [f"{level.slug} {metric}{rank}" for metric in level.metrics for rank in ("", " rank")]
    more = [
        f"{slug or 'total'} {metric} {name}"
        for slug, metric in inferred.columns
        for name in inferred.tsv_columns
    ]
    rows = []
    for system, row in enumerate(rows_of(board)):
        inferred_cells = [cell for key in inferred.columns for cell in inferred.tsv_values(key, system)]
        rows.append([*_csv_cells(board, row), "; ".join(row_reasons(row)), *inferred_cells])
    head += ["notes", *more]
    return write_csv(head, [*rows, *people_csv(board, people, head)])


def _csv_cells(board: Board, row: Row) -> Iterator[str | float | Undefined | None]:
    yield from (row.kind, board.rank(row), row.team, row.run)
    for k, total in enumerate(row.totals):
        yield from (total.value, total.rank if k else total.entered)
    for level in board.levels:
        for metric in level.metrics:
            yield from (row.cells[level.slug][metric].value, row.cells[level.slug][metric].rank)


_TEXT_COLUMNS = ("Team", "Run")


def _text(board: Board, title: str, inferred: InferenceIndex, people: PeopleRow) -> str:
    paragraphs: list[Paragraph] = [[title]]
    for level, table in _tables(board, inferred, people):
        paragraphs += [[level] if level else [], [table]]
    tables = inference_tables(board, inferred, cluster_column=False)
    paragraphs += [[single_line(name), table] for name, table in tables]
    return write_text([*paragraphs, _notes(board, inferred, people)])


def _markdown(board: Board, title: str, inferred: InferenceIndex, people: PeopleRow) -> str:
    named_tables = [
        (
            f"{level}: {section.name}" if level else section.name,
            plain_table(table.head, section.rows, table.words),
        )
        for level, table in _tables(board, inferred, people)
        for section in table.sections
    ]
    named_tables += inference_tables(board, inferred, cluster_column=True)
    paragraphs: list[Paragraph] = [[f"## {markdown_cell(title)}"]]
    for name, table in named_tables:
        paragraphs += [[f"### {markdown_cell(name)}"], [table]]
    notes = [f"- {markdown_cell(note)}" for note in _notes(board, inferred, people)]
    return write_markdown([*paragraphs, notes])


def _latex(
    board: Board, title: str, inferred: InferenceIndex, people: PeopleRow, columns: Collection[str]
) -> str:
    """Write the tables of a paper, with notes as comments."""
    tables = choose_columns(board_tables(board, inferred, title, people), columns)
    lines = [NEEDS_BOOKTABS, title, *_notes(board, inferred, people)]
    comments = "\n".join(f"% {single_line(line)}" for line in lines)
    return "\n\n".join([comments, *(latex_table(table, STYLES["plain"]) for table in tables)]) + "\n"


def row_reasons(row: Row) -> list[str]:
    """Return the reasons for the dashes in a row, except for levels that were not entered."""
    reasons = []
    for slug, cells in row.cells.items():
        by_reason: dict[str, list[str]] = {}
        for metric, cell in cells.items():
            if isinstance(cell.value, Undefined) and cell.value.code != "not_entered":
                by_reason.setdefault(cell.value.reason, []).append(metric)
        reasons += [f"{slug}, {', '.join(metrics)}: {why}" for why, metrics in by_reason.items()]
    total = row.totals[0].value if row.totals and row.kind == "official" else None
    if isinstance(total, Undefined):
        reasons.append(f"total: {total.reason}")
    return reasons


def _number(value: float | Undefined) -> str:
    return DASH if isinstance(value, Undefined) else f"{value:z.3f}"


def _tables(board: Board, inferred: InferenceIndex, people: PeopleRow) -> list[tuple[str, WordTable]]:
    """Return one table without a name if one column ranks the systems, else one table per level."""
    numbers = {row.key: system for system, row in enumerate(rows_of(board))}
    if board.ranking is not None:
        return [("", _table(board, board.ranking, numbers, inferred, people))]
    return [
        (slug, _table(level_board, (slug, level_board.levels[0].metrics[0]), numbers, inferred, people))
        for slug, level_board in boards_by_level(board).items()
    ]


def _table(
    board: Board,
    key: ColumnKey,
    numbers: Mapping[tuple[Kind, str, str], int],
    inferred: InferenceIndex,
    people: PeopleRow,
) -> WordTable:
    """Build the table of a board as `key` ranks it; `numbers` has the index of systems in the inference."""
    sections = []
    for kind, title in SECTIONS:
        rows: Sequence[Row] = getattr(board, kind)
        if rows:
            systems = [numbers[row.key] for row in rows]
            cells = [_cells(board, key, inferred, *pair) for pair in zip(systems, rows, strict=True)]
            rules = cluster_starts(inferred.clusters(key, systems))
            sections.append(TableSection(cells, title, rules))
    head = _head(board, inferred)
    sections += people_sections(people, head, _value_columns(board))
    return WordTable(head, sections, _TEXT_COLUMNS, repeat_head=True)


def _value_columns(board: Board) -> dict[ColumnKey, str]:
    """Return the names of the columns of a table that have values of levels."""
    if board.totals:
        return {(level.slug, level.metrics[0]): level.slug for level in board.levels}
    return {(board.levels[0].slug, metric): metric for metric in board.levels[0].metrics}


def _head(board: Board, inferred: InferenceIndex) -> list[str]:
    ends = inferred.interval_head
    if board.totals:
        values, others = [*(level.slug for level in board.levels), "Total", *ends], board.totals[1:]
        names = [column.name for column in others]
    else:
        official, *names = board.levels[0].metrics
        values = [official, *ends, *names]
    return ["Rank", *inferred.range_head, *_TEXT_COLUMNS, *values, *(f"Rank by {name}" for name in names)]


def _cells(board: Board, key: ColumnKey, inferred: InferenceIndex, system: int, row: Row) -> list[str]:
    """Format a row for the columns of `_head`."""
    ends = inferred.interval_cells(key, system)
    if board.totals:
        levels = [_number(row.cells[level.slug][level.metrics[0]].value) for level in board.levels]
        values = [*levels, _total_words(row.totals[0]), *ends]
        others = [total.rank for total in row.totals[1:]]
    else:
        official, *rest = [row.cells[board.levels[0].slug][metric] for metric in board.levels[0].metrics]
        values = [_number(official.value), *ends, *(_number(cell.value) for cell in rest)]
        others = [cell.rank for cell in rest]
    ranges = inferred.range_cells(key, system)
    return [rank_words(board.rank(row)), *ranges, row.team, row.run, *values, *map(rank_words, others)]


def _total_words(total: Total) -> str:
    partly = 0 < total.entered < total.of and not isinstance(total.value, Undefined)
    return _number(total.value) + (f" ({total.entered} of {total.of})" if partly else "")


def _notes(board: Board, inferred: InferenceIndex, people: PeopleRow) -> list[str]:
    reasons = []
    for row in rows_of(board):
        name = f"{row.team} {row.run}" + (" (late)" if row.kind == "late" else "")
        reasons += [f"{name}, {reason}" for reason in row_reasons(row)]
    lines = [" ".join([_ranking_note(board), *_dash_notes(board, has_reasons=bool(reasons))]), *reasons]
    lines += [NOTE] if any(key in people.scores for key in columns_of(board)) else []
    return [single_line(line) for line in (*lines, *inference_notes(inferred))]


def _dash_notes(board: Board, *, has_reasons: bool) -> Iterator[str]:
    """Yield what the dashes of a board mean."""
    cells = [cell for row in rows_of(board) for cells in row.cells.values() for cell in cells.values()]
    causes = ["a level was not entered"] if any(cell.value == NOT_ENTERED for cell in cells) else []
    if has_reasons:
        causes.append("the reason is below")
    if causes:
        yield f"{DASH} means no value: {', or '.join(causes)}."
    yield from unranked_notes(board)


def _ranking_note(board: Board) -> str:
    """Describe the values of a table, or the metric that ranks it."""
    if board.totals:
        return f"The values are {', '.join(dict.fromkeys(level.metrics[0] for level in board.levels))}."
    if board.ranking is not None:
        return f"Systems are ranked by {board.ranking[1]}."
    return "There is no total: each level ranks the systems by its first metric."
