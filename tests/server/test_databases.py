"""The tests' own databases: one that a test has used is like a new one to the next."""

from sqlalchemy import text

from server import db
from tests.server.databases import Databases, PostgresqlServer

ROWS = "SELECT slug, title FROM tag ORDER BY slug"
USES = (
    "INSERT INTO tag (slug, title) VALUES ('new', 'New')",
    "UPDATE tag SET title = 'Another'",
    "DELETE FROM tag",
    "TRUNCATE tag",
    "ALTER TABLE tag ADD COLUMN more text",
    "DROP TABLE tag",
    "CREATE TABLE more (id integer)",
)


def test_what_a_test_did_to_a_database_is_not_met_by_the_next(postgresql: Databases) -> None:
    assert isinstance(postgresql, PostgresqlServer)
    kept = postgresql.migrated()
    engine = db.open_engine(kept)
    with db.connect_to_write(engine) as connection, connection.begin():
        connection.execute(text("CREATE TABLE tag (id serial PRIMARY KEY, slug text, title text)"))
        connection.execute(text("INSERT INTO tag (slug, title) VALUES ('a', 'A\tone'), ('b', NULL)"))
    engine.dispose()
    postgresql.keep(kept)
    used, left = set(), []
    for use in USES:
        left.append(db.open_engine(postgresql.copy(kept)))  # a test may leave connections open
        with db.connect_to_write(left[-1]) as connection, connection.begin():
            assert connection.execute(text(ROWS)).all() == [("a", "A\tone"), ("b", None)], use
            assert connection.scalar(text("SELECT count(*) FROM pg_tables WHERE tablename = 'more'")) == 0
            assert connection.scalar(text("SELECT nextval('tag_id_seq')")) == 3
            used.add(connection.scalar(text("SELECT current_database()")))
            connection.execute(text(use))
        postgresql.drop_all()
    for engine in left:
        engine.dispose()
    assert len(used) == (4 if postgresql.puts_back else len(USES)), (
        "put back where rows were changed, and made anew where a table was"
    )
