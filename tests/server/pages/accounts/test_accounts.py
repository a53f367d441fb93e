"""One's own account, and the browsers where one is signed in."""

from datetime import timedelta

import pytest

from server.accounts.models import SignIn
from server.accounts.sign_ins import LONG_LIFETIME
from server.audit.models import AuditEntry
from server.core import db
from tests.server.small_task import PASSWORD
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"


def sign_in(world: World, name: str = "bo", **form: str):
    visitor = world.client()
    fields = {"email": f"{name}@example.org", "password": PASSWORD, **form}
    assert visitor.post("/sign-in", fields, headers={"User-Agent": FIREFOX}).status_code == 302
    return visitor


def test_account_page_lists_every_session_and_marks_the_current_one(world: World) -> None:
    sign_in(world)
    page = words(sign_in(world).get("/account/"))
    assert page.count("Firefox on Linux") == 3  # the other one is named by its button too
    assert page.count("this browser") == 1
    assert "Firefox" not in words(world.client("cy").get("/account/"))


def test_session_ended_on_the_account_page_ends_at_once(world: World) -> None:
    here, elsewhere = sign_in(world), sign_in(world)
    newest = world.session.query(SignIn).order_by(SignIn.id.desc()).first()
    assert newest is not None
    page = here.post(f"/account/sign-ins/{newest.id}/end", follow_redirects=True)
    assert "The browser was signed out." in words(page)
    assert elsewhere.get("/account/").status_code == 302
    assert here.get("/account/").status_code == 200


def test_sessions_of_another_person_cannot_be_ended(world: World) -> None:
    cy = sign_in(world, "cy")
    theirs = world.session.query(SignIn).one()
    assert sign_in(world).post(f"/account/sign-ins/{theirs.id}/end").status_code == 404
    assert cy.get("/account/").status_code == 200


def test_one_button_ends_all_other_sessions(world: World) -> None:
    others, here = [sign_in(world), sign_in(world)], sign_in(world)
    page = here.post("/account/sign-ins/end-others", follow_redirects=True)
    assert "2 other browsers were signed out." in words(page)
    assert [other.get("/account/").status_code for other in others] == [302, 302]
    assert here.get("/account/").status_code == 200


def test_header_of_a_task_leads_back_to_its_page(world: World) -> None:
    visitor = world.client()
    page = visitor.get("/tasks/small/questions?page=1").text
    for path in ("sign-in", "sign-up"):
        assert f'href="/{path}?next=/tasks/small/questions?page%3D1"' in page
        assert f'href="/{path}"' in visitor.get("/tasks/small/nowhere").text


def test_copied_session_cookie_is_invalid_after_signing_out(world: World) -> None:
    bo = sign_in(world)
    cookie = bo.client.get_cookie("session")
    assert cookie is not None
    bo.post("/sign-out")
    thief = world.client()
    thief.client.set_cookie("session", cookie.value)
    assert thief.get("/account/").status_code == 302


@pytest.mark.parametrize(("form", "days"), [({}, 1), ({"remember": "y"}, LONG_LIFETIME.days)])
def test_session_expires(world: World, form: dict[str, str], days: int) -> None:
    bo = sign_in(world, **form)
    world.set_clock(DURING + timedelta(days=days, seconds=-1))
    assert bo.get("/account/").status_code == 200
    world.set_clock(DURING + timedelta(days=days))
    assert bo.get("/account/").status_code == 302


def test_session_is_persistent_only_on_request(world: World) -> None:
    for form, kept in (({}, False), ({"remember": "y"}, True)):
        cookie = sign_in(world, **form).client.get_cookie("session")
        assert cookie is not None
        assert (cookie.expires is not None) == kept
        assert cookie.http_only
    assert sign_in(world, remember="y").client.get_cookie("remember_token") is None


def test_name_can_be_changed_and_is_not_written_to_the_audit_log(world: World) -> None:
    bo = sign_in(world)
    assert "Your name was changed." in words(
        bo.post("/account/", {"name": " Bo  B. "}, follow_redirects=True)
    )
    assert world.user("bo").name == "Bo B."
    entry = world.session.query(AuditEntry).order_by(AuditEntry.number.desc()).first()
    assert entry is not None
    assert (entry.action, entry.details) == ("account.rename", {"user": f"user:{world.user('bo').id}"})
    assert bo.post("/account/", {"name": " "}).status_code == 422


def test_inactive_account_is_signed_out(world: World) -> None:
    bo = sign_in(world)
    session = world.session
    session.rollback()
    with db.writing(session):
        world.user("bo").active = False
    assert bo.get("/account/").status_code == 302


def test_times_are_shown_in_the_time_zone_of_the_site_to_those_who_chose_none(world: World) -> None:
    world.set_time_zone("Europe/Prague")
    shown = "closes in 5 days: 15 Mar 2026, 12:00 UTC (00:00 AoE · %s)."
    for visitor in (world.client(), sign_in(world)):
        page = visitor.get("/tasks/small/")
        assert shown % "13:00 CET" in words(page)
        assert '"has_zone": false' in page.text
    with db.writing(world.session):
        world.user("bo").time_zone = "Asia/Tokyo"
    page = world.client("bo").get("/tasks/small/")
    assert shown % "21:00 JST" in words(page)
    assert '"has_zone": true' in page.text


def test_times_are_shown_in_the_time_zone_of_the_account(world: World) -> None:
    bo = sign_in(world)
    assert '<option value="Asia/Kathmandu"></option>' in bo.get("/account/").text
    refused = bo.post("/account/time-zone", {"time_zone": "Europe/Atlantis"})
    assert refused.status_code == 422
    assert "Unknown time zone. Choose one from the list" in words(refused)
    kept = bo.post("/account/time-zone", {"time_zone": " Europe/Paris "}, follow_redirects=True)
    assert "Your time zone was saved." in words(kept)
    page = words(bo.get("/tasks/small/"))
    assert "closes in 5 days: 15 Mar 2026, 12:00 UTC (00:00 AoE · 13:00 CET)." in page
    assert "Closes 15 Mar 2026, 12:00 UTC 00:00 AoE · 13:00 CET" in page
    assert 'title="10 Mar 2026, 13:00 CET">10 Mar 2026, 12:00:00 UTC</time>' in bo.get("/tasks/small/").text
    assert "CET" not in words(world.client("cy").get("/tasks/small/"))
    bo.post("/account/time-zone", {"time_zone": ""})
    assert world.user("bo").time_zone is None
    log = [entry for entry in world.session.query(AuditEntry) if entry.action == "account.time-zone"]
    assert [entry.details for entry in log] == [{"user": f"user:{world.user('bo').id}"}] * 2
