"""Connections to PostgreSQL: how a transaction on one begins and ends, and when one may be gone.

psycopg prepares a question that a connection has asked five times, so that the server plans it no more, and
forgets all of them at a ROLLBACK. A transaction that read ends as well by a COMMIT; so that nothing is kept
that way which was to be undone, it may do nothing but read. What psycopg tells of each column of an answer
takes longer than to read the answer, and only the names and types of them are wanted.
"""

import select
from collections.abc import Iterator, Sequence
from functools import partial
from time import monotonic
from typing import Any, overload

from sqlalchemy import Engine, event
from sqlalchemy.engine import Dialect
from sqlalchemy.exc import InvalidatePoolError
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection

_RESTS = "rests"
"""Since when a connection is in the pool."""
_RESTED = 5.0
"""Seconds after which a connection may be gone although its server said nothing."""


def set_up(engine: Engine) -> None:
    """Have an engine's connections end what they read by COMMIT, and be alive when they are taken."""
    engine.dialect.do_rollback = partial(_end, engine.dialect, engine.dialect.do_rollback)  # type: ignore[method-assign]  # there is no event that may end it otherwise
    event.listen(engine, "connect", partial(_describe_briefly, _brief_cursor(engine.dialect)))
    event.listen(engine, "checkout", partial(_require_alive, engine.dialect))
    event.listen(engine, "checkin", _note_rest)


def set_manner(dialect: Dialect, connection: PoolProxiedConnection, *, writes: bool) -> None:
    """Say how the transaction will be that begins with the next question.

    One that reads sees one instant and can write nothing; one that writes sees all that is kept by then.
    """
    driver: Any = connection.driver_connection
    if driver.read_only is not (not writes):
        levels = dialect.loaded_dbapi.IsolationLevel
        driver.read_only = not writes
        driver.isolation_level = levels.READ_COMMITTED if writes else levels.REPEATABLE_READ


def _brief_cursor(dialect: Dialect) -> type[Any]:
    """psycopg's cursor, that tells the name and the type of a column of its answer and nothing more."""
    driver: Any = dialect.loaded_dbapi

    class BriefCursor(driver.Cursor):  # type: ignore[misc]  # the driver is there where its database is used
        @property
        def description(self) -> "_Columns | None":
            found = self.pgresult
            return None if found is None or not found.nfields else _Columns(found)

    return BriefCursor


class _Columns(Sequence[tuple[object, ...]]):
    """The columns of an answer, read when they are wanted; those of a question asked before are known."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def __len__(self) -> int:
        return int(self._answer.nfields)

    @overload
    def __getitem__(self, at: int) -> tuple[object, ...]: ...

    @overload
    def __getitem__(self, at: slice) -> list[tuple[object, ...]]: ...

    def __getitem__(self, at: int | slice) -> tuple[object, ...] | list[tuple[object, ...]]:
        names = (self._answer.fname(at).decode() for at in range(len(self)))
        told: list[tuple[object, ...]] = [
            (name, self._answer.ftype(at), None, None, None, None, None) for at, name in enumerate(names)
        ]
        return told[at]

    def __iter__(self) -> Iterator[tuple[object, ...]]:
        return iter(self[:])


def _describe_briefly(cursor: type[Any], connection: Any, _record: object) -> None:
    connection.cursor_factory = cursor


def _end(dialect: Dialect, roll_back: Any, connection: Any) -> None:
    status = connection.pgconn.transaction_status
    if connection.read_only and status == dialect.loaded_dbapi.pq.TransactionStatus.INTRANS:
        connection.commit()
    else:
        roll_back(connection)


def _require_alive(dialect: Dialect, connection: Any, record: ConnectionPoolEntry, _proxy: object) -> None:
    """Notice a connection that the server has ended: by what it said last, or by a question after a rest."""
    said = select.poll()
    said.register(connection.fileno(), select.POLLIN)
    if not said.poll(0) and monotonic() < record.info.get(_RESTS, monotonic()) + _RESTED:
        return
    try:
        dialect.do_ping(connection)
    except dialect.loaded_dbapi.Error as error:
        raise InvalidatePoolError("the server has ended the connection") from error


def _note_rest(_connection: object, record: ConnectionPoolEntry) -> None:
    record.info[_RESTS] = monotonic()
