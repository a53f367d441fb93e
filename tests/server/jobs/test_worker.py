"""Jobs survive what happens to workers."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from server.core import db
from server.core.config import to_env
from server.core.site_resources import Site
from server.inferences import runner as inference_runner
from server.job_handlers import JOB_LANES
from server.jobs import service as jobs, table_queue
from server.jobs.models import Job
from server.worker import Worker, run_worker
from tests.server.job_runs import change_job, run_job
from tests.server.races import run_at_once
from tests.server.world import DURING, World

pytestmark = pytest.mark.both_databases

SLOW = """
import sys, threading, time
from pathlib import Path
from server.cli.common import open_site
from server.worker import run_worker

def slow(site, payload, now):
    Path(sys.argv[1], payload["name"]).touch()
    time.sleep(600)

with open_site() as site:
    run_worker(site, threading.Event(), None, dict.fromkeys(sys.argv[2:], slow))
"""


def add(world: World, kind: str = "note", at: datetime = DURING, **payload: Any) -> int:
    with db.writing(world.session):
        return jobs.add_job(world.session, kind, payload, at)


def job(world: World, job_id: int) -> Job:
    world.session.rollback()
    found = world.session.get(Job, job_id)
    assert found is not None
    return found


class Notes:
    """A handler that notes what it was called for."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def __call__(self, _site: Site, payload: Mapping[str, Any], now: datetime) -> None:
        self.seen.append((dict(payload), now))


