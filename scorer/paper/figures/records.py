"""Makes a figure from its rows."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

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


def group_rows(rows: Rows, *columns: str) -> dict[str, Rows]:
    """Return the rows by what they have in some columns, joined by commas, in the order of the rows."""
    groups = dict[str, list[Mapping[str, Any]]]()
    for row in rows:
        groups.setdefault(", ".join(row[column] for column in columns if row[column]), []).append(row)
    return {**groups}


def name_system(row: Row) -> dict[str, TableCell]:
    """Return the columns that name a system of a leaderboard."""
    return {"kind": row.kind, "team": row.team, "system": row.run}


def join_name(row: Record) -> str:
    """Return the name of the system of a record."""
    return f"{row['team']} {row['system']}"


def split_systems(figure: PaperFigure) -> list[PaperFigure]:
    """Make several figures of one with a row for each system if the systems do not fit on a page."""
    records = figure.table.records
    systems = list(dict.fromkeys(map(_key, records)))
    parts = -(-len(systems) // MAX_ROWS)
    size = -(-len(systems) // parts)
    figures = []
    for number, start in enumerate(range(0, len(systems), size)):
        shown = set(systems[start : start + size])
        part = [record for record in records if _key(record) in shown]
        name, caption = figure.name, figure.caption
        if number:
            name, caption = f"{name}-{number + 1}", f"Continued: {caption}"
        figures.append(make_figure(name, caption, part, figure.command, figure.draw, is_wide=figure.is_wide))
    return figures


def _key(record: Record) -> tuple[TableCell, ...]:
    return record["kind"], record["team"], record["system"]
