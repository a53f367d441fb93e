"""Procrastinate's tables, which one of our migrations makes: upgraded when a newer version is installed.

The name of the newest of its migrations that a database has is the comment of its table of jobs.
"""

from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from sqlalchemy import Connection, Engine, text

from server.core import db

_NEWEST = text("SELECT obj_description(to_regclass('procrastinate_jobs'), 'pg_class')")
_VIEW = text("SELECT pg_get_viewdef(to_regclass('job'))")


def is_current(engine: Engine) -> bool:
    """Whether a database has all that this version of Procrastinate needs; one on SQLite needs nothing."""
    if engine.dialect.name == "sqlite":
        return True
    with engine.connect() as connection:
        return bool(connection.scalar(_NEWEST) == _list_migrations()[-1])


def upgrade(engine: Engine) -> None:
    """Bring Procrastinate's tables up to the installed version; our view is made again afterwards."""
    if is_current(engine):
        return
    with db.connect_to_write(engine) as connection, connection.begin():
        view, newest = connection.scalar(_VIEW), connection.scalar(_NEWEST)
        _run(connection, "DROP VIEW job")
        for name in _list_migrations():
            if name > newest:
                _run(connection, (_folder() / name).read_text(encoding="utf-8"))
        _run(connection, f"CREATE VIEW job AS {view}")
        _run(connection, f"COMMENT ON TABLE procrastinate_jobs IS '{_list_migrations()[-1]}'")


def _list_migrations() -> list[str]:
    """List the names of Procrastinate's migrations, the oldest first."""
    return sorted(path.name for path in _folder().iterdir() if path.name.endswith(".sql"))


def _folder() -> Traversable:
    return resources.files("procrastinate.sql") / "migrations"


def _run(connection: Connection, statements: str) -> None:
    """Run several statements, which SQLAlchemy would prepare as one."""
    driver: Any = connection.connection.driver_connection
    driver.execute(statements)
