"""Codes of an authenticator app, and recovery codes. Codes go by the real time, as the app's do."""

import re
import time

import pytest
from passlib.totp import TOTP

from tests.server.mail_sink import Sink
from tests.server.small_task import PASSWORD
from tests.server.visitors import Visitor, words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

BO = {"email": "bo@example.org", "password": PASSWORD}


def turn_on(visitor: Visitor, password: str = PASSWORD) -> TOTP:
    """Turn the second factor on as the page says; the key that the app now has."""
    visitor.give_password(password=password)
    page = visitor.post("/account/second-factor", {"setup": "authenticator"}).text
    key = re.search(r"<code[^>]*>([A-Z2-7-]+)</code>", page)
    action = re.search(r'action="(/account/second-factor/[^"]+)"', page)
    assert key is not None
    assert action is not None
    assert 'src="data:image/svg+xml;base64,' in page
    app = TOTP(key[1].replace("-", ""))
    done = visitor.post(action[1], {"code": app.generate().token}, follow_redirects=True)
    assert "Two-factor authentication is on. Create recovery codes now" in words(done)
    return app


def next_code(app: TOTP, *, after: int = 1) -> str:
    """The code after the one that was used just now, or a later one."""
    return str(app.generate(time=time.time() + 30 * after).token)


def recovery_codes(visitor: Visitor) -> list[str]:
    page = visitor.post("/account/recovery-codes", {"generate_new_codes": "yes"}).text
    return re.findall(r"<code>([0-9a-f-]{14})</code>", page)


def test_with_two_factor_authentication_the_password_alone_does_not_sign_in(world: World) -> None:
    app = turn_on(world.client("bo"))
    visitor = world.client()
    asked = visitor.post("/sign-in?next=/tasks/small/team/", BO)
    assert asked.headers["Location"].startswith("/sign-in/code")
    assert visitor.get("/tasks/small/team/").status_code == 302
    wrong = visitor.post("/sign-in/code", {"code": "000000"})
    assert "This code is not valid." in words(wrong)
    done = visitor.post("/sign-in/code?next=/tasks/small/team/", {"code": next_code(app)})
    assert done.headers["Location"] == "/tasks/small/team/"
    assert visitor.get("/tasks/small/team/").status_code == 200


def test_remember_me_is_chosen_at_the_password_step(world: World) -> None:
    app = turn_on(world.client("bo"))
    for number, (form, stays) in enumerate((({"remember": "y"}, True), ({}, False)), 1):
        visitor = world.client()
        visitor.post("/sign-in", {**BO, **form})
        assert visitor.post("/sign-in/code", {"code": next_code(app, after=number)}).status_code == 302
        cookie = visitor.client.get_cookie("session")
        assert cookie is not None
        assert (cookie.expires is not None) == stays


def test_code_can_be_used_once(world: World) -> None:
    app = turn_on(world.client("bo"))
    code = next_code(app)
    for expected in (302, 200):
        visitor = world.client()
        visitor.post("/sign-in", BO)
        assert visitor.post("/sign-in/code", {"code": code}).status_code == expected


def test_wrong_codes_lock_two_factor_sign_in(world: World) -> None:
    app = turn_on(world.client("bo"))
    visitor = world.client()
    visitor.post("/sign-in", BO)
    for _ in range(10):
        visitor.post("/sign-in/code", {"code": "000000"})
    assert "Too many failed attempts. Try again at" in words(
        visitor.post("/sign-in/code", {"code": next_code(app)})
    )


def test_a_recovery_code_signs_in_once(world: World) -> None:
    bo = world.client("bo")
    turn_on(bo)
    codes = recovery_codes(bo)
    assert len(set(codes)) == 8
    assert codes[0] not in str(world.user("bo").mf_recovery_codes)  # kept encrypted
    for expected in (302, 200):
        visitor = world.client()
        visitor.post("/sign-in", BO)
        answer = visitor.post("/sign-in/recovery-code", {"code": f" {codes[0].upper()} "})
        assert answer.status_code == expected
    assert "This is not one of your recovery codes, or it has already been used." in words(answer)
    assert "You have 7 recovery codes" in words(bo.get("/account/"))
    left = bo.get("/account/recovery-codes?show_codes=yes").text
    assert codes[0] not in left
    assert codes[1] in left


def test_code_page_links_to_recovery_codes(world: World) -> None:
    """Also for a person who has recovery codes: Flask-Security then adds a form of its own."""
    bo = world.client("bo")
    turn_on(bo)
    for made in (False, True):
        visitor = world.client()
        assert len(recovery_codes(bo) if made else [1]) > 0
        page = visitor.post("/sign-in", BO, follow_redirects=True)
        assert page.status_code == 200
        assert "Enter the code that your authenticator app shows." in words(page)
        assert 'href="/sign-in/recovery-code' in page.text


def test_two_factor_authentication_can_be_turned_off(world: World) -> None:
    bo = world.client("bo")
    turn_on(bo)
    off = bo.post("/account/second-factor", {"setup": "disable"}, follow_redirects=True)
    assert "Two-factor authentication is off." in words(off)
    assert world.client().post("/sign-in", BO).headers["Location"] == "/"


def test_wrong_code_does_not_turn_on_two_factor_authentication(world: World) -> None:
    bo = world.client("bo")
    bo.give_password()
    page = bo.post("/account/second-factor", {"setup": "authenticator"}).text
    action = re.search(r'action="(/account/second-factor/[^"]+)"', page)
    assert action is not None
    key = re.search(r"<code[^>]*>([A-Z2-7-]+)</code>", page)
    assert key is not None
    again = bo.post(action[1], {"code": "000000"})
    assert words(again).count("This code is not valid.") == 1
    assert key[0] in again.text  # the app has it already
    assert action[0] in again.text
    assert "This code is not valid." not in words(bo.get("/account/"))
    assert world.user("bo").tf_primary_method is None
    app = TOTP(key[1].replace("-", ""))
    done = bo.post(action[1], {"code": app.generate().token}, follow_redirects=True)
    assert "Two-factor authentication is on." in words(done)


def test_code_page_without_password_step_redirects_to_sign_in(world: World) -> None:
    for path in ("/sign-in/code", "/sign-in/recovery-code"):
        assert world.client().get(path).headers["Location"] == "/sign-in"


def test_library_pages_that_bypass_two_factor_authentication_are_disabled(world: World, sink: Sink) -> None:
    turn_on(world.client("bo"))
    visitor = world.client()
    visitor.post("/sign-in", BO)
    for path in ("/tf-rescue", "/tf-select"):
        assert visitor.get(path).status_code == 404
        assert visitor.post(path, {"help_setup": "email"}).status_code == 404
    world.work(DURING)
    assert sink.mails == []
