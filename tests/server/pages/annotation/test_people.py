"""Personal links, emails with them, and the bar between annotating a hidden split and competing on it."""

import re
from datetime import timedelta
from pathlib import Path

import pytest

from server.access import service as access
from server.annotation.campaigns import (
    competing,
    creation,
    erasure,
    people,
    personal_links,
    rules,
    service as campaigns,
)
from server.annotation.campaigns.rules import Invitee
from server.annotation.models import AnnotationBar
from server.audit.models import AuditEntry
from server.core import db
from server.core.errors import Conflict, Gone, NotFound
from server.teams import service as teams
from tests.server.annotation.annotating import GOLD, Annotating, write_campaign
from tests.server.annotation.chained import add_chain
from tests.server.mail_sink import Sink
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

PEOPLE = "/tasks/small/organize/campaigns/harbour/people"
LINK = re.compile(r"https://assay\.test/a/me/([\w-]{43})")


def annotating(world: World, folder: Path, gold: str = GOLD) -> Annotating:
    """An open campaign."""
    campaign = Annotating(world)
    campaign.add(creation.prepare_campaign(write_campaign(folder / "campaign", gold=gold)))
    campaign.open()
    return campaign


def test_list_of_people_is_read_line_by_line() -> None:
    text = "  Grey  Heron \n\nWREN@example.org\nTeal <teal@example.org>\n@broken\nno@domain\n"
    assert rules.read_people(text) == (
        [
            Invitee(label="Grey Heron"),
            Invitee(email="wren@example.org"),
            Invitee(label="Teal", email="teal@example.org"),
        ],
        ["@broken", "no@domain"],
    )


def test_repeated_people_are_found_by_address_or_else_by_name() -> None:
    listed = [
        Invitee("Teal", "a@x.org"),
        Invitee("Teal", "b@x.org"),
        Invitee("Heron"),
        Invitee("heron"),
        Invitee(),
    ]
    assert rules.find_repeated([*listed, Invitee()], [Invitee("Old", "b@x.org")]) == ["b@x.org", "heron"]


def test_links_are_shown_once_and_the_database_has_only_their_hashes(world: World, tmp_path: Path) -> None:
    campaign = annotating(world, tmp_path)
    ada = world.client("ada")
    form = {"people": "Grey Heron\nTeal <teal@example.org>", "delivery": "show"}
    page = ada.post(f"{PEOPLE}/add/students", form)
    keys = LINK.findall(page.text)
    assert len(keys) == 2
    assert page.headers["Cache-Control"] == "no-store"
    assert "Grey Heron" in words(page)
    world.session.rollback()
    named = {personal_links.get_annotator_by_key(world.session, key).name for key in keys}
    assert named == {"A001", "A002"}
    again = ada.post(f"{PEOPLE}/add/students", form)
    assert again.status_code == 422
    assert "have a link already: Grey Heron, teal@example.org" in words(again)
    assert len(people.list_annotators(world.session, campaign.campaign)) == 2


def test_number_of_links_without_names(world: World, tmp_path: Path) -> None:
    annotating(world, tmp_path)
    ada = world.client("ada")
    page = ada.post(f"{PEOPLE}/add/students", {"count": "30", "delivery": "show"})
    assert len(LINK.findall(page.text)) == 30
    assert "A030" in words(page)
    for form, why in (
        ({"delivery": "show"}, "Enter at least one name"),
        ({"count": "2000", "delivery": "show"}, "1000"),
        ({"people": "no@domain", "delivery": "show"}, "cannot be read: no@domain"),
        ({"people": "Heron", "delivery": "email"}, "has no email address"),
    ):
        refused = ada.post(f"{PEOPLE}/add/students", form)
        assert refused.status_code == 422
        assert why in words(refused)
    assert ada.post(f"{PEOPLE}/add/nobody", {"count": "1", "delivery": "show"}).status_code == 404


def test_replacing_a_link_ends_the_earlier_one(world: World, tmp_path: Path) -> None:
    campaign = annotating(world, tmp_path)
    (old,) = [link.key for link in campaign.invite(Invitee("Heron"))]
    page = world.client("ada").post(f"{PEOPLE}/A001/link")
    (new,) = LINK.findall(page.text)
    assert "A001" in words(page)
    assert "Heron" not in words(page), "nobody chose Show names"
    world.session.rollback()
    assert personal_links.get_annotator_by_key(world.session, new).name == "A001"
    with pytest.raises(Gone, match="replaced by a new one"):
        personal_links.get_annotator_by_key(world.session, old)
    with pytest.raises(NotFound, match="Check that you copied all of it"):
        personal_links.get_annotator_by_key(world.session, "x")


