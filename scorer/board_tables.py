"""A board as a table for people: text, Markdown, LaTeX. Rounding happens here and in the other reports."""

from collections.abc import Iterator, Sequence

from scorer.board import Board, Row, Total, rows_of
from scorer.cells import flat, markdown_cell
from scorer.evaluate import Undefined
from scorer.inference_report import (
    Inferred,
    inference_notes,
    latex_sections,
    markdown_sections,
    rules_of,
    text_sections,
)
from scorer.report import DASH
from scorer.typeset import latex_number

SECTIONS = (("official", "Official"), ("late", "Late, not ranked"), ("baselines", "Baselines"))
_WORDS = ("Team", "Run")


def board_text(board: Board, title: str, inferred: Inferred | None) -> str:
    """A board as padded text."""
    head = _head(board, inferred)
    tables = list(_sections(board, inferred))
    every = [head, *(cells for _, rows, _ in tables for cells in rows)]
    widths = [max(map(len, column)) for column in zip(*every, strict=True)]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(width) if name in _WORDS else cell.rjust(width)
            for name, cell, width in zip(head, cells, widths, strict=True)
        )
        return "  ".join(padded).rstrip()

    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    lines = [flat(title), ""]
    for name, rows, rules in tables:
        lines += [name, line(head)]
        for place, row in enumerate(rows):
            lines += [*([rule] if place in rules else []), line(row)]
        lines.append("")
    lines += [] if inferred is None else text_sections(board, inferred)
    lines += _notes(board, inferred)
    return "\n".join(lines).rstrip() + "\n"


def board_markdown(board: Board, title: str, inferred: Inferred | None) -> str:
    """A board as tables in Markdown."""
    head = _head(board, inferred)
    rule = ["---" if name in _WORDS else "---:" for name in head]
    lines = [f"## {markdown_cell(title)}", ""]
    for name, rows, _ in _sections(board, inferred):
        lines += [f"### {name}", "", f"| {' | '.join(map(markdown_cell, head))} |", f"| {' | '.join(rule)} |"]
        lines += [f"| {' | '.join(map(markdown_cell, row))} |" for row in rows]
        lines.append("")
    lines += [] if inferred is None else markdown_sections(board, inferred)
    lines += [f"- {markdown_cell(note)}" for note in _notes(board, inferred)]
    return "\n".join(lines) + "\n"


def board_latex(board: Board, title: str, inferred: Inferred | None) -> str:
    """A board as a tabular with booktabs."""
    head = _head(board, inferred)
    columns = "".join("l" if name in _WORDS else "r" for name in head)
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"% {flat(title)}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(map(latex_number, head)) + r" \\",
    ]
    for name, rows, rules in _sections(board, inferred):
        lines += [r"\midrule", rf"\multicolumn{{{len(head)}}}{{l}}{{\emph{{{latex_number(name)}}}}} \\"]
        for place, row in enumerate(rows):
            lines += [*([r"\midrule"] if place in rules else []), " & ".join(map(latex_number, row)) + r" \\"]
    lines += [r"\bottomrule", r"\end{tabular}"]
    lines += [] if inferred is None else latex_sections(board, inferred)
    return "\n".join([*lines, *(f"% {note}" for note in _notes(board, inferred))]) + "\n"


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


def _head(board: Board, inferred: Inferred | None) -> list[str]:
    totals = ["Total" if k == 0 else column.name for k, column in enumerate(board.totals)]
    levels = [level.slug for level in board.levels]
    ranks = [f"Rank by {column.name}" for column in board.totals[1:]]
    if inferred is None or not board.totals:
        return ["Rank", "Team", "Run", *levels, *totals[:1], *ranks]
    ranges = ["Range"] if inferred.tested else []
    return ["Rank", *ranges, "Team", "Run", *levels, *totals[:1], inferred.coverage, *ranks]


def _cells(board: Board, inferred: Inferred | None, system: int, row: Row) -> list[str]:
    """A row as words: the official metric by level, the official total, and the ranks by other metrics."""
    official = row.totals[0] if row.totals else None
    rank = official.rank if official is not None else None
    shown = None if inferred is None or official is None else inferred
    key = (None, board.totals[0].name if board.totals else "")
    ranges = [shown.range(key, system)] if shown is not None and shown.tested else []
    ends = [] if shown is None else [shown.ends(key, system)]
    levels = [_number(row.cells[level.slug][level.metrics[0]].value) for level in board.levels]
    totals = [] if official is None else [_total_words(official)]
    others = [DASH if total.rank is None else str(total.rank) for total in row.totals[1:]]
    names = [flat(row.team), flat(row.run)]
    return [DASH if rank is None else str(rank), *ranges, *names, *levels, *totals, *ends, *others]


def _total_words(total: Total) -> str:
    partly = 0 < total.entered < total.of and not isinstance(total.value, Undefined)
    return _number(total.value) + (f" ({total.entered} of {total.of})" if partly else "")


def _sections(board: Board, inferred: Inferred | None) -> Iterator[tuple[str, list[list[str]], list[int]]]:
    """Title and rows of each part that has any, and the places of rows with a rule above them."""
    number = {(row.kind, row.team, row.run): system for system, row in enumerate(rows_of(board))}
    for name, title in SECTIONS:
        rows: Sequence[Row] = getattr(board, name)
        if rows:
            systems = [number[row.kind, row.team, row.run] for row in rows]
            cells = [_cells(board, inferred, *pair) for pair in zip(systems, rows, strict=True)]
            yield title, cells, _rules(board, inferred, systems)


def _rules(board: Board, inferred: Inferred | None, systems: Sequence[int]) -> list[int]:
    if inferred is None or not board.totals:
        return []
    return rules_of([inferred.cluster((None, board.totals[0].name), system) for system in systems])


def _notes(board: Board, inferred: Inferred | None) -> list[str]:
    metrics = ", ".join(dict.fromkeys(level.metrics[0] for level in board.levels))
    lines = [f"Values: {metrics}. {DASH}: no value; a level without a reason below was not entered."]
    for row in rows_of(board):
        name = f"{row.team} {row.run}" + (" (late)" if row.kind == "late" else "")
        lines += [f"{name}, {reason}" for reason in row_reasons(row)]
    lines += [] if inferred is None else inference_notes(inferred)
    return [flat(line) for line in lines]
