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
from itertools import product
from pathlib import Path

import pytest
from gunicorn.workers.gthread import ThreadWorker

from server.app import ADDRESS_LIMIT
from server.cli.serve import Gunicorn, gunicorn_settings
from server.core import db
from server.core.config import Config, to_env
from server.phases.quotas import utc_day
from server.submissions.models import Submission
from server.web.error_responses import SECRET_PARTS
from tests.server.jobs.test_worker import alive, wait_for
from tests.server.small_task import GOOD, PASSWORD, TASK, variant, write_bundle
from tests.server.world import World

pytestmark = [pytest.mark.slow, pytest.mark.one_database]

BOUNDARY = "a-boundary-of-our-own"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as server:
        return int(server.getsockname()[1])


@contextmanager
def served(world: World, **settings: object) -> Iterator["Browser"]:
    """The world's site under `assay serve`, and bo signed in to it."""
    world.session.rollback()
    usual = {"testing": False, "jobs": False, "workers": 1, "threads": 8, "mail_url": "log:"}
    config = replace(world.site.config, port=free_port(), **{**usual, **settings})
    config = replace(config, site_url=f"http://127.0.0.1:{config.port}")
    with running(config, "serve") as pid:
        wait_for(lambda: answers(config.port))
        yield Browser(config.port, pid)


@contextmanager
def running(config: Config, command: str) -> Iterator[int]:
    """A command of `assay` with these settings, until it is stopped."""
    process = subprocess.Popen([sys.executable, "-m", "server.cli", command], env=to_env(config, os.environ))
    try:
        yield process.pid
    finally:
        process.terminate()
        process.wait(30)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@dataclass(frozen=True)
class Answer:
    """The response to a request."""

    status: int
    cookie: str
    body: str
    retry_after: str | None = None


class Browser:
    """bo's cookie and token, and raw requests to a site that runs as a process."""

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


