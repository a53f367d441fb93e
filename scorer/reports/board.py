"""Board -> text, TSV, CSV, JSON, Markdown, LaTeX. For programs here, for people in `board_tables`."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from scorer._version import __version__
from scorer.boards.board import Board, Cell, Row, Total, rows_of
from scorer.reports.board_tables import board_latex, board_markdown, board_text, row_reasons
from scorer.reports.cells import flat, inert
from scorer.reports.inference import TSV_COLUMNS as INFERRED_COLUMNS
from scorer.reports.inference import InferenceIndex
from scorer.values import Undefined

FORMATS = ("text", "tsv", "csv", "json", "markdown", "latex")
"""tsv has a line a value, for programs; csv a row a system, for spreadsheets; both, and json, all digits."""
SCHEMA = "assay.board/1"
TSV_COLUMNS = ("kind", "team", "run", "level", "metric", "value", "rank", "n", "undefined", "signature")


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
