"""Board -> text, TSV, CSV, JSON, Markdown, LaTeX. Rounding happens here and in `report`, nowhere else."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from scorer._version import __version__
from scorer.board import Board, Cell, Row, Total
from scorer.cells import flat, inert, latex_cell, markdown_cell, tsv_cell
from scorer.evaluate import Undefined

FORMATS = ("text", "tsv", "csv", "json", "markdown", "latex")
"""tsv has a line a value, for programs; csv a row a system, for spreadsheets; both, and json, all digits."""
SCHEMA = "assay.board/1"
TSV_COLUMNS = ("kind", "team", "run", "level", "metric", "value", "rank", "n", "undefined", "signature")
SECTIONS = (("official", "Official"), ("late", "Late, not ranked"), ("baselines", "Baselines"))
DASH = "–"


def board_dict(board: Board, *, task: str, title: str, split: str) -> dict[str, Any]:
    """A board as plain values, at full precision, in a fixed order.

    Parameters
    ----------
    board : Board
        From `build_board`.
    task, title, split : str
        The task's slug and title, and the split that was scored.

    Returns
    -------
    dict
        What `board_json` writes, and what the site's board page shows.
    """
    return {
        "schema": SCHEMA,
        "task": task,
        "title": title,
        "split": split,
        "scorer": __version__,
        "rules": {
            "total": board.rules.total,
            "total_needs": board.rules.total_needs,
            "enter_at_least": board.rules.enter_at_least,
        },
        "levels": [
            {"slug": level.slug, "title": level.title, "metrics": list(level.metrics), "counts": level.counts}
            for level in board.levels
        ],
        "totals": [
            {"name": column.name, "higher_is_better": column.higher_is_better} for column in board.totals
        ],
        "official": [_row_dict(row, board) for row in board.official],
        "late": [_row_dict(row, board) for row in board.late],
        "baselines": [_row_dict(row, board) for row in board.baselines],
    }


def board_json(board: Board, *, task: str, title: str, split: str) -> str:
    """A board as JSON; the same bytes wherever it is computed."""
    values = board_dict(board, task=task, title=title, split=split)
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def render_board(board: Board, format_: str, *, task: str, title: str, split: str) -> str:
    """A board in one of FORMATS, with a newline at its end."""
    if format_ == "json":
        return board_json(board, task=task, title=title, split=split)
    if format_ in ("tsv", "csv"):
        return _tsv(board) if format_ == "tsv" else _csv(board)
    return {"text": _text, "markdown": _markdown, "latex": _latex}[format_](board, f"{title}, {split}")


def _row_dict(row: Row, board: Board) -> dict[str, Any]:
    return {
        "team": row.team,
        "run": row.run,
        "total": {
            column.name: _total_dict(total) for column, total in zip(board.totals, row.totals, strict=True)
        },
        "levels": {
            slug: {metric: _cell_dict(cell) for metric, cell in cells.items()}
            for slug, cells in row.cells.items()
        },
    }


def _value_dict(value: float | Undefined) -> dict[str, Any]:
    if isinstance(value, Undefined):
        return {"value": None, "undefined": {"code": value.code, "reason": value.reason}}
    return {"value": value}


def _total_dict(total: Total) -> dict[str, Any]:
    return _value_dict(total.value) | {"rank": total.rank, "entered": total.entered, "of": total.of}


def _cell_dict(cell: Cell) -> dict[str, Any]:
    values = _value_dict(cell.value) | {"rank": cell.rank}
    return values if cell.signature is None else values | {"n": cell.n, "signature": cell.signature}


def _tsv(board: Board) -> str:
    lines = ["\t".join(TSV_COLUMNS)]
    for row in (*board.official, *board.late, *board.baselines):
        for slug, cells in row.cells.items():
            for metric, cell in cells.items():
                lines.append(_tsv_line(row, slug, metric, cell))
        for column, total in zip(board.totals, row.totals, strict=True):
            lines.append(_tsv_line(row, "total", column.name, Cell(total.value, total.rank)))
    return "\n".join(lines) + "\n"


def _tsv_line(row: Row, level: str, metric: str, cell: Cell) -> str:
    undefined = cell.value.reason if isinstance(cell.value, Undefined) else ""
    value = "" if isinstance(cell.value, Undefined) else repr(cell.value)
    rank = "" if cell.rank is None else str(cell.rank)
    n = "" if cell.n is None else str(cell.n)
    words = (tsv_cell(text) for text in (row.team, row.run, level, metric))
    return "\t".join((row.kind, *words, value, rank, n, tsv_cell(undefined), tsv_cell(cell.signature or "")))


def _csv(board: Board) -> str:
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
    writer.writerow([inert(name) for name in (*head, "notes")])
    for row in (*board.official, *board.late, *board.baselines):
        writer.writerow([*_csv_cells(board, row), inert("; ".join(_row_reasons(row)))])
    return out.getvalue()


def _csv_cells(board: Board, row: Row) -> Iterator[str]:
    """Words are made inert, numbers stay numbers."""
    yield row.kind
    yield _exact(row.totals[0].rank if row.totals else None)
    yield from (inert(row.team), inert(row.run))
    for k, total in enumerate(row.totals):
        yield _exact(total.value)
        yield _exact(total.rank if k else total.entered)
    for level in board.levels:
        for metric in level.metrics:
            yield _exact(row.cells[level.slug][metric].value)
            yield _exact(row.cells[level.slug][metric].rank)


def _exact(value: float | Undefined | None) -> str:
    return "" if value is None or isinstance(value, Undefined) else repr(value)


def _number(value: float | Undefined, digits: int = 3) -> str:
    return DASH if isinstance(value, Undefined) else f"{value:z.{digits}f}"


def _head(board: Board) -> list[str]:
    totals = ["Total" if k == 0 else column.name for k, column in enumerate(board.totals)]
    levels = [level.slug for level in board.levels]
    ranks = [f"Rank by {column.name}" for column in board.totals[1:]]
    return ["Rank", "Team", "Run", *levels, *totals[:1], *ranks]


def _cells(board: Board, row: Row) -> list[str]:
    """A row as words: the official metric by level, the official total, and the ranks by other metrics."""
    official = row.totals[0] if row.totals else None
    rank = official.rank if official is not None else None
    levels = [_number(row.cells[level.slug][level.metrics[0]].value) for level in board.levels]
    totals = [] if official is None else [_total_words(official)]
    others = [DASH if total.rank is None else str(total.rank) for total in row.totals[1:]]
    return [DASH if rank is None else str(rank), flat(row.team), flat(row.run), *levels, *totals, *others]


def _total_words(total: Total) -> str:
    partly = 0 < total.entered < total.of and not isinstance(total.value, Undefined)
    return _number(total.value) + (f" ({total.entered} of {total.of})" if partly else "")


def _sections(board: Board) -> Iterator[tuple[str, Sequence[Row]]]:
    for name, title in SECTIONS:
        rows: Sequence[Row] = getattr(board, name)
        if rows:
            yield title, rows


def _reasons(board: Board) -> list[str]:
    """Why a dash is a dash, levels that were not entered aside."""
    reasons = []
    for row in (*board.official, *board.late, *board.baselines):
        name = f"{row.team} {row.run}" + (" (late)" if row.kind == "late" else "")
        reasons += [f"{name}, {reason}" for reason in _row_reasons(row)]
    return reasons


def _row_reasons(row: Row) -> list[str]:
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


def _text(board: Board, title: str) -> str:
    head = _head(board)
    tables = [(name, [_cells(board, row) for row in rows]) for name, rows in _sections(board)]
    every = [head, *(cells for _, rows in tables for cells in rows)]
    widths = [max(len(cells[k]) for cells in every) for k in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = (
            cell.ljust(widths[k]) if k in (1, 2) else cell.rjust(widths[k]) for k, cell in enumerate(cells)
        )
        return "  ".join(padded).rstrip()

    lines = [flat(title), ""]
    for name, rows in tables:
        lines += [name, line(head), *(line(cells) for cells in rows), ""]
    lines += _notes(board)
    return "\n".join(lines).rstrip() + "\n"


def _notes(board: Board) -> list[str]:
    metrics = ", ".join(dict.fromkeys(level.metrics[0] for level in board.levels))
    lines = [f"Values: {metrics}. {DASH}: no value; a level without a reason below was not entered."]
    return lines + [flat(reason) for reason in _reasons(board)]


def _markdown(board: Board, title: str) -> str:
    head = _head(board)
    rule = ["---" if k in (1, 2) else "---:" for k in range(len(head))]
    lines = [f"## {markdown_cell(title)}", ""]
    for name, rows in _sections(board):
        lines += [f"### {name}", "", f"| {' | '.join(map(markdown_cell, head))} |", f"| {' | '.join(rule)} |"]
        for row in rows:
            lines.append(f"| {' | '.join(map(markdown_cell, _cells(board, row)))} |")
        lines.append("")
    lines += [f"- {markdown_cell(note)}" for note in _notes(board)]
    return "\n".join(lines) + "\n"


def _latex_text(text: str) -> str:
    """A cell; a number's minus is set as one."""
    minus = "$-$" if text[:1] == "-" and text[1:2].isdigit() else ""
    return minus + latex_cell(text[1:] if minus else text)


def _latex(board: Board, title: str) -> str:
    head = _head(board)
    columns = "".join("l" if k in (1, 2) else "r" for k in range(len(head)))
    lines = [
        r"% needs \usepackage{booktabs}",
        rf"% {flat(title)}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(_latex_text(cell) for cell in head) + r" \\",
    ]
    for name, rows in _sections(board):
        lines += [r"\midrule", rf"\multicolumn{{{len(head)}}}{{l}}{{\emph{{{_latex_text(name)}}}}} \\"]
        lines += [" & ".join(_latex_text(cell) for cell in _cells(board, row)) + r" \\" for row in rows]
    lines += [r"\bottomrule", r"\end{tabular}", *(f"% {note}" for note in _notes(board))]
    return "\n".join(lines) + "\n"
