"""Board -> text, TSV, CSV, JSON, Markdown, LaTeX. For programs here, for people in `board_tables`."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from scorer.boards.board import Board, Cell, Row, rows_of
from scorer.boards.reader import (
    board_dict,
)
from scorer.reports.board_tables import board_latex, board_markdown, board_text, row_reasons
from scorer.reports.cells import flat, inert
from scorer.reports.inference import TSV_COLUMNS as INFERRED_COLUMNS
from scorer.reports.inference import InferenceIndex
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
            found = inferred.interval((slug, metric), system)
            cell = cell if found is None else replace(cell, signature=found["signature"])
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
    words = (flat(text) for text in (row.team, row.run, level, metric))
    return "\t".join((row.kind, *words, value, rank, n, flat(undefined), flat(cell.signature or "")))


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
    writer.writerow([inert(name) for name in (*head, "notes", *more)])
    for system, row in enumerate(rows_of(board)):
        found = [] if inferred is None else [cell for key in keys for cell in inferred.tsv_cells(key, system)]
        writer.writerow([*_csv_cells(board, row), inert("; ".join(row_reasons(row))), *found])
    return out.getvalue()


def _csv_cells(board: Board, row: Row) -> Iterator[str]:
    """Words are made inert, numbers stay numbers."""
    yield row.kind
    yield _exact(board.rank(row))
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
