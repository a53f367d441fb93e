"""What a changed password or second factor ends: every other session, and tokens unless they are kept."""

import re
from collections.abc import Callable

import pytest
from passlib.totp import TOTP

from server.accounts import tokens
from server.accounts.models import ApiToken
from server.audit.models import AuditEntry
from server.core import db
from tests.server.accounts.test_accounts_second_factor import BO, next_code, recovery_codes, turn_on
from tests.server.mail_sink import Sink
from tests.server.small_task import PASSWORD
from tests.server.visitors import Visitor, words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

NEW = "another long password"
KEEP = {"keep_tokens": "y"}
CHOICES = pytest.mark.parametrize("keep", [{}, KEEP], ids=["default", "kept"])
Change = Callable[[Visitor, World, Sink, dict[str, str]], str]


def give_token(world: World, name: str = "bo") -> str:
    """A token that the person has made."""
    world.session.rollback()
    with db.writing(world.session):
        return tokens.make_token(world.session, world.actor(name), "laptop", ["read"], 30, DURING)[1]


def is_good(world: World, token: str) -> bool:
    headers = {"Authorization": f"Bearer {token}"}
    return world.client().get("/api/v1/me", headers=headers).status_code == 200


def is_in(visitor: Visitor) -> bool:
    return visitor.get("/account/").status_code == 200


def change_password(bo: Visitor, _world: World, _sink: Sink, more: dict[str, str]) -> str:
    form = {"password": PASSWORD, "new_password": NEW, "new_password_confirm": NEW, **more}
    return words(bo.post("/account/password", form, follow_redirects=True))


def reset(_bo: Visitor, world: World, sink: Sink, more: dict[str, str]) -> str:
    visitor = world.client()
    visitor.post("/reset-password", {"email": "bo@example.org"})
    world.work(DURING)
    form = {"password": NEW, "password_confirm": NEW, **more}
    return words(visitor.post(sink.link("bo@example.org"), form, follow_redirects=True))


def set_up(bo: Visitor, _world: World, _sink: Sink, more: dict[str, str]) -> str:
    bo.give_password()
    return use_device(bo, more)


def use_device(bo: Visitor, more: dict[str, str], after: int = 0) -> str:
    """Set up an app, with its code of now or a later one: each is good once, whatever the device."""
    page = bo.post("/account/second-factor", {"setup": "authenticator"}).text
    key = re.findall(r"<code[^>]*>([A-Z2-7-]+)</code>", page)[0]
    action = re.findall(r'action="(/account/second-factor/[^"]+)"', page)[0]
    form = {"code": next_code(TOTP(key.replace("-", "")), after=after), **more}
    return words(bo.post(action, form, follow_redirects=True))


def turn_off(bo: Visitor, _world: World, _sink: Sink, more: dict[str, str]) -> str:
    bo.give_password()
    return words(bo.post("/account/second-factor", {"setup": "disable", **more}, follow_redirects=True))


def make_codes(bo: Visitor, _world: World, _sink: Sink, more: dict[str, str]) -> str:
    bo.give_password()
    return words(bo.post("/account/recovery-codes", {"generate_new_codes": "yes", **more}))


CHANGES = pytest.mark.parametrize(
    ("change", "action"),
    [
        (change_password, "account.password"),
        (reset, "account.password"),
        (set_up, "account.second-factor-on"),
        (turn_off, "account.second-factor-off"),
        (make_codes, "account.recovery-codes"),
    ],
)


@CHOICES
@CHANGES
def test_credential_change_ends_other_sessions_and_revokes_tokens_unless_kept(
    world: World, sink: Sink, change: Change, action: str, keep: dict[str, str]
) -> None:
    here, elsewhere, others = world.client("bo"), world.client("bo"), world.client("cy")
    mine, theirs = [give_token(world), give_token(world)], give_token(world, "cy")
    page = change(here, world, sink, keep)
    assert ("2 API tokens were revoked." in page) == (not keep)
    assert [is_good(world, token) for token in mine] == [bool(keep)] * 2
    assert not is_in(elsewhere)
    assert is_in(here) == (change is not reset)
    assert is_in(others)
    assert is_good(world, theirs)
    bo = f"user:{world.user('bo').id}"
    log = world.session.query(AuditEntry).order_by(AuditEntry.number).all()
    changed = next(entry for entry in log if entry.action == action)
    assert (changed.actor, changed.details) == (bo, {"user": bo})
    revoked = [entry for entry in log if entry.action == "token.revoke"]
    assert [(entry.actor, entry.details) for entry in revoked] == (
        [] if keep else [(bo, {"token": 2}), (bo, {"token": 1})]
    )


