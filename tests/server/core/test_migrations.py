import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import JSON, Engine, column, inspect, select, table, text
from sqlalchemy.exc import IntegrityError

from server.core import db, migrate
from server.core.config import find_package_folder
from tests.server.databases import Databases

pytestmark = pytest.mark.both_databases

VERSIONS = sorted(find_package_folder("migrations").glob("versions/[0-9]*.py"))


@pytest.fixture
def engine(databases: Databases) -> Iterator[Engine]:
    engine = db.open_engine(databases.empty())
    yield engine
    engine.dispose()


@pytest.fixture
def migrated(databases: Databases) -> Iterator[Engine]:
    engine = db.open_engine(databases.migrated())
    yield engine
    engine.dispose()


def schema_of(engine: Engine) -> dict[str, object]:
    """The tables with all that the database itself says of them; a column put back comes last."""
    seen = inspect(engine)
    asked = (
        seen.get_multi_columns, seen.get_multi_pk_constraint, seen.get_multi_foreign_keys,
        seen.get_multi_indexes, seen.get_multi_unique_constraints, seen.get_multi_check_constraints,
    )  # fmt: skip
    schema_parts = [ask() for ask in asked]
    tables = [name for name in seen.get_table_names() if name != "alembic_version"]
    return {name: [ordered(of_all[None, name]) for of_all in schema_parts] for name in tables}


def ordered(found: object) -> list[str]:
    return sorted(map(in_words, found)) if isinstance(found, list) else [in_words(found)]


def in_words(found: object) -> str:
    """A description as text; the condition of a partial index by its words, not as an object."""
    if isinstance(found, dict) and found.get("dialect_options"):
        options = {name: str(option) for name, option in found["dialect_options"].items()}
        found = {**found, "dialect_options": options}
    return repr(found)


def assigned(path: Path, name: str) -> object:
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == [name]:
            return ast.literal_eval(node.value)
    raise AssertionError(f"{path.name} assigns no {name}")


def test_each_migration_can_be_reverted(engine: Engine) -> None:
    """All are made one after the other, reverted one after the other, and made again."""
    schemas: dict[str | None, dict[str, object]] = {None: schema_of(engine)}
    assert (schemas[None], migrate.current_revision(engine)) == ({}, None)
    for path in VERSIONS:
        assert assigned(path, "down_revision") == [*schemas][-1], path.stem
        migrate.migrate(engine, path.stem)
        schemas[path.stem] = schema_of(engine)
    for revision in [*schemas][-2::-1]:
        migrate.migrate(engine, revision or "base")
        assert migrate.current_revision(engine) == revision
        assert schema_of(engine) == schemas[revision], revision
    migrate.migrate(engine)
    assert migrate.current_revision(engine) == migrate.head_revision() == VERSIONS[-1].stem
    assert schema_of(engine) == schemas[VERSIONS[-1].stem]


def test_models_match_the_migrations(migrated: Engine) -> None:
    migrate.check(migrated)


def test_check_detects_a_column_missing_from_the_migrations(migrated: Engine) -> None:
    with db.connect_to_write(migrated) as connection, connection.begin():
        connection.execute(text("ALTER TABLE score DROP COLUMN signature"))
    with pytest.raises(Exception, match="signature"):
        migrate.check(migrated)


def test_migrating_twice_changes_nothing(migrated: Engine) -> None:
    schema = schema_of(migrated)
    migrate.migrate(migrated)
    assert schema_of(migrated) == schema


def test_failing_migration_leaves_the_database_unchanged(engine: Engine) -> None:
    """The migration cannot create its last table, because there is one."""
    tables = re.findall(r'create_table\(\s*"(\w+)"', VERSIONS[0].read_text("utf-8"))
    with db.connect_to_write(engine) as connection, connection.begin():
        connection.execute(text(f"CREATE TABLE {tables[-1]} (number INTEGER)"))
    schema = schema_of(engine)
    with pytest.raises(Exception, match=tables[-1]):
        migrate.migrate(engine)
    assert migrate.current_revision(engine) is None
    assert schema_of(engine) == schema


