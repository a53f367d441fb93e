"""A site on two hosts with one PostgreSQL and one folder, whose jobs a worker beside them runs."""

import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import urlencode

import pytest

from server.core import db
from server.core.config import Config
from server.jobs.models import Job
from server.submissions import follow_up_jobs
from tests.bench.kills_site import children
from tests.server.job_runs import hasten
from tests.server.jobs.test_worker import alive, wait_for
from tests.server.mail_sink import Sink
from tests.server.small_task import GOOD, PASSWORD, variant
from tests.server.test_serving import (
    NGINX,
    Browser,
    answers,
    behind_nginx,
    files,
    free_port,
    replace_port,
    running,
)
from tests.server.world import World

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not os.environ.get("TEST_DATABASE_URL"), reason="PostgreSQL is not running"),
    pytest.mark.skipif(not NGINX.exists(), reason="missed: a site on two hosts; apt-get install nginx"),
]
FORM = "application/x-www-form-urlencoded"


def test_two_hosts_are_one_site_and_one_restarts_without_a_failed_request(
    world: World, sink: Sink, tmp_path: Path
) -> None:
    path = f"/tasks/small/runs/{world.run().id}/p2s/upload"
    with db.writing(world.session):
        now, phase = datetime.now(UTC), world.phase()
        phase.opens, phase.closes = now - timedelta(days=1), now + timedelta(days=1)
        phase.files_per_level = None
    usual = replace(world.site.config, testing=False, jobs=False, workers=1, threads=8, proxies=1)
    one, two = (replace(usual, port=free_port()) for _ in range(2))
    with running(usual, "worker"), running(two, "serve") as pid, ExitStack() as first:
        first.enter_context(running(one, "serve"))
        wait_for(lambda: answers(one.port) and answers(two.port))
        here = Browser(one.port, pid)
        there = replace_port(here, two.port)
        check_withdrawal(world, here, there, path)
        check_limit(one.port, two.port)
        with behind_nginx(tmp_path, one.port, two.port) as door, requests(replace_port(here, door), path):
            restart(tmp_path, one, first)
        check_emails(world, sink)


def check_withdrawal(world: World, here: Browser, there: Browser, path: str) -> None:
    """Who signed in at one host is signed in at the other, which shows at once what they do at the first."""
    assert there.send("GET", "/account/").status == 200
    assert here.upload(path, GOOD) == 302
    (submission,) = files(world, "p2s")
    page = f"/tasks/small/submissions/{submission.id}"
    assert "This submission is withdrawn" not in there.send("GET", page).body
    form = urlencode({"csrf_token": here.token}).encode()
    assert there.send("POST", f"{page}/withdraw", form, FORM).status == 302
    assert "This submission is withdrawn" in here.send("GET", page).body


def check_limit(*hosts: int) -> None:
    """Ten wrong passwords are too many for one address, wherever they were sent to."""
    guests = [Guest(port) for port in hosts]
    assert not any(guest.is_locked("a wrong password") for _ in range(5) for guest in guests)
    assert all(guest.is_locked(PASSWORD) for guest in guests)


class Guest(Browser):
    """A visitor who has the form for signing in."""

    def __init__(self, port: int) -> None:
        self.port, self.cookie = port, ""
        self._note(self.send("GET", "/sign-in"))

    def is_locked(self, password: str) -> bool:
        """Send the form for dee; whether the site refuses to look at the password."""
        fields = {"email": "dee@example.org", "password": password, "csrf_token": self.token}
        answer = self.send("POST", "/sign-in", urlencode(fields).encode(), FORM)
        assert answer.status == 200
        return "Too many failed attempts" in answer.body


@contextmanager
def requests(browser: Browser, path: str) -> Iterator[None]:
    """Pages are read and files uploaded meanwhile; fail if a request does."""
    stopped, statuses = threading.Event(), list[tuple[str, int]]()

    def read() -> None:
        while not stopped.wait(0.05):
            statuses.append(("read", browser.send("GET", "/tasks/small/").status))

    def upload() -> None:
        while not stopped.wait(0.05):
            statuses.append(("uploaded", browser.upload(path, variant(len(statuses)))))

    with ThreadPoolExecutor(2) as threads:
        sending = [threads.submit(work) for work in (read, upload)]
        try:
            yield
        finally:
            stopped.set()
        for one in sending:
            one.result()
    assert set(statuses) == {("read", 200), ("uploaded", 302)}


def restart(folder: Path, config: Config, host: ExitStack) -> None:
    """Restart a host to which the proxy sends nothing meanwhile."""
    conf, server = folder / "nginx.conf", f"server 127.0.0.1:{config.port}"
    text = conf.read_text("utf-8")
    assert f"{server};" in text
    reload(folder, text.replace(f"{server};", f"{server} down;"))
    host.close()
    assert not answers(config.port)
    host.enter_context(running(config, "serve"))
    wait_for(lambda: answers(config.port))
    reload(folder, text)


def reload(folder: Path, text: str) -> None:
    """Give nginx another configuration, and wait until the processes with the one before have ended."""
    master = int((folder / "pid").read_text())
    before = children(master)
    (folder / "nginx.conf").write_text(text, "utf-8")
    os.kill(master, signal.SIGHUP)
    wait_for(lambda: not any(map(alive, before)))


def check_emails(world: World, sink: Sink) -> None:
    """Each confirmation is written by one attempt of its job, and no email is sent twice."""
    query = world.session.query(Job).filter_by(kind=follow_up_jobs.CONFIRMATION_JOB)
    with db.writing(world.session):
        ids = [job.id for job in query]
        hasten(world.session, ids, datetime.now(UTC))
    wait_for(lambda: any(mail["To"] == "bo@example.org" for mail in sink.mails))
    world.session.rollback()
    assert {(job.state, job.attempt) for job in query} == {("done", 1)}
    sent = [(mail["Message-ID"], mail["To"]) for mail in sink.mails]
    assert len(sent) == len(set(sent))
