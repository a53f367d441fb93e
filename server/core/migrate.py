"""Numbered migrations, which bring a database to the schema of this version.

Alembic is imported where it is used: the processes that serve pages only compare two revisions.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from sqlalchemy import Connection, Engine, inspect, text

from server.core.config import find_package_folder
from server.core.db import connect_to_write, open_engine

if TYPE_CHECKING:
    from alembic.config import Config as AlembicConfig


def migrate(engine: Engine, revision: str = "head") -> None:
    """Upgrade (or, to an older revision, downgrade) the database in one transaction."""
    current = current_revision(engine)
    if current == (head_revision() if revision == "head" else revision):
        return
    from alembic import command  # noqa: PLC0415  (slow to import, seldom needed)

    config = _alembic_config()
    newer = revision == "head" or (revision != "base" and (current is None or revision > current))
    with connect_to_write(engine) as connection, _without_foreign_keys(connection), connection.begin():
        config.attributes["connection"] = connection
        (command.upgrade if newer else command.downgrade)(config, revision)
        _check_references(connection)


def check(engine: Engine) -> None:
    """Raise if the models and the migrations differ."""
    from alembic import command  # noqa: PLC0415  (slow to import, seldom needed)

    config = _alembic_config()
    with engine.connect() as connection:
        config.attributes.update(connection=connection, compare=True)
        command.check(config)


def new_migration(engine: Engine, message: str) -> None:
    """Write a migration for what the models have beyond the database, and put its number into HEAD."""
    from alembic import command  # noqa: PLC0415  (slow to import, seldom needed)
    from alembic.script import ScriptDirectory  # noqa: PLC0415  (the same)

    config = _alembic_config()
    with engine.connect() as connection:
        config.attributes.update(connection=connection, compare=True)
        command.revision(config, message, autogenerate=True)
    head = str(ScriptDirectory.from_config(config).get_current_head())
    (find_package_folder("migrations") / "HEAD").write_text(head + "\n", encoding="utf-8")


def current_revision(engine: Engine) -> str | None:
    """Return the revision of the database; None for an empty one."""
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        revision: str | None = connection.scalar(text("SELECT version_num FROM alembic_version"))
        return revision


def revisions() -> list[str]:
    """List the revisions that this version knows, the oldest first."""
    return sorted(path.stem for path in find_package_folder("migrations").glob("versions/[0-9]*.py"))


def head_revision() -> str:
    """Return the newest revision that this version knows: the one line of migrations/HEAD."""
    return (find_package_folder("migrations") / "HEAD").read_text(encoding="utf-8").strip()


@contextmanager
def _without_foreign_keys(connection: Connection) -> Iterator[None]:
    """Switch foreign keys off: SQLite alters a table by recreating it, and references to it prevent that."""
    if connection.dialect.name != "sqlite":
        yield
        return
    driver = connection.connection  # outside SQLAlchemy's transaction, in which the pragma would do nothing
    driver.cursor().execute("PRAGMA foreign_keys = OFF")
    try:
        yield
    finally:
        driver.cursor().execute("PRAGMA foreign_keys = ON")


def _check_references(connection: Connection) -> None:
    """Raise, before anything is committed, if a foreign key of a SQLite row refers to nothing."""
    if connection.dialect.name == "sqlite":
        astray = connection.exec_driver_sql("PRAGMA foreign_key_check").all()
        if astray:
            raise RuntimeError(
                f"{len(astray)} rows refer to rows that are not there, in {astray[0][0]} first"
            )


def _alembic_config() -> "AlembicConfig":
    from alembic.config import Config as AlembicConfig  # noqa: PLC0415  (slow to import, seldom needed)

    config = AlembicConfig()
    config.set_main_option("file_template", "%%(rev)s")
    config.set_main_option("script_location", str(find_package_folder("migrations")).replace("%", "%%"))
    return config


def main(arguments: list[str]) -> None:
    """Run `python -m server.core.migrate check` or `new MESSAGE` on a temporary database, for development."""
    with TemporaryDirectory() as folder:
        engine = open_engine(f"sqlite:///{folder}/scratch.sqlite")
        migrate(engine)
        if arguments[:1] == ["new"]:
            new_migration(engine, arguments[1])
        else:
            check(engine)


if __name__ == "__main__":
    main(sys.argv[1:])
