"""The queue of job ids, on one of Huey's storages: SQLite, PostgreSQL or Redis.

It says which job a worker might look at next, no more. The row of the job is the truth: an id that is lost
comes again from the table, and one that comes twice is claimed once.
"""

import sqlite3
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from server.config import Config, ConfigError

NAME = "assay"
SCHEMA = "assay_queue"
"""Where Huey's tables are on PostgreSQL: one of them is called "task", as is one of ours."""
_MAKING = 0x417373617971
"""The key of the advisory lock that is held while the tables are made."""
URL_WORDS = "ASSAY_QUEUE_URL must be sqlite:///FILE, postgresql://USER@HOST/NAME or redis://HOST/NUMBER"


class Queue:
    """Ids of jobs, first in, first out."""

    def __init__(self, storage: Any) -> None:
        self._storage = storage

    def put(self, job_id: int) -> None:
        """Add an id."""
        self._storage.enqueue(str(job_id).encode("ascii"))

    def take(self) -> int | None:
        """Take the oldest id out; None: there is none."""
        data = self._storage.dequeue()
        return int(data) if data is not None and bytes(data).isdigit() else None

    def clear(self) -> None:
        """Forget every id."""
        self._storage.flush_queue()

    def close(self) -> None:
        """Let the connection go."""
        self._storage.close()


def open_queue(config: Config, name: str = NAME) -> Queue:
    """A queue of a site; by default in a file of SQLite in the data folder.

    Raises:
        ConfigError: the address is none, or nothing answers there.
    """
    url = config.queue_url or f"sqlite:///{config.data_dir / 'queue.sqlite'}"
    scheme = urlsplit(url).scheme.removesuffix("+psycopg")
    if scheme in ("redis", "rediss", "unix"):
        return Queue(_open_redis(url, name))
    if scheme in ("postgres", "postgresql"):
        return Queue(_open_postgresql(url, name))
    if scheme != "sqlite":
        raise ConfigError(URL_WORDS)
    return Queue(_open_sqlite(url, name))


def _open_sqlite(url: str, name: str) -> Any:
    from huey.storage import SqliteStorage  # noqa: PLC0415  (only the workers need it)

    try:
        return SqliteStorage(name, filename=make_url(url).database or "", timeout=20)
    except (ArgumentError, sqlite3.Error) as error:
        raise ConfigError(f"the queue cannot be used: {error}") from error


def _open_redis(url: str, name: str) -> Any:
    from huey.storage import RedisStorage  # noqa: PLC0415  (only the workers need it)
    from redis.exceptions import RedisError  # noqa: PLC0415  (the same)

    try:
        storage = RedisStorage(name, url=url, blocking=False)
        storage.conn.ping()
    except (RedisError, ValueError) as error:
        raise ConfigError(f"the queue cannot be used: {error}") from error
    return storage


def _open_postgresql(url: str, name: str) -> Any:
    import psycopg  # noqa: PLC0415  (only the workers need it)
    from huey.contrib.sql_huey import SqlStorage  # noqa: PLC0415  (the same)
    from peewee import PeeweeException, PostgresqlDatabase  # noqa: PLC0415  (the same)

    try:
        address = make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("SELECT pg_advisory_lock(%s)", (_MAKING,))  # two may start at once
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            options = f"-c search_path={SCHEMA}"
            return SqlStorage(name, PostgresqlDatabase(address, prefer_psycopg3=True, options=options))
    except (ArgumentError, psycopg.Error, PeeweeException) as error:
        raise ConfigError(f"the queue cannot be used: {' '.join(str(error).split())}") from error
