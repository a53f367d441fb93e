"""A served site with all that operators can switch on: metrics of all its processes, and logs as JSON."""

import http.client
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from server.core import db, metrics
from server.core.config import to_env
from server.health.scrapes import SiteCollector
from server.mail import announcements
from tests.server.jobs.test_worker import begun, wait_for
from tests.server.small_task import GOOD
from tests.server.test_serving import answers, free_port, jobs_workers_of, served, workers_of
from tests.server.world import DURING, World

pytestmark = [pytest.mark.slow, pytest.mark.one_database]

UPLOAD = "/tasks/<slug>/runs/<int:run_id>/<level>/upload"
ID = "0123456789abcdef0123456789abcdef"
Samples = dict[tuple[str, str], float]


@pytest.fixture(autouse=True)
def client() -> Any:
    return pytest.importorskip(
        "prometheus_client.parser", reason="missed: metrics; they need the extra “operator”"
    )


def send(port: int, path: str, method: str = "GET", **headers: str) -> tuple[int, str, str]:
    """The status, the body and the request's id."""
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.request(method, path, headers=headers)
        with connection.getresponse() as answer:
            return answer.status, answer.read().decode(), answer.headers.get("X-Request-ID", "")


def scrape(client: Any, port: int) -> Samples:
    """Each sample by its name and its labels, such as "GET 200 /help/"."""
    status, text, _ = send(port, "/metrics")
    assert status == 200
    return {
        (sample.name, " ".join(value for name, value in sorted(sample.labels.items()))): sample.value
        for family in client.text_string_to_metric_families(text)
        for sample in family.samples
    }


def environment_of(process: int) -> dict[str, str]:
    words = Path(f"/proc/{process}/environ").read_bytes().decode().split("\0")
    return dict(word.split("=", 1) for word in words if "=" in word)


