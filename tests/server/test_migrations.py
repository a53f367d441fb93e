import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, inspect, text
from sqlalchemy.exc import IntegrityError

from server import db, migrate
from server.paths import beside
from tests.server.databases import Databases

VERSIONS = sorted(beside("migrations").glob("versions/[0-9]*.py"))


@pytest.fixture
def engine(databases: Databases) -> Iterator[Engine]:
    engine = db.open_engine(databases.empty())
    yield engine
    engine.dispose()


def schema_of(engine: Engine) -> dict[str, object]:
    """The tables with all that the database itself says of them."""
    if engine.dialect.name == "sqlite":
        with engine.connect() as connection:
            rows = connection.execute(text("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"))
            return {name: sql for name, sql in rows if name != "alembic_version"}
    seen = inspect(engine)
    asked = (
        seen.get_columns, seen.get_pk_constraint, seen.get_foreign_keys, seen.get_indexes,
        seen.get_unique_constraints, seen.get_check_constraints,
    )  # fmt: skip
    tables = [name for name in seen.get_table_names() if name != "alembic_version"]
    return {name: [repr(ask(name)) for ask in asked] for name in tables}


def assigned(path: Path, name: str) -> object:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [name]:
            return ast.literal_eval(node.value)
    raise AssertionError(f"{path.name} assigns no {name}")


def test_up_down_up_ends_where_up_did(engine: Engine) -> None:
    migrate.migrate(engine)
    first = schema_of(engine)
    assert {"account", "task", "submission", "release", "audit_entry"} <= set(first)

    migrate.migrate(engine, "base")
    assert schema_of(engine) == {}
    migrate.migrate(engine)
    assert schema_of(engine) == first


@pytest.mark.parametrize("path", VERSIONS, ids=lambda path: path.stem)
def test_each_step_can_be_taken_back(engine: Engine, path: Path) -> None:
    before = assigned(path, "down_revision")
    if before is not None:
        migrate.migrate(engine, str(before))
    schema = schema_of(engine)
    migrate.migrate(engine, path.stem)
    assert migrate.current_revision(engine) == path.stem
    assert schema_of(engine) != schema

    migrate.migrate(engine, "base" if before is None else str(before))
    assert migrate.current_revision(engine) == before
    assert schema_of(engine) == schema


def test_models_say_nothing_that_the_migrations_do_not(engine: Engine) -> None:
    migrate.migrate(engine)
    migrate.check(engine)


def test_the_check_sees_a_column_that_the_migrations_lack(engine: Engine) -> None:
    migrate.migrate(engine)
    with engine.begin() as connection:
        connection.execute(text("ALTER TABLE score DROP COLUMN signature"))
    with pytest.raises(Exception, match="signature"):
        migrate.check(engine)


def test_a_new_database_has_no_revision_and_a_migrated_one_the_newest(engine: Engine) -> None:
    assert migrate.current_revision(engine) is None
    migrate.migrate(engine)
    assert migrate.current_revision(engine) == migrate.head_revision() == VERSIONS[-1].stem


def test_migrating_twice_changes_nothing(engine: Engine) -> None:
    migrate.migrate(engine)
    schema = schema_of(engine)
    migrate.migrate(engine)
    assert schema_of(engine) == schema


def test_a_failing_migration_leaves_the_database_as_it_was(engine: Engine) -> None:
    migrate.migrate(engine, "0005_create_releases")
    with engine.begin() as connection:  # so that the next migration cannot make its table
        connection.execute(text("CREATE TABLE audit_entry (number INTEGER)"))
    schema = schema_of(engine)
    with pytest.raises(Exception, match="audit_entry"):
        migrate.migrate(engine)
    assert migrate.current_revision(engine) == "0005_create_releases"
    assert schema_of(engine) == schema


def test_terms_that_were_there_become_their_first_version(engine: Engine) -> None:
    migrate.migrate(engine, "0007_add_sign_ins")
    insert = text(
        "INSERT INTO task (id, slug, title, description, terms, licence, scale_min, scale_max, labels, "
        "board_rules, created_at) VALUES (:id, :slug, '', '', :terms, '', 0, 4, '[]', '{}', '2026-03-01')"
    )
    with engine.begin() as connection:
        connection.execute(insert, {"id": 1, "slug": "with", "terms": "Be kind."})
        connection.execute(insert, {"id": 2, "slug": "without", "terms": None})
    migrate.migrate(engine)
    with engine.connect() as connection:
        versions = connection.execute(text("SELECT task_id, number, text FROM terms_version")).all()
        assert [tuple(row) for row in versions] == [(1, 1, "Be kind.")]
        assert connection.scalars(text("SELECT oov FROM task")).all() == ["mean", "mean"]


def test_names_are_numbered_and_are_the_revisions() -> None:
    numbers = [int(path.name.split("_")[0]) for path in VERSIONS]
    assert numbers == list(range(1, len(VERSIONS) + 1))
    for path in VERSIONS:
        assert assigned(path, "revision") == path.stem
        assert len(path.stem) <= 32


def test_history_is_one_line() -> None:
    before = [None, *(path.stem for path in VERSIONS[:-1])]
    assert [assigned(path, "down_revision") for path in VERSIONS] == before


def test_head_names_the_newest_so_that_two_branches_conflict_in_git(engine: Engine) -> None:
    head = beside("migrations") / "HEAD"
    migrate.migrate(engine)
    migrate.check(engine)  # looks, and writes nothing
    assert head.read_text(encoding="utf-8") == VERSIONS[-1].stem + "\n"


@pytest.mark.parametrize("path", VERSIONS, ids=lambda path: path.stem)
def test_a_migration_stands_alone(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
    assert imported <= {"sqlalchemy", "alembic"}


def test_foreign_keys_hold(engine: Engine) -> None:
    migrate.migrate(engine)
    assert inspect(engine).get_foreign_keys("submission")
    with engine.begin() as connection, pytest.raises(IntegrityError, match=r"(?i)foreign key"):
        connection.execute(text("INSERT INTO membership VALUES (1, 1, 1, '2026-01-01')"))
