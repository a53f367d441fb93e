"""The database in a backup: a snapshot in a file, made and restored by each database's own tools."""

import os
import random
import shutil
import sqlite3
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, inspect, make_url, select, text
from sqlalchemy.exc import DBAPIError

from server.audit.models import AuditEntry
from server.backups import sweeps
from server.backups.manifest import DatabaseKind
from server.core import db, migrate
from server.core.errors import BackupFailed, Conflict

_PAGES = 1024
"""How many pages of SQLite's are copied at a time: 4 MB."""
_PROGRAM_HINT = "it comes with Debian's postgresql-client, in the version of the server or a newer one"
_GAPS = range(1_000_000, 10_000_000)
"""How many ids a restore may skip: more than a site gives in a table between two backups."""
_SKIP_IDS = text(
    "SELECT setval(format('%I', sequencename)::regclass, coalesce(last_value, 0) + :gap)"
    " FROM pg_sequences WHERE schemaname = current_schema()"
)
_KEPT_VARIABLES = ("PATH", "HOME", "TMPDIR")
"""The environment of PostgreSQL's programs, beside what libpq reads: none of the site's settings."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A snapshot of a database in a file; `names`: the files it refers to, None for an older schema."""

    kind: DatabaseKind
    revision: str
    audit: tuple[int, str] | None
    names: frozenset[str] | None


def take_snapshot(engine: Engine, target: Path) -> Snapshot:
    """Copy a snapshot of the database, while others write.

    Raises:
        BackupFailed: it contains no site, it is damaged, or a required program is missing.
    """
    return (_copy_sqlite if engine.dialect.name == "sqlite" else _dump_postgresql)(engine, target)


def fill_database(url: str, source: Path) -> None:
    """Load a copy into an empty database, completely or not at all.

    Many ids are skipped: emails, open pages and scripts still have those of rows that were made after the
    backup. How many is drawn, so that they differ if the same backup is restored again.

    Raises:
        BackupFailed: the database rejects it.
    """
    engine, gap = db.open_engine(url), random.SystemRandom().choice(_GAPS)
    if engine.dialect.name == "postgresql":
        options = ["--single-transaction", "--no-owner", "--no-privileges"]
        _run("pg_restore", [*options, "--dbname", _address(engine), str(source)], _secrets(engine))
        with db.connect_to_write(engine) as connection, connection.begin():
            connection.execute(_SKIP_IDS, {"gap": gap})
        engine.dispose()
        return
    _skip_sqlite_ids(source, gap)
    path = Path(engine.url.database or "")
    aside = path.with_name(f".{path.name}.restoring")
    try:
        with source.open("rb") as copied, aside.open("wb") as file:
            shutil.copyfileobj(copied, file)
            aside.chmod(0o600)
            file.flush()
            os.fsync(file.fileno())
        aside.rename(path)
    finally:
        aside.unlink(missing_ok=True)


def require_empty(url: str) -> None:
    """Raise unless a database is empty.

    Raises:
        Conflict: it is not empty.
    """
    if make_url(url).get_backend_name() == "sqlite":
        path = Path(make_url(url).database or "")
        files = [file for end in ("", "-wal", "-journal") if (file := Path(f"{path}{end}")).exists()]
        if files:
            raise Conflict(
                f"{files[0]} already exists, but a backup can be restored into a new database only. "
                "Move the file away."
            )
        return
    engine = db.open_engine(url)
    try:
        with engine.connect() as connection:
            schemas = set(inspect(connection).get_schema_names()) - {"information_schema"}
            tables = [table for schema in schemas for table in inspect(connection).get_table_names(schema)]
    finally:
        engine.dispose()
    if tables:
        named = f"{len(tables)} tables, such as {min(tables)}"
        raise Conflict(
            f"The database has {named}, but a backup can be restored into an empty database only. "
            "Create a new one."
        )


def is_empty(url: str) -> bool:
    """Whether a database is empty, as far as it can be read."""
    try:
        require_empty(url)
    except (Conflict, DBAPIError):
        return False
    return True


