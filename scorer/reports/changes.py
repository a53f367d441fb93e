"""Changes between two boards -> text for people, TSV and JSON for programs."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from scorer.boards.changes import BoardChanges, BoardValue, ValueChange
from scorer.reports.escaping import single_line
from scorer.values import Undefined

FORMATS = ("text", "tsv", "json")
SCHEMA = "assay.board-changes/1"
TSV_COLUMNS = (
    "what", "kind", "team", "run", "level", "metric", "before", "after", "rank_before", "rank_after",
    "n_before", "n_after", "undefined_before", "undefined_after", "signature_before", "signature_after",
)  # fmt: skip
"""`what` is fact, column, system, rank or value. New columns are only appended."""
DASH = "–"
ARROW = "->"
NO_CHANGES = "The boards say the same."


def render_changes(changes: BoardChanges, format_: str) -> str:
    """Write changes in one of FORMATS; text rounds, tsv and json have full precision.

    Parameters
    ----------
    changes : BoardChanges
        From `board_changes`.
    format_ : str
        One of FORMATS.

    Returns
    -------
    str
        With a newline at its end.
    """
    return {"text": _text, "tsv": _tsv, "json": _json}[format_](changes)


def format_board_values(before: BoardValue | None, after: BoardValue | None) -> tuple[str, str]:
    """Two values rounded for display, with all digits where they would look alike; a dash: no such row.

    >>> format_board_values(BoardValue(0.5, 1), BoardValue(0.5000001, 1))
    ('0.5', '0.5000001')
    """
    short = [DASH if figure is None else _rounded(figure.value) for figure in (before, after)]
    if before and after and short[0] == short[1] and before.value != after.value:
        return _exact(before.value), _exact(after.value)
    return short[0], short[1]


def _rounded(value: float | Undefined) -> str:
    return _exact(value) if isinstance(value, Undefined) else f"{value:z.3f}"


def _exact(value: float | Undefined) -> str:
    return f"{DASH} ({value.reason})" if isinstance(value, Undefined) else repr(value)


def _rank(rank: int | None) -> str:
    return DASH if rank is None else str(rank)


def _text(changes: BoardChanges) -> str:
    if changes.nothing:
        return NO_CHANGES + "\n"
    lines: list[str] = []
    for title, rows in (
        (
            "Of the whole board",
            [(each.name, f"{each.before} {ARROW} {each.after}") for each in changes.facts],
        ),
        ("Columns", [(each.level or "total", each.metric, each.change) for each in changes.columns]),
        ("Systems", [(each.team, each.run, each.words) for each in changes.systems]),
        ("Overall ranks", _move_rows(changes)),
        ("Values", _value_rows(changes.new_values)),
        ("Ranks of values that are the same", _rank_rows(changes)),
        ("The same values with other signatures", _signature_rows(changes)),
    ):
        if rows:
            lines += [title, *_padded_lines(rows), ""]
    return "\n".join(lines[:-1]) + "\n"


def _padded_lines(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Lines whose cells stand below one another."""
    cells = [[single_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    for row in cells:
        padded = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        yield "  " + "  ".join(padded).rstrip()


def _move_rows(changes: BoardChanges) -> list[tuple[str, ...]]:
    return [
        (move.team, move.run, f"{_rank(move.before)} {ARROW} {_rank(move.after)}") for move in changes.moves
    ]


def _value_key(change: ValueChange) -> tuple[str, ...]:
    return (change.kind, change.team, change.run, change.level or "total", change.metric)


def _value_rows(values: Sequence[ValueChange]) -> list[tuple[str, ...]]:
    return [
        (*_value_key(each), f" {ARROW} ".join(format_board_values(each.before, each.after)))
        for each in values
    ]


def _rank_rows(changes: BoardChanges) -> list[tuple[str, ...]]:
    """Ranks that differ because others changed."""
    return [
        (*_value_key(each), f" {ARROW} ".join(_rank(rank) for rank in each.ranks))
        for each in changes.new_ranks
        if not each.new_value
    ]


def _signature_rows(changes: BoardChanges) -> list[tuple[str, ...]]:
    """How many values come with each pair of signatures."""
    counts: dict[str, int] = {}
    for each in changes.new_signatures:
        figures = (each.before, each.after)
        words = f" {ARROW} ".join((figure and figure.signature) or DASH for figure in figures)
        counts[words] = counts.get(words, 0) + 1
    return [(str(count), words) for words, count in counts.items()]


def _tsv(changes: BoardChanges) -> str:
    lines = [TSV_COLUMNS, *_tsv_rows(changes)]
    padding = [""] * len(TSV_COLUMNS)
    return "".join("\t".join([*line, *padding][: len(padding)]) + "\n" for line in lines)


def _tsv_rows(changes: BoardChanges) -> Iterator[Sequence[str]]:
    """Words are made flat; ranks and values are ours and numbers."""
    for fact in changes.facts:
        yield ["fact", "", "", "", "", *(single_line(text) for text in (fact.name, fact.before, fact.after))]
    for column in changes.columns:
        yield [
            "column",
            "",
            "",
            "",
            single_line(column.level or "total"),
            single_line(column.metric),
            *_column_presence(column.change),
        ]
    for system in changes.systems:
        kinds = (",".join(each) for each in (system.before, system.after))
        yield ["system", "", single_line(system.team), single_line(system.run), "", "", *kinds]
    for move in changes.moves:
        ranks = ("" if rank is None else str(rank) for rank in (move.before, move.after))
        yield ["rank", "official", single_line(move.team), single_line(move.run), "total", "", "", "", *ranks]
    for change in changes.values:
        pairs = zip(_tsv_board_value(change.before), _tsv_board_value(change.after), strict=True)
        yield [
            "value",
            *(single_line(cell) for cell in _value_key(change)),
            *(cell for pair in pairs for cell in pair),
        ]


def _column_presence(change: str) -> tuple[str, str]:
    """Whether a column was there before, and after."""
    return ("no", "yes") if change == "came" else ("yes", "no")


def _tsv_board_value(figure: BoardValue | None) -> tuple[str, ...]:
    if figure is None:
        return ("",) * 5
    undefined = isinstance(figure.value, Undefined)
    return (
        "" if undefined else repr(figure.value),
        "" if figure.rank is None else str(figure.rank),
        "" if figure.n is None else str(figure.n),
        single_line(figure.value.reason) if isinstance(figure.value, Undefined) else "",
        single_line(figure.signature or ""),
    )


def _json(changes: BoardChanges) -> str:
    values = {
        "schema": SCHEMA,
        "same": changes.nothing,
        "facts": [{"name": each.name, "before": each.before, "after": each.after} for each in changes.facts],
        "columns": [
            {"level": each.level, "metric": each.metric, "change": each.change} for each in changes.columns
        ],
        "systems": [
            {"team": each.team, "run": each.run, "before": list(each.before), "after": list(each.after)}
            for each in changes.systems
        ],
        "ranks": [
            {"team": each.team, "run": each.run, "before": each.before, "after": each.after}
            for each in changes.moves
        ],
        "values": [_value_dict(each) for each in changes.values],
    }
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def _value_dict(change: ValueChange) -> dict[str, Any]:
    return {
        "kind": change.kind,
        "team": change.team,
        "run": change.run,
        "level": change.level,
        "metric": change.metric,
        "before": _board_value_dict(change.before),
        "after": _board_value_dict(change.after),
    }


def _board_value_dict(figure: BoardValue | None) -> dict[str, Any] | None:
    """As a board has it; None where the board lacks the row."""
    if figure is None:
        return None
    value = figure.value
    undefined = {"code": value.code, "reason": value.reason} if isinstance(value, Undefined) else None
    rest = {"n": figure.n, "signature": figure.signature, "entered": figure.entered}
    return {
        "value": None if isinstance(value, Undefined) else value,
        **({} if undefined is None else {"undefined": undefined}),
        "rank": figure.rank,
        **{name: each for name, each in rest.items() if each is not None},
    }
