"""Each request has an id, which its answer, error page and log entries have; no entry has a secret."""

import gzip
import io
import json
import logging.config
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any
from wsgiref.simple_server import make_server

import pytest

from server.core import logs, metrics
from server.core.config import Config, ConfigError, to_env
from server.core.storage import Storage
from server.web.context import EXTENSION
from tests.server.health.test_health import QuietHandler
from tests.server.world import World

pytestmark = pytest.mark.one_database

ITEMS = "/tasks/small/data/p2s.test.items.tsv"
NGINX_ID = "0123456789abcdef0123456789abcdef"
FAILURE = "the address of bo@example.org"

Entries = Callable[[], list[dict[str, Any]]]


def behind_proxy(world: World) -> None:
    world.app.extensions[EXTENSION] = replace(world.site, config=replace(world.site.config, proxies=1))


def request_id(world: World, **headers: str) -> str:
    return world.client().open("/help/", method="GET", headers=headers).headers["X-Request-ID"]


def fail_to_read(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> bytes:
        raise ZeroDivisionError(FAILURE)

    monkeypatch.setattr(Storage, "get", fail)


def test_each_request_gets_an_id_of_its_own_and_without_a_proxy_no_client_chooses_it(world: World) -> None:
    ids = {request_id(world), request_id(world), request_id(world, **{"X-Request-ID": NGINX_ID})}
    assert len(ids) == 3
    assert all(re.fullmatch("[0-9a-f]{16}", each) for each in ids)


def test_well_formed_id_of_a_trusted_proxy_is_used(world: World) -> None:
    behind_proxy(world)
    for good in (NGINX_ID, "3f2504e0-4f89-11d3-9a0c-0305e82c3301"):
        assert request_id(world, **{"X-Request-ID": good}) == good
    for bad in ("short", "x" * 65, "<script>alert", f"{NGINX_ID},{NGINX_ID}", "with a blank", ""):
        assert re.fullmatch("[0-9a-f]{16}", request_id(world, **{"X-Request-ID": bad})), bad


def test_error_page_problem_and_text_log_name_the_request(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fail_to_read(monkeypatch)
    world.app.config["PROPAGATE_EXCEPTIONS"] = False
    page = world.client().get(ITEMS)
    assert page.status_code == 500
    assert f"<code>{page.headers['X-Request-ID']}</code>" in page.text
    answer = world.client().get("/api/v1/tasks/small/files/p2s/test/items")
    assert answer.status_code == 500, answer.text
    assert json.loads(answer.text)["reference"] == answer.headers["X-Request-ID"]
    for each in (page, answer):
        assert f"{each.headers['X-Request-ID']}: GET " in caplog.text


@pytest.fixture
def json_entries() -> Iterator[Entries]:
    """The logs of this process, as JSON."""
    pytest.importorskip("structlog", reason="missed: JSON logs; they need the extra “operator”")
    stream, settings = io.StringIO(), logs.json_settings()
    settings["handlers"]["stderr"]["stream"] = stream
    del settings["loggers"]["gunicorn.error"]
    root, requests = logging.getLogger(), logging.getLogger(logs.REQUESTS)
    handlers, levels = root.handlers[:], (root.level, requests.level)
    logging.config.dictConfig(settings)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.handlers[:] = handlers
    for logger, level in zip((root, requests), levels, strict=True):
        logger.setLevel(level)


def test_json_log_has_an_entry_for_each_request_by_its_route(world: World, json_entries: Entries) -> None:
    bo = world.client("bo")
    answers = [bo.get("/tasks/small/?view=0secret0"), bo.get("/a/me/0secret0"), bo.get("/no/0secret0")]
    entries = json_entries()[-3:]
    assert [(entry["route"], entry["status"]) for entry in entries] == [
        ("/tasks/<slug>/", 200),
        ("/a/me/<key>", 404),
        ("(unknown)", 404),
    ]
    for entry, answer in zip(entries, answers, strict=True):
        assert set(entry) == {
            "time", "level", "logger", "event", "request_id", "route", "method", "status", "ms",
        }  # fmt: skip
        assert (entry["level"], entry["logger"], entry["event"]) == ("info", "assay.requests", "request")
        assert (entry["method"], entry["request_id"]) == ("GET", answer.headers["X-Request-ID"])
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z", entry["time"])
        assert 0 < entry["ms"] < 60_000
    assert not re.search(r"0secret0|127\.0\.0\.1|session|example\.org", json.dumps(entries))


def test_json_entries_of_a_failed_request_have_its_id_and_no_personal_link(
    world: World, monkeypatch: pytest.MonkeyPatch, json_entries: Entries
) -> None:
    fail_to_read(monkeypatch)
    world.app.config["PROPAGATE_EXCEPTIONS"] = False
    answer = world.client().get(ITEMS)
    entries = json_entries()
    assert {entry["logger"] for entry in entries} == {"server", "assay.errors", logs.REQUESTS}
    assert {entry["request_id"] for entry in entries} == {answer.headers["X-Request-ID"]}
    assert {entry["route"] for entry in entries} == {"/tasks/<slug>/data/<level>.<split>.<kind>.tsv"}
    logging.getLogger("assay.worker").warning("It is %s.", "later")
    assert set(json_entries()[-1]) == {"time", "level", "logger", "event"}
    try:
        int("of a job")
    except ValueError:
        logging.getLogger("assay.worker").exception("Job 7 went wrong.")
    assert "'of a job'" in json_entries()[-1]["exception"]


def test_report_to_sentry_has_the_route_and_nothing_of_people(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    sentry = pytest.importorskip("sentry_sdk", reason="missed: error reports; they need the extra “operator”")
    received: list[bytes] = []

    def receive(environ: dict[str, Any], start_response: Callable[..., object]) -> list[bytes]:
        body = environ["wsgi.input"].read(int(environ["CONTENT_LENGTH"]))
        received.append(gzip.decompress(body) if environ.get("HTTP_CONTENT_ENCODING") == "gzip" else body)
        start_response("200 OK", [])
        return [b"{}"]

    fail_to_read(monkeypatch)
    world.app.config["PROPAGATE_EXCEPTIONS"] = False
    with make_server("127.0.0.1", 0, receive, handler_class=QuietHandler) as served:
        threading.Thread(target=served.serve_forever, daemon=True).start()
        dsn = f"http://key@127.0.0.1:{served.server_port}/1"
        logs.start(replace(world.site.config, sentry_dsn=dsn))
        try:
            answer = world.client("bo").open(
                f"{ITEMS}?q=0secret0", method="GET", headers={"Referer": "http://localhost/a/me/0secret0"}
            )
        finally:
            sentry.flush(10)
            sentry.get_client().close()
            sentry.get_global_scope().set_client(None)
            served.shutdown()
    (report,) = [json.loads(line) for body in received for line in body.splitlines() if b"exception" in line]
    (error,) = report["exception"]["values"]
    assert (error["type"], error["value"]) == ("ZeroDivisionError", "")
    assert report["tags"] == {
        "request_id": answer.headers["X-Request-ID"], "route": "/tasks/<slug>/data/<level>.<split>.<kind>.tsv"
    }  # fmt: skip
    assert "request" not in report
    assert "user" not in report
    assert not re.search(rb"0secret0|bo@|session=|p2s", b"".join(received))


@pytest.mark.parametrize(
    ("setting", "value", "module"),
    [
        ("log", "json", "structlog"),
        ("sentry_dsn", "https://key@sentry.example.org/1", "sentry_sdk"),
        ("metrics", "127.0.0.1:9464", "prometheus_client"),
    ],
)
def test_setting_whose_package_is_missing_names_the_package_and_the_extra(
    config: Config, monkeypatch: pytest.MonkeyPatch, setting: str, value: str, module: str
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.setenv(metrics.FOLDER_VARIABLE, "/nowhere")
    message = rf"ASSAY_\S+ needs {module}\S*, which is not installed; run: pip install 'assay\[operator\]'"
    with pytest.raises(ConfigError, match=message):
        (metrics if setting == "metrics" else logs).start(replace(config, **{setting: value}))


def test_processes_of_a_site_without_these_settings_load_none_of_their_packages(config: Config) -> None:
    code = (
        "import sys; import server.worker; from server.cli import serve, worker; from server import wsgi; "
        "serve.gunicorn_settings(wsgi._config); wsgi.app.test_client().get('/health/live'); "
        "sys.exit(', '.join({'prometheus_client', 'structlog', 'sentry_sdk'} & set(sys.modules)) or None)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=to_env(config), check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
