"""What annotators read before and between their answers."""

import pytest

from server.annotation.campaigns import consents, people, service as campaigns
from server.annotation.models import Annotator, Consent, Exclusion
from server.core import db
from server.teams.models import Membership
from tests.server.annotation.small_campaign import (
    Hand,
    add_campaign,
    add_links,
    begin,
    close_round,
    configure,
    get_round,
)
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def hide_gold(world: World) -> str:
    """A link into a campaign whose gold participants must not know."""
    campaign_id = add_campaign(world, configure())
    with db.writing(world.session):
        campaign = get_round(world).campaign
        assert campaign.id == campaign_id
        campaign.level, campaign.split = "p2s", "test"
    return add_links(world)[0]


def test_member_of_a_team_reads_that_they_leave_it_and_has_to_agree(world: World) -> None:
    hand = Hand(world, hide_gold(world))
    hand.visitor = world.client("cy")
    page = hand.get(f"/a/me/{hand.key}")
    assert "cannot compete in the task A small task." in words(page)
    assert "You are a member of the team birch, which you have to leave first." in words(page)
    assert hand.send("I consent").status_code == 409
    assert world.session.query(Consent).count() == 0
    assert world.session.query(Membership).filter_by(user_id=world.user("cy").id).count() == 1
    assert hand.send("I consent", leave_team="y").request.path == "/a/1/"
    world.session.rollback()
    assert world.session.query(Membership).filter_by(user_id=world.user("cy").id).count() == 0


def test_member_of_a_team_with_a_scored_file_gets_no_button(world: World) -> None:
    world.upload(world.run(), "p2s")
    hand = Hand(world, hide_gold(world))
    hand.visitor = world.client("bo")
    page = hand.get(f"/a/me/{hand.key}")
    assert "your team birch has a scored submission" in words(page)
    assert "<form" not in page.text
    hand.visitor = world.client()
    assert "I consent" in hand.get(f"/a/me/{hand.key}").text


def test_changed_consent_text_is_asked_again_before_the_work_goes_on(world: World) -> None:
    hand = begin(world)
    step = hand.page.request.path
    with db.writing(world.session):
        campaign = get_round(world).campaign
        consents.add_version(world.session, world.actor("ada"), campaign, {"en": "Something new."}, DURING)
    assert hand.get(step).status_code == 409
    assert "Open your personal link again" in words(hand.page)
    assert "Something new." in words(hand.get(f"/a/me/{hand.key}"))
    hand.send("I consent")
    assert "If you give no answer before 24 Mar 2026, 12:00 UTC" in words(hand.page)
    assert "1 of 3" in words(hand.send("Continue"))


def test_annotators_read_times_in_the_zone_of_the_site(world: World) -> None:
    world.set_time_zone("America/St_Johns")
    hand = begin(world)
    hand.get("/a/1/")
    assert '<time datetime="2026-03-24T09:30:00-02:30">24 Mar 2026, 09:30 NDT</time>' in hand.page.text
    assert "UTC" not in hand.page.text


def test_own_page_says_why_there_is_nothing_to_do(world: World) -> None:
    add_campaign(world, configure(), opened=False)
    hand = Hand(world, add_links(world)[0])
    assert "This annotation has not begun yet." in words(hand.enter())
    assert "Begin" not in hand.page.text
    with db.writing(world.session):
        campaigns.open_round(world.session, world.actor("ada"), get_round(world), DURING)
    hand.get("/a/1/")
    step = hand.send("Begin").request.path
    with db.writing(world.session):
        campaigns.pause_round(world.session, world.actor("ada"), get_round(world), DURING)
    for path in (step, "/a/1/"):
        assert "This annotation is paused." in words(hand.get(path))
    close_round(world)
    assert "This annotation is closed." in words(hand.get("/a/1/"))
    with db.writing(world.session):
        annotator = world.session.query(Annotator).one()
        world.session.add(
            Exclusion(annotator_id=annotator.id, excluded=True, reason="clicked", made_at=DURING)
        )
    assert "clicked" not in hand.get("/a/1/").text


def test_everybody_beyond_the_plan_reads_that_no_assignment_is_left(world: World) -> None:
    add_campaign(world, configure(3, answers=1, assignment=3))
    first, second = (Hand(world, key) for key in add_links(world, 2))
    first.begin()
    assert "No assignment is left for you now." in words(second.begin())
    assert second.page.status_code == 409


def test_trial_of_an_organizer_works_before_the_round_opens(world: World) -> None:
    add_campaign(world, configure(), opened=False)
    with db.writing(world.session):
        campaign = get_round(world).campaign
        key = people.begin_trial(world.session, world.actor("ada"), campaign, DURING).key
    hand = Hand(world, key)
    page = hand.begin()
    assert "1 of 3" in words(page)
    assert "2 of 3" in words(hand.answer(3))


def test_annotators_pages_have_no_navigation_of_the_site(world: World) -> None:
    hand = begin(world)
    for path in (f"/a/me/{hand.key}", "/a/1/", hand.page.request.path, "/a/1/withdraw", "/a/7/"):
        page = hand.get(path)
        assert "/sign-in" not in page.text
        assert "<nav" not in page.text


def test_own_answers_are_listed_with_links_to_change_them_until_they_are_handed_in(world: World) -> None:
    hand = begin(world, comment=True)
    hand.answer(3, comment="a wreck")
    own = hand.get("/a/1/")
    assert "List of your answers" in words(own)
    address = "/a/1/assignments/1/answers"
    listed = words(hand.get(address))
    assert "The ship left the harbour. 1 / A boat sailed off. 1" in listed
    assert "Your answer: 3 · a wreck" in listed
    assert "secret" not in hand.page.text
    assert "2." not in listed
    assert hand.get("/a/1/steps/1").status_code == 200
    other = Hand(world, add_links(world)[0])
    other.enter()
    assert other.get(address).status_code == 404
    hand.get("/a/1/assignments/1/next")
    hand.answer(4)
    hand.answer(5)
    assert "List of your answers" in words(hand.page)
    hand.send("Hand in")
    assert hand.get(address).request.path == "/a/1/"
    assert "List of your answers" not in words(hand.page)
