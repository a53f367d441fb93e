"""Which rows belong to a row: those that refer to it, or to such a row."""

from collections.abc import Collection

from sqlalchemy import ColumnElement, FromClause, Table, or_, select
from sqlalchemy.orm import Session

from server.core.db import Base


def list_belonging_rows(owner: Table, row_id: int, kept: Collection[str]) -> dict[Table, ColumnElement[bool]]:
    """Return a condition for the rows of each table that belong to a row, but for the tables of `kept`.

    A table follows those that its rows refer to.
    """
    rows: dict[Table, ColumnElement[bool]] = {}
    for table in Base.metadata.sorted_tables:
        if table.name in kept:
            continue
        conditions = []
        for key in table.foreign_keys:
            target = key.column.table
            if target is owner:
                conditions.append(key.parent == row_id)
            elif target in rows:
                conditions.append(key.parent.in_(select(key.column).where(rows[target])))
        if conditions:
            rows[table] = or_(*conditions)
    return rows


def delete_with_rows(session: Session, owner: FromClause, row_id: int) -> None:
    """Delete a row of a table with an id, after those that belong to it."""
    assert isinstance(owner, Table)  # noqa: S101  (mapped classes know their tables by a wider type)
    rows = list_belonging_rows(owner, row_id, ())
    for table, belongs in reversed(rows.items()):
        session.execute(table.delete().where(belongs))
    session.execute(owner.delete().where(owner.c.id == row_id))