def test_served_site_counts_in_all_processes_and_logs_json(
    world: World, client: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(metrics.FOLDER_VARIABLE, raising=False)
    with db.writing(world.session):
        world.phase().closes = datetime.now(UTC) + timedelta(days=1)
        draft = announcements.AnnouncementDraft("The data is out", "Have fun.", None)
        announcements.announce(world.session, world.actor("ada"), world.task, draft, DURING)
    run_id, port = world.run().id, free_port()
    operated = {"metrics": f"127.0.0.1:{port}", "log": "json", "workers": 2, "jobs": True, "proxies": 1}
    with served(world, **operated) as bo:
        assert bo.upload(f"/tasks/small/runs/{run_id}/p2s/upload", GOOD) == 302
        assert send(bo.port, "/a/me/0secret0")[0] == 404
        assert send(bo.port, "/help/", "BREW")[0] == 405
        assert send(bo.port, "/help/", **{"X-Request-ID": ID})[2] == ID

        for forged in (
            {"Host": f"127.0.0.1:{port}"},
            {"X-Forwarded-Port": str(port), "X-Forwarded-Host": f"127.0.0.1:{port}"},
            {"Server-Port": str(port), "SERVER-PORT": str(port)},
            {"Forwarded": f"host=127.0.0.1:{port};by=127.0.0.1:{port}", "X-Forwarded-For": "127.0.0.1"},
        ):
            status, page, _ = send(bo.port, "/metrics", **forged)
            assert (status, "assay_requests" in page) == (404, False), forged
        for path, method in (("/", "GET"), ("/help/", "GET"), ("/metrics", "POST")):
            assert send(port, path, method)[:2] == (404, "There is nothing but GET /metrics here.\n")

        folder = metrics_folder(bo.site)
        helps = 1
        while not all((folder / f"counter_{worker}.db").exists() for worker in workers_of(bo.site)):
            assert send(bo.port, "/help/")[0] == 200
            helps += 1
        wait_for(lambda: is_idle(scrape(client, port)))
        samples = scrape(client, port)
        pages = workers_of(bo.site)
    assert len(pages) == 2
    assert not folder.exists()
    check_samples(samples, helps)
    check_log(capfd.readouterr().err, helps)


def is_idle(samples: Samples) -> bool:
    return (
        samples["assay_oldest_due_job_seconds", ""] == 0
        and samples.get(("assay_jobs", "mail.send done"), 0) == samples["assay_mails_total", "logged"] > 0
    )


def metrics_folder(site: int) -> Path:
    """The folder that the site made, from the environment of its jobs worker."""
    wait_for(lambda: jobs_workers_of(site))
    (jobs_worker,) = jobs_workers_of(site)
    folder = Path(environment_of(jobs_worker)[metrics.FOLDER_VARIABLE])
    wait_for((folder / f"counter_{jobs_worker}.db").exists)
    assert folder.name.startswith("assay-metrics-")
    return folder


def check_samples(samples: Samples, helps: int) -> None:
    requests = {labels: value for (name, labels), value in samples.items() if name == "assay_requests_total"}
    # The labels are in the order of their names: code, method, route.
    assert requests["200 GET /help/"] == helps, "of both page workers"
    assert requests[f"302 POST {UPLOAD}"] == 1
    assert requests["404 GET /a/me/<key>"] == 1
    assert requests["405 other (unknown)"] == 1
    assert requests["404 GET (unknown)"] == 4
    assert samples["assay_request_seconds_count", f"POST {UPLOAD}"] == 1
    assert 0 < samples["assay_request_seconds_sum", f"POST {UPLOAD}"] < 60
    assert samples["assay_scoring_seconds_count", ""] == 1
    assert samples["assay_write_lock_wait_seconds_count", ""] > 1
    assert {result: samples["assay_mails_total", result] > 0 for result in metrics.MAIL_RESULTS} == {
        "sent": False, "logged": True, "failed": False, "refused": False,
    }  # fmt: skip
    checks = ("database", "schema", "clock", "storage")
    assert [samples["assay_check_ok", check] for check in checks] == [1] * len(checks)
    assert abs(samples["assay_clock_step_seconds", ""]) < 0.5
    assert samples["assay_jobs", "mail.confirm waiting"] == 1, "it is due in a minute"
    assert not any("0secret0" in labels or "small" in labels for _name, labels in samples)


def check_log(text: str, helps: int) -> None:
    entries = [json.loads(line) for line in text.splitlines()]
    routes = Counter(entry["route"] for entry in entries if entry["logger"] == "assay.requests")
    assert (routes["/help/"] >= helps, routes[UPLOAD]) == (True, 1)
    assert [entry["route"] for entry in entries if entry.get("request_id") == ID] == ["/help/"]
    mails = [entry["event"] for entry in entries if entry["logger"] == "assay.mail"]
    assert {event.split("\n")[0] for event in mails} >= {"Mail to bo@example.org: The data is out"}
    assert "0secret0" not in text


def test_worker_without_a_site_answers_for_its_emails_at_the_next_port(
    world: World, client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(metrics.FOLDER_VARIABLE, raising=False)
    with db.writing(world.session):
        draft = announcements.AnnouncementDraft("The data is out", "Have fun.", None)
        announcements.announce(world.session, world.actor("ada"), world.task, draft, DURING)
    port = free_port()
    config = replace(
        world.site.config, metrics=f"127.0.0.1:{port - 1}", mail_url=f"smtp://127.0.0.1:{free_port()}"
    )
    command = [sys.executable, "-m", "server.cli", "worker"]
    with begun(command, env=to_env(config)):
        wait_for(lambda: answers(port))
        wait_for(lambda: scrape(client, port)["assay_mails_total", "failed"] > 0)
        second = subprocess.run(command, env=to_env(config), capture_output=True, text=True, check=False)
    assert second.returncode == 2
    assert f"the port after that of ASSAY_METRICS: {port} of 127.0.0.1 cannot be used" in second.stderr


def test_scrape_says_that_the_database_is_away(world: World) -> None:
    away = replace(world.site.config, database_url="postgresql://assay@127.0.0.1:1/assay")
    families = list(SiteCollector(replace(world.site, config=away)).collect())
    assert [family.name for family in families] == ["assay_check_ok", "assay_clock_step_seconds"]
    assert {sample.labels["check"]: sample.value for sample in families[0].samples} == {
        "database": 0, "schema": 0, "clock": 1, "storage": 1,
    }  # fmt: skip


@pytest.fixture
def no_folder(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv(metrics.FOLDER_VARIABLE, "/somewhere")
    yield
    assert os.environ[metrics.FOLDER_VARIABLE] == "/somewhere"


@pytest.mark.usefixtures("no_folder")
def test_folder_that_the_operator_names_is_used(world: World) -> None:
    assert metrics.make_folder(replace(world.site.config, metrics="127.0.0.1:9464")) is None
