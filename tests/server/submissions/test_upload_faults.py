"""A fault at any step of an upload costs nothing, and leaves nothing in the database."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Connection, event

from server.backups import sweeps
from server.core import db
from server.core.storage import Storage
from tests.server.small_task import GOOD
from tests.server.world import World

pytestmark = pytest.mark.both_databases


class Fault(Exception):
    """A full disk, a lost connection."""


@contextmanager
def failing(world: World, at: int | None) -> Iterator[list[str]]:
    """Fails before the statement of this number, and counts them; one past the last is the commit."""
    asked: list[str] = []

    def note(_connection: object, _cursor: object, statement: str, *_others: object) -> None:
        step(statement)

    def step(statement: str) -> None:
        asked.append(statement)
        if len(asked) - 1 == at:
            raise Fault

    def before_commit(connection: Connection) -> None:
        if db.WRITE_OPTION in connection.get_execution_options():
            step("COMMIT")

    engine = world.site.engine
    event.listen(engine, "before_cursor_execute", note)
    event.listen(engine, "commit", before_commit)
    try:
        yield asked
    finally:
        event.remove(engine, "before_cursor_execute", note)
        event.remove(engine, "commit", before_commit)


def rows(world: World) -> dict[str, list[tuple[object, ...]]]:
    world.site.session.remove()
    with world.site.engine.connect() as connection:
        return {
            table.name: sorted((tuple(row) for row in connection.execute(table.select())), key=repr)
            for table in db.Base.metadata.sorted_tables
        }


def test_failure_at_any_statement_in_the_store_or_at_commit_leaves_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    with db.writing(world.session):
        world.phase().files_per_level = world.phase().files_per_day = 1
    path = f"/tasks/small/runs/{world.run().id}/p2s/upload"
    bo = world.client("bo")
    token = bo.token()
    world.app.config["PROPAGATE_EXCEPTIONS"] = False
    before = rows(world)

    def send() -> int:
        return bo.upload(path, GOOD, csrf_token=token).status_code

    monkeypatch.setattr(bo, "token", lambda: token)
    put = Storage.put
    for broken in (fail, lambda storage, data: (put(storage, data), fail())):
        with monkeypatch.context() as patch:
            patch.setattr(Storage, "put", broken)
            assert send() == 500
        assert rows(world) == before
    step, statements = 0, 1
    while step < statements:
        with failing(world, step) as asked:
            assert send() == 500, asked[-1]
        assert rows(world) == before, asked[-1]
        step, statements = step + 1, max(statements, len(asked) + 1)
        if asked[-1] == "COMMIT":
            break
    written = ("submission", "score", "standing", "audit_entry", "job")
    seen = "\n".join(asked)
    assert [table for table in written if f"INSERT INTO {table}" not in seen] == []

    (orphan,) = sweeps.find_orphaned_files(world.session, datetime.now(UTC) + timedelta(hours=1))
    assert world.storage.get(orphan.name) == GOOD
    world.session.rollback()
    assert sweeps.remove_orphaned_files(world.session, datetime.now(UTC) + timedelta(hours=1)) == [orphan]
    assert send() == 302
    assert send() == 302  # the very file that counts
    assert bo.upload(path, b" " + GOOD, csrf_token=token).status_code == 409


def fail(*_arguments: object) -> None:
    raise Fault
