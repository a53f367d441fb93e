"""The gate: calibration units with known ratings decide who goes on; others get the work of who fails."""

import csv
import json
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select
from werkzeug.test import TestResponse

from scorer.campaigns.config import Calibration, CampaignConfig, Gate, Unit
from server.annotation.assignments import leases, progress
from server.annotation.campaigns import people
from server.annotation.models import Assignment, AssignmentEvent, Campaign, Step
from server.annotation.results import exports
from server.annotation.results.progress import measure_progress
from server.core import db
from server.core.errors import Conflict
from server.core.zips import write_members
from tests.server.annotation.small_campaign import (
    Hand,
    add_campaign,
    add_links,
    close_round,
    get_round,
    list_answers,
)
from tests.server.pages.annotation.test_crowd import Worker, answer_rest, come, configure_crowd
from tests.server.small_task import TEXTS
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

KNOWN = (2.5, 4.5)
GOOD, BAD = (2, 5), (2, 1)
"""The ratings of the two units of the gate, of which all or one is within 1 of the known ones."""
FAILED = 'href="https://platform.example/complete?cc=C2GATE"'
MESSAGE = "Too many of your answers to the first texts differ from the known answers"


def configure_gate(
    need: int = 2,
    tries: int = 1,
    *,
    feedback: bool = False,
    keys: tuple[str, str] = ("z1", "z2"),
    **options: Any,
) -> CampaignConfig:
    """A campaign for a crowd with a gate of two units."""
    config = configure_crowd(**options)
    units = tuple(
        Unit(key, None, None, {"left": f"Gate {key}.", "right": f"A door {key}.", "known": str(known)})
        for key, known in zip(keys, KNOWN, strict=True)
    )
    calibration = Calibration(each_pass=True, gate=Gate(need, 1, tries, feedback))
    (round_,) = config.rounds
    round_ = replace(round_, calibration=calibration, calibration_file="gate.tsv", calibration_units=units)
    return replace(config, rounds=(round_,))


def answer(worker: Hand, *values: int) -> TestResponse:
    for value in values:
        worker.answer(value)
    return worker.page


def events(world: World) -> list[str]:
    world.session.rollback()
    return list(world.session.scalars(select(AssignmentEvent.event).order_by(AssignmentEvent.id)))


def test_who_passes_goes_on_without_a_word_about_it(world: World) -> None:
    add_campaign(world, configure_gate())
    worker = come(world)
    assert "1 of 5" in words(worker.page)
    page = answer(worker, *GOOD)
    assert "3 of 5" in words(page)
    assert "The ship left the harbour. 1" in words(page)
    assert "Previous answer" not in page.text
    assert events(world) == ["passed"]
    answer_rest(worker)
    assert "C1DONE" in words(worker.send("Hand in"))


def test_who_fails_reads_so_gets_the_code_for_it_and_others_get_the_work_at_once(world: World) -> None:
    add_campaign(world, configure_gate(n_units=3, answers=1))
    worker = come(world)
    page = answer(worker, *BAD)
    assert MESSAGE in words(page)
    assert FAILED in page.text
    for path in ("/a/1/", "/a/1/assignments/1/gate", f"{worker.path}?PID={worker.key}"):
        assert FAILED in worker.get(path).text
        assert "C1DONE" not in worker.page.text
        assert "Continue" not in worker.page.text
    assert events(world) == ["failed"]
    (work,) = progress.round_progress(world.session, get_round(world), DURING)
    assert work.state == "left"
    missing = leases.missing_slots(world.session, get_round(world), DURING)
    assert missing == {"u1": [1], "u2": [1], "u3": [1]}
    answer_rest(come_and_answer(world, "another", *GOOD))
    assert [row.value for row in list_answers(world)] == [*BAD, *GOOD, 3, 3, 3]


def test_failed_person_cannot_come_back_and_a_stranger_with_their_id_gets_no_code(world: World) -> None:
    add_campaign(world, configure_gate())
    worker = come(world)
    answer(worker, *BAD)
    again = Worker(world, worker.key)
    assert MESSAGE in words(again.enter())
    for path in ("/a/1/", "/a/1/assignments/1/gate", "/a/1/assignments/1/end"):
        assert "C2GATE" not in again.get(path).text
    step_id = world.session.scalar(select(Step.id).where(Step.block == "main").limit(1))
    assert worker.get(f"/a/1/steps/{step_id}").status_code == 409


def test_steps_behind_the_gate_open_after_it_and_its_answers_are_final(world: World) -> None:
    add_campaign(world, configure_gate())
    worker = come(world)
    first, form = worker.page.request.path, worker.hidden("ticket")
    steps = world.session.scalars(select(Step.id).order_by(Step.position)).all()
    assert worker.get(f"/a/1/steps/{steps[2]}").status_code == 409
    assert "Answer the first texts before the others." in words(worker.page)
    worker.get(first)
    worker.answer(1)
    worker.get(first)
    answer(worker, *GOOD)  # a changed answer is the one that counts
    assert events(world) == ["passed"]
    assert worker.get(first).status_code == 409
    assert "can no longer be changed" in words(worker.page)
    worker.visitor.open(first, method="POST", data=form | {"value": "0"})
    assert [row.standing for row in list_answers(world)] == ["counts", "counts", "counts", "late"]
    listed = words(worker.get("/a/1/assignments/1/answers"))
    assert "No answers yet." in listed or "Gate" not in listed