LONG = {"release": ["files", "named_board", "board"], "inference": ["inputs", "genres", "text"]}


def test_long_texts_stand_behind_the_other_columns_because_sqlite_reads_through_them(
    migrated: Engine,
) -> None:
    for name, long in LONG.items():
        assert [column["name"] for column in inspect(migrated).get_columns(name)][-3:] == long


def test_migration_that_breaks_a_foreign_key_is_rejected(
    migrated: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite's foreign keys are off while tables are rebuilt; they are checked before the commit."""
    upgrade, older = command.upgrade, VERSIONS[-2].stem
    migrate.migrate(migrated, older)

    def upgrade_and_stray(config: Config, revision: str) -> None:
        upgrade(config, revision)
        stray = "INSERT INTO membership VALUES (1, 1, 1, '2026-01-01')"
        config.attributes["connection"].execute(text(stray))

    monkeypatch.setattr(command, "upgrade", upgrade_and_stray)
    with pytest.raises(Exception, match=r"refer to rows that are not there, in membership|foreign key"):
        migrate.migrate(migrated)
    assert migrate.current_revision(migrated) == older


def test_migration_file_names_are_numbered_and_match_revisions() -> None:
    numbers = [int(path.name.split("_")[0]) for path in VERSIONS]
    assert numbers == list(range(1, len(VERSIONS) + 1))
    for path in VERSIONS:
        assert assigned(path, "revision") == path.stem
        assert len(path.stem) <= 32


def test_migration_history_is_linear() -> None:
    before = [None, *(path.stem for path in VERSIONS[:-1])]
    assert [assigned(path, "down_revision") for path in VERSIONS] == before


def test_head_file_names_the_newest_so_that_two_branches_conflict_in_git(migrated: Engine) -> None:
    head = find_package_folder("migrations") / "HEAD"
    migrate.check(migrated)  # looks, and writes nothing
    assert head.read_text(encoding="utf-8") == VERSIONS[-1].stem + "\n"


@pytest.mark.parametrize("path", VERSIONS, ids=lambda path: path.stem)
def test_migrations_do_not_import_the_application(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
    assert imported <= {"sqlalchemy", "alembic", "importlib", "secrets"}


def test_foreign_keys_hold(migrated: Engine) -> None:
    assert inspect(migrated).get_foreign_keys("submission")
    with (
        db.connect_to_write(migrated) as connection,
        connection.begin(),
        pytest.raises(IntegrityError, match=r"(?i)foreign key"),
    ):
        connection.execute(text("INSERT INTO membership VALUES (1, 1, 1, '2026-01-01')"))


def test_mean_over_the_levels_entered_becomes_one_over_all_levels(engine: Engine) -> None:
    migrate.migrate(engine, "0003_never_reuse_ids")
    rules = {name: {"total": name, "total_needs": "entered", "enter_at_least": 1} for name in ("sum", "mean")}
    columns = (
        "slug, title, description, licence, labels, metrics, board_rules, registration, created_at, state"
    )
    others = "'', '', '[]', '[\"pearson\"]', :rules, 'open', '2026-03-10', 'draft'"
    insert = text(f"INSERT INTO task ({columns}) VALUES (:name, :name, {others})")  # noqa: S608  (own words)
    with db.connect_to_write(engine) as connection, connection.begin():
        for name, values in rules.items():
            connection.execute(insert, {"name": name, "rules": json.dumps(values)})
    migrate.migrate(engine)
    with db.connect_to_write(engine) as connection, connection.begin():
        found = dict(
            connection.execute(
                select(column("slug"), column("board_rules", JSON)).select_from(table("task"))
            ).all()
        )
    assert found == {"sum": rules["sum"], "mean": rules["mean"] | {"total_needs": "all"}}
