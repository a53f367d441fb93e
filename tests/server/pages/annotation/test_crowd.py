"""People of a crowd come by one link with an id that proves nothing, and go on where they stopped."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import timedelta
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
    AssignmentEvent,
    Campaign,
    Consent,
    Entry,
)
from server.core import db
from tests.server.annotation.small_campaign import (
    Hand,
    add_campaign,
    add_links,
    close_round,
    configure,
    list_answers,
)
from tests.server.commands import Assay
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
    """The path of the link of the newest crowd."""
    entry = world.session.query(Entry).filter_by(kind="crowd").order_by(Entry.id.desc()).first()
    assert entry is not None
    return crowd.path_of(world.session, entry)


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
    Worker(world, HERON).enter()
    other = Worker(world, HERON)
    entries = world.session.query(Campaign).one().entries
    other.path = crowd.path_of(world.session, entries[0])
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


def addresses(assignment_id: int = 1) -> list[str]:
    """The annotator's pages that show, or could show, their answers."""
    steps = [f"/a/1/steps/{step_id}" for step_id in (1, 2, 3)]
    notices = ["/a/1/?replaced=2", "/a/1/?late=1"]
    ends = [f"/a/1/assignments/{assignment_id}/{name}" for name in ("end", "answers", "next")]
    return ["/a/1/", "/a/1/withdraw", *steps, *notices, *ends]


def test_stranger_with_the_id_of_a_person_sees_nothing_of_theirs_and_changes_nothing(world: World) -> None:
    add_campaign(world, configure_crowd(comment=True))
    person = come(world)
    step = person.page.request.path
    person.answer(2, comment="a wreck")
    person.get(step)
    person.answer(5, comment="a wreck, surely")
    before = list_answers(world)
    stranger = come(world)
    assert "2 of 3" in words(stranger.page)
    assert "Previous answer" not in stranger.page.text
    for path in addresses():
        page = stranger.get(path)
        assert "wreck" not in page.text, path
        assert "(your answer)" not in page.text, path
        assert "A001 " not in page.text.split("under the name")[0], path
    assert stranger.get(step).status_code == 409
    assert "in another browser or on another device" in words(stranger.page)
    assert "Withdraw consent" not in stranger.get("/a/1/withdraw").text
    for action in ("assignments/1/hand-in", "assignments/1/stop", "withdraw"):
        token = {"csrf_token": token_of(stranger)}
        assert stranger.visitor.open(f"/a/1/{action}", method="POST", data=token).status_code == 409
    assert [row.id for row in list_answers(world)] == [row.id for row in before]
    assert (count(world, Consent), count(world, AssignmentEvent)) == (1, 0)
    assert "Your answer: 5 · a wreck, surely" in words(person.get("/a/1/assignments/1/answers"))


def token_of(worker: Worker) -> str:
    """The token of the forms of the own page."""
    return worker.get("/a/1/").text.split('name="csrf_token" value="')[1].split('"')[0]


def test_step_that_was_open_in_two_browsers_keeps_the_answer_of_the_first(world: World) -> None:
    add_campaign(world, configure_crowd())
    person, stranger = come(world), come(world)
    stranger_form = stranger.hidden("ticket")
    person.answer(5)
    for value in ("5", "1"):  # no status says which answer is there
        data = stranger_form | {"value": value}
        refused = stranger.visitor.open(stranger.page.request.path, method="POST", data=data)
        assert refused.status_code == 409
    assert [row.value for row in list_answers(world)] == [5]


def test_work_goes_on_in_a_second_browser_which_then_lists_its_own_answers_alone(world: World) -> None:
    add_campaign(world, configure_crowd())
    first = come(world)
    first.answer(6)
    second = come(world)
    second.answer(1)
    assert "2." in words(second.get("/a/1/assignments/1/answers"))
    assert "Your answer: 1" in words(second.page)
    assert "Your answer: 6" not in words(second.page)
    second.get("/a/1/")
    second.send("Continue")
    assert "Everything is answered" in words(second.answer(2))
    assert "Thank you" in words(second.send("Hand in"))


