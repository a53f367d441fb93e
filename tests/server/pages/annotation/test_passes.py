"""Two passes, calibration units, repeats, and tuples, through the annotators' pages."""

import re
from collections import Counter
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import select

from server.annotation.answers.questions import order_candidates
from server.annotation.assignments import leases, progress
from server.annotation.campaigns import creation, people, service as campaigns
from server.annotation.campaigns.rules import Invitee
from server.annotation.models import AnnotationRound, Assignment, Entry, Step, UnitAnswer
from server.annotation.results import answer_rows
from server.annotation.results.progress import measure_progress
from server.core import db
from tests.scorer.small_campaign import write_chain
from tests.server.annotation.small_campaign import Hand
from tests.server.mail_sink import Sink
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

HOUR = timedelta(hours=1)
RATE = 'name="round" value="rate"'


def add_chain(world: World, folder: Path) -> None:
    """Add a campaign of four open rounds."""
    prepared = creation.prepare_campaign(write_chain(folder))
    with db.writing(world.session):
        ada = world.actor("ada")
        campaign = creation.add_campaign(world.session, ada, world.task, prepared, DURING)
        for round_ in campaign.rounds:
            campaigns.open_round(world.session, ada, round_, DURING)


def join(world: World, entry: str = "students", email: str | None = None) -> Hand:
    """An annotator who consented and is on their own page."""
    with db.writing(world.session):
        row = world.session.scalars(
            select(Entry).where(Entry.slug == entry).order_by(Entry.id.desc()).limit(1)
        ).one()
        (link,) = people.add_annotators(
            world.session, world.actor("ada"), row, [Invitee(email=email)], DURING
        )
    hand = Hand(world, link.key)
    hand.enter()
    return hand


def answer_all(hand: Hand, value: int = 3) -> int:
    """Answer until no step is left now; the number of answers."""
    count = 0
    begin_second_pass(hand)
    while "data-annotate" in hand.page.text:
        hand.answer(value)
        count += 1
        begin_second_pass(hand)
    return count


def begin_second_pass(hand: Hand) -> None:
    """Go on from the page between two passes, if the second one is open."""
    step = re.search(r'<a class="button" href="(/a/\d+/steps/\d+)"', hand.page.text)
    if step is not None:
        hand.get(step[1])


def steps_of(world: World, assignment_id: int) -> list[tuple[int, str, str]]:
    """The pass, the block and the unit of each step of an assignment."""
    query = select(Step).where(Step.assignment_id == assignment_id).order_by(Step.position)
    return [(step.pass_number, step.block, step.unit.key) for step in world.session.scalars(query)]


def get_round(world: World, slug: str) -> AnnotationRound:
    return world.session.scalars(select(AnnotationRound).where(AnnotationRound.slug == slug)).one()


def newest_assignment(world: World) -> int:
    world.session.rollback()
    return world.session.scalars(select(Assignment.id).order_by(Assignment.id.desc()).limit(1)).one()


def test_passes_ask_the_same_units_in_the_same_order_with_calibration_and_repeats_of_the_pilot(
    world: World, tmp_path: Path
) -> None:
    add_chain(world, tmp_path)
    hand = join(world)
    hand.send('value="pilot"')
    assert answer_all(hand) == 4, "two units in each of two passes, without a pause"
    piloted = {unit for _pass, _block, unit in steps_of(world, newest_assignment(world))}
    hand.send("Hand in")
    assert "Begin the next assignment" in words(hand.page)
    assert "Number of answers: 10. Time: about 4 min." in words(hand.page)
    hand.send(RATE)
    assert "about 2 min left" in words(hand.page)
    steps = steps_of(world, newest_assignment(world))
    blocks = ["calibration", "main", "main", "main", "repeat"]
    assert [(number, block) for number, block, _unit in steps] == [
        (number, block) for number in (1, 2) for block in blocks
    ]
    assert [unit for number, _, unit in steps if number == 1] == [
        unit for number, _, unit in steps if number == 2
    ]
    assert steps[-1][2] in piloted
    first = world.session.scalars(
        select(Step).where(Step.repeats_step_id.is_not(None)).order_by(Step.id)
    ).all()
    earlier = [world.session.get_one(Step, step.repeats_step_id) for step in first]
    assert [step.pass_number for step in earlier] == [1, 2], "each pass repeats the pilot's pass of its name"


