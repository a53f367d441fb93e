"""Renders the changes between two leaderboards as text, TSV and JSON."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from scorer.boards.changes import BoardChanges, BoardValue, ValueChange
from scorer.reports.records import undefined_dict, write_records
from scorer.reports.scores import DASH
from scorer.reports.tables import pad_rows, write_text
from scorer.values import Undefined, write_json

FORMATS = ("text", "tsv", "json")
SCHEMA = "assay.board-changes/1"
TSV_COLUMNS = (
    "what", "kind", "team", "run", "level", "metric", "before", "after", "rank_before", "rank_after",
    "n_before", "n_after", "undefined_before", "undefined_after", "signature_before", "signature_after",
)  # fmt: skip
"""`what` is fact, column, system, rank or value. Add new columns only at the end."""
ARROW = "->"
NO_CHANGES = "The leaderboards are the same."


def render_changes(changes: BoardChanges, format_: str) -> str:
    """Render changes in one of FORMATS; text rounds, tsv and json have full precision.

    Parameters
    ----------
    changes : BoardChanges
        The result of `board_changes`.
    format_ : str
        One of FORMATS.

    Returns
    -------
    str
        The report, which ends in a newline.
    """
    return {"text": _text, "tsv": _tsv, "json": _json}[format_](changes)


def format_board_values(before: BoardValue | None, after: BoardValue | None) -> tuple[str, str]:
    """Round two values for display; keep all digits if they would look the same; a dash means no such row.

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


def _text(changes: BoardChanges) -> str:
    if changes.nothing:
        return NO_CHANGES + "\n"
    rows_by_title: dict[str, Sequence[Sequence[str]]] = {
        "Whole leaderboard": [(fact.name, _arrow(fact.before, fact.after)) for fact in changes.facts],
        "Columns": [(column.level or "total", column.metric, column.change) for column in changes.columns],
        "Systems": [(system.team, system.run, system.words) for system in changes.systems],
        "Overall ranks": [(move.team, move.run, _arrow(move.before, move.after)) for move in changes.moves],
        "Values": [
            (*_value_key(change), _arrow(*format_board_values(change.before, change.after)))
            for change in changes.new_values
        ],
        "Ranks of unchanged values": [
            (*_value_key(change), _arrow(*change.ranks))
            for change in changes.new_ranks
            if not change.new_value
        ],
        "Signatures of unchanged values": _signature_rows(changes),
    }
    return write_text([title, *_indented(rows)] for title, rows in rows_by_title.items() if rows)


def _indented(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Format rows as indented lines with aligned columns."""
    return (f"  {line}" for line in pad_rows(rows, [True] * len(rows[0])))


def _arrow(before: str | int | None, after: str | int | None) -> str:
    """Format before and after; a dash means that there is nothing."""
    return f" {ARROW} ".join(DASH if side is None else str(side) for side in (before, after))


def _value_key(change: ValueChange) -> tuple[str, ...]:
    return (change.kind, change.team, change.run, change.level or "total", change.metric)


def _signature_rows(changes: BoardChanges) -> list[tuple[str, str]]:
    """Count the values with each pair of signatures."""
    sides = [(change.before, change.after) for change in changes.new_signatures]
    pairs = Counter(_arrow(*((value and value.signature) or None for value in pair)) for pair in sides)
    return [(str(count), words) for words, count in pairs.items()]


def _tsv(changes: BoardChanges) -> str:
    return write_records(TSV_COLUMNS, _records(changes))


def _records(changes: BoardChanges) -> Iterator[Mapping[str, Any]]:
    for fact in changes.facts:
        yield {"what": "fact", "metric": fact.name, "before": fact.before, "after": fact.after}
    for column in changes.columns:
        before, after = ("no", "yes") if column.change == "came" else ("yes", "no")
        names = {"level": column.level or "total", "metric": column.metric}
        yield {"what": "column", **names, "before": before, "after": after}
    for system in changes.systems:
        kinds = {"before": ",".join(system.before), "after": ",".join(system.after)}
        yield {"what": "system", "team": system.team, "run": system.run, **kinds}
    for move in changes.moves:
        names = {"kind": "official", "team": move.team, "run": move.run, "level": "total"}
        yield {"what": "rank", **names, "rank_before": move.before, "rank_after": move.after}
    for change in changes.values:
        names = dict(zip(TSV_COLUMNS[1:6], _value_key(change), strict=True))
        yield {"what": "value", **names, **_side(change.before, "before"), **_side(change.after, "after")}


def _side(figure: BoardValue | None, side: str) -> dict[str, Any]:
    """Return the cells of one leaderboard for a changed value; none if it lacks the row."""
    if figure is None:
        return {}
    return {
        side: figure.value,
        f"rank_{side}": figure.rank,
        f"n_{side}": figure.n,
        f"undefined_{side}": undefined_dict(figure.value),
        f"signature_{side}": figure.signature,
    }


def _json(changes: BoardChanges) -> str:
    return write_json(
        {
            "schema": SCHEMA,
            "same": changes.nothing,
            "facts": [asdict(fact) for fact in changes.facts],
            "columns": [asdict(column) for column in changes.columns],
            "systems": [asdict(system) for system in changes.systems],
            "ranks": [asdict(move) for move in changes.moves],
            "values": [_value_dict(change) for change in changes.values],
        }
    )


def _value_dict(change: ValueChange) -> dict[str, Any]:
    values = {"before": _board_value_dict(change.before), "after": _board_value_dict(change.after)}
    return asdict(change) | values


def _board_value_dict(figure: BoardValue | None) -> dict[str, Any] | None:
    """Return a value in the form of the leaderboard's JSON; None if it lacks the row."""
    if figure is None:
        return None
    undefined = undefined_dict(figure.value)
    rest = {"n": figure.n, "signature": figure.signature, "entered": figure.entered}
    return {
        "value": figure.value,
        **({} if undefined is None else {"undefined": undefined}),
        "rank": figure.rank,
        **{name: value for name, value in rest.items() if value is not None},
    }
