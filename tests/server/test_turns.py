"""Turns of a database's writers: one at a time, whoever dies gives its own back, patience has an end."""

import subprocess
import sys
import threading
from pathlib import Path

import pytest

from server import db, turns
from server.models import Task
from server.turns import Turns
from tests.server.world import World

HOLDER = """
import sys, time
from pathlib import Path
from server.turns import Turns
Turns(Path(sys.argv[1])).take()
print("taken", flush=True)
time.sleep(60)
"""


def test_one_has_the_turn_and_the_others_wait_for_it(tmp_path: Path) -> None:
    first, second = Turns(tmp_path / "turns"), Turns(tmp_path / "turns")
    got: list[str] = []

    def wait(name: str, of: Turns) -> None:
        of.take()
        got.append(name)
        of.give()

    assert first.take()
    others = [threading.Thread(target=wait, args=one) for one in (("same", first), ("other", second))]
    for other in others:
        other.start()
    others[0].join(0.2)
    assert got == []
    first.give()
    for other in others:
        other.join(10)
    assert sorted(got) == ["other", "same"]


def test_a_process_that_is_killed_gives_its_turn_back(tmp_path: Path) -> None:
    path = tmp_path / "turns"
    with subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"taken\n"
        own, done = Turns(path), threading.Event()
        waiting = threading.Thread(target=lambda: (own.take(), done.set()))
        waiting.start()
        assert not done.wait(0.2)
        holder.kill()
        assert done.wait(10)
        own.give()


def test_whoever_waited_long_enough_goes_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "PATIENCE", 0.05)
    own = Turns(tmp_path / "turns")
    assert own.take()
    assert not own.take()
    own.give()
    assert own.take()
    own.give()


def test_a_turn_lasts_as_long_as_the_transaction_that_writes(world: World) -> None:
    if world.site.engine.dialect.name != "sqlite":
        pytest.skip("PostgreSQL has a lock of its own for this")
    kept = world.site.session.session_factory.kw["info"]["turns"]
    session = world.session

    def is_free() -> bool:
        return not kept._place.locked()

    with db.writing(session):
        assert not is_free()
        with session.begin_nested():
            session.get(Task, 1)
        assert not is_free(), "a savepoint is no end"
    assert is_free()
    with pytest.raises(ZeroDivisionError), db.writing(session):
        raise ZeroDivisionError
    assert is_free()
    db.begin_writing(session)
    db.begin_writing(session)
    session.commit()
    assert is_free()
    assert session.get(Task, 1) is not None
    assert is_free(), "who reads waits for nobody"
