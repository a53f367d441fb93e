"""What holds on every route: where a visitor is sent, which headers, no inline script, no way off site."""

import html
import re
from dataclasses import replace
from urllib.parse import parse_qs, quote, urlsplit

import pytest
from flask import Flask

from server.access import tasks
from server.app import create_app
from server.core.config import Config
from server.core.errors import list_codes
from server.core.storage import Storage
from server.runs.models import Run
from tests.server.answers import CollectedAnswers, list_allowed
from tests.server.players import Player, play
from tests.server.route_cases import CLOSED, RELEASED, Case
from tests.server.route_table import CASES
from tests.server.small_task import PASSWORD
from tests.server.visitors import Visitor, words
from tests.server.world import World

pytestmark = pytest.mark.one_database

SCRIPT = (
    r'<script(?! src="/static/[a-z/]+\.js\?v=[0-9a-f]{10}" (defer|type="module")></script>'
    r'| type="application/json" id="[a-z]+">)'
)
INLINE = SCRIPT + r"|<style|<[^>]* (style|on[a-z]+)=|javascript:"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


KEPT = {
    "static": "public, max-age=3600",
    "boards.as_json": "public, no-cache",
    "releases.export": "public, no-cache",
    "releases.bibtex": "public, no-cache",
    "releases.statement": "public, no-cache",
    "releases.proof": "public, no-cache",
    "releases.run_file": "public, no-cache",
    "releases.run_files": "public, no-cache",
    "release_papers.download": "public, no-cache",
    "release_papers.figure": "public, no-cache",
    "keys.published": "public, no-cache",
    "api_openapi.openapi": "public, no-cache",
    "feeds.releases": "public, no-cache",
    "task_files.show": "public, no-cache",
    "help.example": "public, no-cache",
    "help.notebook": "public, no-cache",
    "packages.download": "public, no-cache",
    "api_keys.show": "public, no-cache",
    "api_boards.show": "public, no-cache",
    "api_release_files.board": "public, no-cache",
    "api_release_files.statement": "public, no-cache",
    "api_release_files.run_file": "public, no-cache",
    "api_release_files.runs": "public, no-cache",
    "api_release_files.proof": "public, no-cache",
    "api_release_files.bibtex": "public, no-cache",
    "api_campaigns.export": "no-store",
}
"""What caches may keep; and pages of a release, of a visitor."""
OF_A_RELEASE = {
    "releases.show", "release_papers.show", "release_systems.show", "comparisons.show", "stability.show",
}  # fmt: skip

OF_A_SECRET_LINK = {
    "annotator_links.show", "annotator_links.enter", "annotator_crowd.show", "annotator_crowd.enter",
    "invitations.join", "invitations.accept", "roles.accept",
    "mails.stop", "mails.stop_now", "security.confirm_email", "security.reset_password",
    "security.change_email_confirm", "security.two_factor_setup_validate",
}  # fmt: skip


def check_headers(response, keeping: str = "no-store", referrer: str = "same-origin") -> None:
    headers = response.headers
    assert headers.getlist("Content-Security-Policy") == [POLICY]
    assert headers.getlist("X-Content-Type-Options") == ["nosniff"]
    assert headers["Referrer-Policy"] == referrer
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers.getlist("Cache-Control") == [keeping]
    assert ("ETag" in headers) == (keeping != "no-store")


def check_page(case: Case, page: str) -> None:
    """One heading, a title, a language, each field with its label, each id once, no link to nowhere."""
    assert '<html lang="en">' in page, case
    assert len(re.findall(r"<h1[ >]", page)) == 1, case
    assert re.search(r"<title>[^<]*\S[^<]* · Assay</title>", page), case
    ids = re.findall(r'\sid="([^"]*)"', page)
    assert len(ids) == len(set(ids)), case
    for name in re.findall(r'<(?:label for|[a-z]+ [^>]*aria-(?:labelledby|describedby))="([^"]*)"', page):
        assert set(name.split()) <= set(ids), (case, name)
    assert set(re.findall(r'href="#([^"]+)"', page)) <= set(ids), case


