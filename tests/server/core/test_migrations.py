import ast
import re
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import Engine, MetaData, inspect, text
from sqlalchemy.exc import IntegrityError

from server.core import db, migrate
from server.core.config import find_package_folder
from tests.server.databases import Databases

VERSIONS = sorted(find_package_folder("migrations").glob("versions/[0-9]*.py"))


OF_ORDER = {"0026_put_long_texts_last"}
"""Steps that change nothing but the order of columns."""


@pytest.fixture
def engine(databases: Databases) -> Iterator[Engine]:
    engine = db.open_engine(databases.empty())
    yield engine
    engine.dispose()


def schema_of(engine: Engine) -> dict[str, object]:
    """The tables with all that the database itself says of them; a column put back comes last."""
    seen = inspect(engine)
    asked = (
        seen.get_multi_columns, seen.get_multi_pk_constraint, seen.get_multi_foreign_keys,
        seen.get_multi_indexes, seen.get_multi_unique_constraints, seen.get_multi_check_constraints,
    )  # fmt: skip
    told = [ask() for ask in asked]
    tables = [name for name in seen.get_table_names() if name != "alembic_version"]
    return {name: [ordered(of_all[None, name]) for of_all in told] for name in tables}


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


def test_upgrade_downgrade_upgrade_gives_the_same_schema(engine: Engine) -> None:
    migrate.migrate(engine)
    first = schema_of(engine)
    assert {"account", "task", "submission", "release", "audit_entry"} <= set(first)

    migrate.migrate(engine, "base")
    assert schema_of(engine) == {}
    migrate.migrate(engine)
    assert schema_of(engine) == first


def test_each_migration_can_be_reverted(engine: Engine) -> None:
    """One after the other, each from where the one before it ended."""
    schema, before = schema_of(engine), None
    for path in VERSIONS:
        assert assigned(path, "down_revision") == before, path.stem
        migrate.migrate(engine, path.stem)
        assert migrate.current_revision(engine) == path.stem
        changed = schema_of(engine)
        assert (changed == schema) == (path.stem in OF_ORDER), path.stem

        migrate.migrate(engine, before or "base")
        assert migrate.current_revision(engine) == before, path.stem
        assert schema_of(engine) == schema, path.stem
        migrate.migrate(engine, path.stem)
        schema, before = changed, path.stem


def test_models_match_the_migrations(engine: Engine) -> None:
    migrate.migrate(engine)
    migrate.check(engine)


def test_check_detects_a_column_missing_from_the_migrations(engine: Engine) -> None:
    migrate.migrate(engine)
    with db.connect_to_write(engine) as connection, connection.begin():
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


def test_failing_migration_leaves_the_database_unchanged(engine: Engine) -> None:
    upgrades = [(path, path.read_text("utf-8").split("def downgrade")[0]) for path in VERSIONS]
    made = [(path, re.findall(r'create_table\(\s*"(\w+)"', words)) for path, words in upgrades]
    at, (path, tables) = [(at, found) for at, found in enumerate(made) if found[1]][-1]
    migrate.migrate(engine, VERSIONS[at - 1].stem)
    with (
        db.connect_to_write(engine) as connection,
        connection.begin(),
    ):  # so that the migration cannot make its last table
        connection.execute(text(f"CREATE TABLE {tables[-1]} (number INTEGER)"))
    schema = schema_of(engine)
    with pytest.raises(Exception, match=tables[-1]):
        migrate.migrate(engine, path.stem)
    assert migrate.current_revision(engine) == VERSIONS[at - 1].stem
    assert schema_of(engine) == schema


def test_existing_terms_become_their_first_version(engine: Engine) -> None:
    migrate.migrate(engine, "0007_add_sign_ins")
    insert = text(
        "INSERT INTO task (id, slug, title, description, terms, licence, scale_min, scale_max, labels, "
        "board_rules, created_at) VALUES (:id, :slug, '', '', :terms, '', 0, 4, '[]', '{}', '2026-03-01')"
    )
    with db.connect_to_write(engine) as connection, connection.begin():
        connection.execute(insert, {"id": 1, "slug": "with", "terms": "Be kind."})
        connection.execute(insert, {"id": 2, "slug": "without", "terms": None})
    migrate.migrate(engine)
    with engine.connect() as connection:
        versions = connection.execute(text("SELECT task_id, number, text FROM terms_version")).all()
        assert [tuple(row) for row in versions] == [(1, 1, "Be kind.")]
        assert connection.scalars(text("SELECT oov FROM task")).all() == ["mean", "mean"]


