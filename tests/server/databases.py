"""Real databases for the tests, of each kind that a site runs on: files of SQLite, a server of PostgreSQL.

`make test` starts a PostgreSQL server of its own; elsewhere TEST_DATABASE_URL names one whose user may create
databases. Those made here are named for this process, and dropped by it.
"""

import shutil
from abc import ABC, abstractmethod
from pathlib import Path

from sqlalchemy import URL, create_engine, make_url, text

from server import db, migrate
from tests.server.snapshots import Copy, Snapshot


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
    """Databases of a server; the migrated ones are copies of a template, put back for the tests after."""

    def __init__(self, address: URL, prefix: str) -> None:
        self.address = address.set(drivername="postgresql+psycopg")
        self.prefix = prefix
        self.made: list[str] = []
        self.lent: list[tuple[str, Copy]] = []
        self.free: list[tuple[str, Copy]] = []
        self.snapshots: dict[str, Snapshot] = {}
        self.kept: list[str] = []
        self.count = 0
        self.server = create_engine(self.address, isolation_level="AUTOCOMMIT")
        self.template = f"{prefix}_template"
        self.strategy, self.puts_back = self._manner()
        self._run(f"DROP DATABASE IF EXISTS {self.template}")
        self._run(f"CREATE DATABASE {self.template}")
        _migrate(self._url(self.template))

    def empty(self) -> str:
        return self._create("")

    def migrated(self) -> str:
        return self._copy(self.template)

    def keep(self, url: str) -> None:
        name = str(make_url(url).database)
        for source, copy in self.lent:
            if copy.name == name:
                copy.close()
                self.lent.remove((source, copy))
                break
        else:
            self.made.remove(name)
        self.kept.append(name)

    def copy(self, url: str) -> str:
        return self._copy(str(make_url(url).database))

    def drop_all(self) -> None:
        self.free, self.lent = [*self.lent, *self.free], []
        while self.made:
            self._drop(self.made.pop())

    def close(self) -> None:
        """Leave the server as it was."""
        self.drop_all()
        for _, copy in self.free:
            copy.close()
            self._drop(copy.name)
        for name in (self.template, *self.kept):
            self._run(f"DROP DATABASE {name}")
        self.server.dispose()

    def _create(self, options: str) -> str:
        self.count += 1
        name = f"{self.prefix}_{self.count}"
        self._drop(name)
        self._run(f"CREATE DATABASE {name}{options}{self.strategy}")
        self.made.append(name)
        return self._url(name)

    def _copy(self, source: str) -> str:
        """A database like one to which nothing is connected: a used one that is put back, or a new one."""
        used = [(of, copy) for of, copy in self.free if of == source]
        for lent in used:
            self.free.remove(lent)
            if lent[1].put_back():
                self.lent.append(lent)
                return self._url(lent[1].name)
            lent[1].close()
            self._drop(lent[1].name)
        url = self._create(f" TEMPLATE {source}")
        if self.puts_back:
            copy = Copy(self.made.pop(), self._address(url), self.snapshots.get(source))
            self.snapshots[source] = copy.snapshot
            self.lent.append((source, copy))
        return url

    def _manner(self) -> tuple[str, bool]:
        """How a template is copied: by its files, thrice as fast as by the log; whether it is put back."""
        with self.server.connect() as connection:
            version = connection.dialect.server_version_info or ()
            superuser = connection.scalar(text("SELECT rolsuper FROM pg_roles WHERE rolname = current_user"))
        # before 15 there is no other way to copy, and only superusers may fill tables in any order
        return (" STRATEGY file_copy" if version >= (15,) else ""), version >= (15,) and bool(superuser)

    def _address(self, url: str) -> str:
        return make_url(url).set(drivername="postgresql").render_as_string(hide_password=False)

    def _drop(self, name: str) -> None:
        self._run(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")

    def _url(self, name: str) -> str:
        return self.address.set(database=name).render_as_string(hide_password=False)

    def _run(self, statement: str) -> None:
        with self.server.connect() as connection:
            connection.execute(text(statement))


def _migrate(url: str) -> None:
    engine = db.open_engine(url)
    migrate.migrate(engine)
    engine.dispose()
