"""Whether a site is ready: it is asked for by machines, and says what is wrong without saying too much."""

import json
import re
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

import pytest
from flask import Flask
from sqlalchemy import make_url, text

from server.core import db
from server.core.config import Config
from server.core.postgresql import ANSWER_SECONDS
from server.health import service
from server.jobs import service as jobs, table_queue
from server.jobs.models import Job
from server.web.context import site_of
from tests.server.commands import Assay
from tests.server.databases import frozen_backend
from tests.server.jobs.test_worker import wait_for
from tests.server.sites import disconnect, make_app
from tests.server.test_serving import NGINX, behind_nginx, free_port
from tests.server.web.test_full_disk import SmallDisk, small_disk
from tests.server.world import DURING, World, count_queries

__all__ = ["small_disk"]

GOOD = {
    "ready": True,
    "checks": [{"name": name, "problem": None} for name in ("database", "schema", "clock", "storage")],
    "jobs": {"oldest_due_seconds": None, "late": False},
}


def problems(app: Flask) -> dict[str, str]:
    """What is wrong with a site, which must answer as one that is not ready if anything is."""
    answer = app.test_client().get("/health/ready")
    health = json.loads(answer.text)
    wrong = {check["name"]: check["problem"] for check in health["checks"] if check["problem"]}
    assert (answer.status_code, answer.headers.get("Retry-After"), health["ready"]) == (
        (503, "60", False) if wrong else (200, None, True)
    )
    config = site_of(app).config
    for secret in (config.secret_key, str(config.data_dir), config.database_url, "0015", "psycopg", "sqlite"):
        assert secret not in answer.text
    return wrong


@pytest.fixture
def no_jobs(world: World) -> None:
    with db.writing(world.session):
        jobs.delete_kinds(world.session, "")


@pytest.mark.both_databases
@pytest.mark.usefixtures("no_jobs")
def test_site_that_can_serve_is_ready_on_every_check(world: World) -> None:
    answer = world.client().get("/health/ready")
    assert (answer.status_code, json.loads(answer.text)) == (200, GOOD)
    assert answer.headers["Cache-Control"] == "no-store"


@pytest.mark.one_database
def test_live_queries_nothing_for_anyone_signed_in(world: World) -> None:
    bo = world.client("bo")
    with count_queries(world) as statements:
        answer = bo.get("/health/live")
    assert (answer.text, statements) == ("ok\n", [])


@pytest.mark.both_databases
@pytest.mark.usefixtures("no_jobs")
@pytest.mark.parametrize(("minutes", "late"), [(5, False), (6, True), (-1, None)])
def test_late_jobs_are_reported_and_the_site_stays_ready(
    world: World, minutes: int, late: bool | None
) -> None:
    due = DURING - timedelta(minutes=minutes)
    with db.writing(world.session):
        jobs.add_job(world.session, "note", {}, due)
        jobs.add_job(world.session, "later", {}, DURING + timedelta(hours=1))
    answer = world.client().get("/health/ready")
    assert answer.status_code == 200
    assert json.loads(answer.text)["jobs"] == {
        "oldest_due_seconds": None if late is None else minutes * 60,
        "late": bool(late),
    }


@pytest.mark.one_database
@pytest.mark.usefixtures("no_jobs")
def test_job_of_a_dead_worker_is_due_since_its_lease_ended(world: World) -> None:
    long_ago = DURING - timedelta(hours=1)
    with db.writing(world.session):
        job_id = jobs.add_job(world.session, "note", {}, long_ago)
        table_queue.claim_job(world.session, job_id, long_ago)
        world.session.get_one(Job, job_id).leased_until = DURING - timedelta(seconds=90)
    assert json.loads(world.client().get("/health/ready").text)["jobs"]["oldest_due_seconds"] == 90


@pytest.mark.parametrize(("off", "problem"), [(-0.9, None), (1.6, "1.6"), (-300.2, "300.2")])
def test_host_whose_clock_differs_from_the_databases_is_not_ready(
    world: World, monkeypatch: pytest.MonkeyPatch, off: float, problem: str | None
) -> None:
    seconds = time.time
    monkeypatch.setattr(time, "time", lambda: seconds() + off)
    if world.site.engine.dialect.name == "sqlite":
        problem = None  # its clock is the host's
    sentence = f"It differs from the database’s by {problem} seconds."
    assert problems(world.app) == ({} if problem is None else {"clock": sentence})