BEFORE_TEAMS = "0008_create_histories"
ACCOUNT = (
    "INSERT INTO account (id, email, name, password, active, fs_uniquifier, created_at) "
    "VALUES (1, 'ada@example.org', 'ada', 'x', true, 'x', '2026-03-01')"
)
TASK = (
    "INSERT INTO task (id, slug, title, description, licence, scale_min, scale_max, labels, board_rules, "
    "created_at) VALUES (1, 'small', '', '', '', 0, 4, '[]', '{}', '2026-03-01')"
)


def test_existing_teams_and_organizers_survive_upgrade_and_downgrade(engine: Engine) -> None:
    """The permanent links are removed; reverting the migration generates new, unknown ones."""

    def run(*statements: str) -> None:
        with db.connect_to_write(engine) as connection, connection.begin():
            for statement in statements:
                connection.execute(text(statement))

    def ask(statement: str) -> list[tuple[object, ...]]:
        with engine.connect() as connection:
            return [tuple(row) for row in connection.execute(text(statement))]

    migrate.migrate(engine, BEFORE_TEAMS)
    team = "INSERT INTO team (id, task_id, name, name_key, captain_id, invitation, created_at) VALUES "
    run(ACCOUNT, TASK, "INSERT INTO organizer VALUES (1, 1, '2026-03-01')")
    run(*(f"{team} ({n}, 1, 'birch {n}', 'birch {n}', 1, 'link {n}', '2026-03-01')" for n in (1, 2)))
    run("INSERT INTO membership VALUES (1, 1, 2, '2026-03-01')")

    migrate.migrate(engine)
    assert ask("SELECT task_id, user_id, role, ended_at FROM task_role") == [(1, 1, "organizer", None)]
    teams = ask("SELECT id, name, captain_id, state, affiliations, reason FROM team ORDER BY id")
    assert teams == [(n, f"birch {n}", 1, "approved", "", None) for n in (1, 2)]
    assert ask("SELECT team_id FROM membership") == [(2,)]
    assert ask("SELECT team_size, registration FROM task") == [(None, "open")]
    with pytest.raises(IntegrityError, match=r"(?i)foreign key"):
        run("INSERT INTO membership VALUES (1, 2, 1, '2026-01-01')")

    run("UPDATE task_role SET ended_at = '2026-03-02'")
    migrate.migrate(engine, BEFORE_TEAMS)
    assert ask("SELECT task_id, user_id FROM organizer") == []
    links = {link for (link,) in ask("SELECT invitation FROM team")}
    assert len(links) == 2
    assert min(len(str(link)) for link in links) >= 32
    with pytest.raises(IntegrityError, match=r"(?i)null"):
        run("UPDATE team SET invitation = NULL")


BEFORE_GATHERED = "0023_find_waiting_jobs"
BEFORE_LONG_LAST = "0025_count_files_by_index"
ANY = {int: 1, str: "x", bool: True, float: 0.0, object: {}, datetime: datetime(2026, 3, 1)}  # noqa: DTZ001  (as stored)
"""A value of each type, for columns that must have one."""


def put(engine: Engine, name: str, **values: object) -> None:
    """A row, with something in each column that must have it."""
    known = MetaData()
    known.reflect(engine, only=[name])
    needed = {one.name: ANY[one.type.python_type] for one in known.tables[name].c if not one.nullable}
    with db.connect_to_write(engine) as connection, connection.begin():
        connection.execute(known.tables[name].insert(), {**needed, **values})


def ask(engine: Engine, statement: str) -> list[tuple[object, ...]]:
    with engine.connect() as connection:
        return [tuple(row) for row in connection.execute(text(statement))]


def test_receipts_of_emails_survive_upgrade_and_downgrade(engine: Engine) -> None:
    """A mail names them; taking the step back, one with several keeps the first."""

    migrate.migrate(engine, BEFORE_GATHERED)
    for name in ("account", "task", "level", "phase", "team", "run"):
        put(engine, name)
    for number in (1, 11, 111):
        put(engine, "submission", id=number)
        put(engine, "receipt", submission_id=number, text=f"signed {number}")
    put(engine, "mail", id=1, attachment_name="receipt-11.json", attachment="signed 11")
    put(engine, "mail", id=2)
    put(engine, "mail", id=3, attachment_name="receipt-1.json", attachment="signed 1")

    migrate.migrate(engine)
    assert ask(engine, "SELECT mail_id, submission_id FROM mail_receipt ORDER BY mail_id") == [
        (1, 11),
        (3, 1),
    ]
    with pytest.raises(IntegrityError, match=r"(?i)unique"):
        put(engine, "mail_receipt", mail_id=2, submission_id=11)
    put(engine, "mail_receipt", mail_id=1, submission_id=111)

    migrate.migrate(engine, BEFORE_GATHERED)
    assert ask(engine, "SELECT id, attachment_name, attachment FROM mail ORDER BY id") == [
        (1, "receipt-11.json", "signed 11"),
        (2, None, None),
        (3, "receipt-1.json", "signed 1"),
    ]


