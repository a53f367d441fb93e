"""Forgotten, reset and changed passwords."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from server.accounts import tokens
from server.accounts.passwords import is_easy_to_guess
from server.core import db
from tests.server.commands import Assay
from tests.server.mail_sink import Sink
from tests.server.sites import disconnect, make_app
from tests.server.small_task import PASSWORD
from tests.server.visitors import Visitor, words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

NEW = "another long password"


def sign_in(visitor: Visitor, password: str = NEW):
    return visitor.post("/sign-in", {"email": "bo@example.org", "password": password})


def is_in(visitor: Visitor) -> bool:
    return "Sign out" in words(visitor.get("/"))


@pytest.mark.parametrize("email", ["bo@example.org", "nobody@example.org"])
def test_password_reset_answers_the_same_for_every_address(world: World, sink: Sink, email: str) -> None:
    page = words(world.client().post("/reset-password", {"email": email}))
    assert f"If there is an account with the address {email}, we sent an email to it." in page
    world.work(DURING)
    assert len(sink.mails) == (email == "bo@example.org")


def test_reset_link_works_once_and_ends_every_session(world: World, sink: Sink) -> None:
    elsewhere, visitor = world.client("bo"), world.client()
    visitor.post("/reset-password", {"email": "bo@example.org"})
    world.work(DURING)
    link = sink.link("bo@example.org")
    assert "Your new password" in words(visitor.get(link))
    again = visitor.post(link, {"password": NEW, "password_confirm": "something else"})
    assert "The two passwords do not match." in words(again)
    assert visitor.post(link, {"password": NEW, "password_confirm": NEW}).headers["Location"] == "/sign-in"
    assert not is_in(elsewhere)
    world.work(DURING)
    assert sink.mails[-1]["Subject"] == "Your Assay password was reset"

    assert not is_in(visitor)
    assert "Email address or password is wrong." in words(sign_in(visitor, PASSWORD))
    assert sign_in(visitor).status_code == 302
    world.client().post("/sign-out")
    used = world.client().post(
        link, {"password": PASSWORD, "password_confirm": PASSWORD}, follow_redirects=True
    )
    assert "no longer valid" in words(used)


def test_new_secret_key_ends_all_passwords_and_the_runbook_helps(
    world: World, sink: Sink, assay: Assay, monkeypatch: pytest.MonkeyPatch
) -> None:
    with db.writing(world.session):
        _, token = tokens.make_token(world.session, world.actor("bo"), "script", ["read"], 1, DURING)
    key = "n" * 32
    rotated = replace(world, app=make_app(replace(world.site.config, secret_key=key)))
    visitor = rotated.client()
    assert "Email address or password is wrong." in words(sign_in(visitor, PASSWORD))
    answer = rotated.app.test_client().get(
        "/api/v1/tasks/small", headers={"Authorization": f"Bearer {token}"}
    )
    assert answer.status_code == 200, "tokens are random, and not made from the key"

    visitor.post("/reset-password", {"email": "bo@example.org"})
    rotated.work(DURING)
    link = sink.link("bo@example.org")
    assert visitor.post(link, {"password": NEW, "password_confirm": NEW}).headers["Location"] == "/sign-in"
    assert sign_in(visitor).status_code == 302

    monkeypatch.setenv("ASSAY_SECRET_KEY", key)
    other = "one more long password"
    assert assay("user", "password", "bo@example.org", "--password", other).exit_code == 0
    assert sign_in(rotated.client(), other).status_code == 302
    disconnect(rotated.app)


EASY = """
    password 12345678 Password1! p@ssw0rd passwordpassword basketball Liverpool2024 qwertyui 1q2w3e4r
    lkjhgfdsa abcabcab aaaabbbb 1.1.1990 assay2026 bo@example.org example.org TheNewcomer newcomer-2026
