import re

import pytest

from tests.server.small_task import PASSWORD
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database


@pytest.mark.parametrize("email", ["bo@example.org", "BO@example.org", "bo@Example.org"])
def test_address_and_password_sign_in(world: World, email: str) -> None:
    visitor = world.client()
    response = visitor.post("/sign-in", {"email": email, "password": PASSWORD})
    assert response.status_code == 302
    assert "bo Sign out" in words(visitor.get("/"))


@pytest.mark.parametrize("email", ["bo@example.org", "nobody@example.org"])
def test_wrong_password_and_unknown_address_get_the_same_message(world: World, email: str) -> None:
    visitor = world.client()
    response = visitor.post("/sign-in", {"email": email, "password": "wrong password"})
    assert "Email address or password is wrong." in words(response)
    assert "Sign out" not in words(visitor.get("/"))


def test_password_is_never_echoed(world: World) -> None:
    response = world.client().post("/sign-in", {"email": "bo@example.org", "password": "wrong password"})
    assert "wrong password" not in response.text


def test_signed_in_person_is_redirected(world: World) -> None:
    assert world.client("bo").get("/sign-in").status_code == 302


def test_an_unknown_address_and_a_wrong_password_get_the_same_page(world: World) -> None:
    def answer(email: str) -> str:
        page = world.client().post("/sign-in", {"email": email, "password": "not the password"}).text
        return re.sub(r'value="[^"]*"', "", page)

    assert answer("bo@example.org") == answer("nobody@example.org")
    assert 'role="alert"' in answer("nobody@example.org")
