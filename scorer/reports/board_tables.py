"""A board as a table for people: text, Markdown, LaTeX. Rounding happens here and in the other reports."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scorer.boards.board import Board, ColumnKey, Kind, Row, Total, boards_by_level, rows_of
from scorer.reports.cells import flat, markdown_cell
from scorer.reports.inference import (
    InferenceIndex,
    inference_notes,
    latex_sections,
    markdown_sections,
    rules_of,
    text_sections,
)
from scorer.reports.scores import DASH
from scorer.reports.typeset import latex_number
from scorer.values import Undefined

SECTIONS = (("official", "Official"), ("late", "Late, not ranked"), ("baselines", "Baselines"))
_WORDS = ("Team", "Run")


@dataclass(frozen=True, slots=True)
class _Section:
    """The rows of one kind; `rules`: the places of rows with a rule above them."""

    name: str
    rows: list[list[str]]
    rules: list[int]


@dataclass(frozen=True, slots=True)
class _BoardTable:
    """One ranking of the systems as words; `name` is the level's, where there is a table for each level."""

    name: str
    head: list[str]
    sections: list[_Section]


def board_text(board: Board, title: str, inferred: InferenceIndex | None) -> str:
    """A board as padded text."""
    lines = [flat(title), ""]
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
            cell.ljust(width) if name in _WORDS else cell.rjust(width)
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
        rule = ["---" if name in _WORDS else "---:" for name in table.head]
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
    lines = [r"% needs \usepackage{booktabs}", rf"% {flat(title)}"]
    for table in _tables(board, inferred):
        lines += [*(["", f"% {table.name}"] if table.name else []), *_latex_lines(table)]
    lines += [] if inferred is None else latex_sections(board, inferred)
    return "\n".join([*lines, *(f"% {note}" for note in _notes(board, inferred))]) + "\n"


def _latex_lines(table: _BoardTable) -> Iterator[str]:
    columns = "".join("l" if name in _WORDS else "r" for name in table.head)
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
            sections.append(_Section(title, cells, rules_of(clusters)))
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
    return ["Rank", *ranges, *_WORDS, *values, *(f"Rank by {name}" for name in names)]


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
    return [ranks[0], *ranges, flat(row.team), flat(row.run), *values, *ranks[1:]]


def _total_words(total: Total) -> str:
    partly = 0 < total.entered < total.of and not isinstance(total.value, Undefined)
    return _number(total.value) + (f" ({total.entered} of {total.of})" if partly else "")


def _notes(board: Board, inferred: InferenceIndex | None) -> list[str]:
    lines = [f"{_ranked_by(board)} {DASH}: no value; a level without a reason below was not entered."]
    for row in rows_of(board):
        name = f"{row.team} {row.run}" + (" (late)" if row.kind == "late" else "")
        lines += [f"{name}, {reason}" for reason in row_reasons(row)]
    lines += [] if inferred is None else inference_notes(inferred)
    return [flat(line) for line in lines]


def _ranked_by(board: Board) -> str:
    """What the values of a table are, or what it ranks by."""
    if board.totals:
        return f"Values: {', '.join(dict.fromkeys(level.metrics[0] for level in board.levels))}."
    if board.ranking is not None:
        return f"Systems are ranked by {board.ranking[1]}."
    return "There is no total: each level ranks the systems by its first metric."