"""


@pytest.mark.parametrize("password", EASY.split())
def test_password_that_is_easy_to_guess_is_rejected(world: World, sink: Sink, password: str) -> None:
    bo, message = world.client("bo"), "This password is too easy to guess."
    form = {"name": "The Newcomer", "email": "newcomer@example.org", "password": password}
    if "bo@" not in password:
        assert message in words(world.client().post("/sign-up", form))
        world.work(DURING)
        assert sink.mails == []
    if "ewcomer" not in password:
        form = {"password": PASSWORD, "new_password": password, "new_password_confirm": password}
        assert message in words(bo.post("/account/password", form))
        bo.post("/reset-password", {"email": "bo@example.org"})
        world.work(DURING)
        form = {"password": password, "password_confirm": password}
        assert message in words(bo.post(sink.link("bo@example.org"), form))
    assert sign_in(world.client(), PASSWORD).status_code == 302


@pytest.mark.parametrize("password", ["zebra7fence", "xK7!qm2Z", "7$k!9*2#", "long uncommon words"])
def test_password_that_is_not_easy_to_guess_is_accepted(password: str) -> None:
    assert not is_easy_to_guess(password, "bo", "bo@example.org")


def test_changed_password_ends_other_sessions(world: World, sink: Sink) -> None:
    here, elsewhere = world.client("bo"), world.client("bo")
    form = {"password": PASSWORD, "new_password": NEW, "new_password_confirm": NEW}
    wrong = here.post("/account/password", {**form, "password": "not the old one"})
    assert "The password is wrong." in words(wrong)
    page = words(here.post("/account/password", form, follow_redirects=True))
    assert "Your new password was set. All other browsers were signed out." in page
    assert is_in(here)
    assert not is_in(elsewhere)
    assert sign_in(world.client()).status_code == 302
    world.work(DURING)
    assert "was changed" in sink.mails[-1]["Subject"]


def test_changed_address_takes_effect_once_confirmed_by_email(world: World, sink: Sink) -> None:
    bo, elsewhere = world.client("bo"), world.client("bo")
    bo.give_password()
    world.client().post("/reset-password", {"email": "bo@example.org"})
    page = words(bo.post("/account/email", {"email": "New@Example.org"}))
    assert "We sent an email to new@example.org." in page
    assert world.user("bo").email == "bo@example.org"
    world.work(DURING)
    reset = sink.link("bo@example.org")
    assert "Your email address was changed." in words(
        bo.get(sink.link("new@example.org"), follow_redirects=True)
    )
    assert "This link is no longer valid." in words(world.client().get(reset, follow_redirects=True))
    assert (is_in(bo), is_in(elsewhere)) == (True, False)
    world.work(DURING)
    assert "was changed" in sink.last("bo@example.org")
    world.session.expire_all()
    assert world.user("new").name == "bo"
    assert (
        world.client().post("/sign-in", {"email": "new@example.org", "password": PASSWORD}).status_code == 302
    )


def test_link_that_changes_an_address_works_only_for_the_person_who_is_signed_in(
    world: World, sink: Sink
) -> None:
    thief = world.client("bo")
    thief.give_password()
    thief.post("/account/email", {"email": "victim@example.org"})
    world.work(DURING)
    link = sink.link("victim@example.org")
    for victim in (world.client(), world.client("cy")):
        page = words(victim.get(link, follow_redirects=True))
        assert "Sign in to the account that the link is for." in page
        assert world.user("bo").email == "bo@example.org"
    page = victim.post(f"/sign-in?next={link}", {"email": "bo@example.org", "password": PASSWORD})
    assert "Your email address was changed." in words(
        victim.get(page.headers["Location"], follow_redirects=True)
    )


def test_registered_address_gets_the_same_answer_and_no_email(world: World, sink: Sink) -> None:
    bo = world.client("bo")
    bo.give_password()
    page = words(bo.post("/account/email", {"email": "cy@example.org"}))
    assert "We sent an email to cy@example.org." in page
    world.work(DURING)
    assert sink.mails == []
    assert world.user("cy").name == "cy"


def test_email_links_use_the_configured_address_and_ignore_the_host_header(world: World, sink: Sink) -> None:
    visitor, elsewhere = world.client(), {"base_url": "http://elsewhere.example"}
    token = re.search(
        r'name="csrf_token"[^>]*value="([^"]+)"', visitor.get("/reset-password", **elsewhere).text
    )
    assert token is not None
    form = {"email": "bo@example.org", "csrf_token": token[1]}
    assert visitor.open("/reset-password", method="POST", data=form, **elsewhere).status_code == 200
    world.work(DURING)
    assert "elsewhere" not in sink.last("bo@example.org")
    assert "https://assay.test/reset-password/" in sink.last("bo@example.org")


def test_locked_account_unlocks_after_a_while(world: World) -> None:
    visitor = world.client()
    for _ in range(10):
        assert "Email address or password is wrong." in words(sign_in(visitor, "wrong password"))
    locked = words(sign_in(visitor, PASSWORD))
    assert "Too many failed attempts. Try again at 10 Mar 2026, 12:15:00 UTC." in locked
    assert not is_in(visitor)
    world.set_clock(DURING + timedelta(minutes=15, seconds=1))
    assert sign_in(visitor, PASSWORD).status_code == 302


@pytest.mark.parametrize("spelling", ["BO@example.org", "bo@EXAMPLE。org", "bo@ｅxample.org"])
def test_other_spellings_of_an_address_have_its_limits(world: World, sink: Sink, spelling: str) -> None:
    visitor = world.client()
    for _ in range(10):
        sign_in(visitor, "wrong password")
    locked = words(visitor.post("/sign-in", {"email": spelling, "password": PASSWORD}))
    assert "Too many failed attempts." in locked
    for address in ["bo@example.org"] * 5 + [spelling]:
        visitor.post("/reset-password", {"email": address})
    world.work(DURING)
    assert len(sink.mails) == 5


def test_lockout_applies_to_unknown_addresses_and_across_processes(world: World) -> None:
    answers = []
    for email in ("bo@example.org", "nobody@example.org"):
        for _ in range(10):
            world.client().post("/sign-in", {"email": email, "password": "wrong password"})
        answers.append(words(world.client().post("/sign-in", {"email": email, "password": PASSWORD})))
    assert answers[0] == answers[1]
    assert "Too many failed attempts. Try again at" in answers[0]


def test_password_reset_unlocks_the_account(world: World, sink: Sink) -> None:
    visitor = world.client()
    for _ in range(10):
        sign_in(visitor, "wrong password")
    visitor.post("/reset-password", {"email": "bo@example.org"})
    world.work(DURING)
    visitor.post(sink.link("bo@example.org"), {"password": NEW, "password_confirm": NEW})
    assert sign_in(visitor).status_code == 302


def test_lockout_applies_to_one_network_address(world: World) -> None:
    for _ in range(12):
        sign_in(world.client(), "wrong password")
    elsewhere = {"environ_overrides": {"REMOTE_ADDR": "192.0.2.7"}}
    form = {"email": "bo@example.org", "password": PASSWORD}
    assert world.client().post("/sign-in", form, **elsewhere).status_code == 302
