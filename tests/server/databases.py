"""Real databases for the tests, of each kind that a site runs on: files of SQLite, a server of PostgreSQL.

`make test` starts a PostgreSQL server of its own; elsewhere TEST_DATABASE_URL names one whose user may create
databases. Those made here are named for this process, and dropped by it.
"""

import shutil
from abc import ABC, abstractmethod
from pathlib import Path

from sqlalchemy import URL, create_engine, make_url, text

from server import db, migrate


class Databases(ABC):
    """Makes databases of one kind, and drops those that it made."""

    @abstractmethod
    def empty(self) -> str:
        """The address of a new database without tables."""

    @abstractmethod
    def migrated(self) -> str:
        """The address of a new database that the migrations have made."""

    @abstractmethod
    def keep(self, url: str) -> None:
        """Keep one of these databases, to which nothing is connected, for the copies of it."""

    @abstractmethod
    def copy(self, url: str) -> str:
        """The address of a new database like one that is kept."""

    @abstractmethod
    def drop_all(self) -> None:
        """Drop what a test has used."""


class SqliteFiles(Databases):
    """Files in a folder; the migrated ones are copies of one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0
        self.template = folder / "template.sqlite"
        _migrate(f"sqlite:///{self.template}")

    def empty(self) -> str:
        return f"sqlite:///{self._next()}"

    def migrated(self) -> str:
        return self.copy(f"sqlite:///{self.template}")

    def keep(self, url: str) -> None:
        path = Path(url.removeprefix("sqlite:///"))
        shutil.move(path, path.with_suffix(".kept"))

    def copy(self, url: str) -> str:
        kept, path = Path(url.removeprefix("sqlite:///")), self._next()
        shutil.copy(kept if kept == self.template else kept.with_suffix(".kept"), path)
        return f"sqlite:///{path}"

    def drop_all(self) -> None:
        for path in self.folder.glob("site-*.sqlite*"):
            path.unlink()

    def _next(self) -> Path:
        self.count += 1
        return self.folder / f"site-{self.count}.sqlite"


class PostgresqlServer(Databases):
    """Databases of a server; the migrated ones are made from a template."""

    def __init__(self, address: URL, prefix: str) -> None:
        self.address = address.set(drivername="postgresql+psycopg")
        self.prefix = prefix
        self.made: list[str] = []
        self.kept: list[str] = []
        self.count = 0
        self.server = create_engine(self.address, isolation_level="AUTOCOMMIT")
        self.template = f"{prefix}_template"
        self.strategy = self._strategy()
        self._run(f"DROP DATABASE IF EXISTS {self.template}")
        self._run(f"CREATE DATABASE {self.template}")
        _migrate(self._url(self.template))

    def empty(self) -> str:
        return self._create("")

    def migrated(self) -> str:
        return self._create(f" TEMPLATE {self.template}")

    def keep(self, url: str) -> None:
        name = str(make_url(url).database)
        self.made.remove(name)
        self.kept.append(name)

    def copy(self, url: str) -> str:
        return self._create(f" TEMPLATE {make_url(url).database}")

    def drop_all(self) -> None:
        while self.made:
            self._run(f"DROP DATABASE IF EXISTS {self.made.pop()} WITH (FORCE)")

    def close(self) -> None:
        """Leave the server as it was."""
        self.drop_all()
        for name in (self.template, *self.kept):
            self._run(f"DROP DATABASE {name}")
        self.server.dispose()

    def _create(self, options: str) -> str:
        self.count += 1
        name = f"{self.prefix}_{self.count}"
        self._run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        self._run(f"CREATE DATABASE {name}{options}{self.strategy}")
        self.made.append(name)
        return self._url(name)

    def _strategy(self) -> str:
        """How a template is copied: by its files, which is three times as fast as by the log."""
        with self.server.connect() as connection:
            version = connection.dialect.server_version_info or ()
        return " STRATEGY file_copy" if version >= (15,) else ""  # before 15 there is no other way

    def _url(self, name: str) -> str:
        return self.address.set(database=name).render_as_string(hide_password=False)

    def _run(self, statement: str) -> None:
        with self.server.connect() as connection:
            connection.execute(text(statement))


def _migrate(url: str) -> None:
    engine = db.open_engine(url)
    migrate.migrate(engine)
    engine.dispose()
