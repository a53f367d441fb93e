"""What both databases promise: one writer at a time, and readers that see a snapshot and never wait."""

import json
import sys
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from sqlalchemy import JSON, Engine, make_url, text
from sqlalchemy.exc import DataError, IntegrityError, InternalError, OperationalError
from sqlalchemy.orm import Session, sessionmaker

from server.audit import service as audit
from server.audit.models import AuditEntry
from server.core import db, postgresql as postgresql_connections
from server.core.actors import CONSOLE
from server.core.config import ConfigError
from server.tasks.models import Task
from tests.server.databases import Databases, frozen_backend
from tests.server.jobs.test_worker import wait_for
from tests.server.world import DURING, World

pytestmark = pytest.mark.both_databases

AT = datetime(2026, 3, 10, tzinfo=UTC)


@pytest.fixture
def engine(databases: Databases) -> Iterator[Engine]:
    engine = db.open_engine(databases.migrated())
    yield engine
    engine.dispose()


@pytest.fixture
def on_postgresql(postgresql: Databases) -> Iterator[Engine]:
    engine = db.open_engine(postgresql.migrated())
    yield engine
    engine.dispose()
    postgresql.drop_all()


def entries(session: Session) -> int:
    return session.query(AuditEntry).count()


def test_many_parallel_writers_append_to_one_chain(engine: Engine) -> None:
    """A chain that two of them forked would break its unique number, or its hash."""
    faults: list[BaseException] = []

    def write() -> None:
        try:
            for _ in range(5):
                with Session(engine) as session, db.writing(session):
                    audit.record(session, CONSOLE, AT, "test")
        except BaseException as fault:
            faults.append(fault)

    threads = [threading.Thread(target=write) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert faults == []
    with Session(engine) as session:
        chain = session.query(AuditEntry).order_by(AuditEntry.number).all()
    assert [entry.number for entry in chain] == list(range(1, 41))
    assert [entry.previous for entry in chain] == [audit.GENESIS, *(entry.sha256 for entry in chain[:-1])]


def test_reader_sees_a_snapshot_and_does_not_wait_for_a_writer(engine: Engine) -> None:
    with Session(engine) as reader, Session(engine) as writer:
        assert entries(reader) == 0
        db.begin_writing(writer)
        audit.record(writer, CONSOLE, AT, "test")
        assert entries(reader) == 0
        writer.commit()
        assert entries(reader) == 0  # still the instant at which it began
        reader.rollback()
        assert entries(reader) == 1


def test_writer_waits_for_the_previous_writer_and_sees_its_changes(engine: Engine) -> None:
    began, seen = threading.Event(), []

    def second() -> None:
        with Session(engine) as session:
            assert entries(session) == 0
            began.set()
            with db.writing(session):
                seen.append(entries(session))

    with Session(engine) as first:
        db.begin_writing(first)
        audit.record(first, CONSOLE, AT, "test")
        thread = threading.Thread(target=second)
        thread.start()
        assert began.wait(60)
        thread.join(timeout=0.2)
        assert seen == []
        first.commit()
    thread.join(timeout=60)
    assert seen == [1]


def test_connection_that_wrote_does_not_block_writers_when_it_reads_next(engine: Engine) -> None:
    with Session(engine) as session:
        with db.writing(session):
            audit.record(session, CONSOLE, AT, "test")
        assert entries(session) == 1
        with Session(engine) as other, db.writing(other):
            audit.record(other, CONSOLE, AT, "test")
        session.rollback()
        assert entries(session) == 2


def test_failed_transaction_is_rolled_back_and_does_not_block_the_next_writer(engine: Engine) -> None:
    with Session(engine) as session:
        with pytest.raises(IntegrityError, match="audit_entry"), db.writing(session):
            session.add_all([audit.record(session, CONSOLE, AT, "test"), AuditEntry(number=1)])
        with db.writing(session):
            assert entries(session) == 0
            audit.record(session, CONSOLE, AT, "test")
        assert entries(session) == 1


def test_read_transaction_cannot_write(world: World) -> None:
    session = world.session
    title = world.task.title
    world.task.title = "another"
    with pytest.raises(RuntimeError, match=r"use db\.writing"):
        session.flush()
    session.rollback()
    with db.writing(session):
        audit.record(session, CONSOLE, DURING, "test")
    assert session.query(Task).one().title == title


def test_transaction_on_postgresql_reads_one_snapshot_unless_it_writes(on_postgresql: Engine) -> None:
    settings = text(
        "SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only')"
    )
    with Session(on_postgresql) as session:
        assert session.execute(settings).one() == ("repeatable read", "on")
        with db.writing(session):
            assert session.execute(settings).one() == ("read committed", "off")
        with db.reading(session):
            assert session.execute(settings).one() == ("repeatable read", "on")


def test_connection_closed_by_the_server_is_replaced(on_postgresql: Engine) -> None:
    make = sessionmaker(on_postgresql)
    with make() as session:
        pid = session.scalar(text("SELECT pg_backend_pid()"))
    killer = db.open_engine(on_postgresql.url.render_as_string(hide_password=False))
    with killer.connect() as connection:
        connection.execute(text(f"SELECT pg_terminate_backend({pid}, 5000)"))
    killer.dispose()
    with make() as session:
        assert entries(session) == 0


def test_server_notices_that_a_host_with_the_write_lock_is_gone(on_postgresql: Engine) -> None:
    given = text("SELECT name, reset_val FROM pg_settings WHERE name LIKE 'tcp_%' AND source = 'client'")
    with on_postgresql.connect() as connection:
        assert {row.name for row in connection.execute(given)} == {
            "tcp_keepalives_idle",
            "tcp_keepalives_interval",
            "tcp_user_timeout",
        }
    address = make_url("postgresql://ada@db.example.org/assay?options=-cgeqo%3Doff&keepalives_idle=60")
    options = db.connect_options(address)
    assert (options["options"], options["keepalives_idle"]) == ("-cgeqo=off", "60"), "what the address says"
    assert options["tcp_user_timeout"] == "10000"


def test_plans_prefer_indexes_as_for_a_disk_that_does_not_turn(on_postgresql: Engine) -> None:
    with on_postgresql.connect() as connection:
        assert connection.scalar(text("SHOW random_page_cost")) == "1.1"


@pytest.fixture
def impatient(on_postgresql: Engine, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    monkeypatch.setattr(postgresql_connections, "STATEMENT_SECONDS", 0.5)
    engine = db.open_engine(on_postgresql.url.render_as_string(hide_password=False), impatient=True)
    yield engine
    engine.dispose()


def test_statement_that_takes_too_long_is_cancelled(impatient: Engine, on_postgresql: Engine) -> None:
    with Session(impatient) as session:
        pid = session.scalar(text("SELECT pg_backend_pid()"))
        with pytest.raises(OperationalError):
            session.execute(text("SELECT pg_sleep(60)"))
    query = text("SELECT count(*) FROM pg_stat_activity WHERE pid = :pid AND state = 'active'")
    with on_postgresql.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        wait_for(lambda: connection.scalar(query, {"pid": pid}) == 0)


def test_statement_of_a_server_that_is_frozen_fails_and_the_connection_is_replaced(impatient: Engine) -> None:
    with Session(impatient) as session:
        with frozen_backend(session.scalar(text("SELECT pg_backend_pid()"))):
            start = time.monotonic()
            with pytest.raises(OperationalError):
                entries(session)
            assert 0.5 <= time.monotonic() - start < 5
        session.rollback()
        assert entries(session) == 0


def test_postgresql_without_its_driver_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ConfigError, match=r"pip install 'assay\[cluster\]'"):
        db.open_engine("postgresql://u@h/n")


@pytest.mark.parametrize("url", ["postgres://u@h/n", "postgresql://u@h/n", "postgresql+psycopg://u@h/n"])
def test_usual_postgresql_urls_are_accepted(url: str) -> None:
    assert db.open_engine(url).url.drivername == "postgresql+psycopg"


@pytest.mark.parametrize(
    "url", ["nonsense", "", "mysql://u@h/n", "sqlite+aiosqlite:///x", "postgresql://h:x/n"]
)
def test_other_database_urls_are_rejected_without_printing_the_password(url: str) -> None:
    with pytest.raises(ConfigError, match=r"must be sqlite:///FILE or postgresql://USER@HOST/NAME"):
        db.open_engine(url)


@pytest.mark.parametrize("value", [None, [], {"a": [1, 2.5, "ü\n", None, True]}, "text", 7])
def test_json_column_returns_the_stored_value(engine: Engine, value: object) -> None:
    written = json.dumps(value)
    for given in (written, f" {written}\n", f"{written} {{}}"):
        of = "CAST(:given AS json)" if engine.dialect.name == "postgresql" else ":given"
        query = text(f"SELECT {of} AS value").bindparams(given=given).columns(value=JSON())
        with engine.connect() as connection:
            if given.endswith("{}"):
                with pytest.raises((ValueError, DataError)):
                    connection.scalar(query)
            else:
                assert connection.scalar(query) == value


def test_postgresql_read_transaction_cannot_write_and_ends_on_failure(on_postgresql: Engine) -> None:
    with sessionmaker(on_postgresql)() as session:
        with pytest.raises(InternalError, match="read-only transaction"), db.reading(session):
            session.execute(text("CREATE TABLE own (id int)"))
        assert entries(session) == 0
        with pytest.raises(InternalError, match="read-only transaction"):
            session.execute(text("DELETE FROM audit_entry"))
        with db.writing(session):
            audit.record(session, CONSOLE, AT, "test")
        assert entries(session) == 1


def test_postgresql_prepared_statements_survive_the_end_of_read_transactions(
    on_postgresql: Engine,
) -> None:
    """psycopg prepares what a connection has executed five times, and forgets it at a rollback."""
    prepared = text("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%audit_entry%'")
    with sessionmaker(on_postgresql)() as session:
        for _ in range(7):
            with db.reading(session):
                entries(session)
        with db.writing(session):
            assert session.scalar(prepared) == 1
        session.rollback()
        session.execute(text("SELECT 1"))
        session.rollback()
        assert session.scalar(prepared) == 0


def test_changes_outside_a_write_transaction_are_discarded(engine: Engine) -> None:
    with sessionmaker(engine)() as session:
        with db.writing(session):
            audit.record(session, CONSOLE, AT, "test")
        if engine.dialect.name == "sqlite":  # PostgreSQL refuses it at once
            session.execute(text("DELETE FROM audit_entry"))
        session.add(Task())
        db.end_reading(session)
        assert not session.new
        assert entries(session) == 1


def test_memoized_results_last_for_one_read_transaction(world: World) -> None:
    session = world.session
    with db.reading(session):
        session.begin()
        db.transaction_cache(session)["asked",] = 1
        assert db.transaction_cache(session) == {("asked",): 1}
    assert db.transaction_cache(session) == {}
    with db.writing(session):
        db.transaction_cache(session)["asked",] = 1
        assert db.transaction_cache(session) == {}
