"""The engine, sessions, and how a transaction begins, the same on SQLite and PostgreSQL.

A transaction that will write declares so and takes the site's one write lock at its start, so that it never
fails half-way and sees everything that was written before it: `BEGIN IMMEDIATE` on SQLite, an advisory lock
on PostgreSQL. A transaction that reads sees one snapshot of the database and never waits.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import URL, DateTime, Engine, ForeignKey, MetaData, Table, create_engine, event, make_url
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.exc import ArgumentError, DBAPIError, PendingRollbackError
from sqlalchemy.orm import (
    DeclarativeBase,
    Mapped,
    Session,
    SessionTransaction,
    mapped_column,
    scoped_session,
    sessionmaker,
)
from sqlalchemy.types import TypeDecorator

from server.core import metrics
from server.core.config import ConfigError

URL_MESSAGE = "the address of the database must be sqlite:///FILE or postgresql://USER@HOST/NAME"
CLUSTER_MESSAGE = "a database on PostgreSQL needs: pip install 'assay[cluster]'"
_KEEPALIVES = {"tcp_user_timeout": "10000", "keepalives_idle": "5", "keepalives_interval": "2"}
"""How a host notices that the network or the server of PostgreSQL is gone."""
_SERVER_OPTIONS = (
    # The server has to notice, too: it would keep the write lock of a host that is gone for two hours.
    "-c tcp_user_timeout=10s -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=2 "
    # With its default, which is for disks that turn, it reads all submissions of a site rather than those of
    # a team by their index: 4 ms in place of 0.5 with 24,000 of them.
    "-c random_page_cost=1.1"
)
WRITE_OPTION = "assay_writes"
"""Marks a transaction that will write, in its connection's execution options and its session's info."""
_CACHE_KEY = "answers"
_LOCK_FILE_KEY = "lock file"
_QUEUE_KEY = "queue"
_ADVISORY_LOCK = 0x41737361790A
"""The key of PostgreSQL's advisory lock that writers hold: there is one writer at a time in the database."""


class Base(DeclarativeBase):
    """The base of all tables; constraints are named by convention, so that migrations can refer to them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(table_name)s_%(column_0_N_name)s",
            "uq": "uq_%(table_name)s_%(column_0_N_name)s",
            "ck": "ck_%(table_name)s_%(constraint_name)s",
            "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )

    @classmethod
    def __table_cls__(cls, *args: Any, **options: Any) -> Table:
        """Make a table that gives the id of a deleted row to no other row; PostgreSQL does that by itself."""
        return Table(*args, sqlite_autoincrement=True, **options)


class UtcDateTime(TypeDecorator[datetime]):
    """An aware datetime in UTC, stored without its zone; a naive datetime raises an error."""

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


class NumberedRow(Base):
    """The base of tables whose rows are numbered."""

    __abstract__ = True

    id: Mapped[int] = mapped_column(primary_key=True, sort_order=-1)


class AuthoredRow(NumberedRow):
    """The base of tables that say when each row was made, and by whom; None: not by a person."""

    __abstract__ = True

    made_by: Mapped[int | None] = mapped_column(ForeignKey("account.id"), sort_order=1)
    made_at: Mapped[datetime] = mapped_column(UtcDateTime, sort_order=1)


def open_engine(url: str, *, impatient: bool = False) -> Engine:
    """Create the engine for an address: SQLite in WAL mode with foreign keys, or PostgreSQL by psycopg.

    `impatient`: fail soon if PostgreSQL does not answer, because people wait.

    Raises:
        ConfigError: the address is invalid, or of a database that this site cannot use.
    """
    engine = _create_engine(url, impatient=impatient)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    else:
        event.listen(engine, "begin", _begin_postgresql)
    return engine


@contextmanager
def open_probe(url: str) -> Iterator[Engine]:
    """Open a database only to see whether it answers, on a new connection and without transactions.

    Raises:
        ConfigError: as `open_engine` does.
    """
    engine = _create_engine(url, impatient=True)
    try:
        yield engine.execution_options(isolation_level="AUTOCOMMIT")
    finally:
        engine.dispose()


def _create_engine(url: str, *, impatient: bool) -> Engine:
    try:
        address = make_url(url)
        if address.drivername in ("postgres", "postgresql"):
            address = address.set(drivername="postgresql+psycopg")
        if address.drivername not in ("sqlite", "postgresql+psycopg"):
            raise ConfigError(f"{URL_MESSAGE}, not {address.drivername}:")
        engine = create_engine(
            address,
            connect_args=connect_options(address) if address.drivername != "sqlite" else {},
            hide_parameters=True,  # errors get into the log, and values are people's
            pool_pre_ping=address.drivername != "sqlite",
        )
    except ImportError as error:
        raise ConfigError(CLUSTER_MESSAGE) from error
    except (ArgumentError, ValueError) as error:
        raise ConfigError(URL_MESSAGE) from error
    if impatient and engine.dialect.name == "postgresql":
        from server.core import postgresql  # noqa: PLC0415  (sites on SQLite do without psycopg)

        event.listen(engine, "do_connect", postgresql.Connector().connect)
    return engine


def connect_options(address: URL) -> dict[str, Any]:
    """Return the options of connections to PostgreSQL; those in its address come first."""
    return {**_KEEPALIVES, "options": _SERVER_OPTIONS, **address.query}


def open_sessions(engine: Engine, **info: object) -> scoped_session[Session]:
    """Create one session for each thread; it can write only in transactions that began as writing ones.

    `info`: what each session carries in its `info`.
    """
    file = engine.url.database if engine.dialect.name == "sqlite" else None
    sessions = scoped_session(
        sessionmaker(engine, info={**info, _LOCK_FILE_KEY: f"{file}-lock" if file else None})
    )
    event.listen(sessions, "before_flush", _require_writing)
    event.listen(sessions, "after_transaction_end", _forget_transaction)
    event.listen(sessions, "after_transaction_end", _leave_queue)
    return sessions


@contextmanager
def writing(session: Session) -> Iterator[None]:
    """Run a transaction that writes: commit at its end, roll back on any error.

    It ends the transaction that read before, so all loaded objects have expired: fetch them again inside,
    because another writer may have changed them meanwhile.
    """
    begin_writing(session)
    try:
        yield
    except BaseException:
        session.rollback()
        raise
    try:
        session.commit()
    except BaseException:
        # A failed commit may leave its connection inside the transaction, and so the write lock taken.
        session.invalidate()
        raise


@contextmanager
def reading(session: Session) -> Iterator[None]:
    """Run a transaction that reads one snapshot of the database, from its first query to its last."""
    end_reading(session)
    try:
        yield
    finally:
        end_reading(session)


def end_reading(session: Session) -> None:
    """End the session's transaction, if there is one; its changes are rolled back.

    A transaction that only read is committed on PostgreSQL: psycopg deallocates a connection's prepared
    statements at each rollback, so that the largest queries would be planned again each time, which takes 3
    ms.
    """
    if session.in_transaction() and session.is_active and _only_reads(session):
        try:
            session.commit()
        except (DBAPIError, PendingRollbackError):  # it broke; what was read remains valid
            session.invalidate()
        except BaseException:
            session.invalidate()  # the connection may still be in the transaction
            raise
    session.rollback()


def _only_reads(session: Session) -> bool:
    """Whether the transaction is read-only on PostgreSQL, and the session has nothing to flush."""
    changed = session.new or session.dirty or session.deleted
    return session.get_bind().dialect.name == "postgresql" and not changed and not is_writing(session)


def transaction_cache(session: Session) -> dict[tuple[object, ...], Any]:
    """Return a cache of query results that lasts as long as the current reading transaction.

    A transaction that writes changes what it reads, so nothing is cached in it.
    """
    if not session.in_transaction() or is_writing(session):
        return {}
    cache: dict[tuple[object, ...], Any] = session.info.setdefault(_CACHE_KEY, {})
    return cache


def is_writing(session: Session) -> bool:
    """Whether the session's transaction began as one that writes."""
    return WRITE_OPTION in session.info


