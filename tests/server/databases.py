"""Real databases for the tests, of each kind that a site runs on: SQLite files and a PostgreSQL server.

`make test` starts a PostgreSQL server of its own. Elsewhere TEST_DATABASE_URL names one whose user may create
databases. The databases that a test process makes carry its number in their names, and it drops them.
"""

import os
import shutil
import signal
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import URL, create_engine, make_url, text

import server.tables  # noqa: F401  (fills the metadata)
from server.core import db, migrate


class SavedDatabase(ABC):
    """A migrated database that many tests use one after another: after each, its saved rows are restored.

    Restoring is several times as fast as making a database. A test that changes the tables themselves takes a
    new database instead.
    """

    url: str

    @abstractmethod
    def save(self) -> None:
        """Save the current rows; there is no open connection."""

    @abstractmethod
    def restore(self) -> None:
        """Restore the saved rows; transactions that a test left open on PostgreSQL are ended."""


class Databases(ABC):
    """Makes databases of one kind, and drops those that it made."""

    @abstractmethod
    def empty(self) -> str:
        """The address of a new database without tables."""

    @abstractmethod
    def migrated(self) -> str:
        """The address of a new database that the migrations have made."""

    @abstractmethod
    def saved(self) -> SavedDatabase:
        """A new migrated database that stays until the test process ends."""

    @abstractmethod
    def drop_all(self) -> None:
        """Drop the new databases of a test, but not the saved ones."""


class SavedSqliteFile(SavedDatabase):
    """An SQLite file, restored by copying another file over it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.url = f"sqlite:///{path}"

    def save(self) -> None:
        shutil.copy(self.path, self.path.with_suffix(".copy"))

    def restore(self) -> None:
        for path in self.path.parent.glob(f"{self.path.name}*"):  # with the log and the lock file beside it
            path.unlink()
        shutil.copy(self.path.with_suffix(".copy"), self.path)


class SqliteFiles(Databases):
    """Files in a folder; the migrated ones are copies of one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0
        self.template = folder / "template.sqlite"
        _migrate(f"sqlite:///{self.template}")

    def empty(self) -> str:
        return f"sqlite:///{self._next('new')}"

    def migrated(self) -> str:
        return f"sqlite:///{shutil.copy(self.template, self._next('new'))}"

    def saved(self) -> SavedDatabase:
        return SavedSqliteFile(shutil.copy(self.template, self._next("saved")))

    def drop_all(self) -> None:
        for path in self.folder.glob("new-*.sqlite*"):
            path.unlink()

    def _next(self, prefix: str) -> Path:
        self.count += 1
        return self.folder / f"{prefix}-{self.count}.sqlite"


class SavedPostgresqlDatabase(SavedDatabase):
    """A PostgreSQL database, restored by deleting all rows and copying the saved ones in.

    TRUNCATE would make new files for every table, which takes four times as long for a few rows.
    """

    def __init__(self, url: str) -> None:
        self.url = url
        self.connection = psycopg.connect(_address(url), autocommit=True)
        tables = "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        self.tables = [sql.Identifier(name) for (name,) in self.connection.execute(tables)]

    def save(self) -> None:
        rows = [(table, self._copy_out(table)) for table in self.tables]
        self.rows = [(table, data) for table, data in rows if data]
        self.sequences = self.connection.execute(
            "SELECT array_agg(sequencename::text), array_agg(coalesce(last_value, start_value)),"
            " array_agg(last_value IS NOT NULL) FROM pg_sequences"
        ).fetchone()
        self.schema = self._describe_schema()

    def restore(self) -> None:
        # The deletions would wait for the locks of a transaction that the test left open.
        self.connection.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'"
        )
        with self.connection.transaction():
            self.connection.execute("SET LOCAL session_replication_role = replica")
            deletions = [sql.SQL("DELETE FROM {}").format(table) for table in self.tables]
            self.connection.execute(sql.SQL("; ").join(deletions))
            for table, rows in self.rows:
                with self.connection.cursor().copy(sql.SQL("COPY {} FROM STDIN").format(table)) as copy:
                    copy.write(rows)
            self.connection.execute(
                "SELECT setval(name::regclass, value, called)"
                " FROM unnest(%s::text[], %s::bigint[], %s::bool[]) AS saved (name, value, called)",
                self.sequences,
            )
        if self._describe_schema() != self.schema:
            raise RuntimeError(
                "this test changed the tables of a database that the next ones use: "
                "mark it with @pytest.mark.own_site"
            )

    def close(self) -> None:
        """Leave the database."""
        self.connection.close()

    def _describe_schema(self) -> list[tuple[object, ...]]:
        """A few numbers that differ if the tables do, which is faster than their columns are read."""
        return self.connection.execute(
            "SELECT count(*), sum(hashtext(concat_ws(' ', relname, attname, atttypid, attnotnull)))"
            " FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid"
            " WHERE relnamespace = 'public'::regnamespace"
            " UNION ALL SELECT count(*), sum(hashtext(concat_ws(' ', conrelid, conname, oid)))"
            " FROM pg_constraint WHERE connamespace = 'public'::regnamespace"
        ).fetchall()

    def _copy_out(self, table: sql.Identifier) -> bytes:
        with self.connection.cursor().copy(sql.SQL("COPY {} TO STDOUT").format(table)) as copy:
            return b"".join(bytes(part) for part in copy)


