"""Sign-in is by our sessions only: Flask-Security's own token is never given and signs nobody in."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from flask import current_app, url_for
from itsdangerous import BadSignature
from werkzeug.test import TestResponse

from server.accounts.models import User
from tests.server.accounts.test_accounts_second_factor import BO, turn_on
from tests.server.mail_sink import Sink
from tests.server.small_task import PASSWORD
from tests.server.visitors import Visitor, words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

NEW = "another long password"
VALID = {
    "name": "Newcomer",
    "email": "bo@example.org",
    "password": PASSWORD,
    "password_confirm": PASSWORD,
    "new_password": NEW,
    "new_password_confirm": NEW,
    "code": "123456",
    "setup": "authenticator",
    "generate_new_codes": "yes",
    "include_auth_token": True,
}
BODIES: tuple[Any, ...] = (
    VALID,
    {},
    dict.fromkeys(VALID),
    dict.fromkeys(VALID, 5),
    {name: [value] for name, value in VALID.items()},
    {name: {"nested": [value]} for name, value in VALID.items()},
    [],
    [1],
    [[1, 2], ["email", "bo@example.org"]],
    "text",
    7,
    None,
)


def addresses(world: World, reset: str) -> Iterator[tuple[str, str]]:
    """Each page of Flask-Security, with each method that it takes."""
    token = reset.rsplit("/", 1)[1]
    with world.app.test_request_context():
        for rule in world.app.url_map.iter_rules():
            if rule.endpoint.startswith("security."):
                for method in sorted((rule.methods or set()) & {"GET", "POST"}):
                    yield method, url_for(rule.endpoint, **dict.fromkeys(rule.arguments, token))


def tokens_in(answer: TestResponse) -> list[Any]:
    """What the answer holds that Flask-Security would accept as its own token."""
    serializer, found = current_app.extensions["security"].remember_token_serializer, []
    everything = f"{answer.headers}{answer.text}"
    for text in re.findall(r"[\w-]+\.[\w-]+\.[\w-]+", everything):
        try:
            found.append(serializer.loads(text))
        except BadSignature:
            continue
    return found + re.findall("auth(?:entication)?_token", everything)


def half_way(world: World) -> Visitor:
    """A browser that has given the password and is asked for the code."""
    turn_on(world.client("bo"))
    visitor = world.client()
    visitor.post("/sign-in", BO)
    return visitor


@pytest.mark.parametrize("who", ["visitor", "half-way", "signed-in"])
def test_json_to_account_pages_is_rejected_and_gets_no_token(world: World, sink: Sink, who: str) -> None:
    world.client().post("/reset-password", {"email": "bo@example.org"})
    world.work(DURING)
    reset = sink.link("bo@example.org")
    visitor = half_way(world) if who == "half-way" else world.client("bo" if who == "signed-in" else None)
    walked = list(addresses(world, reset))
    assert len(walked) > 25
    for method, address in walked:
        for body in BODIES:
            answer = visitor.open(
                f"{address}?include_auth_token",
                method=method,
                data=json.dumps(body),
                content_type="application/json",
                headers={"X-CSRFToken": visitor.token(), "Accept": "application/json"},
            )
            assert answer.status_code == 415, (method, address, body)
            assert "This page expects a form." in words(answer)
            assert tokens_in(answer) == [], (method, address, body)
    assert world.client().post("/sign-in", BO).status_code == 302  # nothing was changed


@pytest.mark.parametrize("accept", ["application/json", "text/html"])
@pytest.mark.parametrize("more", [{}, {"include_auth_token": "true"}])
def test_form_always_gets_a_page_and_no_token(world: World, accept: str, more: dict[str, str]) -> None:
    visitor = world.client()
    for path, form in (
        ("/sign-in", BO),
        ("/verify", {"password": PASSWORD}),
        ("/account/password", {"password": PASSWORD, "new_password": NEW, "new_password_confirm": NEW}),
    ):
        answer = visitor.post(f"{path}?include_auth_token", {**form, **more}, headers={"Accept": accept})
        assert (answer.status_code, answer.mimetype) == (302, "text/html"), path
        assert tokens_in(answer) == []


def test_library_auth_token_does_not_sign_in(world: World) -> None:
    token = str(world.session.query(User).filter_by(email="ada@example.org").one().get_auth_token())
    headers = {"Authentication-Token": token, "Authorization": f"Bearer {token}"}
    for address in ("/account/", "/account/tokens/", "/account/email", "/account/second-factor", "/verify"):
        for how in ({"headers": headers}, {"query_string": {"auth_token": token}}):
            answer = world.client().get(address, **how)
            assert answer.status_code == 302, address
            assert answer.headers["Location"].startswith("/sign-in"), address
    visitor = world.client()
    assert "Sign out" not in words(visitor.get("/", headers=headers))
    assert visitor.get("/tasks/small/organize/", headers=headers).status_code == 302
    off = {"setup": "disable", "auth_token": token}
    assert "/sign-in" in visitor.post("/account/second-factor", off, headers=headers).headers["Location"]


@pytest.mark.parametrize("path", ["/api/v1/me", "/api/v1/tokens", "/api/v1/tasks/small/runs"])
def test_library_auth_token_is_rejected_by_the_api(world: World, path: str) -> None:
    token = str(world.session.query(User).filter_by(email="bo@example.org").one().get_auth_token())
    visitor = world.client()
    for headers in ({"Authentication-Token": token}, {"Authorization": f"Bearer {token}"}):
        assert visitor.get(path, headers=headers).status_code == 401
    assert visitor.get(f"{path}?auth_token={token}").status_code in (401, 422)


@pytest.mark.parametrize("body", [[1], "text", 7, {"name": ["x"]}])
def test_json_to_a_site_form_is_rejected(world: World, body: object) -> None:
    bo = world.client("bo")
    for path in ("/account/", "/account/tokens/", "/tasks/small/team/edit", "/tasks/small/team/leave"):
        answer = bo.open(
            path,
            method="POST",
            data=json.dumps(body),
            content_type="application/json",
            headers={"X-CSRFToken": bo.token()},
        )
        assert answer.status_code == 415, path
    assert world.user("bo").name == "bo"