def test_personal_link_shows_every_answer_in_every_browser(world: World) -> None:
    add_campaign(world, configure())
    key = add_links(world)[0]
    hand, again = Hand(world, key), Hand(world, key)
    hand.begin()
    hand.answer(6)
    again.get(f"/a/me/{key}")
    again.send("Open your page")
    assert "Your answer: 6" in words(again.get("/a/1/assignments/1/answers"))
    assert [row.key_sha256 for row in list_answers(world)] == [None]


DONE = 'href="https://platform.example/complete?cc=C1DONE"'


def answer_rest(worker: Worker) -> TestResponse:
    """Answer all steps that are left."""
    while 'name="ticket"' in worker.page.text:
        worker.answer(3)
    return worker.page


def test_who_hands_in_gets_the_code_and_sees_it_again_in_the_same_browser(world: World) -> None:
    add_campaign(world, configure_crowd())
    worker = come(world)
    page = answer_rest(worker)
    assert "Hand in your answers to get your code." in words(page)
    assert "C1DONE" not in page.text
    page = worker.send("Hand in")
    assert "C1DONE" in words(page)
    assert DONE in page.text
    assert "C2GATE" not in page.text
    for path in (f"{worker.path}?PID={HERON}", "/a/1/assignments/1/end"):
        assert DONE in worker.get(path).text
    stranger = Worker(world, HERON)
    stranger.enter()
    for path in addresses():
        assert "C1DONE" not in stranger.get(path).text
    assert "You handed this in in another browser or on another device. Your code is there." in words(
        stranger.get("/a/1/")
    )


def test_operator_prints_the_link_for_the_platform(world: World, assay: Assay) -> None:
    config = configure_crowd()
    add_campaign(world, config)
    printed = assay("campaign", "links", "small", config.slug)
    assert printed.exit_code == 0, printed.output
    assert re.fullmatch(r"\S+\thttps?://\S+/a/1/join/\S+\?PID=\{\{%PROLIFIC_PID%\}\}\n", printed.stdout)


def test_who_leaves_early_gets_no_code(world: World) -> None:
    add_campaign(world, configure_crowd())
    worker = come(world)
    worker.answer(3)
    worker.get("/a/1/")
    assert "C1DONE" not in worker.send("Stop and leave the rest to others").text
    close_round(world)
    assert "This annotation is closed." in words(worker.get("/a/1/"))
    assert "C1DONE" not in worker.page.text


def test_who_did_the_work_gets_the_code_if_the_round_closes_before_they_hand_in(world: World) -> None:
    add_campaign(world, configure_crowd())
    worker = come(world)
    worker.answer(3)
    worker.answer(3)
    close_round(world)
    page = worker.answer(3)  # the last page was open
    assert page.request.path == "/a/1/"
    assert "came too late" in words(page)
    assert DONE in page.text


def test_who_did_the_work_gets_the_code_long_after_the_lease(world: World) -> None:
    add_campaign(world, configure_crowd())
    worker = come(world)
    answer_rest(worker)
    world.set_clock(DURING + timedelta(hours=30))
    come(world, "another")
    worker.get("/a/1/")
    worker.get("/a/1/assignments/1/end")
    assert DONE in worker.send("Hand in").text


def test_personal_link_gives_no_code(world: World) -> None:
    add_campaign(world, configure(3, assignment=3))
    hand = Hand(world, add_links(world)[0])
    hand.begin()
    for _ in range(3):
        hand.answer(3)
    assert "You can close this page." in words(hand.send("Hand in"))
    assert "code" not in words(hand.page)


def test_who_comes_back_after_others_got_the_rest_reads_that_there_is_no_code(world: World) -> None:
    add_campaign(world, configure_crowd(n_units=3, answers=1))
    worker = come(world)
    worker.answer(3)
    world.set_clock(DURING + timedelta(hours=3))
    answer_rest(come(world, "another"))
    for path in ("/a/1/", "/a/1/assignments/1/end"):
        assert "so others got the rest of your texts" in words(worker.get(path))
        assert "Hand in your answers to get your code." not in words(worker.page)
    assert "C1DONE" not in worker.send("Hand in").text


def test_who_comes_back_after_the_lease_goes_on_if_nobody_got_the_rest(world: World) -> None:
    add_campaign(world, configure_crowd(n_units=3, answers=1))
    come(world).answer(3)
    world.set_clock(DURING + timedelta(hours=3))
    again = come(world)
    assert "2 of 3" in words(again.page)
    answer_rest(again)
    assert DONE in again.send("Hand in").text