@pytest.mark.both_databases
@pytest.mark.own_site
def test_site_with_an_older_schema_is_not_ready(world: World) -> None:
    assert problems(world.app) == {}
    with db.connect_to_write(world.site.engine) as connection, connection.begin():
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    assert problems(world.app) == {"schema": "It is not this version’s: run assay migrate."}


class DatabaseDoor:
    """A socket before PostgreSQL's, which can be closed, or accept new connections and never answer."""

    def __init__(self, folder: Path, target: str) -> None:
        self.path, self._target = folder / ".s.PGSQL.5432", target
        self.is_silent, self._lines = False, list[socket.socket]()
        self.open()

    def open(self) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def close(self) -> None:
        """Refuse connections, and end those there are."""
        self.path.unlink()
        for line in (self._listener, *self._lines):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)
            line.close()
        self._lines.clear()

    def _accept(self, listener: socket.socket) -> None:
        with suppress(OSError):
            while True:
                near, far = listener.accept()[0], socket.socket(socket.AF_UNIX)
                self._lines += near, far
                if not self.is_silent:
                    far.connect(self._target)
                    for pair in ((near, far), (far, near)):
                        threading.Thread(target=self._forward, args=pair, daemon=True).start()

    @staticmethod
    def _forward(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)


@contextmanager
def site_behind(door_folder: Path, config: Config) -> Iterator[tuple[Flask, DatabaseDoor]]:
    """The site, whose connections to PostgreSQL all go through a door."""
    address = make_url(config.database_url)
    if address.drivername == "sqlite":
        pytest.skip("missed: a database that is away; there is no PostgreSQL")
    folder = str(address.query.get("host", "/var/run/postgresql"))
    if not folder.startswith("/"):
        pytest.skip("missed: a database that is away; it is not reached by a socket file")
    door = DatabaseDoor(door_folder, f"{folder}/.s.PGSQL.{address.port or 5432}")
    moved = address.set(port=5432).update_query_dict({"host": str(door_folder)})
    app = make_app(replace(config, database_url=moved.render_as_string(hide_password=False)))
    app.config["PROPAGATE_EXCEPTIONS"] = False
    yield app, door
    disconnect(app)
    door.close()


AWAY = {
    "database": "It does not answer.",
    "schema": "It is unknown, because the database does not answer.",
}


def test_site_is_unready_while_postgresql_is_away_and_ready_when_it_is_back(
    world: World, tmp_path: Path
) -> None:
    with site_behind(tmp_path, world.site.config) as (app, door):
        assert problems(app) == {}
        door.close()
        assert problems(app) == AWAY
        assert app.test_client().get("/health/live").text == "ok\n"
        assert app.test_client().get("/tasks/small/").status_code == 503
        door.open()
        assert problems(app) == {}
        assert app.test_client().get("/tasks/small/").status_code == 200


def test_database_that_accepts_connections_but_never_answers_is_given_up_soon(
    world: World, tmp_path: Path
) -> None:
    with site_behind(tmp_path, world.site.config) as (app, door):
        door.is_silent = True
        start = time.monotonic()
        assert problems(app) == AWAY
        assert ANSWER_SECONDS <= time.monotonic() - start < 3 * ANSWER_SECONDS


def test_pages_of_a_site_whose_postgresql_is_frozen_answer_503_soon(world: World, tmp_path: Path) -> None:
    with site_behind(tmp_path, world.site.config) as (app, door):
        assert app.test_client().get("/tasks/small/").status_code == 200
        with site_of(app).engine.connect() as connection:
            idle = connection.scalar(text("SELECT pg_backend_pid()"))
        times = [time.monotonic()]
        with frozen_backend(idle):
            door.is_silent = True
            for path in ("/tasks/small/", "/", "/api/v1/tasks/small"):
                answer = app.test_client().get(path)
                assert (answer.status_code, answer.headers["Retry-After"]) == (503, "60"), path
                times.append(time.monotonic())
            assert app.test_client().get("/health/live").text == "ok\n"
        door.is_silent = False
        wait_for(lambda: app.test_client().get("/tasks/small/").status_code == 200)
    assert times[1] - times[0] < 4 * ANSWER_SECONDS, "the idle connection, then a new one"
    assert times[-1] - times[1] < ANSWER_SECONDS, "the others do not wait"


