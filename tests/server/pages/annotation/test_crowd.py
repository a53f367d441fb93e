"""People of a crowd come by one link with an id that proves nothing, and go on where they stopped."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Barrier

import pytest
from werkzeug.test import TestResponse

from scorer.campaigns.config import CampaignConfig, EntryConfig
from server.annotation.campaigns import consents, crowd, erasure
from server.annotation.models import (
    AnnotationBar,
    Annotator,
    AnnotatorIdentity,
    AnnotatorKey,
    Campaign,
    Consent,
)
from server.core import db
from tests.server.annotation.small_campaign import Hand, add_campaign, configure
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

CROWD = EntryConfig(
    "crowd", "crowd", 2, 1, "PID", "C1DONE", "C2GATE", "https://platform.example/complete?cc={code}"
)
HERON = "5f0c3a7heron"


def configure_crowd(**options: object) -> CampaignConfig:
    """A campaign for a crowd alone."""
    config = configure(**options)
    rounds = tuple(replace(round_, entries=("crowd",)) for round_ in config.rounds)
    return replace(config, entries=(CROWD,), rounds=rounds)


def find_path(world: World) -> str:
    """The path of the link of the crowd."""
    return crowd.path_of(world.session, world.session.query(Campaign).one().entries[0])


@dataclass
class Worker(Hand):
    """A person of the crowd with a browser; `key` is their id."""

    path: str = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.path = find_path(self.world)

    def enter(self) -> TestResponse:
        """Open the platform's link, consent if that is asked, and see the own page."""
        self.get(f"{self.path}?PID={self.key}")
        return self.send("I consent") if "I consent" in self.page.text else self.page


def come(world: World, person: str = HERON) -> Worker:
    """A new browser, in which a person takes an assignment or goes on."""
    worker = Worker(world, person)
    worker.enter()
    worker.send("Begin" if "Begin" in worker.page.text else "Continue")
    return worker


def count(world: World, model: type) -> int:
    world.session.rollback()
    return world.session.query(model).count()


def test_opening_the_link_stores_nothing_and_consent_adds_the_person_under_a_pseudonym(world: World) -> None:
    add_campaign(world, configure_crowd())
    worker = Worker(world, HERON)
    page = worker.get(f"{worker.path}?PID={HERON}")
    assert "Your answers will be published." in words(page)
    assert HERON not in page.text
    assert count(world, Annotator) == 0
    worker.send("I consent")
    assert worker.page.request.full_path == "/a/1/?"
    assert "under the name A001" in words(worker.page)
    assert (count(world, Annotator), count(world, Consent), count(world, AnnotatorKey)) == (1, 1, 1)
    assert "1 of 3" in words(worker.send("Begin"))


def test_id_of_a_person_is_stored_nowhere(world: World) -> None:
    add_campaign(world, configure_crowd())
    come(world).answer(3)
    world.session.rollback()
    tables = db.Base.metadata.sorted_tables
    stored = [str(tuple(row)) for table in tables for row in world.session.execute(table.select())]
    assert len(stored) > 20
    assert [row for row in stored if HERON in row] == []
    assert len(world.session.query(AnnotatorIdentity).one().person_hash or "") == 64


def test_same_person_is_the_same_annotator_on_every_device_and_goes_on(world: World) -> None:
    add_campaign(world, configure_crowd())
    first = come(world)
    first.answer(3)
    again = come(world)
    assert "2 of 3" in words(again.page)
    assert first.get(f"{first.path}?PID={HERON}").request.path == "/a/1/"  # without a question
    assert (count(world, Annotator), count(world, Consent), count(world, AnnotatorKey)) == (1, 1, 2)
    assert "1 of 3" in words(come(world, "another").page)
    assert count(world, Annotator) == 2


@pytest.mark.parametrize(
    "query", ["", "PID=", "PID={{%25PROLIFIC_PID%25}}", "PID=${e://Field/PID}", "PID=[ID]", "OTHER=heron"]
)
def test_absent_or_unfilled_id_is_said_with_how_to_fix_it(world: World, query: str) -> None:
    add_campaign(world, configure_crowd())
    page = world.client().get(f"{find_path(world)}?{query}")
    assert page.status_code == 400
    assert "should contain your id after PID=" in words(page)
    assert "?PID={{%PROLIFIC_PID%}}" in page.text
    assert "<form" not in page.text


