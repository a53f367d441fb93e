"""Personal tokens: made and shown once, listed, revoked, over."""

import re
from datetime import timedelta

import pytest

from server.accounts.models import ApiToken
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

PAGE = "/account/tokens/"
NEW = "/account/tokens/new"


def make(world: World, **form: str) -> str:
    """A token of bo's, as the page shows it."""
    bo, asked = world.client("bo"), {"name": "laptop", "scopes": "read", "days": "30", **form}
    bo.give_password()
    return re.findall(r"assay_[\w-]{43}", bo.post(NEW, asked).text)[0]


def status(world: World, token: str) -> int:
    headers = {"Authorization": f"Bearer {token}"}
    return world.client().get("/api/v1/tasks/", headers=headers).status_code


def test_token_is_shown_once_stored_as_a_hash_and_expires(world: World) -> None:
    token = make(world)
    row = world.session.query(ApiToken).one()
    assert (row.scopes, row.ends_at) == (["read"], DURING + timedelta(days=30))
    assert token not in str(vars(row))
    page = world.client("bo").get(PAGE)
    assert token not in page.text
    assert "laptop read since 10 Mar 2026" in words(page)
    assert "laptop" not in words(world.client("cy").get(PAGE))
    assert status(world, token) == 200
    world.set_clock(row.ends_at)
    assert status(world, token) == 401


def test_revoked_token_is_rejected_and_only_its_owner_can_revoke_it(world: World) -> None:
    token = make(world)
    path = f"{PAGE}{world.session.query(ApiToken).one().id}/revoke"
    assert world.client("cy").post(path).status_code == 404
    assert status(world, token) == 200
    answer = world.client("bo").post(path, follow_redirects=True)
    assert "The token “laptop” was revoked" in words(answer)
    assert status(world, token) == 401


def test_form_creates_one_token_however_often_it_is_sent(world: World) -> None:
    bo = world.client("bo")
    bo.give_password()

    def shown(page: str) -> str:
        return re.findall(r'name="after"[^>]* value="(\d+)"', page)[0]

    form = {"name": "laptop", "scopes": "read", "days": "30", "after": shown(bo.get(NEW).text)}
    first, again = bo.post(NEW, form), bo.post(NEW, form)
    assert (first.status_code, again.status_code) == (200, 409)
    assert "A token was already created with this form. Submit it again to create another one." in words(
        again
    )
    assert world.session.query(ApiToken).count() == 1
    assert bo.post(NEW, {**form, "after": shown(again.text)}).status_code == 200
    assert world.session.query(ApiToken).count() == 2


def test_invalid_token_form_is_reported(world: World) -> None:
    bo = world.client("bo")
    bo.give_password()
    for wrong in ({"name": ""}, {"scopes": "all"}, {"days": "0"}, {"days": "400"}):
        answer = bo.post(NEW, {"name": "laptop", "scopes": "read", "days": "30", **wrong})
        assert answer.status_code == 422
        assert "Please fix the following:" in words(answer)
    assert world.session.query(ApiToken).count() == 0
