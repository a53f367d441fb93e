"""Engine, sessions, and how a transaction begins.

SQLite: a transaction that will write says so and takes the write lock at its start (`BEGIN IMMEDIATE`), so
that it never fails half-way; one that reads begins plainly and waits for nobody.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import DateTime, Engine, MetaData, create_engine, event
from sqlalchemy.engine import Connection, Dialect
from sqlalchemy.exc import ArgumentError
from sqlalchemy.orm import DeclarativeBase, Session, scoped_session, sessionmaker
from sqlalchemy.types import TypeDecorator

from server.config import ConfigError

WRITES = "assay_writes"
"""The execution option of a transaction that will write."""


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
    """An engine for the address; SQLite in WAL mode with foreign keys.

    Raises:
        ConfigError: the address is none, or of a database whose driver is missing.
    """
    try:
        engine = create_engine(url)
    except (ArgumentError, ImportError) as error:
        raise ConfigError("ASSAY_DATABASE_URL is no address of a database that this site can use") from error
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
    return engine


def open_sessions(engine: Engine) -> scoped_session[Session]:
    """One session for each thread, until it is removed."""
    return scoped_session(sessionmaker(engine))


@contextmanager
def writing(session: Session) -> Iterator[None]:
    """A transaction that writes: ends the one that read, commits at its end, rolls back on any error."""
    session.rollback()
    session.connection(execution_options={WRITES: True})
    try:
        yield
    except BaseException:
        session.rollback()
        raise
    session.commit()


def _set_up_sqlite(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # BEGIN is ours, below
    cursor = connection.cursor()
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "busy_timeout = 20000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get(WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