@pytest.mark.xdist_group("collected-answers")
def test_every_response_has_security_headers_and_pages_are_complete_without_inline_scripts(
    closed: CollectedAnswers, released: CollectedAnswers
) -> None:
    for role, answers in (*closed.answers.items(), *released.answers.items()):
        for case, response in [(one.case, one.response) for one in answers if one.case is not None]:
            kept = role == "visitor" and case.endpoint in OF_A_RELEASE
            kept = kept or (case.endpoint.startswith("api") and case.method == "GET")
            good = response.status_code < 400
            keeping = KEPT.get(case.endpoint, "private, no-cache" if kept else "no-store")
            referrer = "strict-origin" if case.endpoint in OF_A_SECRET_LINK else "same-origin"
            check_headers(response, keeping if good else "no-store", referrer)
            if response.mimetype == "text/html":
                script = re.search(INLINE, response.text)
                assert not script, (role, case)
                if response.status_code not in (302, 303):
                    check_page(case, response.text)


@pytest.mark.xdist_group("collected-answers")
def test_every_api_error_has_a_listed_problem_code(closed: CollectedAnswers) -> None:
    listed = {(code, status) for code, status, _words in list_codes()}
    found = {
        (one.response.json["code"], one.response.status_code)
        for answers in closed.answers.values()
        for one in answers
        if one.response.mimetype == "application/problem+json"
    }
    assert found <= listed
    assert {code for code, _status in found} > {"bad_token", "forbidden", "not_found", "conflict", "refused"}


@pytest.mark.slow
def test_links_of_every_page_work(world: World) -> None:
    play(world, RELEASED)
    static = set[str]()
    for role in ("visitor", "member", "organizer"):
        player, seen, opened = Player(world, role), set[str](), set[str]()
        for case in list_allowed(CASES, role):
            if case.method == "GET":
                page = player.send(case)
                if page.status_code in (200, 302):
                    opened.add(player.address(case))
                if page.mimetype == "text/html":
                    seen |= {
                        html.unescape(link) for link in re.findall(r'(?:href|src)="(/[^"#]*)', page.text)
                    }
        for address in sorted(seen - opened - static):
            assert player.visitor.get(address).status_code in (200, 302), address
        static |= {address for address in seen if address.startswith("/static/")}


def test_visitor_is_redirected_to_sign_in_and_then_to_the_page(world: World) -> None:
    play(world, CLOSED)
    player = Player(world, "visitor")
    for case, response in player.sent():
        if case.endpoint.startswith("security."):
            break
        if case.status("visitor", CLOSED) == "(302)":
            location = urlsplit(response.headers["Location"])
            assert (location.scheme, location.netloc, location.path) == ("", "", "/sign-in")
            assert parse_qs(location.query)["next"] == [player.address(case)]


EVIL = [
    "https://evil.example/",
    "//evil.example/",
    "///evil.example/",
    "/\\evil.example/",
    "\\\\evil.example/",
    "/\t/evil.example/",
    "http:evil.example",
    "https:///evil.example",
    "javascript:alert(1)",
    " //evil.example",
    "/%09/evil.example",
    "/%5cevil.example",
    "/..//evil.example",
    "https://localhost@evil.example/",
    "https://localhost.evil.example/",
]


def stays(location: str) -> bool:
    """Whether a browser that reads the address stays on the site: it takes a backslash for a slash."""
    read = re.sub(r"[\t\r\n]", "", location).strip().replace("\\", "/")
    parts = urlsplit(read)
    return not parts.scheme and not parts.netloc and not read.startswith("//")


@pytest.mark.parametrize("path", ["/sign-in", "/sign-up"])
def test_next_parameter_never_redirects_off_the_site(world: World, path: str) -> None:
    form = {"email": "bo@example.org", "password": PASSWORD, "name": "Newcomer"}
    for number, target in enumerate(EVIL):
        if path == "/sign-up":
            form["email"] = f"newcomer{number}@example.org"
        for query, field in ((f"?next={quote(target)}", {}), ("", {"next": target})):
            response = world.client().post(path + query, {**form, **field})
            assert response.status_code in (200, 302), target
            assert stays(response.headers.get("Location", "/")), target
            assert not re.search(r'(?:href|action)="(?:https?:)?[/\\]*evil', response.text), target