def test_names_are_hidden_until_someone_asks_and_the_log_says_who(world: World, tmp_path: Path) -> None:
    campaign = annotating(world, tmp_path)
    campaign.invite(Invitee("Grey Heron"), Invitee("Teal", "teal@example.org"))
    ada = world.client("ada")
    assert "Heron" not in ada.get(PEOPLE).text
    named = words(ada.post(f"{PEOPLE}/names"))
    assert "Grey Heron" in named
    assert "Teal, teal@example.org" in named
    log = words(ada.get("/tasks/small/organize/log"))
    assert "ada looked at the names of the annotators of harbour" in log
    assert "ada created 2 links for annotators of harbour" in log
    assert all("Heron" not in str(entry.details) for entry in world.session.query(AuditEntry))


def test_page_shows_each_round_of_an_annotator_and_offers_links_until_all_are_closed(
    world: World, tmp_path: Path
) -> None:
    chain, names = add_chain(world, tmp_path)
    page, ada = "/tasks/small/organize/campaigns/harbour-in-context/people", world.client("ada")
    for round_slug in ("pilot", "bws"):
        chain.answer_all(round_slug, names[:1])
    shown = words(ada.get(page))
    done = r"(\d+) of \d+ answered, finished"
    assert re.search(f"{names[0]} .*pilot: {done} .*bws: {done}", shown)
    for round_slug in ("pilot", "bws", "rate", "expert"):
        assert "Create links for students" in words(ada.get(page))
        with db.writing(world.session):
            campaigns.open_round(
                world.session, world.actor("ada"), campaigns.get_round(chain.campaign, round_slug), DURING
            )
        chain.close(round_slug)
    assert "Create links" not in words(ada.get(page))


def test_what_someone_will_not_answer_is_released_to_others_at_once(world: World, tmp_path: Path) -> None:
    campaign = annotating(world, tmp_path)
    campaign.invite(Invitee())
    campaign.consent("A001")
    campaign.take("A001")
    ada = world.client("ada")
    page = ada.get(f"{PEOPLE}")
    assert "Release now" in words(page)
    page = ada.post(f"{PEOPLE}/A001/release", follow_redirects=True)
    assert "Others now get what A001 has not answered." in words(page)
    assert "Release now" not in words(page)
    assert "stopped" in words(page)
    page = ada.post(f"{PEOPLE}/A001/release", follow_redirects=True)
    assert "A001 has no assignment that could be released." in words(page)


def test_links_are_emailed_and_the_page_says_what_became_of_them(
    world: World, tmp_path: Path, sink: Sink
) -> None:
    annotating(world, tmp_path)
    ada = world.client("ada")
    form = {"people": "Teal <teal@example.org>\nheron@example.org", "delivery": "email"}
    sent = ada.post(f"{PEOPLE}/add/students", form, follow_redirects=True)
    assert "email not sent yet" in words(sent)
    world.work(DURING)
    assert sorted(mail["To"] for mail in sink.mails) == ["heron@example.org", "teal@example.org"]
    texts = [mail.get_body(("plain",)).get_content() for mail in sink.mails]
    keys = [LINK.search(text).group(1) for text in texts]
    assert any("Dear Teal," in text for text in texts)
    assert all("Number of answers: 3. Time: about 1 min." in text for text in texts)
    assert all("List-Unsubscribe" not in mail for mail in sink.mails)
    assert words(ada.get(PEOPLE)).count("link emailed") == 2
    world.session.rollback()
    assert {personal_links.get_annotator_by_key(world.session, key).name for key in keys} == {"A001", "A002"}
    again = ada.post(f"{PEOPLE}/A001/email", follow_redirects=True)
    assert "A001 gets an email with a new link." in words(again)
    world.work(DURING + timedelta(minutes=1))
    assert len(sink.mails) == 3


