"""The rows of the audit log as they are stored, byte by byte, so that a damaged table can be read too."""

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import ColumnElement, LargeBinary, Row, Text, cast, func, literal, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from server.audit.models import AuditEntry
from server.core.db import UtcDateTime

BATCH = 1000
"""The number of rows that are in memory at once."""
_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}")


class MalformedCell(Exception):
    """A cell that the site cannot have written: which one, and what is wrong with it."""


def stream_rows(session: Session) -> Iterator[Row[Any]]:
    """Yield all rows by number, in batches; a number that occurs twice is yielded twice."""
    dialect = session.get_bind().dialect.name
    texts = ("actor", "action", "previous", "sha256", "at", "details")
    columns: list[ColumnElement[Any]] = [AuditEntry.number.label("number")]
    for name in texts:
        columns.append(raw_cell(dialect, getattr(AuditEntry, name)).label(name))
        columns.append(_kind(dialect, getattr(AuditEntry, name), "text").label(f"{name}_kind"))
    for name in ("task_id", "team_id"):
        columns.append(raw_cell(dialect, getattr(AuditEntry, name)).label(name))
        columns.append(_kind(dialect, getattr(AuditEntry, name), "integer").label(f"{name}_kind"))
    query = select(*columns).order_by(AuditEntry.number, AuditEntry.sha256)
    return iter(session.execute(query, execution_options={"yield_per": BATCH}))


def raw_cell(dialect: str, column: InstrumentedAttribute[Any]) -> ColumnElement[Any]:
    """Select a cell's text as bytes, whatever they are; times are in SQLite's format."""
    if dialect == "sqlite":
        return cast(column, LargeBinary)
    if isinstance(column.type, UtcDateTime):
        return func.convert_to(func.to_char(column, "YYYY-MM-DD HH24:MI:SS.US"), "UTF8")
    return func.convert_to(cast(column, Text), "UTF8")


def raw_cells(session: Session, **columns: InstrumentedAttribute[Any]) -> list[ColumnElement[Any]]:
    """Select the cells by `raw_cell`, each under the name that `read_entry` uses."""
    dialect = session.get_bind().dialect.name
    return [raw_cell(dialect, column).label(name) for name, column in columns.items()]


def _kind(dialect: str, column: InstrumentedAttribute[Any], kind: str) -> ColumnElement[Any]:
    """Select the type of a cell in SQLite, where a column's type does not restrict its cells."""
    return func.typeof(column) if dialect == "sqlite" else literal(kind)


def read_entry(row: Row[Any]) -> AuditEntry:
    """Convert the cells of a row to values; whether the hash is correct is checked elsewhere.

    Raises:
        MalformedCell: one of them does not have the right type.
    """
    return AuditEntry(
        number=row.number,
        at=_read_time(_text(row, "at")),
        actor=_text(row, "actor"),
        task_id=_row_id(row, "task_id"),
        team_id=_row_id(row, "team_id"),
        action=_text(row, "action"),
        details=_details(_text(row, "details")),
        previous=_text(row, "previous"),
        sha256=_text(row, "sha256"),
    )


def _text(row: Row[Any], name: str) -> str:
    value = row._mapping[name]
    if value is None or row._mapping[f"{name}_kind"] != "text":
        raise MalformedCell(f"{name} holds {'nothing' if value is None else 'no text'}")
    try:
        return bytes(value).decode()
    except UnicodeDecodeError as error:
        raise MalformedCell(f"{name} holds no text in UTF-8") from error


def _row_id(row: Row[Any], name: str) -> int | None:
    value = row._mapping[name]
    if value is None:
        return None
    if row._mapping[f"{name}_kind"] != "integer":
        raise MalformedCell(f"{name} is no whole number")
    return int(bytes(value))


def _read_time(text: str) -> datetime:
    if _TIME.fullmatch(text):
        try:
            return datetime.strptime(text, "%Y-%m-%d %H:%M:%S.%f").replace(tzinfo=UTC)
        except ValueError:
            pass
    raise MalformedCell("at is no time as the site writes it")


def _details(text: str) -> dict[str, Any]:
    """Parse the details if they are exactly in the site's format; the site did not write any other JSON."""
    try:
        values = json.loads(text)
        written = json.dumps(values)
    except (ValueError, RecursionError) as error:
        raise MalformedCell("details are no JSON") from error
    if not isinstance(values, dict):
        raise MalformedCell("details are no object")
    if written != text:
        raise MalformedCell("details are not written as the site writes them, whatever they say")
    return values