@pytest.mark.one_database
def test_site_is_unready_while_its_data_folder_is_read_only_or_nearly_full(
    world: World, small_disk: SmallDisk, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = make_app(replace(world.site.config, data_dir=small_disk.folder))
    full = problems(app)
    assert full == {"storage": f"Less than {service.FREE_BYTES // 10**6} MB are free."}
    monkeypatch.setattr(service, "FREE_BYTES", 1_000_000)
    assert problems(app) == {}
    for state, found in (("ro", {"storage": "No file can be written to the data folder."}), ("rw", {})):
        subprocess.run(["mount", "-o", f"remount,{state}", small_disk.folder], check=True)
        assert problems(app) == found
    disconnect(app)


class QuietHandler(WSGIRequestHandler):
    """Without a line for each request."""

    def log_message(self, *_: object) -> None:
        return


@contextmanager
def answering(app: Callable[..., Any]) -> Iterator[int]:
    """A port at which an app is served by the standard library."""
    with make_server("127.0.0.1", 0, app, handler_class=QuietHandler) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        yield served.server_port
        served.shutdown()


@pytest.mark.one_database
@pytest.mark.usefixtures("no_jobs")
def test_command_prints_a_line_for_each_check_and_exits_by_the_answer(
    world: World, assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_PORT", str(free_port()))
    silent = assay("health")
    assert (silent.exit_code, silent.stdout) == (1, "")
    assert silent.stderr.startswith("assay: no site answers on 127.0.0.1, port ")
    with answering(world.app) as port:
        monkeypatch.setenv("ASSAY_PORT", str(port))
        ready = assay("health")
        monkeypatch.setattr(service, "FREE_BYTES", 10**18)
        add_late_job(world)
        full = assay("health")
    assert (ready.exit_code, ready.stderr) == (0, "")
    assert ready.stdout.splitlines() == [
        "database  ok", "schema    ok", "clock     ok", "storage   ok", "jobs      ok: none is due"
    ]  # fmt: skip
    assert full.exit_code == 1
    assert full.stdout.splitlines()[3:] == [
        "storage   Less than 1000000000000 MB are free.",
        "jobs      late: one has been due for 600 s",
    ]


def add_late_job(world: World) -> None:
    with db.writing(world.session):
        jobs.add_job(world.session, "note", {}, DURING - timedelta(minutes=10))


@pytest.mark.one_database
def test_command_says_if_what_answers_is_no_site(assay: Assay, monkeypatch: pytest.MonkeyPatch) -> None:
    def other(_environ: Any, start_response: Any) -> list[bytes]:
        start_response("200 OK", [("Content-Type", "application/json")])
        return [b'{"status": "up"}']

    with answering(other) as port:
        monkeypatch.setenv("ASSAY_PORT", str(port))
        result = assay("health")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no site answers on 127.0.0.1" in result.stderr


@pytest.mark.skipif(not NGINX.exists(), reason="missed: the site behind nginx; apt-get install nginx")
def test_nginx_gives_each_request_an_id_and_passes_the_checks_of_this_machine_on(tmp_path: Path) -> None:
    def echo(environ: dict[str, str], start_response: Any) -> list[bytes]:
        start_response("200 OK", [])
        return [environ["HTTP_X_REQUEST_ID"].encode()]

    with answering(echo) as site, behind_nginx(tmp_path, site) as port:
        ids = set()
        for path in ("/health/ready", "/health/live", "/sign-in", "/help/"):
            with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
                connection.request("GET", path, headers={"X-Request-ID": "f" * 32})
                ids.add(connection.getresponse().read().decode())
    assert len(ids) == 4
    assert all(re.fullmatch("[0-9a-f]{32}", each) for each in ids)
    assert "f" * 32 not in ids, "a client chose it"
