"""Engine, sessions, and how a transaction begins, the same on SQLite and PostgreSQL.

A transaction that will write says so and takes the site's one write lock at its start, so that it never fails
half-way and sees all that was written before it: SQLite's `BEGIN IMMEDIATE`, an advisory lock on PostgreSQL.
One that reads sees one instant of the database and waits for nobody.
"""

import contextlib
import json
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar, cast

from sqlalchemy import DateTime, Engine, MetaData, create_engine, event, make_url
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.engine.interfaces import CoreExecuteOptionsParameter, DBAPIConnection
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import DeclarativeBase, Session, SessionTransaction, scoped_session, sessionmaker
from sqlalchemy.pool import ConnectionPoolEntry, PoolProxiedConnection
from sqlalchemy.types import TypeDecorator

from server import postgresql
from server.config import ConfigError
from server.turns import Turns

URL_WORDS = "the address of the database must be sqlite:///FILE or postgresql://USER@HOST/NAME"
WRITES = "assay_writes"
"""The execution option of a transaction that will write."""
_JSON = json.JSONDecoder()
_KNOWN = "known"
_TURNS = "turns"
_HAS_TURN = "has turn"
_WRITE_LOCK = 0x41737361790A
"""The key of PostgreSQL's advisory lock that writers hold: one writer at a time in the whole database."""


Found = TypeVar("Found")


class Base(DeclarativeBase):
    """The tables; constraints get names by convention, so that migrations can speak of them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )


class UtcDateTime(TypeDecorator[datetime]):
    """An aware datetime in UTC, stored without its zone; a naive one is refused."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002, D102
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a datetime without a zone cannot be stored")
        return value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002, D102
        return None if value is None else value.replace(tzinfo=UTC)


def open_engine(url: str) -> Engine:
    """An engine for the address: SQLite in WAL mode with foreign keys, or PostgreSQL by psycopg.

    Raises:
        ConfigError: the address is none, or of a database that this site cannot use.
    """
    try:
        address = make_url(url)
        if address.drivername in ("postgres", "postgresql"):
            address = address.set(drivername="postgresql+psycopg")
        if address.drivername not in ("sqlite", "postgresql+psycopg"):
            raise ConfigError(f"{URL_WORDS}, not {address.drivername}:")
        pooled = address.drivername != "sqlite" or address.database not in (None, "", ":memory:")
        lifo = {"pool_use_lifo": True} if pooled else {}
        # the connection that was used last knows most
        engine = create_engine(address, json_deserializer=_read_json, **lifo)
    except (ArgumentError, ImportError, ValueError) as error:
        raise ConfigError(URL_WORDS) from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
        _begin_by(engine, _begin_sqlite)
    else:
        _begin_by(engine, _begin_postgresql)
        postgresql.set_up(engine)
    return engine


def _begin_by(engine: Engine, begin: Callable[[Dialect, PoolProxiedConnection, bool], None]) -> None:
    """Have transactions begin in a way that knows whether they will write.

    There is an event for it. But an engine with events of statements asks who listens at every statement.
    """
    dialect = engine.dialect
    note = dialect.set_connection_execution_options

    def note_writes(connection: Connection, options: CoreExecuteOptionsParameter) -> None:
        note(connection, options)
        if options.get(WRITES):
            connection.connection.info[WRITES] = True

    def begin_so(connection: PoolProxiedConnection) -> None:
        begin(dialect, connection, WRITES in connection.info)

    dialect.set_connection_execution_options = note_writes  # type: ignore[assignment,method-assign]  # see above
    dialect.do_begin = begin_so  # type: ignore[assignment,method-assign]  # the same
    event.listen(engine, "checkin", _forget_writes)


def _forget_writes(_connection: object, record: ConnectionPoolEntry) -> None:
    record.info.pop(WRITES, None)


def _read_json(text: str | bytes) -> object:
    """What this site has written into a column as JSON, alone there: a page has dozens of them."""
    text = (text if isinstance(text, str) else text.decode()).strip()
    value, end = _JSON.raw_decode(text)
    if end != len(text):
        raise ValueError("a column has more in it than its JSON")
    return value


def open_sessions(engine: Engine, **info: object) -> scoped_session[Session]:
    """One session for each thread, until it is removed; it writes in transactions that began as such.

    `info`: what each of them carries along.
    """
    file = engine.url.database if engine.dialect.name == "sqlite" else None
    turns = Turns(Path(f"{file}-turns")) if file else None
    sessions = scoped_session(sessionmaker(engine, info={**info, _TURNS: turns}))
    event.listen(sessions, "before_flush", _require_writing)
    event.listen(sessions, "after_transaction_end", _give_turn)
    return sessions


