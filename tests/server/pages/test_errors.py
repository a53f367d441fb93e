"""Each error says what happened, what to do next, and leads back; a fault has its reference in the log."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest
from flask import Flask
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from server.app import create_app
from server.bundles import forms
from server.cli.serve import gunicorn_settings
from server.core.config import Config
from server.core.storage import Storage
from tests.server.visitors import Visitor, words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def test_each_error_page_says_what_to_do_next_and_links_back(world: World) -> None:
    visitor, bo = world.client(), world.client("bo")
    nowhere = visitor.get("/tasks/small/boards/nowhere")
    assert nowhere.status_code == 404
    assert "Page not found 404 There is no such phase." in words(nowhere)
    assert 'href="/sign-in?next=/tasks/small/boards/nowhere"' in nowhere.text
    assert 'class="button" href="/tasks/small/">The task’s page' in nowhere.text
    assert "If you expected a page here, sign in. You will return to this address." not in words(
        bo.get("/nowhere")
    )

    role = bo.get("/tasks/small/organize/")
    assert role.status_code == 403
    assert "You are signed in as bo. To use another account, sign out first. If you should have" in words(
        role
    )

    form = visitor.get("/tasks/small/organize/gold/1/publish")
    assert form.status_code == 405
    page = world.client("bo").post("/tasks/small/")
    assert (page.status_code, "This address is a page; you cannot send anything to it." in words(page)) == (
        405,
        True,
    )
    assert "This page cannot be opened directly." in words(form)

    headers = {"Referer": "http://localhost/tasks/small/teams/new"}
    dee = world.client("dee")
    stale = dee.open("/tasks/small/teams/new", method="POST", data={"name": "x"}, headers=headers)
    assert stale.status_code == 400
    assert "The form is no longer valid" in words(stale)
    assert 'class="button" href="/tasks/small/teams/new">Back to the form' in stale.text
    headers = {"Referer": "https://example.org/tasks/small/teams/new"}
    foreign = dee.open("/tasks/small/teams/new", method="POST", data={"name": "x"}, headers=headers)
    assert "Back to the form" not in foreign.text

    address = "/tasks/small/questions"
    sent = {"text": "A question that took an hour", "title": "no"}
    for player, own in ((bo, True), (visitor, True), (visitor, False)):
        host = "localhost" if own else "example.org"
        stale = player.open(address, method="POST", data=sent, headers={"Referer": f"http://{host}{address}"})
        assert ("A question that took an hour</textarea>" in stale.text) is own
        assert (
            f'data-signed-out>If you were signed in, <a href="/sign-in?next={address}">' in stale.text
        ) is (own and player is visitor)

    address = f"/tasks/small/runs/{world.run().id}/p2s/upload"
    large = bo.upload(address, b"0.5\n" * 30_000)
    assert large.status_code == 413
    assert "A file can have at most 66 kB here. Nothing was stored or counted." in words(large)
    assert "Write fewer digits" in words(large)
    assert f'class="button" href="{address}">Back to the upload' in large.text


@pytest.mark.parametrize(
    ("path", "to"),
    [
        ("/help", "/help/"),
        ("/tasks/small?tab=a%20b", "/tasks/small/?tab=a%20b"),
        ("/tasks//evil.example//", "/tasks/evil.example/"),
    ],
)
def test_trailing_slash_redirect_ignores_the_host_header(world: World, path: str, to: str) -> None:
    answer = world.client().open(path, method="GET", headers={"Host": "evil.example"})
    assert (answer.status_code, answer.headers["Location"]) == (308, to)
    assert "//evil" not in answer.text


def test_too_large_bundle_message_says_what_to_leave_out(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forms, "IMPORT_LIMIT", 9000)
    monkeypatch.setattr(forms, "FORM_OVERHEAD", 1000)
    assert "Size limit: 9000 bytes" in words(world.client("ada").get("/import"))
    page = world.client("ada").upload("/import", b"x" * 11000, "bundle.zip")
    assert page.status_code == 413
    assert "An upload can have at most 9000 bytes." in words(page)
    assert (
        "Leave out files that task.toml does not name, such as drafts, corpora, images or programs."
        in words(page)
    )
    assert (
        "Check that you chose the right file: run and gold files have one short line per item."
        not in words(page)
    )


def test_too_long_url_has_our_error_page(world: World, config: Config) -> None:
    limit = gunicorn_settings(config)["limit_request_line"]
    page = world.client().get("/tasks/?q=" + "x" * (limit - len("GET /tasks/?q= HTTP/1.1")))
    assert page.status_code == 414
    assert "The address is too long" in words(page)


def test_rate_limited_upload_says_when_to_try_again(world: World) -> None:
    bo, address = world.client("bo"), f"/tasks/small/runs/{world.run().id}/p2s/upload"
    token = bo.token()
    for minute in range(30):
        world.set_clock(DURING + timedelta(minutes=minute))
        assert bo.upload(address, b"x\n" * (minute + 2), csrf_token=token).status_code == 422
    refused = bo.upload(address, b"x\n", csrf_token=token)
    assert refused.status_code == 429
    assert "hides the errors of further ones until 10 Mar 2026, 13:00:00 UTC" in words(refused)
    assert refused.headers["Retry-After"] == "Tue, 10 Mar 2026 13:00:00 GMT"
    world.set_clock(DURING + timedelta(hours=1, seconds=1))
    assert bo.upload(address, b"x\n", csrf_token=token).status_code == 422


def test_server_error_page_shows_the_reference_of_its_log_entry(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(Storage, "get", lambda *_: 1 / 0)
    world.app.config["PROPAGATE_EXCEPTIONS"] = False
    failed = world.client().get("/tasks/small/data/p2s.test.items.tsv")
    assert failed.status_code == 500
    reference = re.search(r"<code>([0-9a-f]{16})</code>", failed.text)
    assert reference is not None
    line = f"{reference[1]}: GET /tasks/small/data/p2s.test.items.tsv failed: ZeroDivisionError"
    assert line in caplog.text


@pytest.mark.parametrize("prefix", ["", "/api/v1"])
def test_control_characters_of_a_path_are_escaped_in_the_log(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, prefix: str
) -> None:
    def fail(_session: object, _query: object, parameters: dict[str, str]) -> None:
        raise ValueError(parameters.get("value", parameters.get("slug")))

    monkeypatch.setattr(Session, "scalar", fail)
    monkeypatch.setattr(Session, "execute", fail)
    world.app.config["PROPAGATE_EXCEPTIONS"] = False
    assert world.client().get(f"{prefix}/tasks/a%0Aforged%1B[2J%C2%9B/").status_code == 500
    assert f"{prefix}/tasks/a\\nforged\\x1b[2J\\x9b/" in caplog.text
    assert len([record for record in caplog.records if "Exception on" in record.getMessage()]) == 1
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", caplog.text)
    assert not any(line.startswith("forged") for line in caplog.text.splitlines())


@pytest.mark.parametrize(
    "path",
    ["/a/me/0secret0", "/tasks/small/join/0secret0", "/tasks/small/roles/0secret0"],
)
def test_personal_links_are_not_in_the_log(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, path: str
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise OperationalError("SELECT", {"key": path}, Exception("away"), hide_parameters=True)

    monkeypatch.setattr(Session, "execute", fail)
    monkeypatch.setattr(Session, "scalar", fail)
    world.app.config["PROPAGATE_EXCEPTIONS"] = False
    world.client().get(path)
    assert "OperationalError" in caplog.text
    assert path.replace("0secret0", "...") in caplog.text
    assert "0secret0" not in caplog.text


def test_unavailable_database_answers_with_retry_time(config: Config) -> None:
    away = replace(config, database_url="postgresql://nobody@127.0.0.1:1/none")
    app: Flask = create_app(away)
    app.config["PROPAGATE_EXCEPTIONS"] = False
    for path in ("/", "/tasks/small/"):
        page = Visitor(app.test_client()).get(path)
        assert (page.status_code, page.headers["Retry-After"]) == (503, "60")
        assert "Temporarily unavailable 503 The site’s database or disk is not available." in words(page)
        assert "Try again in a minute" in words(page)


def test_unknown_view_links_to_the_default_view(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    board = "/tasks/small/boards/evaluation"
    page = world.client().get(f"{board}?sort=beauty")
    assert page.status_code == 404
    assert f'<a class="button" href="{board}">Show the page without these settings</a>' in page.text
    assert "sign in" not in words(page).partition("Page not found")[2]
    assert world.client().get(board).status_code == 200
