"""Databases that many tests use: each finds the saved rows, whatever the test before it did."""

import pytest
from sqlalchemy import text

from server.core import db
from tests.server.databases import Databases

pytestmark = pytest.mark.both_databases


def execute(url: str, statement: str) -> None:
    engine = db.open_engine(url)
    with db.connect_to_write(engine) as connection, connection.begin():
        connection.execute(text(statement))
    engine.dispose()


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO role (name) VALUES ('c')",
        "UPDATE role SET name = 'c' WHERE name = 'a'",
        "DELETE FROM role",
    ],
)
def test_rows_and_next_id_are_restored_even_after_an_open_transaction(
    databases: Databases, statement: str
) -> None:
    database = databases.saved()
    execute(database.url, "INSERT INTO role (name) VALUES ('a'), ('b\tb')")
    database.save()
    execute(database.url, statement)
    engine = db.open_engine(database.url)
    left_open = db.connect_to_write(engine)
    left_open.execute(text("INSERT INTO role (name) VALUES ('d')"))
    database.restore()
    left_open.invalidate()
    engine.dispose()
    with engine.connect() as connection:
        assert connection.execute(text("SELECT id, name FROM role")).all() == [(1, "a"), (2, "b\tb")]
    with db.connect_to_write(engine) as connection:
        added = connection.scalar(text("INSERT INTO role (name) VALUES ('c') RETURNING id"))
    engine.dispose()
    assert added == 3


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE role ADD COLUMN more text",
        "ALTER TABLE role DROP CONSTRAINT uq_role_name",
        "CREATE TABLE more (id integer)",
    ],
)
def test_a_changed_table_is_reported(postgresql: Databases, statement: str) -> None:
    database = postgresql.saved()
    database.save()
    execute(database.url, statement)
    with pytest.raises(RuntimeError, match="own_site"):
        database.restore()
