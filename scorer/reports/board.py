"""A board as text, TSV, CSV, JSON, Markdown or LaTeX. Rounding happens here and in the other reports."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scorer.boards.board import Board, Cell, ColumnKey, Kind, Row, Total, boards_by_level, rows_of
from scorer.boards.serialization import board_dict
from scorer.reports.escaping import csv_cell, markdown_cell, single_line
from scorer.reports.inference import TSV_COLUMNS as INFERRED_COLUMNS
from scorer.reports.inference import (
    InferenceIndex,
    cluster_starts,
    inference_notes,
    latex_sections,
    markdown_sections,
    text_sections,
)
from scorer.reports.scores import DASH
from scorer.reports.tables import latex_number
from scorer.values import Undefined

FORMATS = ("text", "tsv", "csv", "json", "markdown", "latex")
"""tsv has a line a value, for programs; csv a row a system, for spreadsheets; both, and json, all digits."""
TSV_COLUMNS = ("kind", "team", "run", "level", "metric", "value", "rank", "n", "undefined", "signature")


def render_board(
    board: Board,
    format_: str,
    *,
    task: str,
    title: str,
    split: str,
    inference: Mapping[str, Any] | None = None,
) -> str:
    """A board in one of FORMATS, with a newline at its end; with what `infer_board` found of it, if given."""
    if format_ == "json":
        values = board_dict(board, task=task, title=title, split=split)
        more = {} if inference is None else {"inference": inference}
        return json.dumps(values | more, ensure_ascii=False, indent=1) + "\n"
    inferred = None if inference is None else InferenceIndex(inference)
    if format_ in ("tsv", "csv"):
        return _tsv(board, inferred) if format_ == "tsv" else _csv(board, inferred)
    render = {"text": board_text, "markdown": board_markdown, "latex": board_latex}[format_]
    return render(board, f"{title}, {split}", inferred)


def _tsv(board: Board, inferred: InferenceIndex | None) -> str:
    lines = ["\t".join((*TSV_COLUMNS, *(INFERRED_COLUMNS if inferred else ())))]

    def add(system: int, row: Row, slug: str | None, metric: str, cell: Cell) -> None:
        more = []
        if inferred is not None:
            more = inferred.tsv_cells((slug, metric), system)
            interval = inferred.interval((slug, metric), system)
            cell = cell if interval is None else replace(cell, signature=interval["signature"])
        lines.append("\t".join((_tsv_line(row, slug or "total", metric, cell), *more)))

    for system, row in enumerate(rows_of(board)):
        for slug, cells in row.cells.items():
            for metric, cell in cells.items():
                add(system, row, slug, metric, cell)
        for column, total in zip(board.totals, row.totals, strict=True):
            add(system, row, None, column.name, Cell(total.value, total.rank))
    return "\n".join(lines) + "\n"


def _tsv_line(row: Row, level: str, metric: str, cell: Cell) -> str:
    undefined = cell.value.reason if isinstance(cell.value, Undefined) else ""
    value = "" if isinstance(cell.value, Undefined) else repr(cell.value)
    rank = "" if cell.rank is None else str(cell.rank)
    n = "" if cell.n is None else str(cell.n)
    words = (single_line(text) for text in (row.team, row.run, level, metric))
    return "\t".join(
        (row.kind, *words, value, rank, n, single_line(undefined), single_line(cell.signature or ""))
    )


def _csv(board: Board, inferred: InferenceIndex | None) -> str:
    """RFC 4180. A value that is missing is an empty cell, and its reason stands in the last column."""
    import csv  # noqa: PLC0415  the other formats do not pay for it
    from io import StringIO  # noqa: PLC0415  the same

    head = ["kind", "rank", "team", "run"]
    for k, column in enumerate(board.totals):
        head += [f"total ({column.name})", *([f"rank ({column.name})"] if k else ["levels entered"])]
    for level in board.levels:
        head += [f"{level.slug} {metric}{rank}" for metric in level.metrics for rank in ("", " rank")]
    out = StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    keys = [] if inferred is None else list(inferred.columns)
    more = [f"{slug or 'total'} {metric} {name}" for slug, metric in keys for name in INFERRED_COLUMNS]
    writer.writerow([csv_cell(name) for name in (*head, "notes", *more)])
    for system, row in enumerate(rows_of(board)):
        cells = [] if inferred is None else [cell for key in keys for cell in inferred.tsv_cells(key, system)]
        writer.writerow([*_csv_cells(board, row), csv_cell("; ".join(row_reasons(row))), *cells])
    return out.getvalue()


def _csv_cells(board: Board, row: Row) -> Iterator[str]:
    """Words are made inert, numbers stay numbers."""
    yield row.kind
    yield _exact(board.rank(row))
    yield from (csv_cell(row.team), csv_cell(row.run))
    for k, total in enumerate(row.totals):
        yield _exact(total.value)
        yield _exact(total.rank if k else total.entered)
    for level in board.levels:
        for metric in level.metrics:
            yield _exact(row.cells[level.slug][metric].value)
            yield _exact(row.cells[level.slug][metric].rank)


def _exact(value: float | Undefined | None) -> str:
    return "" if value is None or isinstance(value, Undefined) else repr(value)


SECTIONS = (("official", "Official"), ("late", "Late, not ranked"), ("baselines", "Baselines"))
_TEXT_COLUMNS = ("Team", "Run")


@dataclass(frozen=True, slots=True)
class _BoardSection:
    """The rows of one kind; `rules`: the places of rows with a rule above them."""

    name: str
    rows: list[list[str]]
    rules: list[int]


@dataclass(frozen=True, slots=True)
class _BoardTable:
    """One ranking of the systems as words; `name` is the level's, where there is a table for each level."""

    name: str
    head: list[str]
    sections: list[_BoardSection]