@pytest.mark.both_databases
def test_twenty_parallel_posts_respect_total_and_daily_quota(world: World) -> None:
    run_id = world.run().id
    to_midnight = (utc_day(datetime.now(UTC))[1] - datetime.now(UTC)).total_seconds()
    time.sleep(to_midnight if to_midnight < 40 else 0)  # the quota is that of one day
    with db.writing(world.session):
        phase = world.phase()
        phase.opens, phase.closes = (
            datetime.now(UTC) - timedelta(days=3),
            datetime.now(UTC) + timedelta(days=3),
        )
        phase.files_per_level, phase.files_per_day = 3, None
    with served(world, workers=2) as browser:
        for first, (level, in_all, a_day) in zip((0, 20), (("p2s", 3, None), ("s2p", None, 3)), strict=True):
            with db.writing(world.session):
                world.phase().files_per_level, world.phase().files_per_day = in_all, a_day
            path, statuses = f"/tasks/small/runs/{run_id}/{level}/upload", Counter[int]()
            gate = threading.Barrier(20)

            def post(number: int, path=path, statuses=statuses, gate=gate) -> None:
                gate.wait()
                statuses[browser.upload(path, variant(number))] += 1

            threads = [threading.Thread(target=post, args=(first + number,)) for number in range(20)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert statuses == {302: 3, 409: 17}
            assert len(files(world, level)) == 3


def test_upload_in_progress_at_the_deadline_counts_by_its_arrival(world: World) -> None:
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
        request_start = f"t={head_read.timestamp():.3f}"
        assert browser.upload_slowly(path, variant(2), 0, **{"X-Request-Start": request_start}) == 302
        assert files(world, "p2s")[-1].arrived_at.timestamp() == float(request_start[2:])
        forged = f"t={(closes - timedelta(hours=2)).timestamp():.3f}"
        assert browser.upload_slowly(path, variant(3), 0, **{"X-Request-Start": forged}) == 409


NGINX = Path("/usr/sbin/nginx")
NGINX_CONF = """\
daemon off; pid FOLDER/pid; error_log FOLDER/log; events {}
http {
  access_log FOLDER/log; client_body_temp_path FOLDER/1; proxy_temp_path FOLDER/2; fastcgi_temp_path FOLDER/3;
  uwsgi_temp_path FOLDER/4; scgi_temp_path FOLDER/5;
  SERVERS
}
"""


@contextmanager
def behind_nginx(folder: Path, *hosts: int, plain: int | None = None) -> Iterator[int]:
    """nginx before the site, with the file that we deliver: on other ports, and without a certificate."""
    servers = (Path(__file__).parents[2] / "deploy/nginx.conf").read_text(encoding="utf-8")
    port, plain, conf = free_port(), plain or free_port(), folder / "nginx.conf"
    for ours, here in (
        ("listen 443 ssl;", f"listen 127.0.0.1:{port};"),
        ("listen 80;", f"listen 127.0.0.1:{plain};"),
        ("server 127.0.0.1:8000;", " ".join(f"server 127.0.0.1:{host};" for host in hosts)),
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
def test_behind_nginx_arrival_is_exact_public_content_is_compressed_and_slow_clients_block_nobody(
    world: World, tmp_path: Path
) -> None:
    run_id, folder = world.run().id, tmp_path / "nginx"
    folder.mkdir()
    with (
        served(world, proxies=1, arrival_header="X-Request-Start", threads=2) as browser,
        behind_nginx(folder, browser.port) as port,
    ):
        check_arrival(world, browser, port, f"/tasks/small/runs/{run_id}/p2s/upload")
        check_compression(port)
        with db.writing(world.session):
            world.phase().closes = datetime.now(UTC) + timedelta(days=1)
        check_slow_clients(browser, port, f"/tasks/small/runs/{run_id}/s2p/upload")
    assert len(files(world, "s2p")) == 1


def check_arrival(world: World, browser: Browser, port: int, path: str) -> None:
    """A file arrives with the head of its request, whatever time its client claims."""
    closes = datetime.now(UTC) + timedelta(seconds=2)
    with db.writing(world.session):
        world.phase().opens, world.phase().closes = closes - timedelta(days=1), closes
        world.phase().grace_hours = 0
    assert browser.upload_slowly(path, GOOD, closes.timestamp() + 0.5, port) == 302
    (on_time,) = files(world, "p2s")
    assert on_time.arrived_at < closes
    forged = f"t={(closes - timedelta(minutes=1)).timestamp():.3f}"
    assert browser.upload_slowly(path, variant(1), 0, port, **{"X-Request-Start": forged}) == 409


def check_compression(port: int) -> None:
    """Static files and pages without personal content are compressed."""

    def encoding(path: str, **headers: str) -> str | None:
        with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            connection.request("GET", path, headers={"Accept-Encoding": "gzip", **headers})
            answer = connection.getresponse()
            assert answer.status == 200
            return answer.getheader("Content-Encoding")

    for path in ("/static/assay.css", "/static/times.js", "/static/icon.svg", "/help/"):
        assert encoding(path) == "gzip", path
    assert encoding("/static/assay.css", Cookie="session=x") == "gzip"
    assert encoding("/help/", Cookie="session=x") is None


def check_slow_clients(browser: Browser, port: int, path: str) -> None:
    """Stalled and slow clients hold no thread."""
    with ExitStack() as clients:
        head = f"Host: localhost\r\nCookie: {browser.cookie}\r\n"
        for words in (
            f"POST {path} HTTP/1.1\r\n{head}Content-Length: 5000\r\n\r\nhalf of it",
            f"GET /static/vendor/echarts/echarts.js HTTP/1.1\r\n{head}\r\n",
        ):
            for _ in range(10):
                line = clients.enter_context(socket.socket())
                line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                line.connect(("127.0.0.1", port))
                line.sendall(words.encode())
        slow = [clients.enter_context(socket.create_connection(("127.0.0.1", port))) for _ in range(12)]
        for line in slow:
            line.sendall(b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000\r\n\r\n")
        start = time.monotonic()
        behind = replace_port(browser, port)
        for _ in range(5):
            assert behind.send("GET", "/tasks/small/").status == 200
            for line in slow:
                line.sendall(b"x")
            time.sleep(0.5)
        assert behind.upload(path, variant(2)) == 302
        assert time.monotonic() - start < 15, "each of them would hold a thread for at least 30 seconds"


@pytest.mark.skipif(not NGINX.exists(), reason="missed: the site behind nginx; apt-get install nginx")
def test_nginx_redirects_http_to_the_site_and_not_to_a_forged_host(tmp_path: Path) -> None:
    plain = free_port()
    with behind_nginx(tmp_path, free_port(), plain=plain):
        request = b"GET /tasks/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
        assert b"\r\nLocation: https://assay.example.org/tasks/\r\n" in exchange(plain, request)


@pytest.mark.skipif(not NGINX.exists(), reason="missed: the site behind nginx; apt-get install nginx")
def test_nginx_asks_to_try_again_while_the_site_is_stopped(tmp_path: Path) -> None:
    with behind_nginx(tmp_path, free_port()) as port:
        for request in (b"GET /", b"GET /health/ready", b"POST /sign-in"):
            answer = exchange(port, request + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert answer.startswith(b"HTTP/1.1 502 ")
            assert b"\r\nRetry-After: 60\r\n" in answer
            assert b"<p>Try again in a minute." in answer


@pytest.mark.skipif(not NGINX.exists(), reason="missed: the site behind nginx; apt-get install nginx")
def test_nginx_logs_no_secret_of_a_link(world: World, tmp_path: Path) -> None:
    urls, plain, secret = world.app.url_map, free_port(), "a-secret-of-a-link"
    paths = [
        urls.bind("").build(rule.endpoint, dict.fromkeys(rule.arguments, secret) | {"campaign_id": 1})
        for rule in urls.iter_rules()
        if SECRET_PARTS & rule.arguments
    ]
    paths = [*paths, f"/a/1/join/key?PROLIFIC_PID={secret}"]
    assert len(paths) > 5
    with behind_nginx(tmp_path, free_port(), plain=plain) as port:
        for path, door in product([*paths, "/help/"], (port, plain)):
            exchange(door, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    log = (tmp_path / "log").read_text("utf-8")
    assert '"GET /help/ HTTP/1.1", upstream' in log
    assert secret not in log


@pytest.mark.skipif(not NGINX.exists(), reason="missed: the site behind nginx; apt-get install nginx")
@pytest.mark.parametrize("flooded", ["/sign-in", "/a/1/join/key"])
def test_nginx_limits_floods_of_forms_that_check_a_password_or_let_people_join(
    tmp_path: Path, flooded: str
) -> None:
    with behind_nginx(tmp_path, free_port()) as port:

        def count_refused(path: str) -> int:
            request = f"POST {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode()
            return sum(b" 429 " in exchange(port, request).split(b"\r\n")[0] for _ in range(200))

        assert [count_refused(path) for path in ("/tasks/", "/a/1/steps")] == [0, 0]
        assert count_refused(flooded) > 50


def replace_port(browser: Browser, port: int) -> Browser:
    """The same person, who comes by another door."""
    other = copy.copy(browser)
    other.port = port
    return other


def exchange(port: int, sent: bytes) -> bytes:
    """All that a site answers to these bytes, until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
        line.sendall(sent)
        return b"".join(iter(lambda: line.recv(2**16), b""))


def test_body_with_invalid_chunks_is_a_bad_request_and_not_a_server_error(
    world: World, capfd: pytest.CaptureFixture[str]
) -> None:
    bodies = (
        b"ZZZ\r\nabc\r\n0\r\n\r\n",
        b"-1\r\n\r\n",
        b"3\r\nabcdef\r\n0\r\n\r\n",
        b"3;\0\r\nabc\r\n0\r\n\r\n",
    )
    with served(world) as bo:
        for path, body in product(("/sign-in", "/api/v1/tasks/"), bodies):
            head = f"POST {path} HTTP/1.1\r\nHost: assay.test\r\nTransfer-Encoding: chunked\r\n\r\n"
            answer = exchange(bo.port, head.encode() + body)
            assert answer.startswith(b"HTTP/1.1 400 "), (path, body)
            assert answer.count(b"HTTP/1.1 ") == 1, "what follows the broken chunk is no request"
            assert b"The request was incomplete. Send it again." in answer
        assert bo.send("GET", "/help/").status == 200
    assert "Traceback" not in capfd.readouterr().err


def test_page_process_scores_without_numpy_and_reads_uploaded_bundles_in_another_process(
    world: World, tmp_path: Path
) -> None:
    run_id, now = world.run().id, datetime.now(UTC)
    with db.writing(world.session):
        phase = world.phase()
        phase.opens, phase.closes = now - timedelta(days=3), now + timedelta(days=3)
        phase.feedback, phase.board = "scores", "live"
        for level in world.task.levels:
            level.metrics = ["kendall", "spearman"]
    with served(world, open_import=True) as bo:
        assert bo.upload(f"/tasks/small/runs/{run_id}/p2s/upload", GOOD) == 302
        (submission,) = files(world, "p2s")
        assert "Kendall" in bo.send("GET", f"/tasks/small/submissions/{submission.id}").body
        assert bo.send("GET", "/tasks/small/boards/evaluation").status == 200
        (worker,) = workers_of(bo.site)
        libraries = Path(f"/proc/{worker}/maps").read_text()
        upload_hostile_bundles(bo, tmp_path)
        peak = re.search(r"VmHWM:\s*(\d+) kB", Path(f"/proc/{worker}/status").read_text())
    assert "site-packages/sqlalchemy" in libraries
    assert re.findall("site-packages/(?:numpy|scipy)", libraries) == []
    assert peak is not None
    assert int(peak[1]) < 300_000


def upload_hostile_bundles(bo: Browser, target: Path) -> None:
    """Upload bundles that take much memory to read, and then a good one."""
    hostile = {"parts": "a." * 24_000 + "b = 1\n", "nests": "x = " + "[" * 5000, "second": ""}
    for name, first_lines in hostile.items():
        task_toml = first_lines + TASK.replace('slug = "small"', f'slug = "{name}"')
        bundle = BytesIO()
        with zipfile.ZipFile(bundle, "w") as archive:
            folder = write_bundle(target / name, task_toml)
            for path in folder.rglob("*"):
                archive.write(path, path.relative_to(folder))
        assert bo.upload("/import", bundle.getvalue()) == (422 if first_lines else 302), name


def workers_of(site: int) -> list[int]:
    """The processes that a site has for pages."""
    return [int(child) for child in Path(f"/proc/{site}/task/{site}/children").read_text().split()]


def test_killed_jobs_worker_is_restarted_and_one_that_outlives_the_site_does_not_hold_its_port(
    world: World,
) -> None:
    with served(world, jobs=True) as bo:
        wait_for(lambda: jobs_workers_of(bo.site))
        (first,) = jobs_workers_of(bo.site)
        os.kill(first, signal.SIGKILL)
        wait_for(lambda: set(jobs_workers_of(bo.site)) - {first})
        (second,) = jobs_workers_of(bo.site)
        os.kill(second, signal.SIGSTOP)  # as if it were in the middle of a long job
    assert alive(second)
    assert not answers(bo.port)
    os.kill(second, signal.SIGCONT)
    wait_for(lambda: not alive(second))


def test_page_and_job_processes_exit_when_the_master_is_killed(world: World) -> None:
    with served(world, jobs=True, workers=2) as bo:
        wait_for(lambda: jobs_workers_of(bo.site))
        left = {*workers_of(bo.site), *jobs_workers_of(bo.site)}
        os.kill(bo.site, signal.SIGKILL)
        wait_for(lambda: not any(map(alive, left)))
        assert not answers(bo.port)
    assert len(left) == 3


def test_site_with_external_jobs_worker_starts_none(world: World) -> None:
    assert "when_ready" in gunicorn_settings(replace(world.site.config, jobs=True))
    assert "when_ready" not in gunicorn_settings(replace(world.site.config, jobs=False))


def jobs_workers_of(site: int) -> list[int]:
    """The processes below a site that work off jobs."""
    children = Path(f"/proc/{site}/task").glob("*/children")
    processes = [int(child) for file in children for child in file.read_text().split()]
    return [one for one in processes if b"worker" in Path(f"/proc/{one}/cmdline").read_bytes()]


def test_gunicorn_has_the_settings_the_site_needs(world: World) -> None:
    config = replace(world.site.config, host="127.0.0.1", port=8123, workers=3, threads=5)
    cfg = Gunicorn(config).cfg
    assert (cfg.address, cfg.workers, cfg.threads) == ([("127.0.0.1", 8123)], 3, 5)
    assert cfg.worker_class is ThreadWorker, "a slow client holds up a thread, not a process"
    assert cfg.worker_connections == 10, "what a worker cannot answer soon is left to the others"
    assert cfg.settings["control_socket_disable"].value, "no socket for others to command it by"
    assert cfg.limit_request_line > ADDRESS_LIMIT, "an address that is too long is refused in our words"
    assert not cfg.preload_app, "no two workers share a connection"
    assert cfg.backlog >= 2000, "as many may knock in one instant as come in the last minute"
    assert cfg.forwarded_allow_ips == ["127.0.0.1", "::1"], "only the settings say whose head is believed"
