"""Forgotten, reset and changed passwords."""

import re
from datetime import timedelta

import pytest

from tests.server.mail_sink import Sink
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
def test_a_new_password_is_promised_to_every_address(world: World, sink: Sink, email: str) -> None:
    page = words(world.client().post("/reset-password", {"email": email}))
    assert f"If there is an account with the address {email}, we sent an email to it." in page
    assert len(sink.mails) == (email == "bo@example.org")


def test_the_link_sets_a_new_password_once_and_ends_every_session(world: World, sink: Sink) -> None:
    elsewhere, visitor = world.client("bo"), world.client()
    visitor.post("/reset-password", {"email": "bo@example.org"})
    link = sink.link("bo@example.org")
    assert "Your new password" in words(visitor.get(link))
    again = visitor.post(link, {"password": NEW, "password_confirm": "something else"})
    assert "The two passwords do not match." in words(again)
    assert visitor.post(link, {"password": NEW, "password_confirm": NEW}).headers["Location"] == "/sign-in"
    assert not is_in(elsewhere)
    assert sink.mails[-1]["Subject"] == "Your Assay password was reset"

    assert not is_in(visitor)
    assert "Email address or password is wrong." in words(sign_in(visitor, PASSWORD))
    assert sign_in(visitor).status_code == 302
    world.client().post("/sign-out")
    used = world.client().post(
        link, {"password": PASSWORD, "password_confirm": PASSWORD}, follow_redirects=True
    )
    assert "no longer valid" in words(used)


def test_a_changed_password_signs_every_other_browser_out(world: World, sink: Sink) -> None:
    here, elsewhere = world.client("bo"), world.client("bo")
    form = {"password": PASSWORD, "new_password": NEW, "new_password_confirm": NEW}
    wrong = here.post("/account/password", {**form, "password": "not the old one"})
    assert "The password is wrong." in words(wrong)
    page = words(here.post("/account/password", form, follow_redirects=True))
    assert "Your new password was set. All other browsers were signed out." in page
    assert is_in(here)
    assert not is_in(elsewhere)
    assert sign_in(world.client()).status_code == 302
    assert "was changed" in sink.mails[-1]["Subject"]


def test_a_changed_address_counts_once_its_mail_is_answered(world: World, sink: Sink) -> None:
    bo = world.client("bo")
    bo.give_password()
    page = words(bo.post("/account/email", {"email": "New@Example.org"}))
    assert "We sent an email to new@example.org." in page
    assert world.user("bo").email == "bo@example.org"
    assert "Your email address was changed." in words(
        bo.get(sink.link("new@example.org"), follow_redirects=True)
    )
    assert "was changed" in sink.last("bo@example.org")
    world.session.expire_all()
    assert world.user("new").name == "bo"
    assert (
        world.client().post("/sign-in", {"email": "new@example.org", "password": PASSWORD}).status_code == 302
    )


def test_a_taken_address_gets_the_same_answer_and_no_mail(world: World, sink: Sink) -> None:
    bo = world.client("bo")
    bo.give_password()
    page = words(bo.post("/account/email", {"email": "cy@example.org"}))
    assert "We sent an email to cy@example.org." in page
    assert sink.mails == []
    assert world.user("cy").name == "cy"


def test_links_lead_to_the_sites_own_address_whatever_the_request_says(world: World, sink: Sink) -> None:
    visitor, elsewhere = world.client(), {"base_url": "http://elsewhere.example"}
    token = re.search(
        r'name="csrf_token"[^>]*value="([^"]+)"', visitor.get("/reset-password", **elsewhere).text
    )
    assert token is not None
    form = {"email": "bo@example.org", "csrf_token": token[1]}
    assert visitor.open("/reset-password", method="POST", data=form, **elsewhere).status_code == 200
    assert "elsewhere" not in sink.last("bo@example.org")
    assert "https://assay.test/reset-password/" in sink.last("bo@example.org")


def test_a_mail_server_that_is_away_costs_no_answer(
    world: World, sink: Sink, caplog: pytest.LogCaptureFixture
) -> None:
    with sink.down():
        answer = world.client().post("/reset-password", {"email": "bo@example.org"})
    assert "we sent an email to it" in words(answer)
    assert "A mail could not be sent" in caplog.text


def test_a_locked_account_opens_again_with_time(world: World) -> None:
    visitor = world.client()
    for _ in range(10):
        assert "Email address or password is wrong." in words(sign_in(visitor, "wrong password"))
    locked = words(sign_in(visitor, PASSWORD))
    assert "Too many failed attempts. Try again at 2026-03-10 12:15:00 UTC." in locked
    assert not is_in(visitor)
    world.set_clock(DURING + timedelta(minutes=15, seconds=1))
    assert sign_in(visitor, PASSWORD).status_code == 302


def test_the_lock_is_the_same_for_an_address_without_account_and_in_every_process(world: World) -> None:
    answers = []
    for email in ("bo@example.org", "nobody@example.org"):
        for _ in range(10):
            world.client().post("/sign-in", {"email": email, "password": "wrong password"})
        answers.append(words(world.client().post("/sign-in", {"email": email, "password": PASSWORD})))
    assert answers[0] == answers[1]
    assert "Too many failed attempts. Try again at" in answers[0]


def test_a_password_set_anew_by_mail_opens_the_lock(world: World, sink: Sink) -> None:
    visitor = world.client()
    for _ in range(10):
        sign_in(visitor, "wrong password")
    visitor.post("/reset-password", {"email": "bo@example.org"})
    visitor.post(sink.link("bo@example.org"), {"password": NEW, "password_confirm": NEW})
    assert sign_in(visitor).status_code == 302


def test_one_network_address_locks_no_other_one_out(world: World) -> None:
    for _ in range(12):
        sign_in(world.client(), "wrong password")
    elsewhere = {"environ_overrides": {"REMOTE_ADDR": "192.0.2.7"}}
    form = {"email": "bo@example.org", "password": PASSWORD}
    assert world.client().post("/sign-in", form, **elsewhere).status_code == 302