def board_text(board: Board, title: str, inferred: InferenceIndex | None) -> str:
    """A board as padded text."""
    lines = [single_line(title), ""]
    for table in _tables(board, inferred):
        lines += [*([table.name, ""] if table.name else []), *_text_lines(table)]
    lines += [] if inferred is None else text_sections(board, inferred)
    lines += _notes(board, inferred)
    return "\n".join(lines).rstrip() + "\n"


def _text_lines(table: _BoardTable) -> Iterator[str]:
    """Each section under the same head, with a blank line after it."""
    every = [table.head, *(cells for section in table.sections for cells in section.rows)]
    widths = [max(map(len, column)) for column in zip(*every, strict=True)]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if name in _TEXT_COLUMNS else cell.rjust(width)
            for name, cell, width in zip(table.head, cells, widths, strict=True)
        )
        return "  ".join(padded).rstrip()

    for section in table.sections:
        yield section.name
        yield line(table.head)
        for place, row in enumerate(section.rows):
            yield from ([rule] if place in section.rules else [])
            yield line(row)
        yield ""


def board_markdown(board: Board, title: str, inferred: InferenceIndex | None) -> str:
    """A board as tables in Markdown."""
    lines = [f"## {markdown_cell(title)}", ""]
    for table in _tables(board, inferred):
        rule = ["---" if name in _TEXT_COLUMNS else "---:" for name in table.head]
        for section in table.sections:
            name = f"{table.name}: {section.name}" if table.name else section.name
            head = map(markdown_cell, table.head)
            lines += [f"### {markdown_cell(name)}", "", f"| {' | '.join(head)} |", f"| {' | '.join(rule)} |"]
            lines += [f"| {' | '.join(map(markdown_cell, row))} |" for row in section.rows]
            lines.append("")
    lines += [] if inferred is None else markdown_sections(board, inferred)
    lines += [f"- {markdown_cell(note)}" for note in _notes(board, inferred)]
    return "\n".join(lines) + "\n"


def board_latex(board: Board, title: str, inferred: InferenceIndex | None) -> str:
    """A board as a tabular with booktabs; a tabular for each level where there is no total."""
    lines = [r"% needs \usepackage{booktabs}", rf"% {single_line(title)}"]
    for table in _tables(board, inferred):
        lines += [*(["", f"% {table.name}"] if table.name else []), *_latex_lines(table)]
    lines += [] if inferred is None else latex_sections(board, inferred)
    return "\n".join([*lines, *(f"% {note}" for note in _notes(board, inferred))]) + "\n"


def _latex_lines(table: _BoardTable) -> Iterator[str]:
    columns = "".join("l" if name in _TEXT_COLUMNS else "r" for name in table.head)
    yield rf"\begin{{tabular}}{{{columns}}}"
    yield r"\toprule"
    yield " & ".join(map(latex_number, table.head)) + r" \\"
    for section in table.sections:
        yield r"\midrule"
        yield rf"\multicolumn{{{len(table.head)}}}{{l}}{{\emph{{{latex_number(section.name)}}}}} \\"
        for place, row in enumerate(section.rows):
            yield from ([r"\midrule"] if place in section.rules else [])
            yield " & ".join(map(latex_number, row)) + r" \\"
    yield r"\bottomrule"
    yield r"\end{tabular}"