def test_second_pass_opens_after_the_pause_and_ends_changes_of_the_first(
    world: World, tmp_path: Path
) -> None:
    add_chain(world, tmp_path)
    hand = join(world)
    first_page = hand.send(RATE)
    assert "first reading" in words(first_page)
    path = first_page.request.path
    assert "It is cold" not in first_page.text, "the first pass has no context"
    assert answer_all(hand) == 5
    assert "The first reading is done" in words(hand.page)
    assert "the question is: How similar are the two marked sentences?" in words(hand.page)
    link = re.search(r'href="([^"]*/opening.ics)"', hand.page.text)
    assert link is not None
    event = hand.visitor.get(link[1])
    assert event.mimetype == "text/calendar"
    assert f"DTSTART:{DURING + timedelta(hours=72):%Y%m%dT%H%M%SZ}" in event.text
    assert "SUMMARY:Sentences of the harbour" in event.text.replace("\r\n ", "")
    assert "opens at 13 Mar 2026, 12:00 UTC" in words(hand.page)
    world.set_clock(DURING + HOUR)
    hand.get(path)
    hand.answer(6)
    assert "opens at 13 Mar 2026, 13:00 UTC" in words(hand.page), "a change begins the pause again"
    second = world.session.scalars(select(Step.id).where(Step.pass_number == 2).order_by(Step.id)).first()
    refused = hand.visitor.get(f"/a/1/steps/{second}")
    assert refused.status_code == 409
    assert "opens later" in words(refused)
    world.set_clock(DURING + 73 * HOUR)
    hand.get("/a/1/")
    hand.send(RATE)
    assert "Now you read the same texts again." in words(hand.page)
    begin_second_pass(hand)
    assert "<mark>The boat z1 leaves.</mark>" in hand.page.text
    assert "It is cold" in hand.page.text
    assert "Second reading: 0 of 5" in words(hand.visitor.get("/a/1/"))
    late = hand.visitor.get(path)
    assert late.status_code == 409
    assert "answers of the first one can no longer be changed" in words(late)
    assert answer_all(hand, 5) == 5
    assert "change those of the second reading" in words(hand.page)


def test_answer_to_a_pass_that_is_done_is_kept_and_late(world: World, tmp_path: Path) -> None:
    add_chain(world, tmp_path)
    hand = join(world)
    path = hand.send(RATE).request.path
    answer_all(hand)
    hand.get(path)
    world.set_clock(DURING + 80 * HOUR)
    hand.answer(6)
    assert "came too late" in words(hand.page)
    world.session.rollback()
    assert world.session.scalars(select(UnitAnswer.standing).order_by(UnitAnswer.id.desc())).first() == "late"


def test_pause_is_no_expiry_and_who_skips_the_second_pass_is_replaced_in_both(
    world: World, tmp_path: Path
) -> None:
    add_chain(world, tmp_path)
    for _ in range(4):
        hand = join(world)
        hand.send(RATE)
        answer_all(hand)
    round_ = get_round(world, "rate")

    def states(at: datetime) -> list[str]:
        return [row.state for row in progress.round_progress(world.session, round_, at)]

    def missing(at: datetime) -> dict[str, list[int]]:
        return leases.missing_slots(world.session, round_, at)

    assert states(DURING + 71 * HOUR) == ["resting"] * 4
    assert states(DURING + (72 + 335) * HOUR) == ["active"] * 4
    assert missing(DURING + (72 + 335) * HOUR) == {}
    world.set_clock(DURING + 73 * HOUR)
    hand.get("/a/1/")
    hand.send(RATE)
    answer_all(hand)
    after_lease = DURING + (72 + 337) * HOUR
    assert states(after_lease) == ["expired"] * 3 + ["finished"]
    assert sum(map(len, missing(after_lease).values())) == 9, "the slots of three people, in both passes"
    world.set_clock(after_lease)
    newcomer = join(world)
    newcomer.send(RATE)
    assert {number for number, _, _ in steps_of(world, newest_assignment(world))} == {1, 2}
    answer_all(newcomer)
    answers = answer_rows.load_answers(world.session, round_)
    outcomes = Counter(answers.outcomes.values())
    assert outcomes["surplus"] == 3, "their first readings"
    shown = measure_progress(world.session, round_, after_lease)
    counted = sum(annotator.counted for annotator in shown.annotators)
    assert (shown.answers, counted) == (outcomes["counted"], outcomes["counted"])
    rows = list(answer_rows.iterate_rows(world.session, round_))
    for block in ("calibration", "repeat"):
        assert {answers.outcomes[row.id] for row in rows if row.block == block} == {block}


