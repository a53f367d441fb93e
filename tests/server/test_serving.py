"""The site as it is served: gunicorn's processes and threads, real connections, bodies that come slowly."""

import copy
import http.client
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path

import pytest
from gunicorn.workers.gthread import ThreadWorker

from server import db
from server.app import ADDRESS_LIMIT
from server.cli.serve import FRESH, SILENT, Gunicorn, Loads
from server.config import to_env
from server.domain.quota import day_of
from server.models import Submission
from server.views import context
from tests.server.small_task import GOOD, PASSWORD, TASK, variant, write_bundle
from tests.server.test_worker import wait_for
from tests.server.world import World

BOUNDARY = "a-boundary-of-our-own"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def served(world: World, **settings: object) -> Iterator["Browser"]:
    """The world's site under `assay serve`, and bo signed in to it."""
    world.session.rollback()
    usual = {"testing": False, "jobs": False, "threads": 8, "mail_url": "log:"}
    config = replace(world.site.config, port=free_port(), **{**usual, **settings})
    config = replace(config, site_url=f"http://127.0.0.1:{config.port}")
    command = [sys.executable, "-m", "server.cli", "serve"]
    process = subprocess.Popen(command, env=to_env(config, os.environ))
    try:
        wait_for(lambda: answers(config.port))
        yield Browser(config.port, process.pid)
    finally:
        process.terminate()
        process.wait(30)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    cookie: str
    body: str
    retry_after: str | None = None


class Browser:
    """bo's cookie and token, and requests that are sent by hand to a site, which is a process."""

    def __init__(self, port: int, site: int) -> None:
        self.port, self.site = port, site
        self.cookie = ""
        self._note(self.send("GET", "/sign-in"))
        form = f"email=bo%40example.org&password={PASSWORD.replace(' ', '+')}&csrf_token={self.token}"
        answer = self.send("POST", "/sign-in", form.encode(), "application/x-www-form-urlencoded")
        assert answer.status == 302, answer.status
        self._note(answer)
        self._note(self.send("GET", "/account/"))

    def _note(self, answer: "Answer") -> None:
        self.cookie, body = answer.cookie or self.cookie, answer.body
        if 'name="csrf_token"' in body:
            self.token = body.split('name="csrf_token"', 1)[1].split('value="', 1)[1].split('"', 1)[0]

    def send(self, method: str, path: str, body: bytes = b"", kind: str = "text/plain") -> "Answer":
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)) as connection:
            connection.request(method, path, body or None, {"Content-Type": kind, "Cookie": self.cookie})
            with connection.getresponse() as response:
                cookies = response.headers.get_all("Set-Cookie") or [""]
                cookie, retry_after = cookies[-1].split(";")[0], response.headers.get("Retry-After")
                return Answer(response.status, cookie, response.read().decode(), retry_after)

    def file(self, data: bytes) -> bytes:
        """The body of an upload."""
        part = f"--{BOUNDARY}\r\nContent-Disposition: form-data; name="
        return (
            f'{part}"csrf_token"\r\n\r\n{self.token}\r\n{part}"file"; filename="run.tsv"\r\n\r\n'.encode()
            + data
            + f"\r\n--{BOUNDARY}--\r\n".encode()
        )

    def upload(self, path: str, data: bytes) -> int:
        return self.send("POST", path, self.file(data), f"multipart/form-data; boundary={BOUNDARY}").status

    def upload_slowly(
        self, path: str, data: bytes, until: float, port: int | None = None, **headers: str
    ) -> int:
        """The head at once, the body in two halves, the second of them at an instant."""
        body = self.file(data)
        lines = {
            "Host": f"127.0.0.1:{self.port}",
            "Cookie": self.cookie,
            "Content-Type": f"multipart/form-data; boundary={BOUNDARY}",
            "Content-Length": str(len(body)),
            **headers,
        }
        head = "".join(f"{name}: {value}\r\n" for name, value in lines.items())
        with socket.create_connection(("127.0.0.1", port or self.port), timeout=60) as connection:
            connection.sendall(f"POST {path} HTTP/1.1\r\n{head}\r\n".encode() + body[:40])
            time.sleep(max(0.0, until - time.time()))
            connection.sendall(body[40:])
            return int(connection.recv(4096).split()[1])


def files(world: World, level: str) -> list[Submission]:
    world.session.rollback()
    of_level = {each.slug: each.id for each in world.task.levels}[level]
    query = world.session.query(Submission).filter_by(run_id=world.run().id, level_id=of_level)
    return query.order_by(Submission.id).all()


