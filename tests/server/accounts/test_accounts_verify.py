"""What matters asks for the password again, and for a code: a stolen session alone cannot do it."""

import re
from concurrent.futures import ThreadPoolExecutor

import pytest
from passlib.totp import TOTP
from werkzeug.test import TestResponse

from server.accounts.models import ApiToken
from tests.server.accounts.test_accounts_second_factor import BO, next_code, recovery_codes, turn_on
from tests.server.mail_sink import Sink
from tests.server.small_task import PASSWORD
from tests.server.visitors import Visitor, words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

TOKEN = {"name": "laptop", "scopes": "read", "days": "30"}
GUARDED = (
    ("GET", "/account/tokens/new", {}),
    ("POST", "/account/tokens/new", TOKEN),
    ("GET", "/account/email", {}),
    ("POST", "/account/email", {"email": "thief@example.org"}),
    ("GET", "/account/second-factor", {}),
    ("POST", "/account/second-factor", {"setup": "authenticator"}),
    ("POST", "/account/second-factor", {"setup": "disable"}),
    ("GET", "/account/recovery-codes?show_codes=yes", {}),
    ("POST", "/account/recovery-codes", {"generate_new_codes": "yes"}),
)


def asked(visitor: Visitor, method: str, path: str, form: dict[str, str]) -> bool:
    """Whether a request is answered by asking for the password."""
    answer = visitor.post(path, form) if method == "POST" else visitor.get(path)
    return answer.headers.get("Location", "").startswith("/verify?next=/account/")


def sign_in(world: World, code: str) -> Visitor:
    """A browser of bo's, signed in with the second factor."""
    visitor = world.client()
    visitor.post("/sign-in", BO)
    assert visitor.post("/sign-in/code", {"code": code}).status_code == 302
    return visitor


def verify(visitor: Visitor, code: str = "", password: str = PASSWORD) -> TestResponse:
    return visitor.post("/verify?next=/account/tokens/new", {"password": password, "code": code})


@pytest.mark.parametrize(("method", "path", "form"), GUARDED)
def test_recent_sign_in_alone_does_not_allow_sensitive_actions(
    world: World, sink: Sink, method: str, path: str, form: dict[str, str]
) -> None:
    assert asked(world.client("bo"), method, path, form)
    assert world.session.query(ApiToken).count() == 0
    assert world.user("bo").mf_recovery_codes is None
    world.work(DURING)
    assert sink.mails == []


def test_password_confirmation_returns_to_the_page_and_expires(world: World) -> None:
    bo = world.client("bo")
    assert "The password is wrong." in words(bo.post("/verify", {"password": "not it"}))
    back = verify(bo)
    assert (back.status_code, back.headers["Location"]) == (302, "/account/tokens/new")
    with bo.client.session_transaction() as cookie:
        cookie["fs_paa"] -= 9 * 60
    assert not any(asked(bo, *request) for request in GUARDED if request[0] == "GET")
    with bo.client.session_transaction() as cookie:
        cookie["fs_paa"] -= 2 * 60
    assert all(asked(bo, *request) for request in GUARDED)


def test_cookie_copied_before_password_confirmation_is_not_enough(world: World) -> None:
    bo, thief = world.client("bo"), world.client()
    cookie = bo.client.get_cookie("session")
    assert cookie is not None
    bo.give_password()
    thief.client.set_cookie("session", cookie.value)
    assert thief.get("/account/").status_code == 200
    assert all(asked(thief, *request) for request in GUARDED)


def test_with_two_factor_authentication_the_password_alone_is_not_enough(world: World) -> None:
    app = turn_on(world.client("bo"))
    bo = sign_in(world, next_code(app))
    assert "A code from your authenticator app, or a recovery code." in words(bo.get("/verify"))
    for wrong in ("", "000000", next_code(app), "1a2b-3c4d-5e6f"):  # the third was used to sign in
        assert "This code is not valid." in words(verify(bo, wrong)), wrong
    assert asked(bo, *GUARDED[0])
    assert verify(bo, f" {next_code(app, after=2)[:3]} {next_code(app, after=2)[3:]}").status_code == 302
    assert bo.post("/account/tokens/new", TOKEN).status_code == 200


def test_recovery_code_replaces_the_device_once(world: World) -> None:
    owner = world.client("bo")
    app = turn_on(owner)
    codes = recovery_codes(owner)
    for expected in (302, 200):
        bo = world.client()
        bo.post("/sign-in", BO)
        bo.post("/sign-in/code", {"code": next_code(app, after=1 if expected == 302 else 2)})
        assert verify(bo, f" {codes[0].upper()} ").status_code == expected
    world.session.expire_all()
    assert len(world.user("bo").mf_recovery_codes or []) == 7


def test_without_two_factor_authentication_no_code_is_requested(world: World) -> None:
    assert "authenticator app" not in words(world.client("bo").get("/verify"))


def test_wrong_passwords_lock_the_page_even_for_the_right_password(world: World) -> None:
    bo = world.client("bo")
    for _ in range(10):
        assert "The password is wrong." in words(verify(bo, password="wrong password"))
    locked = words(verify(bo))
    assert "Too many failed attempts. Try again at 10 Mar 2026, 12:15:00 UTC." in locked
    assert "The password is wrong." not in locked
    assert asked(bo, *GUARDED[0])
    again = world.client("bo")  # another browser is no way around it, nor is the other form
    assert "Too many failed attempts. Try again at" in words(verify(again))
    change = {"password": PASSWORD, "new_password": "x" * 9, "new_password_confirm": "x" * 9}
    assert "Too many failed attempts. Try again at" in words(again.post("/account/password", change))


@pytest.mark.both_databases
def test_of_many_parallel_guesses_ten_are_checked(world: World) -> None:
    browsers = [world.client("bo") for _ in range(8)]
    for browser in browsers:
        browser.token()

    def guess(browser: Visitor) -> list[bool]:
        return ["The password is wrong." in words(verify(browser, password=f"guess {n}")) for n in range(4)]

    with ThreadPoolExecutor(len(browsers)) as pool:
        looked_at = [seen for answers in pool.map(guess, browsers) for seen in answers]
    assert sum(looked_at) == 10


def test_wrong_codes_lock_the_page_as_well(world: World) -> None:
    app = turn_on(world.client("bo"))
    bo = sign_in(world, next_code(app))
    for _ in range(10):
        verify(bo, "000000")
    assert "Too many failed attempts. Try again at" in words(verify(bo, next_code(app, after=2)))


def test_authenticator_key_issued_to_another_session_is_rejected(world: World) -> None:
    thief = world.client("dee")
    thief.give_password()
    page = thief.post("/account/second-factor", {"setup": "authenticator"}).text
    action = re.findall(r'action="(/account/second-factor/[^"]+)"', page)[0]
    app = TOTP(re.findall(r"<code[^>]*>([A-Z2-7-]+)</code>", page)[0].replace("-", ""))
    stolen = world.client("bo")
    answer = stolen.post(action, {"code": app.generate().token})
    assert answer.headers["Location"] == "/account/second-factor"
    assert asked(stolen, "GET", answer.headers["Location"], {})
    world.session.expire_all()
    assert world.user("bo").tf_primary_method is None