def begin_writing(session: Session) -> None:
    """End the session's transaction and begin one that writes; the caller commits."""
    end_reading(session)
    session.begin()
    session.info[WRITE_OPTION] = True
    with metrics.timed(metrics.LOCK_SECONDS):
        _join_queue(session)
        session.connection(execution_options={WRITE_OPTION: True})


def connect_to_write(engine: Engine) -> Connection:
    """Open a connection whose transactions write, until it is invalidated, for work without a session."""
    return engine.connect().execution_options(**{WRITE_OPTION: True})


def _require_writing(session: Session, _context: object, _instances: object) -> None:
    changed = session.new or session.deleted or any(map(session.is_modified, session.dirty))
    if changed and not is_writing(session):
        raise RuntimeError("a transaction that began as a reading one cannot write; use db.writing")


def _forget_transaction(session: Session, transaction: SessionTransaction) -> None:
    if transaction.parent is None:
        session.info.pop(_CACHE_KEY, None)
        session.info.pop(WRITE_OPTION, None)


def _join_queue(session: Session) -> None:
    """Wait for the lock file beside SQLite's database, and hold it until the transaction ends.

    Writers that find the database locked poll it with ever longer pauses, so that under load some of them
    wait for a second while no transaction is writing. The operating system gives this lock to the next
    process in the queue at once, and releases it when a process ends. Without it, uploads by 20 clients miss
    their performance goal.
    """
    if (path := session.info.get(_LOCK_FILE_KEY)) is None:
        return
    session.info[_QUEUE_KEY] = file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    fcntl.flock(file, fcntl.LOCK_EX)


def _leave_queue(session: Session, transaction: SessionTransaction) -> None:
    if transaction.parent is None and _QUEUE_KEY in session.info:
        os.close(session.info.pop(_QUEUE_KEY))  # closing the file releases its lock


def _set_up_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # `_begin_sqlite` says BEGIN, not the driver
    cursor = connection.cursor()
    for pragma in (
        "journal_mode = WAL",
        "synchronous = FULL",
        "foreign_keys = ON",
        "busy_timeout = 20000",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITE_OPTION)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    reads = not connection.get_execution_options().get(WRITE_OPTION)
    driver: Any = connection.connection.driver_connection
    if driver.read_only is not reads:  # psycopg's BEGIN then says both
        levels = connection.dialect.loaded_dbapi.IsolationLevel
        driver.read_only, driver.isolation_level = reads, levels.REPEATABLE_READ if reads else None
    if not reads:
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})")
