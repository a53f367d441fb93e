"""Makes a figure from its rows."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from scorer.boards.board import Row
from scorer.reports.paper_elements import PaperFigure, Rows
from scorer.reports.table_report import ReportTable, TableCell

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MAX_ROWS = 60
"""The systems of a figure that fit on a page."""
Record = Mapping[str, TableCell]
"""A row of a figure's data by the names of its columns."""


def make_figure(
    name: str,
    caption: str,
    records: Sequence[Record],
    command: str,
    draw: Callable[["Figure", Rows], None],
    *,
    is_wide: bool = False,
) -> PaperFigure:
    """Make a figure from records, which all have the columns of the first."""
    head = list(records[0])
    data = ReportTable(name, caption, head, [[record[column] for column in head] for record in records])
    return PaperFigure(data, command, draw, is_wide)


def name_system(row: Row) -> dict[str, TableCell]:
    """Return the columns that name a system of a leaderboard."""
    return {"kind": row.kind, "team": row.team, "system": row.run}


def join_name(row: Record) -> str:
    """Return the name of the system of a record."""
    return f"{row['team']} {row['system']}"


def make_parts(
    name: str,
    caption: str,
    records: Sequence[Record],
    command: str,
    draw: Callable[["Figure", Rows], None],
    *,
    is_wide: bool = False,
) -> list[PaperFigure]:
    """Make a figure with a row for each system; several figures if the systems do not fit on a page."""
    systems = list(dict.fromkeys(map(_key, records)))
    parts = -(-len(systems) // MAX_ROWS)
    size = -(-len(systems) // parts)
    figures = []
    for number, start in enumerate(range(0, len(systems), size)):
        shown = set(systems[start : start + size])
        part = [record for record in records if _key(record) in shown]
        names = (f"{name}-{number + 1}", f"Continued: {caption}") if number else (name, caption)
        figures.append(make_figure(*names, part, command, draw, is_wide=is_wide))
    return figures


def _key(record: Record) -> tuple[TableCell, ...]:
    return record["kind"], record["team"], record["system"]