def test_who_consented_by_account_or_confirmed_address_cannot_join_a_team(
    world: World, tmp_path: Path
) -> None:
    campaign = annotating(world, tmp_path)
    campaign.invite(Invitee("dee"), Invitee("cy", "cy@example.org"), Invitee("x", "dee@example.org"))
    by_label = {link.label: link.annotator.name for link in people.list_identities(
        world.session, campaign.campaign
    ).values()}  # fmt: skip
    access.require_may_join_team(world.session, world.actor("dee"), world.task)
    campaign.consent(by_label["dee"], user="dee")
    with pytest.raises(Conflict, match="agreed to annotate the test data"):
        access.require_may_join_team(world.session, world.actor("dee"), world.task)


def test_who_consented_by_an_unconfirmed_address_can_join_a_team_until_it_is_confirmed(
    world: World, tmp_path: Path
) -> None:
    campaign = annotating(world, tmp_path)
    campaign.invite(Invitee(email="dee@example.org"))
    campaign.consent("A001")
    for confirmed, barred in ((None, False), (DURING, True)):
        with db.writing(world.session):
            world.user("dee").confirmed_at = confirmed
        assert access.is_annotator(world.session, world.user("dee").id, world.task) is barred


def test_erased_annotators_still_cannot_join_a_team_by_account_or_confirmed_address(
    world: World, tmp_path: Path
) -> None:
    campaign = annotating(world, tmp_path)
    campaign.invite(Invitee("x", "dee@example.org"))
    campaign.invite(Invitee("y"), Invitee("z", "bo@example.org"))
    by_label = {who.label: who.annotator.name for who in people.list_identities(
        world.session, campaign.campaign
    ).values()}  # fmt: skip
    with db.writing(world.session):
        world.user("dee").confirmed_at = DURING
    campaign.consent(by_label["x"])
    campaign.consent(by_label["y"], user="ada")
    for name in by_label.values():
        with db.writing(world.session):
            erasure.erase_annotator(world.session, world.actor("ada"), campaign.annotator(name), DURING)
    barred = {
        name: access.is_annotator(world.session, world.user(name).id, world.task)
        for name in ("ada", "bo", "cy", "dee")
    }
    assert barred == {"ada": True, "bo": False, "cy": False, "dee": True}
    assert all(len(row.person_hash) == 64 for row in world.session.query(AnnotationBar))


@pytest.mark.parametrize("gold", ["", 'level = "p2s"\nsplit = "trial"'])
def test_annotating_public_data_bars_nobody(world: World, tmp_path: Path, gold: str) -> None:
    campaign = annotating(world, tmp_path, gold)
    campaign.invite(Invitee(email="bo@example.org"))
    assert not competing.hides_gold(campaign.campaign)
    campaign.consent("A001", user="bo")
    assert not access.is_annotator(world.session, world.user("bo").id, world.task)


def test_member_of_a_team_with_a_scored_file_cannot_consent(world: World, tmp_path: Path) -> None:
    campaign = annotating(world, tmp_path)
    world.upload(world.run(), "p2s")
    campaign.invite(Invitee())
    with pytest.raises(Conflict, match="birch, which has a scored submission"):
        campaign.consent("A001", user="cy", leave=True)


@pytest.mark.parametrize("name", ["bo", "cy"])
def test_other_team_members_are_told_and_then_leave_their_team(
    world: World, tmp_path: Path, name: str
) -> None:
    campaign = annotating(world, tmp_path)
    campaign.invite(Invitee(email=f"{name}@example.org"))
    with db.writing(world.session):
        world.user(name).confirmed_at = DURING
    with pytest.raises(Conflict, match=r"member of birch\. Confirm that you want to leave it"):
        campaign.consent("A001")
    campaign.consent("A001", leave=True)
    (rest,) = teams.list_members(world.session, world.team)
    assert {rest.name, name} == {"bo", "cy"}
    assert world.team.captain_id == rest.id
    assert access.find_team(world.session, world.actor(name), world.task) is None


def test_last_member_who_annotates_dissolves_the_team(world: World, tmp_path: Path) -> None:
    campaign = annotating(world, tmp_path)
    team_id = world.found_team("dee", "alder").id
    campaign.invite(Invitee())
    campaign.consent("A001", user="dee", leave=True)
    assert teams.get_team(world.session, world.task, team_id).state == "dissolved"