def test_job_interrupted_by_shutdown_waits_again_and_is_not_a_failure(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    sleep = sys.executable, "-c", "import time; time.sleep(60)"
    monkeypatch.setattr(inference_runner, "COMMAND", sleep)
    job_id, site, stopped = add(world, "slow"), world.site, threading.Event()
    begun = threading.Event()

    def slow(*_: Any) -> None:
        begun.set()
        inference_runner.run_inference_process({"systems": []})

    threading.Thread(target=lambda: begun.wait() and stopped.set()).start()
    running = threading.Thread(target=run_worker, args=(site, stopped, None, {"slow": slow}))
    running.start()
    running.join()
    assert job(world, job_id).state == "waiting"
    assert job(world, job_id).error == "Interrupted: it was cancelled because the site is stopping"
    assert "Traceback" not in caplog.text


def test_many_workers_run_one_job_once(world: World) -> None:
    notes, job_id, site = Notes(), add(world, level="one"), world.site
    gate = threading.Barrier(8)

    def work() -> None:
        gate.wait()
        run_job(site, job_id, {"note": notes})
        site.session.remove()

    run_at_once(work, [()] * 8)
    assert notes.seen == [({"level": "one", "job": job_id}, DURING)]
    assert (job(world, job_id).state, job(world, job_id).attempt) == ("done", 1)


@pytest.mark.one_database
def test_job_of_a_killed_worker_is_run_by_another_worker(world: World, tmp_path: Path) -> None:
    job_id = add(world, "slow", name="begun")
    with begun([sys.executable, "-c", SLOW, str(tmp_path), "slow"], env=worker_env(world)):
        wait_for((tmp_path / "begun").exists)
    assert (job(world, job_id).state, job(world, job_id).attempt) == ("running", 1)

    notes, now = Notes(), datetime.now(UTC)
    assert world.work(now, {"slow": notes}) == []  # the lease holds
    assert world.work(now + table_queue.LEASE + timedelta(seconds=1), {"slow": notes}) == [job_id]
    assert (len(notes.seen), job(world, job_id).state, job(world, job_id).attempt) == (1, "done", 2)


def test_another_worker_takes_over_jobs_of_a_killed_worker_within_15_seconds(
    world: World, tmp_path: Path
) -> None:
    kinds = ["slow", *(min(lane) for lane in JOB_LANES.values())]
    ids = [add(world, kind, name=kind) for kind in kinds]
    command = [sys.executable, "-c", SLOW, str(tmp_path), *kinds]
    with begun(command, env=worker_env(world)):
        wait_for(lambda: all((tmp_path / kind).exists() for kind in kinds))
    killed = time.monotonic()
    with begun(command, env=worker_env(world)):
        wait_for(lambda: [job(world, job_id).attempt for job_id in ids] == [2] * len(ids))
    assert time.monotonic() - killed < 15


def worker_env(world: World) -> dict[str, str]:
    return {**to_env(world.site.config), "PYTHONPATH": os.getcwd()}  # noqa: PTH109  (where the tests run)


@pytest.mark.one_database
def test_worker_presumed_dead_changes_nothing(world: World) -> None:
    job_id, session = add(world), world.session
    later = DURING + table_queue.LEASE + timedelta(seconds=1)
    with db.writing(session):
        stale = table_queue.claim_job(session, job_id, DURING)
        assert stale is not None
        assert table_queue.renew_lease(session, stale, DURING)
        own = table_queue.claim_job(session, job_id, later)
        assert own is not None
        assert not table_queue.renew_lease(session, stale, later)
        assert not table_queue.finish_job(session, stale, later)
        assert not table_queue.give_back_job(session, stale, later, "came back")
    assert (job(world, job_id).state, job(world, job_id).error) == ("running", None)
    with db.writing(session):
        assert table_queue.finish_job(session, own, later)
        assert not table_queue.finish_job(session, own, later)
    assert job(world, job_id).state == "done"


def test_failing_job_is_retried_with_backoff_and_then_marked_failed(world: World) -> None:
    def wrong(_site: Site, _payload: object, _now: datetime) -> None:
        raise OSError("no mail server")

    job_id, at = add(world, "wrong"), DURING
    for attempt, rest in enumerate(jobs.BACK_OFF, start=1):
        assert world.work(at, {"wrong": wrong}) == [job_id]
        waiting = job(world, job_id)
        assert (waiting.state, waiting.attempt, waiting.error) == (
            "waiting",
            attempt,
            "OSError: no mail server",
        )
        assert world.work(at + rest - timedelta(seconds=1), {"wrong": wrong}) == []
        at += rest
    world.work(at, {"wrong": wrong})
    assert (job(world, job_id).state, job(world, job_id).finished_at) == ("failed", None)
    assert world.work(at + timedelta(days=9), {"wrong": wrong}) == []


@pytest.mark.one_database
def test_job_that_always_kills_its_worker_is_marked_failed(world: World) -> None:
    job_id, at = add(world), DURING
    for _ in range(jobs.MAX_ATTEMPTS):
        with db.writing(world.session):
            assert table_queue.claim_job(world.session, job_id, at) is not None
        at += table_queue.LEASE + timedelta(seconds=1)
    assert world.work(at, {"note": Notes()}) == []
    assert (
        job(world, job_id).state,
        "The worker stopped during attempt" in str(job(world, job_id).error),
    ) == (
        "failed",
        True,
    )


@pytest.mark.one_database
def test_job_kind_without_handler_fails_with_a_clear_error(world: World) -> None:
    job_id = add(world, "later.version")
    world.work(DURING)
    assert job(world, job_id).error == "This version of Assay has no jobs of the kind later.version."


@pytest.mark.one_database
def test_workers_that_poll_side_by_side_run_each_job_once(world: World) -> None:
    notes = Notes()
    ids = [add(world, number=number) for number in range(12)]
    first, second = (Worker(world.site, {"note": notes}) for _ in range(2))
    while first.step() or second.step():
        pass
    assert [payload["number"] for payload, _ in notes.seen] == list(range(12))
    assert {job(world, job_id).attempt for job_id in ids} == {1}


@pytest.mark.one_database
def test_idle_worker_writes_nothing(world: World) -> None:
    Worker(world.site, {}).step()  # looks at what time alone makes due, once a minute
    with db.connect_to_write(world.site.engine) as connection, connection.begin():
        assert Worker(world.site, {}, only=["note"]).step() is False


@pytest.mark.one_database
def test_worker_runs_jobs_within_seconds_and_exits_with_its_parent(world: World) -> None:
    """The command itself, below a shell that is killed, as `assay serve` may be."""
    job_id = add(world, "later.version")
    words = f"{sys.executable} -m server.cli worker --parent $$ 2>/dev/null & echo $!; wait"
    command = ["sh", "-c", words]
    with begun(command, env=to_env(world.site.config), stdout=subprocess.PIPE, text=True) as shell:
        assert shell.stdout is not None
        worker = int(shell.stdout.readline())
        wait_for(lambda: (job(world, job_id).attempt, job(world, job_id).state) == (1, "waiting"))
        shell.kill()
        wait_for(lambda: not alive(worker))


def test_slow_email_server_and_long_job_delay_nothing_else(world: World) -> None:
    mail_away, long_away, stopped = threading.Event(), threading.Event(), threading.Event()
    mail_id, long_id = add(world, "mail.send"), add(world, "long")
    quick = [add(world, kind) for kind in ("account.mail", "board.release", "release.make")]
    handlers = {
        "mail.send": lambda *_: mail_away.wait(120) and None,
        "long": lambda *_: long_away.wait(120) and None,
        **dict.fromkeys(("account.mail", "board.release", "release.make"), Notes()),
    }
    site = world.site
    working = threading.Thread(target=run_worker, args=(site, stopped, None, handlers))
    working.start()
    wait_for(lambda: all(job(world, job_id).state == "done" for job_id in quick))
    for away, slow in ((long_away, long_id), (mail_away, mail_id)):
        assert job(world, slow).state != "done"
        away.set()
        wait_for(lambda slow=slow: job(world, slow).state == "done")
    stopped.set()
    working.join()


def test_finished_jobs_are_deleted_after_a_month(world: World) -> None:
    notes, old = Notes(), add(world)
    world.work(DURING, {"note": notes})
    failed = add(world)
    with db.writing(world.session):
        change_job(world.session, failed, state="failed")
    world.work(DURING + jobs.KEEP_DONE_FOR, {"note": notes})
    assert job(world, old).state == "done"
    world.work(DURING + jobs.KEEP_DONE_FOR + timedelta(seconds=1), {"note": notes})
    world.session.expire_all()
    assert [one.id for one in world.session.query(Job).filter_by(kind="note")] == [failed]


def alive(pid: int) -> bool:
    """Whether a process runs; one that has ended may still be a name that nobody has asked for."""
    try:
        os.kill(pid, 0)
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    except (ProcessLookupError, FileNotFoundError):
        return False


@contextmanager
def begun(command: list[str], **options: Any) -> Iterator[subprocess.Popen[str]]:
    """A process that is killed in the end, so that no test that fails waits for it."""
    with subprocess.Popen(command, **options) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(there: Any, seconds: float = 120) -> None:
    """As long as a busy machine may take; what comes soon is waited for no longer."""
    end = time.monotonic() + seconds
    while not there():
        assert time.monotonic() < end, "nothing happened"
        time.sleep(0.05)