LONG = {"release": ["files", "named_board", "board"], "inference": ["inputs", "genres", "text"]}
"""What stands last in a row, of that which has many characters."""


def test_rows_keep_their_values_when_long_text_columns_move_last(engine: Engine) -> None:
    def look_at(name: str) -> tuple[list[str], list[dict[str, object]]]:
        """The columns in their order, and the rows."""
        known = MetaData()
        known.reflect(engine, only=[name])
        with engine.connect() as connection:
            rows = connection.execute(known.tables[name].select()).mappings()
            return known.tables[name].c.keys(), [dict(row) for row in rows]

    migrate.migrate(engine, BEFORE_LONG_LAST)
    for name in ("account", "task", "phase"):
        put(engine, name)
    values = {"board": "b" * 9000, "sha256": "s", "note": "n", "named_board": "d", "named_sha256": "e"}
    put(engine, "release", id=7, number=3, **values)
    put(engine, "inference", id=8, release_id=7, text="t" * 9000, made_at=ANY[datetime], genres="g")
    before = {name: look_at(name) for name in LONG}
    for revision in ("head", BEFORE_LONG_LAST, "head"):
        migrate.migrate(engine, revision)
        for name, long in LONG.items():
            columns, rows = look_at(name)
            moved = revision == "head" and engine.dialect.name == "sqlite"
            assert rows == before[name][1]
            assert (columns[-3:] == long) == moved
            assert moved or columns == before[name][0]


def test_migration_that_breaks_a_foreign_key_is_rejected(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite's foreign keys are off while tables are rebuilt; they are checked before the commit."""
    migrate.migrate(engine, BEFORE_TEAMS)
    upgrade = command.upgrade

    def upgrade_and_stray(config: Config, revision: str) -> None:
        upgrade(config, revision)
        stray = "INSERT INTO membership VALUES (1, 1, 1, '2026-01-01')"
        config.attributes["connection"].execute(text(stray))

    monkeypatch.setattr(command, "upgrade", upgrade_and_stray)
    with pytest.raises(Exception, match=r"refer to rows that are not there, in membership|foreign key"):
        migrate.migrate(engine)
    assert migrate.current_revision(engine) == BEFORE_TEAMS


def test_migration_file_names_are_numbered_and_match_revisions() -> None:
    numbers = [int(path.name.split("_")[0]) for path in VERSIONS]
    assert numbers == list(range(1, len(VERSIONS) + 1))
    for path in VERSIONS:
        assert assigned(path, "revision") == path.stem
        assert len(path.stem) <= 32


def test_migration_history_is_linear() -> None:
    before = [None, *(path.stem for path in VERSIONS[:-1])]
    assert [assigned(path, "down_revision") for path in VERSIONS] == before


def test_head_file_names_the_newest_so_that_two_branches_conflict_in_git(engine: Engine) -> None:
    head = find_package_folder("migrations") / "HEAD"
    migrate.migrate(engine)
    migrate.check(engine)  # looks, and writes nothing
    assert head.read_text(encoding="utf-8") == VERSIONS[-1].stem + "\n"


@pytest.mark.parametrize("path", VERSIONS, ids=lambda path: path.stem)
def test_migrations_do_not_import_the_application(path: Path) -> None:
    imported = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            imported.add(node.module or "")
    assert imported <= {"sqlalchemy", "alembic", "secrets"}


def test_foreign_keys_hold(engine: Engine) -> None:
    migrate.migrate(engine)
    assert inspect(engine).get_foreign_keys("submission")
    with (
        db.connect_to_write(engine) as connection,
        connection.begin(),
        pytest.raises(IntegrityError, match=r"(?i)foreign key"),
    ):
        connection.execute(text("INSERT INTO membership VALUES (1, 1, 1, '2026-01-01')"))