class PostgresqlServer(Databases):
    """Databases of a server; the migrated ones are copies of a template."""

    def __init__(self, address: URL, prefix: str) -> None:
        self.address = address.set(drivername="postgresql+psycopg")
        self.prefix = prefix
        self.new: list[str] = []
        self.kept: list[SavedPostgresqlDatabase] = []
        self.count = 0
        self.server = create_engine(self.address, isolation_level="AUTOCOMMIT")
        with self.server.connect() as connection:
            version = connection.dialect.server_version_info or ()
        # Copying the template's files takes a third of the time. Before PostgreSQL 15 there is no other way.
        self.strategy = " STRATEGY file_copy" if version >= (15,) else ""
        self.template = f"{prefix}_template"
        self._run(f"DROP DATABASE IF EXISTS {self.template}")
        self._run(f"CREATE DATABASE {self.template}")
        _migrate(self._url(self.template))

    def empty(self) -> str:
        return self._create("")

    def migrated(self) -> str:
        return self._create(f" TEMPLATE {self.template}{self.strategy}")

    def saved(self) -> SavedDatabase:
        database = SavedPostgresqlDatabase(self.migrated())
        self.new.pop()
        self.kept.append(database)
        return database

    def drop_all(self) -> None:
        while self.new:
            self._drop(self.new.pop())

    def close(self) -> None:
        """Leave the server as it was."""
        for database in self.kept:
            database.close()
            self._drop(str(make_url(database.url).database))
        self.drop_all()
        self._drop(self.template)
        self.server.dispose()

    def _create(self, options: str) -> str:
        self.count += 1
        name = f"{self.prefix}_{self.count}"
        self._drop(name)
        self._run(f"CREATE DATABASE {name}{options}")
        self.new.append(name)
        return self._url(name)

    def _drop(self, name: str) -> None:
        self._run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _url(self, name: str) -> str:
        return self.address.set(database=name).render_as_string(hide_password=False)

    def _run(self, statement: str) -> None:
        with self.server.connect() as connection:
            connection.execute(text(statement))


@contextmanager
def frozen_backend(pid: int | None) -> Iterator[None]:
    """A context in which the process of a connection to PostgreSQL is stopped."""
    name = Path(f"/proc/{pid}/comm")
    if pid is None or not name.exists() or not name.read_text().startswith("postgres"):
        pytest.skip("missed: a frozen PostgreSQL; it does not run on this machine")
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def _address(url: str) -> str:
    """An address of SQLAlchemy's as libpq reads it."""
    return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)


def _migrate(url: str) -> None:
    engine = db.open_engine(url)
    migrate.migrate(engine)
    engine.dispose()


@pytest.fixture(scope="session")
def sqlite(tmp_path_factory: pytest.TempPathFactory) -> Databases:
    return SqliteFiles(tmp_path_factory.mktemp("sqlite"))


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Databases]:
    address = os.environ.get("TEST_DATABASE_URL")
    if not address:
        pytest.skip("missed: the site on PostgreSQL; run `make test`, or give TEST_DATABASE_URL")
    server = PostgresqlServer(make_url(address), f"assay_test_{os.getpid()}")
    yield server
    server.close()


@pytest.fixture
def databases(request: pytest.FixtureRequest) -> Iterator[Databases]:
    """Databases of the kind on which the test runs, as `pytest_generate_tests` says."""
    made: Databases = request.getfixturevalue(request.param)
    yield made
    made.drop_all()