def test_tuple_needs_a_best_and_another_worst_text(world: World, tmp_path: Path) -> None:
    add_chain(world, tmp_path)
    hand = join(world)
    page = hand.send('name="round" value="bws"')
    assert "A: Where is the ferry?" in page.text
    assert "<mark>B: It is late.</mark>" in page.text
    for fields, problem in [
        ({"best": "1"}, "Choose the worst text."),
        ({"worst": "9"}, "Choose the best text."),
        ({"best": "1", "worst": "1"}, "must be different ones"),
    ]:
        refused = hand.send("ticket", **fields)
        assert refused.status_code == 422
        assert problem in words(refused)
    unit = world.session.scalars(select(Step).order_by(Step.id.desc())).first()
    assert unit is not None
    best, worst, _third = [candidate.key for candidate in order_candidates(unit)]
    assert not re.search(rf"\b({best}|{worst})\b", hand.page.text), "keys may name systems"
    hand.send("ticket", best="1", worst="2")
    assert "Everything is answered" in words(hand.page)
    world.session.rollback()
    stored = world.session.scalars(select(UnitAnswer)).one()
    assert (stored.value, stored.picks) == (None, {"best": best, "worst": worst})
    again = hand.get(f"/a/1/steps/{stored.step_id}")
    assert again.text.count(" checked") == 2
    hand.send("ticket", best="2", worst="1")
    world.session.rollback()
    changed = world.session.scalars(select(UnitAnswer).order_by(UnitAnswer.id.desc())).first()
    assert changed is not None
    assert changed.supersedes_id == stored.id


def test_round_is_for_its_entries(world: World, tmp_path: Path) -> None:
    add_chain(world, tmp_path)
    expert = join(world, "expert")
    assert 'value="expert"' in expert.page.text
    assert RATE not in expert.page.text
    refused = expert.send('value="expert"', round="rate")
    assert refused.status_code == 409
    assert "This assignment is for other annotators." in words(refused)
    expert.get("/a/1/")
    expert.send('value="expert"')
    assert "rather similar" in words(expert.page)


def test_organizer_who_tries_need_not_wait(world: World, tmp_path: Path) -> None:
    add_chain(world, tmp_path)
    with db.writing(world.session):
        link = people.begin_trial(
            world.session, world.actor("ada"), get_round(world, "rate").campaign, DURING
        )
    hand = Hand(world, link.key)
    hand.enter()
    hand.send(RATE)
    answer_all(hand)
    assert "Everything is answered" in words(hand.page)


def test_reminders_come_when_the_second_pass_is_open_until_it_has_begun(
    world: World, tmp_path: Path, sink: Sink
) -> None:
    add_chain(world, tmp_path)
    hand = join(world, email="teal@example.org")
    path = hand.send(RATE).request.path
    answer_all(hand)
    assert "You will get an email." in words(hand.page)
    world.set_clock(DURING + HOUR)
    hand.get(path)
    hand.answer(6)

    def mails_after(hours: int) -> int:
        world.work(DURING + hours * HOUR)
        return len(sink.mails)

    assert [mails_after(hours) for hours in (71, 72, 73, 95)] == [0, 0, 1, 1], "the change began a new pause"
    (mail,) = sink.mails
    assert "The second reading is open" in mail["Subject"]
    link = re.search(r"/a/me/\S+", mail.get_body(("plain",)).get_content())
    assert link is not None
    assert hand.visitor.get(link[0]).status_code == hand.visitor.get(f"/a/me/{hand.key}").status_code == 200
    hand.get("/a/1/")
    hand.send(RATE)
    begin_second_pass(hand)
    hand.answer(2)
    assert mails_after(200) == 1