def test_second_try_asks_the_same_texts_again_and_is_the_last(world: World) -> None:
    add_campaign(world, configure_gate(tries=2))
    worker, other = come(world), come(world, "another")
    for hand in (worker, other):
        page = answer(hand, *BAD)
        assert "Please try once more" in words(page)
        assert "Read both texts." in words(page)
        assert "C2GATE" not in page.text
        hand.get(page.text.split('class="button" href="')[1].split('"')[0])
        assert "Gate z1." in words(hand.page)
    assert "The ship left the harbour." in words(answer(worker, *GOOD))
    assert FAILED in answer(other, *BAD).text
    assert events(world) == ["retry", "retry", "passed", "failed"]
    positions = world.session.scalars(
        select(Step.position).where(Step.assignment_id == 1).order_by(Step.position)
    )
    assert list(positions) == [1, 2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("feedback", [True, False])
def test_known_answers_are_on_no_page_but_after_the_judgement_and_only_with_feedback(
    world: World, feedback: bool
) -> None:
    add_campaign(world, configure_gate(feedback=feedback))
    worker = come(world)
    pages = [worker.page, worker.answer(GOOD[0]), worker.get("/a/1/"), worker.get("/a/1/assignments/1/gate")]
    pages.append(worker.get("/a/1/assignments/1/answers"))
    worker.get("/a/1/")
    worker.send("Continue")
    judged = worker.answer(GOOD[1])
    assert not any(str(known) in words(page) for page in pages for known in KNOWN)
    assert all((str(known) in words(judged)) is feedback for known in KNOWN)
    if feedback:
        assert "Your answer: 5 · Known answer: 4.5" in words(judged)
        stranger = Worker(world, worker.key)
        stranger.enter()
        assert "Your answer:" not in words(stranger.get("/a/1/assignments/1/gate"))


def test_personal_link_has_a_gate_without_codes_and_a_trial_goes_on(world: World) -> None:
    config = configure_gate()
    personal = replace(config.entries[0], kind="personal", person=None, done=None, failed=None, back=None)
    add_campaign(world, replace(config, entries=(personal,)))
    hand = Hand(world, add_links(world)[0])
    hand.begin()
    page = answer(hand, *BAD)
    assert MESSAGE in words(page)
    assert "code" not in words(page)
    with db.writing(world.session):
        campaign = world.session.query(Campaign).one()
        trial = Hand(world, people.begin_trial(world.session, world.actor("ada"), campaign, DURING).key)
    trial.begin()
    answer(trial, *BAD)
    trial.get("/a/1/")
    assert "The ship left the harbour." in words(trial.send("Continue"))


@pytest.mark.parametrize("same", ["key", "texts"])
def test_gate_of_items_whose_gold_is_hidden_is_refused(world: World, same: str) -> None:
    config = configure_gate(scale=(0, 4, 1), keys=("News-1", "z2") if same == "key" else ("z1", "z2"))
    if same == "texts":
        (round_,) = config.rounds
        left, right = TEXTS[0]
        units = tuple(
            replace(unit, texts=unit.texts | {"left": left, "right": right})
            for unit in round_.calibration_units
        )
        config = replace(config, rounds=(replace(round_, calibration_units=units),))
    with pytest.raises(Conflict, match="of a gate is an item of the split test of the level p2s"):
        add_campaign(world, config)
    (round_,) = config.rounds
    ungated = replace(round_, calibration=Calibration(each_pass=True))
    assert add_campaign(world, replace(config, rounds=(ungated,)))


def test_export_and_progress_say_who_passed_and_how_many_failed(world: World, tmp_path: Path) -> None:
    add_campaign(world, configure_gate())
    answer_rest(come_and_answer(world, "one", *GOOD))
    come_and_answer(world, "two", *BAD)
    come_and_answer(world, "three", 2)
    close_round(world)
    files = BytesIO()
    write_members(files, [("annotation.toml", b"")])
    with db.writing(world.session):
        world.session.query(Campaign).one().bundle_sha256 = world.storage.put(files.getvalue())
    with db.reading(world.session):
        exports.write_files(world.session, get_round(world), tmp_path)
        failed = [
            each.failed for each in measure_progress(world.session, get_round(world), DURING).annotators
        ]
    assert failed == [False, True, False]
    with (tmp_path / "calibration.csv").open(encoding="utf-8") as file:
        rows = [
            (row["annotator"], row["rating"], row["known"], row["passed"]) for row in csv.DictReader(file)
        ]
    assert sorted(rows) == [
        ("A001", "2.0", "2.5", "yes"), ("A001", "5.0", "4.5", "yes"),
        ("A002", "1.0", "4.5", "no"), ("A002", "2.0", "2.5", "no"),
        ("A003", "2.0", "2.5", ""),
    ]  # fmt: skip
    assert json.loads((tmp_path / "manifest.json").read_text("utf-8"))["failed"] == 1
    assert "passed" not in (tmp_path / "ratings.csv").read_text("utf-8").splitlines()[0]
    ada = world.client("ada")
    for page in ("people", "results"):
        text = words(ada.get(f"/tasks/small/organize/campaigns/alike/{page}"))
        assert text.count("did not pass the gate") == 1
    assert world.session.query(Assignment).count() == 3


def come_and_answer(world: World, person: str, *values: int) -> Worker:
    worker = come(world, person)
    answer(worker, *values)
    return worker