def test_fifty_posts_at_once_end_with_the_quota_in_all_and_a_day(world: World) -> None:
    run_id = world.run().id
    to_midnight = (day_of(datetime.now(UTC))[1] - datetime.now(UTC)).total_seconds()
    time.sleep(to_midnight if to_midnight < 40 else 0)  # the quota is that of one day
    with db.writing(world.session):
        phase = world.phase()
        phase.opens, phase.closes = (
            datetime.now(UTC) - timedelta(days=3),
            datetime.now(UTC) + timedelta(days=3),
        )
        phase.files_per_level, phase.files_per_day = 3, None
    with served(world) as browser:
        for level, in_all, a_day in (("p2s", 3, None), ("s2p", None, 3)):
            with db.writing(world.session):
                world.phase().files_per_level, world.phase().files_per_day = in_all, a_day
            path, statuses = f"/tasks/small/runs/{run_id}/{level}/upload", Counter[int]()
            gate = threading.Barrier(50)

            def post(number: int, path=path, statuses=statuses, gate=gate) -> None:
                gate.wait()
                statuses[browser.upload(path, variant(number))] += 1

            threads = [threading.Thread(target=post, args=(number,)) for number in range(50)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert statuses == {302: 3, 409: 47}
            assert len(files(world, level)) == 3


def test_what_was_being_sent_when_the_deadline_passed_counts_by_its_arrival(world: World) -> None:
    path = f"/tasks/small/runs/{world.run().id}/p2s/upload"
    with served(world, proxies=1, arrival_header="X-Request-Start") as browser:
        closes = datetime.now(UTC) + timedelta(seconds=2)
        with db.writing(world.session):
            world.phase().opens, world.phase().closes = closes - timedelta(days=1), closes
            world.phase().grace_hours = 0
        assert browser.upload_slowly(path, GOOD, closes.timestamp() + 0.5) == 302
        (on_time,) = files(world, "p2s")
        assert (on_time.late, on_time.arrived_at < closes < datetime.now(UTC)) == (False, True)

        assert browser.upload_slowly(path, variant(1), 0) == 409
        head_read = closes - timedelta(milliseconds=100)
        told = f"t={head_read.timestamp():.3f}"
        assert browser.upload_slowly(path, variant(2), 0, **{"X-Request-Start": told}) == 302
        assert files(world, "p2s")[-1].arrived_at.timestamp() == float(told[2:])
        forged = f"t={(closes - timedelta(hours=2)).timestamp():.3f}"
        assert browser.upload_slowly(path, variant(3), 0, **{"X-Request-Start": forged}) == 409


NGINX = Path("/usr/sbin/nginx")
NGINX_CONF = """\
daemon off; pid FOLDER/pid; error_log FOLDER/log; events {}
http {
  access_log off; client_body_temp_path FOLDER/1; proxy_temp_path FOLDER/2; fastcgi_temp_path FOLDER/3;
  uwsgi_temp_path FOLDER/4; scgi_temp_path FOLDER/5;
  SERVERS
}
"""


@contextmanager
def behind_nginx(folder: Path, site: int, plain: int | None = None) -> Iterator[int]:
    """nginx before the site, with the file that we deliver: on other ports, and without a certificate."""
    servers = (Path(__file__).parents[2] / "deploy/nginx.conf").read_text(encoding="utf-8")
    port, plain, conf = free_port(), plain or free_port(), folder / "nginx.conf"
    for ours, here in (
        ("listen 443 ssl;", f"listen 127.0.0.1:{port};"),
        ("listen 80;", f"listen 127.0.0.1:{plain};"),
        ("http://127.0.0.1:8000;", f"http://127.0.0.1:{site};"),
    ):
        assert servers.count(ours) == 1
        servers = servers.replace(ours, here)
    servers = re.sub(r"ssl_certificate.*;", "", servers)
    conf.write_text(NGINX_CONF.replace("SERVERS", servers).replace("FOLDER", str(folder)), encoding="utf-8")
    process = subprocess.Popen([NGINX, "-p", folder, "-c", conf, "-e", folder / "log"])
    try:
        wait_for(lambda: answers(port))
        yield port
    finally:
        process.terminate()
        process.wait(30)


@pytest.mark.skipif(not NGINX.exists(), reason="missed: the site behind nginx; apt-get install nginx")
def test_behind_nginx_the_arrival_is_that_of_the_head_and_nobody_else_says_it(
    world: World, tmp_path: Path
) -> None:
    path = f"/tasks/small/runs/{world.run().id}/p2s/upload"
    folder = tmp_path / "nginx"
    folder.mkdir()
    with (
        served(world, proxies=1, arrival_header="X-Request-Start") as browser,
        behind_nginx(folder, browser.port) as port,
    ):
        closes = datetime.now(UTC) + timedelta(seconds=2)
        with db.writing(world.session):
            world.phase().opens, world.phase().closes = closes - timedelta(days=1), closes
            world.phase().grace_hours = 0
        assert browser.upload_slowly(path, GOOD, closes.timestamp() + 0.5, port) == 302
        (on_time,) = files(world, "p2s")
        assert on_time.arrived_at < closes
        forged = f"t={(closes - timedelta(minutes=1)).timestamp():.3f}"
        assert browser.upload_slowly(path, variant(1), 0, port, **{"X-Request-Start": forged}) == 409


@pytest.mark.skipif(not NGINX.exists(), reason="missed: the site behind nginx; apt-get install nginx")
def test_nginx_leads_from_plain_http_to_the_site_and_not_to_a_forged_host(tmp_path: Path) -> None:
    plain = free_port()
    with behind_nginx(tmp_path, free_port(), plain):
        request = b"GET /tasks/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
        assert b"\r\nLocation: https://assay.example.org/tasks/\r\n" in exchange(plain, request)


@pytest.mark.skipif(not NGINX.exists(), reason="missed: the site behind nginx; apt-get install nginx")
def test_behind_nginx_those_who_send_half_or_read_nothing_hold_up_nobody(
    world: World, tmp_path: Path
) -> None:
    path = f"/tasks/small/runs/{world.run().id}/p2s/upload"
    folder = tmp_path / "nginx"
    folder.mkdir()
    with (
        served(world, proxies=1, arrival_header="X-Request-Start", workers=1, threads=2) as browser,
        behind_nginx(folder, browser.port) as port,
        ExitStack() as stalled,
    ):
        with db.writing(world.session):
            world.phase().closes = datetime.now(UTC) + timedelta(days=1)
        head = f"Host: localhost\r\nCookie: {browser.cookie}\r\n"
        for words in (
            f"POST {path} HTTP/1.1\r\n{head}Content-Length: 5000\r\n\r\nhalf of it",
            f"GET /static/vendor/echarts/echarts.js HTTP/1.1\r\n{head}\r\n",
        ):
            for _ in range(10):
                line = stalled.enter_context(socket.socket())
                line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                line.connect(("127.0.0.1", port))
                line.sendall(words.encode())
        start = time.monotonic()
        behind = replace_port(browser, port)
        assert behind.send("GET", "/tasks/small/").status == 200
        assert behind.upload(path, GOOD) == 302
        assert time.monotonic() - start < 15, "a body that stalls keeps a thread for 30 seconds"
    assert len(files(world, "p2s")) == 1


def replace_port(browser: Browser, port: int) -> Browser:
    """The same person, who comes by another door."""
    other = copy.copy(browser)
    other.port = port
    return other


@dataclass
class Asked:
    """What one of many clients was answered, and how often it had to connect anew."""

    answered: int = 0
    closed: int = 0


def ask_at_once(port: int, clients: int, seconds: float) -> list[Asked]:
    """So many clients that ask again at once, on the connection that they have."""
    asked = [Asked() for _ in range(clients)]
    ready = threading.Barrier(clients)

    def ask(own: Asked) -> None:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            connection.connect()
            ready.wait()
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                connection.request("GET", "/help/")
                with connection.getresponse() as answer:
                    own.answered += answer.status == 200 and bool(answer.read())
                    own.closed += answer.will_close

    threads = [threading.Thread(target=ask, args=(own,)) for own in asked]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    return asked


def exchange(port: int, sent: bytes) -> bytes:
    """All that a site answers to these bytes, until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        line.sendall(sent)
        return b"".join(iter(lambda: line.recv(2**16), b""))


@pytest.mark.parametrize("path", ["/sign-in", "/api/v1/tasks/"])
def test_a_body_with_broken_chunks_is_a_bad_request_and_no_fault_of_ours(
    world: World, capfd: pytest.CaptureFixture[str], path: str
) -> None:
    head = f"POST {path} HTTP/1.1\r\nHost: assay.test\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
    with served(world, workers=1) as bo:
        for body in (
            b"ZZZ\r\nabc\r\n0\r\n\r\n",
            b"-1\r\n\r\n",
            b"3\r\nabcdef\r\n0\r\n\r\n",
            b"3;\0\r\nabc\r\n0\r\n\r\n",
        ):
            answer = exchange(bo.port, head + body)
            assert answer.startswith(b"HTTP/1.1 400 "), body
            assert answer.count(b"HTTP/1.1 ") == 1, "what follows the broken chunk is no request"
            assert b"its chunks are broken" in answer
        assert bo.send("GET", "/help/").status == 200
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("hostile", "status"), [("", 302), ("a." * 24_000 + "b = 1\n", 422), ("x = " + "[" * 5000, 422)]
)
def test_an_uploaded_bundle_is_read_in_a_process_of_its_own(
    world: World, tmp_path: Path, hostile: str, status: int
) -> None:
    folder = write_bundle(tmp_path / "second", hostile + TASK.replace('slug = "small"', 'slug = "second"'))
    bundle = BytesIO()
    with zipfile.ZipFile(bundle, "w") as archive:
        for path in folder.rglob("*"):
            archive.write(path, path.relative_to(folder))
    with served(world, open_import=True, workers=1) as bo:
        assert bo.upload("/import", bundle.getvalue()) == status
        (worker,) = workers_of(bo.site)
        peak = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{worker}/status").read_text())
    assert peak is not None
    assert int(peak[1]) < 300_000


def test_many_who_come_at_once_are_served_alike_and_keep_their_connections(world: World) -> None:
    with served(world, workers=2, threads=2) as bo:
        asked = ask_at_once(bo.port, 12, 2)
    answered = [own.answered for own in asked]
    assert sum(answered) > 12 * 5
    assert min(answered) > max(answered) / 3, answered
    assert sum(own.closed for own in asked) < sum(answered) / 4, asked


def test_who_is_with_a_busy_process_goes_over_to_an_idle_one(world: World) -> None:
    """Whichever processes the connections were made with, while nobody asked."""
    with served(world, workers=2, threads=1) as bo, ExitStack() as idle:
        for _ in range(12):
            line = idle.enter_context(closing(http.client.HTTPConnection("127.0.0.1", bo.port, timeout=60)))
            line.request("GET", "/help/")
            line.getresponse().read()
        before = [seconds_of(child) for child in workers_of(bo.site)]
        ask_at_once(bo.port, 6, 5)
        took = [
            after - first for after, first in zip(map(seconds_of, workers_of(bo.site)), before, strict=True)
        ]
    assert min(took) > max(took) / 3, took


def seconds_of(process: int) -> float:
    """The processor time of a process."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_who_never_closes_after_the_answer_holds_up_nobody(world: World) -> None:
    with served(world, workers=1, threads=1) as bo, ExitStack() as left_open:
        bo.send("GET", "/help/")
        for _ in range(5):
            line = left_open.enter_context(socket.create_connection(("127.0.0.1", bo.port), timeout=10))
            line.sendall(b"GET /help/ HTTP/1.0\r\nHost: assay.test\r\n\r\n")
            while line.recv(65536):
                pass  # to the end of the answer, and no further
        start = time.monotonic()
        assert bo.send("GET", "/help/").status == 200
        assert time.monotonic() - start < 1.5, "gunicorn's own waits so long for each of them"


def test_a_client_alone_keeps_its_connection(world: World) -> None:
    with (
        served(world, workers=2, threads=8) as bo,
        closing(http.client.HTTPConnection("127.0.0.1", bo.port, timeout=60)) as connection,
    ):
        for _again in range(3):
            connection.request("GET", "/help/")
            with connection.getresponse() as answer:
                assert (answer.status, answer.will_close) == (200, False)
                answer.read()


def test_a_process_whose_threads_are_all_held_up_takes_nobody_in(world: World) -> None:
    with (
        served(world, workers=2, threads=1) as bo,
        socket.create_connection(("127.0.0.1", bo.port)) as stalled,
    ):
        stalled.sendall(b"POST /sign-in HTTP/1.1\r\nHost: assay.test\r\nContent-Length: 100\r\n\r\n")
        time.sleep(0.5)  # one of the two has it
        start = time.monotonic()
        assert [bo.send("GET", "/help/").status for _ in range(12)] == [200] * 12
        assert time.monotonic() - start < context.STALL / 2


def test_workers_see_how_many_requests_the_others_have_and_those_who_take_nobody_in_do_not_count() -> None:
    loads = Loads(4)
    assert loads.least(0) is None
    for place, load in enumerate((1, 7, 5, None)):
        loads.tell(place, load)
    assert [loads.least(place) for place in range(4)] == [5, 1, 1, 1]
    loads.tell(0, None)
    assert [loads.least(place) for place in range(4)] == [5, 5, 7, 5]
    assert loads.free_place({1, 2}) == 0
    assert loads.free_place({0, 2}) == 1
    assert loads.least(0) == 5, "who gets a place has told nothing yet"
    assert loads.free_place(range(4)) == 3


def test_a_worker_that_ended_or_is_stuck_is_believed_for_a_moment_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loads, now = Loads(3), time.monotonic()
    loads.tell(0, 0)
    loads.tell(1, 4)
    monkeypatch.setattr(time, "monotonic", lambda: now + FRESH / 2)
    loads.tell(1, 5)
    assert loads.least(2) == 0
    monkeypatch.setattr(time, "monotonic", lambda: now + FRESH * 1.1)
    assert loads.least(2) == 5


def test_who_connects_and_says_nothing_holds_no_thread(world: World) -> None:
    with served(world, workers=1, threads=1) as bo, ExitStack() as silent:
        for _ in range(6):
            silent.enter_context(socket.create_connection(("127.0.0.1", bo.port), timeout=10))
        start = time.monotonic()
        assert bo.send("GET", "/help/").status == 200
        assert time.monotonic() - start < SILENT / 2


def test_a_site_that_stops_answers_all_who_are_connected_and_waits_for_nobody_to_close(world: World) -> None:
    with served(world, workers=2, threads=2) as bo, ExitStack() as left_open:
        lines: list[socket.socket] = []
        for _ in range(12):
            kept = http.client.HTTPConnection("127.0.0.1", bo.port, timeout=30)
            left_open.enter_context(closing(kept)).request("GET", "/help/")
            assert kept.getresponse().read()
            lines.append(kept.sock)
        os.kill(bo.site, signal.SIGTERM)
        time.sleep(0.3)
        start = time.monotonic()
        for line in lines:
            line.sendall(b"GET /help/ HTTP/1.1\r\nHost: assay.test\r\n\r\n")
        told = [b"".join(iter(lambda line=line: line.recv(2**16), b"")) for line in lines]
        assert time.monotonic() - start < 5
    assert [words.split(b"\r\n", 1)[0] for words in told] == [b"HTTP/1.1 200 OK"] * 12


def workers_of(site: int) -> dict[int, set[int]]:
    """The processes that a site has for pages, and the processors that each may use."""
    children = Path(f"/proc/{site}/task/{site}/children").read_text().split()
    return {int(child): os.sched_getaffinity(int(child)) for child in children}


def test_each_worker_has_a_processor_if_there_is_one_for_each_and_another_gets_that_of_one_who_ended(
    world: World,
) -> None:
    cores = os.sched_getaffinity(0)
    with served(world, workers=len(cores) + 1) as bo:
        first = workers_of(bo.site)
        assert all(len(own) == 1 for own in first.values())
        held = Counter(core for own in first.values() for core in own)
        assert set(held) == cores
        assert max(held.values()) == 2
        ended = min(first, key=lambda child: held[min(first[child])])
        os.kill(ended, signal.SIGKILL)
        wait_for(lambda: ended not in (now := workers_of(bo.site)) and len(now) == len(first))
        wait_for(lambda: Counter(core for own in workers_of(bo.site).values() for core in own) == held)


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="missed: a second processor")
def test_fewer_workers_than_processors_use_all_of_them(world: World) -> None:
    with served(world, workers=1) as bo:
        assert list(workers_of(bo.site).values()) == [os.sched_getaffinity(0)]


def test_gunicorn_is_set_as_the_site_needs_it(world: World) -> None:
    config = replace(world.site.config, host="127.0.0.1", port=8123, workers=3, threads=5)
    cfg = Gunicorn(config).cfg
    assert (cfg.address, cfg.workers, cfg.threads) == ([("127.0.0.1", 8123)], 3, 5)
    assert issubclass(cfg.worker_class, ThreadWorker), "a slow client holds up a thread, not a process"
    assert cfg.timeout > cfg.graceful_timeout >= context.STALL, "a stalled body ends before its worker does"
    assert cfg.settings["control_socket_disable"].value, "no socket for others to command it by"
    assert cfg.limit_request_line > ADDRESS_LIMIT, "an address that is too long is refused in our words"
    assert not cfg.preload_app, "no two workers share a connection"
    assert cfg.backlog >= 2000, "as many may knock in one instant as come in the last minute"
    assert cfg.forwarded_allow_ips == ["127.0.0.1", "::1"], "only the settings say whose head is believed"