def test_link_of_another_campaign_or_a_made_up_one_leads_nowhere(world: World) -> None:
    add_campaign(world, configure_crowd())
    path = find_path(world)
    for wrong in (path.replace("/a/1/", "/a/2/"), f"{path}x", "/a/1/join/crowd-1"):
        assert world.client().get(f"{wrong}?PID=heron").status_code == 404


def test_language_is_chosen_without_the_id_in_the_address(world: World) -> None:
    add_campaign(world, configure_crowd(languages=("en", "cs")))
    worker = Worker(world, HERON)
    worker.get(f"{worker.path}?PID={HERON}")
    page = worker.send('name="language"', language="cs")
    assert page.request.full_path == f"{worker.path}?"
    assert "Souhlasím" in page.text
    assert count(world, Annotator) == 0
    worker.send("Souhlasím")
    world.session.rollback()
    assert world.session.query(Annotator).one().language == "cs"


def withdraw(world: World) -> None:
    consents.withdraw_consent(world.session, world.session.query(Annotator).one(), DURING)


def erase(world: World) -> None:
    erasure.erase_annotator(world.session, world.actor("ada"), world.session.query(Annotator).one(), DURING)


@pytest.mark.parametrize("end", [withdraw, erase])
def test_who_withdrew_or_was_erased_cannot_come_again(world: World, end: Callable[[World], None]) -> None:
    add_campaign(world, configure_crowd())
    come(world)
    with db.writing(world.session):
        end(world)
    again = Worker(world, HERON)
    assert "cannot go on with it" in words(again.enter())
    assert again.page.status_code == 409
    assert (count(world, Annotator), count(world, AnnotatorKey)) == (1, 1)
    assert count(world, AnnotationBar) == (end is erase)


def test_person_with_another_link_of_the_campaign_is_told_to_use_the_first(world: World) -> None:
    config = configure_crowd()
    add_campaign(world, replace(config, entries=(CROWD, replace(CROWD, slug="other", done="C3"))))
    come(world)
    other = Worker(world, HERON)
    entries = world.session.query(Campaign).one().entries
    other.path = crowd.path_of(world.session, entries[1])
    assert "by another link of this campaign" in words(other.enter())


def test_member_of_a_team_has_to_leave_it_first(world: World) -> None:
    config = configure_crowd(scale=(0, 4, 1))
    add_campaign(world, replace(config, level="p2s", split="test"))
    worker = Worker(world, HERON)
    worker.visitor = world.client("cy")
    assert worker.enter().status_code == 409
    assert "You are a member of the team birch" in words(worker.page)
    assert count(world, Annotator) == 0
    assert worker.send("I consent", leave_team="y").request.path == "/a/1/"


def test_organizers_see_the_address_and_annotators_without_links(world: World) -> None:
    add_campaign(world, configure_crowd())
    come(world)
    ada = world.client("ada")
    page = ada.get("/tasks/small/organize/campaigns/alike/")
    assert f"{find_path(world)}?PID={{{{%PROLIFIC_PID%}}}}" in page.text
    people = ada.get("/tasks/small/organize/campaigns/alike/people").text
    assert "A001" in people
    assert "Replace link" not in people
    assert "Create links" not in people


@pytest.mark.both_databases
def test_two_clicks_at_once_are_one_annotator(world: World) -> None:
    add_campaign(world, configure_crowd())
    workers = [Worker(world, HERON) for _ in range(4)]
    for worker in workers:
        worker.get(f"{worker.path}?PID={HERON}")
    together = Barrier(len(workers))

    def click(worker: Worker) -> int:
        together.wait(30)
        return worker.visitor.open(
            worker.form_address("I consent"), method="POST", data=worker.hidden("I consent")
        ).status_code

    with ThreadPoolExecutor(len(workers)) as threads:
        assert list(threads.map(click, workers)) == [303] * len(workers)
    assert (count(world, Annotator), count(world, Consent), count(world, AnnotatorKey)) == (1, 1, 4)