def _copy_sqlite(engine: Engine, target: Path) -> Snapshot:
    # the reading transaction is one snapshot; in WAL mode it does not block writers
    path = Path(engine.url.database or "")
    if not path.is_file():
        raise BackupFailed(f"There is no database at {path}. Is ASSAY_DATA_DIR the data folder of the site?")
    try:
        with (
            closing(sqlite3.connect(path, timeout=20, isolation_level=None)) as source,
            closing(sqlite3.connect(target)) as copy,
        ):
            source.execute("BEGIN")
            source.execute("SELECT count(*) FROM sqlite_master").fetchone()
            source.backup(copy, pages=_PAGES)
            copy.execute("PRAGMA journal_mode = DELETE")
            check_result = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
    except sqlite3.Error as error:
        raise BackupFailed(f"The database cannot be copied: {error}.") from error
    if check_result != "ok":
        raise BackupFailed(
            f"The database is damaged, so it was not backed up: {' '.join(check_result.split())}."
        )
    copied = create_engine(f"sqlite:///{target}")
    try:
        with copied.connect() as connection:
            return _facts(connection, "sqlite")
    finally:
        copied.dispose()


def _skip_sqlite_ids(path: Path, gap: int) -> None:
    """Skip ids in a copy; one from before the migration that never reuses ids has no counters."""
    with closing(sqlite3.connect(path)) as copy, copy:
        if copy.execute("SELECT 1 FROM sqlite_master WHERE name = 'sqlite_sequence'").fetchone():
            copy.execute(
                "INSERT INTO sqlite_sequence SELECT name, 0 FROM sqlite_master WHERE type = 'table' "
                "AND sql LIKE '%AUTOINCREMENT%' AND name NOT IN (SELECT name FROM sqlite_sequence)"
            )
            copy.execute("UPDATE sqlite_sequence SET seq = seq + ?", [gap])


def _dump_postgresql(engine: Engine, target: Path) -> Snapshot:
    with engine.connect() as connection:
        snapshot = _facts(connection, "postgresql")
        instant = connection.scalar(text("SELECT pg_export_snapshot()"))
        options = ["--format=custom", "--compress=0", "--no-owner", "--no-privileges"]
        options += ["--lock-wait-timeout=60000", f"--snapshot={instant}"]
        _run("pg_dump", [*options, "--file", str(target), "--dbname", _address(engine)], _secrets(engine))
        return snapshot


def _facts(connection: Connection, kind: DatabaseKind) -> Snapshot:
    """Read the facts about the database for the manifest."""
    if not inspect(connection).has_table("alembic_version"):
        raise BackupFailed("There is no site in the database. `assay migrate` creates one.")
    revision = str(connection.scalar(text("SELECT version_num FROM alembic_version")))
    newest = select(AuditEntry.number, AuditEntry.sha256).order_by(AuditEntry.number.desc()).limit(1)
    head = connection.execute(newest).first()
    names = sweeps.list_named_files(connection) if revision == migrate.head_revision() else None
    return Snapshot(kind, revision, None if head is None else (head[0], head[1]), names)


def _address(engine: Engine) -> str:
    """Return the address of the database for libpq, without the password."""
    from psycopg.conninfo import make_conninfo  # noqa: PLC0415  (sites on SQLite do without)

    names = {"host": "host", "port": "port", "user": "username", "dbname": "database"}
    parameters = {name: getattr(engine.url, ours) for name, ours in names.items()} | dict(engine.url.query)
    return make_conninfo(**{name: str(value) for name, value in parameters.items() if value is not None})


def _secrets(engine: Engine) -> dict[str, str]:
    return {} if engine.url.password is None else {"PGPASSWORD": engine.url.password}


def _run(program: str, arguments: Sequence[str], secrets: Mapping[str, str]) -> None:
    executable = shutil.which(program)
    if executable is None:
        raise BackupFailed(f"{program} is not installed; {_PROGRAM_HINT}.")
    variables = {
        name: value for name, value in os.environ.items() if name in _KEPT_VARIABLES or name.startswith("PG")
    }
    done = subprocess.run(  # noqa: S603  (our own words)
        [executable, *arguments],
        env={**variables, "LC_ALL": "C", **secrets},
        capture_output=True,
        check=False,
    )
    if done.returncode:
        said = " ".join(done.stderr.decode(errors="replace").split())[:500]
        hint = f"; {_PROGRAM_HINT}" if "version" in said else ""
        raise BackupFailed(f"{program} failed: {said}{hint}.")