def test_next_parameter_redirects_to_the_requested_page(world: World) -> None:
    form = {"email": "bo@example.org", "password": PASSWORD}
    response = world.client().post("/sign-in?next=/tasks/small/team/", form)
    assert (response.status_code, response.headers["Location"]) == (302, "/tasks/small/team/")


def test_site_on_https_has_cookies_of_this_host_alone_and_asks_for_https(config: Config) -> None:
    site = create_app(replace(config, secure_cookies=True, site_url="https://assay.example.org"))
    answer = site.test_client().get("/sign-in")
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    cookies = answer.headers.getlist("Set-Cookie")
    assert cookies
    for cookie in cookies:
        assert cookie.startswith("__Host-")
        assert "Path=/;" in f"{cookie};"
        assert {"Secure", "HttpOnly", "SameSite=Lax"} <= {part.strip() for part in cookie.split(";")}


NOWHERE = [
    "/nowhere",
    "/tasks/nowhere/",
    "/tasks/small/boards/nowhere",
    "/tasks/small/data/p2s.test.nothing.tsv",
    "/tasks/small/submissions/2147483647",
    "/tasks/small/submissions/999999999999999999999",
    "/tasks/small/rejections/999999999999999999999",
    "/tasks/small/runs/999999999999999999999/p2s/upload",
    "/tasks/%00/",
    "/tasks/small/?page=%00",
    "/tasks/" + "x" * 2000 + "/",
    "/static/../server/app.py",
    "/static/%2e%2e/config.py",
]


@pytest.mark.both_databases
def test_unknown_url_has_a_not_found_page(world: World) -> None:
    bo = world.client("bo")
    for path in NOWHERE:
        response = bo.get(path)
        assert response.status_code == 404, path
        assert "All tasks" in words(response), path
        check_headers(response)


def test_server_error_page_has_no_details_and_the_error_is_logged(
    world: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_arguments: object) -> bytes:
        raise OSError("secret path /srv/assay")

    monkeypatch.setattr(Storage, "get", fail)
    world.app.config["PROPAGATE_EXCEPTIONS"] = False
    response = world.client().get("/tasks/small/data/p2s.test.items.tsv")
    assert response.status_code == 500
    assert "Something went wrong on the server" in words(response)
    assert "secret path" not in response.text
    assert "Traceback" not in response.text
    check_headers(response)
    assert "secret path" in caplog.text


def test_missing_database_still_gives_an_error_page(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object) -> None:
        raise OSError("gone")

    bo = world.client("bo")
    monkeypatch.setattr(tasks, "query_task_phases", fail)
    world.app.config["PROPAGATE_EXCEPTIONS"] = False
    response = bo.get("/tasks/small/")
    assert response.status_code == 500
    assert "nothing was counted against your quota" in words(response)


@pytest.mark.parametrize("path", ["/tasks/small/teams/new", "/sign-in", "/sign-up"])
def test_too_large_form_is_rejected_with_a_message(world: World, path: str) -> None:
    response = world.client("dee" if "teams" in path else None).post(path, {"name": "x" * 70_000})
    assert response.status_code == 413
    assert "can have at most 65 kB" in words(response)
    check_headers(response)


def test_server_header_does_not_reveal_software(app: Flask) -> None:
    assert "Server" not in Visitor(app.test_client()).get("/").headers


@pytest.mark.both_databases
def test_null_character_in_a_form_is_reported_and_nothing_is_written(world: World) -> None:
    response = world.client("bo").post(
        "/tasks/small/phases/evaluation/runs/new", {"name": "two", "description": "a\0b"}
    )
    assert response.status_code == 400
    assert "A field of the form has a NUL character" in words(response)
    assert world.session.query(Run).filter_by(name="two").all() == []