def test_new_device_or_recovery_codes_end_other_sessions(world: World) -> None:
    here = world.client("bo")
    turn_on(here)
    for change in (lambda: use_device(here, {}, after=1), lambda: recovery_codes(here)):
        elsewhere = world.client()
        code = recovery_codes(here)[0]
        elsewhere.post("/sign-in", BO)
        elsewhere.post("/sign-in/recovery-code", {"code": code})
        token = give_token(world)
        assert is_in(elsewhere)
        change()
        assert (is_in(here), is_in(elsewhere), is_good(world, token)) == (True, False, False)


@CHOICES
@pytest.mark.parametrize("change", [change_password, reset])
def test_email_says_what_happened_to_the_tokens(
    world: World, sink: Sink, change: Change, keep: dict[str, str]
) -> None:
    give_token(world)
    change(world.client("bo"), world, sink, keep)
    world.work(DURING)
    mail = sink.last("bo@example.org")
    assert "The password of your Assay account was" in mail
    assert ("Your API tokens still work, as you chose." in mail) == bool(keep)
    assert ("Your API tokens, if you had any, were revoked." in mail) == (not keep)


def test_choice_to_keep_tokens_is_offered_only_if_there_are_any(world: World, sink: Sink) -> None:
    bo = world.client("bo")
    turn_on(bo)
    world.client().post("/reset-password", {"email": "bo@example.org"})
    world.work(DURING)
    pages = (
        "/account/password",
        "/account/second-factor",
        "/account/recovery-codes",
        sink.link("bo@example.org"),
    )
    assert [bo.get(page).text.count('name="keep_tokens"') for page in pages] == [0, 0, 0, 0]
    give_token(world)
    for page in pages:
        text = bo.get(page).text
        assert text.count('name="keep_tokens"') == 1, page
        assert 'name="keep_tokens" type="checkbox" value="y"' in text  # not checked
        assert "This change revokes your API token." in words(bo.get(page))
    shown = bo.post("/account/second-factor", {"setup": "authenticator"}).text
    assert shown.count('name="keep_tokens"') == 1


def test_choice_to_keep_tokens_survives_an_invalid_form(world: World) -> None:
    bo = world.client("bo")
    token = give_token(world)
    form = {"password": "not it", "new_password": NEW, "new_password_confirm": NEW, **KEEP}
    assert re.search(r"<input checked [^>]*keep_tokens", bo.post("/account/password", form).text)
    assert is_good(world, token)


def test_password_reset_ends_the_session_of_its_own_browser_too(world: World, sink: Sink) -> None:
    bo = world.client("bo")
    bo.post("/reset-password", {"email": "bo@example.org"})
    world.work(DURING)
    bo.post(sink.link("bo@example.org"), {"password": NEW, "password_confirm": NEW})
    assert not is_in(bo)
    again = world.client()
    assert again.post("/sign-in", {**BO, "password": NEW}).status_code == 302
    assert words(again.get("/account/")).count("Sign out ") <= 1  # the list has this browser alone


def test_token_cannot_create_tokens_or_change_the_account(world: World) -> None:
    headers = {"Authorization": f"Bearer {give_token(world)}"}
    program = world.client()
    for method, path in (("POST", "/api/v1/tokens"), ("PATCH", "/api/v1/me"), ("POST", "/api/v1/me")):
        assert program.open(path, method=method, json={"name": "x"}, headers=headers).status_code == 405
    assert not [rule for rule in world.app.url_map.iter_rules() if "api/v1/account" in rule.rule]
    for path in ("/account/tokens/new", "/account/email", "/account/password", "/account/second-factor"):
        assert program.get(path, headers=headers).headers["Location"].startswith("/sign-in"), path
        answer = program.post(path, {"setup": "disable"}, headers=headers)
        assert answer.headers["Location"].startswith("/sign-in"), path
    assert world.session.query(ApiToken).count() == 1


def test_sign_in_restarts_if_the_requested_code_is_no_longer_needed(world: World) -> None:
    bo = world.client("bo")
    app = turn_on(bo)
    visitor = world.client()
    visitor.post("/sign-in", BO)
    bo.post("/account/second-factor", {"setup": "disable"})
    assert visitor.post("/sign-in/code", {"code": next_code(app)}).status_code < 500
    assert visitor.post("/sign-in/recovery-code", {"code": "1a2b-3c4d-5e6f"}).status_code < 500
    assert not is_in(visitor)
