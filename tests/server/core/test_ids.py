"""Ids: those of deleted rows are given to no other row, because addresses, forms and emails name them."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from sqlalchemy import Column, Engine, MetaData, text

from server.core import db, migrate
from server.core.db import Base
from tests.server.databases import Databases

pytestmark = pytest.mark.both_databases

EXAMPLES = {int: 1, float: 0.5, str: "x", bool: False, object: {}, datetime: datetime(2026, 3, 10)}  # noqa: DTZ001


@pytest.fixture
def engine(databases: Databases) -> Iterator[Engine]:
    engine = db.open_engine(databases.empty())
    yield engine
    engine.dispose()


def add_and_delete_rows(engine: Engine) -> dict[str, int]:
    """Insert a row into each table with an id, and delete them; return their ids."""
    metadata, ids = MetaData(), dict[str, int]()
    with db.connect_to_write(engine) as connection, connection.begin():
        metadata.reflect(connection)
        tables = [table for table in metadata.sorted_tables if "id" in table.columns]
        for table in tables:
            values = {
                column.name: example_value(column, ids) for column in table.columns if is_needed(column)
            }
            ids[table.name] = connection.execute(table.insert().values(values)).inserted_primary_key[0]
        for table in reversed(tables):
            connection.execute(table.delete().where(table.c.id == ids[table.name]))
    return ids


def is_needed(column: Column[Any]) -> bool:
    return not column.nullable and column.server_default is None and column.name != "id"


def example_value(column: Column[Any], ids: dict[str, int]) -> object:
    referred = [ids[key.column.table.name] for key in column.foreign_keys]
    return referred[0] if referred else EXAMPLES[column.type.python_type]


def test_no_table_gives_the_id_of_a_deleted_row_to_another_row(engine: Engine) -> None:
    migrate.migrate(engine)
    first, second = add_and_delete_rows(engine), add_and_delete_rows(engine)
    ours = {table.name for table in Base.metadata.sorted_tables if "id" in table.columns}
    of_engine = {name for name in first if name.startswith("procrastinate_")}
    assert set(first) - of_engine == ours - ({"job"} if of_engine else set())  # it is a view then
    reused = [name for name in first if second[name] <= first[name]]
    assert not reused, f"recreate these tables with table_kwargs={{'sqlite_autoincrement': True}}: {reused}"


def test_migration_keeps_rows_and_continues_their_ids(engine: Engine) -> None:
    migrate.migrate(engine, "0002_drafts")
    add_role(engine, "admin")
    migrate.migrate(engine)
    with db.connect_to_write(engine) as connection, connection.begin():
        assert connection.execute(text("DELETE FROM role RETURNING id, name")).one() == (1, "admin")
    assert add_role(engine, "host") == 2


def add_role(engine: Engine, name: str) -> int:
    with db.connect_to_write(engine) as connection, connection.begin():
        insert = text("INSERT INTO role (name) VALUES (:name) RETURNING id")
        return connection.execute(insert, {"name": name}).scalar_one()
