"""Empty databases for the rehearsal's sites: files of SQLite, databases of a PostgreSQL server."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import create_engine, make_url, text

POSTGRESQL = "postgresql"


def has_server() -> bool:
    """Whether a server of PostgreSQL is named."""
    return bool(os.environ.get("TEST_DATABASE_URL"))


@contextmanager
def empty_databases(folder: Path, kinds: tuple[str, ...]) -> Iterator[list[str]]:
    """The URLs of new databases, which are deleted at the end."""
    server = make_url(os.environ["TEST_DATABASE_URL"]) if POSTGRESQL in kinds else None
    names = {place: f"assay_rehearsal_{secrets.token_hex(4)}" for place in range(len(kinds))}
    made = [names[place] for place, kind in enumerate(kinds) if kind == POSTGRESQL]
    try:
        for name in made:
            _run(server, f'CREATE DATABASE "{name}"')
        yield [
            server.set(database=names[place]).render_as_string(hide_password=False)
            if kind == POSTGRESQL
            else f"sqlite:///{folder / f'site-{place}.sqlite'}"
            for place, kind in enumerate(kinds)
        ]
    finally:
        for name in made:
            _run(server, f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def _run(server, statement: str) -> None:
    engine = create_engine(server.set(drivername="postgresql+psycopg"), isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.execute(text(statement))
    engine.dispose()