def row_reasons(row: Row) -> list[str]:
    """Why a row has dashes, levels that were not entered aside."""
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


def _number(value: float | Undefined, digits: int = 3) -> str:
    return DASH if isinstance(value, Undefined) else f"{value:z.{digits}f}"


def _tables(board: Board, inferred: InferenceIndex | None) -> list[_BoardTable]:
    """One table where one column ranks the systems, else a table for each level."""
    numbers = {(row.kind, row.team, row.run): system for system, row in enumerate(rows_of(board))}
    if board.ranking is not None:
        return [_table("", board, board.ranking, numbers, inferred)]
    return [
        _table(slug, level_board, (slug, level_board.levels[0].metrics[0]), numbers, inferred)
        for slug, level_board in boards_by_level(board).items()
    ]


def _table(
    name: str,
    board: Board,
    key: ColumnKey,
    numbers: Mapping[tuple[Kind, str, str], int],
    inferred: InferenceIndex | None,
) -> _BoardTable:
    """The rows of a board as `key` ranks them; `numbers`: the places of systems in the inference."""
    sections = []
    for kind, title in SECTIONS:
        rows: Sequence[Row] = getattr(board, kind)
        if rows:
            systems = [numbers[row.kind, row.team, row.run] for row in rows]
            cells = [_cells(board, key, inferred, *pair) for pair in zip(systems, rows, strict=True)]
            clusters = [] if inferred is None else [inferred.cluster(key, system) for system in systems]
            sections.append(_BoardSection(title, cells, cluster_starts(clusters)))
    return _BoardTable(name, _head(board, inferred), sections)


def _head(board: Board, inferred: InferenceIndex | None) -> list[str]:
    ranges = ["Range"] if inferred is not None and inferred.tested else []
    ends = [] if inferred is None else [inferred.coverage]
    if board.totals:
        values, others = [*(level.slug for level in board.levels), "Total", *ends], board.totals[1:]
        names = [column.name for column in others]
    else:
        official, *names = board.levels[0].metrics
        values = [official, *ends, *names]
    return ["Rank", *ranges, *_TEXT_COLUMNS, *values, *(f"Rank by {name}" for name in names)]


def _cells(board: Board, key: ColumnKey, inferred: InferenceIndex | None, system: int, row: Row) -> list[str]:
    """A row as words, under the columns of `_head`."""
    ranges = [inferred.range(key, system)] if inferred is not None and inferred.tested else []
    ends = [] if inferred is None else [inferred.ends(key, system)]
    if board.totals:
        levels = [_number(row.cells[level.slug][level.metrics[0]].value) for level in board.levels]
        values = [*levels, _total_words(row.totals[0]), *ends]
        others = [total.rank for total in row.totals[1:]]
    else:
        official, *rest = [row.cells[board.levels[0].slug][metric] for metric in board.levels[0].metrics]
        values = [_number(official.value), *ends, *(_number(cell.value) for cell in rest)]
        others = [cell.rank for cell in rest]
    ranks = [DASH if rank is None else str(rank) for rank in (board.rank(row), *others)]
    return [ranks[0], *ranges, single_line(row.team), single_line(row.run), *values, *ranks[1:]]


def _total_words(total: Total) -> str:
    partly = 0 < total.entered < total.of and not isinstance(total.value, Undefined)
    return _number(total.value) + (f" ({total.entered} of {total.of})" if partly else "")


def _notes(board: Board, inferred: InferenceIndex | None) -> list[str]:
    lines = [f"{_ranking_note(board)} {DASH}: no value; a level without a reason below was not entered."]
    for row in rows_of(board):
        name = f"{row.team} {row.run}" + (" (late)" if row.kind == "late" else "")
        lines += [f"{name}, {reason}" for reason in row_reasons(row)]
    lines += [] if inferred is None else inference_notes(inferred)
    return [single_line(line) for line in lines]


def _ranking_note(board: Board) -> str:
    """What the values of a table are, or what it ranks by."""
    if board.totals:
        return f"Values: {', '.join(dict.fromkeys(level.metrics[0] for level in board.levels))}."
    if board.ranking is not None:
        return f"Systems are ranked by {board.ranking[1]}."
    return "There is no total: each level ranks the systems by its first metric."