@contextmanager
def writing(session: Session) -> Iterator[None]:
    """A transaction that writes: commits at its end, rolls back on any error."""
    begin_writing(session)
    try:
        yield
    except BaseException:
        session.rollback()
        raise
    try:
        session.commit()
    except BaseException:
        # A commit that failed may have left its connection in the transaction, and so the write lock taken.
        session.invalidate()
        raise


@contextmanager
def reading(session: Session) -> Iterator[None]:
    """A transaction that reads: one instant of the database, from its first question to its last."""
    session.rollback()
    try:
        yield
    finally:
        session.rollback()


def ask_once(session: Session, key: tuple[object, ...], ask: Callable[[], Found]) -> Found:
    """What the database answers, asked for once a transaction that reads, however often it is wanted.

    A session itself forgets a row that nobody holds, and one that is not there it looks for each time.
    """
    of, known = session.info.get(_KNOWN, (None, {}))
    if of is not None and of is session.get_transaction() and key in known:
        return cast(Found, known[key])
    found = ask()
    note_answer(session, key, found)
    return found


def note_answer(session: Session, key: tuple[object, ...], found: object) -> None:
    """Keep what `ask_once` is not to ask for, because the database told it with something else."""
    if is_writing(session):
        return
    of, known = session.info.get(_KNOWN, (None, {}))
    if of is not session.get_transaction():
        known = {}
        session.info[_KNOWN] = session.get_transaction(), known
    known[key] = found


def is_writing(session: Session) -> bool:
    """Whether the session's transaction began as one that writes."""
    return session.in_transaction() and WRITES in session.connection().get_execution_options()


def begin_writing(session: Session) -> None:
    """End the session's transaction, and begin one that writes; the caller commits."""
    session.rollback()
    turns: Turns | None = session.info.get(_TURNS)
    session.begin()
    session.info[_HAS_TURN] = turns is not None and turns.take()
    session.connection(execution_options={WRITES: True})


def connect_to_write(engine: Engine) -> Connection:
    """A connection whose transactions write, until it is invalidated; for what is done without a session."""
    return engine.connect().execution_options(**{WRITES: True})


class Changes:
    """Whether anything was committed to the database: a value that is another one then, asked for cheaply.

    SQLite tells a connection of what others have written, and this one writes nothing. PostgreSQL's snapshot
    names the transactions that are over, and those that are not.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._lock = threading.Lock()
        self._connection: DBAPIConnection | None = None
        self._pool = weakref.ref(engine.pool)
        self._opened = 0

    def version(self) -> str | None:
        """The value; None: the database does not answer, and nobody can tell."""
        with self._lock:
            try:
                return self._ask()
            except self._engine.dialect.loaded_dbapi.Error:
                self._drop()
                return None

    def _ask(self) -> str:
        sqlite = self._engine.dialect.name == "sqlite"
        if self._pool() is not self._engine.pool:  # the engine was disposed of, and has another
            self._drop()
        if self._connection is None:
            self._connection = self._open(sqlite=sqlite)
        cursor = self._connection.cursor()
        try:
            cursor.execute("PRAGMA data_version" if sqlite else "SELECT pg_current_snapshot()::text")
            row = cursor.fetchone()
        finally:
            cursor.close()
        return f"{self._opened} {None if row is None else row[0]}"

    def _open(self, *, sqlite: bool) -> DBAPIConnection:
        """A connection that begins no transactions, and is no longer the pool's."""
        pooled = self._engine.raw_connection()
        connection = pooled.driver_connection
        assert connection is not None  # noqa: S101  (it was opened just now)
        pooled.detach()
        self._opened += 1
        self._pool = weakref.ref(self._engine.pool)
        self._closing = weakref.finalize(self._engine.pool, connection.close)
        if not sqlite:
            connection.autocommit = True
        return cast(DBAPIConnection, connection)

    def _drop(self) -> None:
        if self._connection is not None:
            with contextlib.suppress(self._engine.dialect.loaded_dbapi.Error):
                self._closing()
        self._connection = None


def _require_writing(session: Session, _context: object, _instances: object) -> None:
    changed = session.new or session.deleted or any(map(session.is_modified, session.dirty))
    if changed and not is_writing(session):
        raise RuntimeError("a transaction that began as a reading one cannot write; use db.writing")


def _give_turn(session: Session, transaction: SessionTransaction) -> None:
    """A transaction is over, its connection back in the pool."""
    if transaction.parent is None and session.info.pop(_HAS_TURN, False):
        session.info[_TURNS].give()


def _set_up_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # BEGIN is ours, below
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "busy_timeout = 20000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(_dialect: Dialect, connection: PoolProxiedConnection, writes: bool) -> None:
    connection.cursor().execute("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgresql(dialect: Dialect, connection: PoolProxiedConnection, writes: bool) -> None:
    postgresql.set_manner(dialect, connection, writes=writes)
    if writes:
        connection.cursor().execute(f"SELECT pg_advisory_xact_lock({_WRITE_LOCK})")
