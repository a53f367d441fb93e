import io
import json
import re
from datetime import datetime, timedelta
from pathlib import Path
from statistics import stdev
from zipfile import ZipFile

import pytest
from sqlalchemy import select, text
from sqlalchemy.orm import make_transient

from scorer.datasets.campaign_facts import read_facts
from scorer.datasets.dataset import DatasetRules, make_dataset
from scorer.datasets.export_reader import read_export
from server.access import tasks
from server.activity.verification import verify_log
from server.annotation.assignments import plans
from server.annotation.campaigns import consents
from server.annotation.models import (
    Annotator,
    AnnotatorIdentity,
    AnnotatorKey,
    AnswerText,
    Campaign,
    RoundExport,
    UnitAnswer,
)
from server.annotation.results import answer_hashes, export_zips, gold, progress
from server.audit.models import AuditEntry
from server.core import db
from server.gold.versions import find_candidate, find_gold
from server.levels import service as levels
from server.scoring import service as scoring
from tests.server.annotation.answered import PAGE, add_answered_campaign
from tests.server.programs import Program
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def export(world: World) -> dict[str, bytes]:
    """The files of ada's export by name."""
    answer = world.client("ada").get(f"{PAGE}/export.zip")
    assert answer.status_code == 200
    with ZipFile(io.BytesIO(answer.data)) as zipped:
        return {name.split("/", 1)[1]: zipped.read(name) for name in zipped.namelist()}


def preview(world: World) -> gold.CampaignGold:
    """What the gold of the campaign would be now."""
    campaign = world.session.query(Campaign).one()
    return gold.preview_gold(world.session, campaign)


def test_figures_are_computed_by_a_job_and_say_when_answers_have_changed(world: World) -> None:
    add_answered_campaign(world)
    ada = world.client("ada")
    assert "have not been computed yet" in words(ada.get(PAGE))
    assert ada.post(f"{PAGE}/figures").status_code == 302
    assert "being computed" in words(ada.get(PAGE))
    world.work(DURING, but=())
    page = words(ada.get(PAGE))
    assert "scorer figures." in page
    table = page.partition("come first")[2].partition("Gold standard")[0]
    assert re.findall(r"(A\d+) 4 of 4 .*? (0\.\d{3}) 1 Mar", table) == [
        ("A003", "0.777"), ("A001", "0.559"), ("A002", "0.515"),
    ]  # fmt: skip
    assert "Forum-1 left text 3 right text 3 3 1.5 3.167" in page
    assert "News-2 A003 – too short to judge" in words(ada.get(f"{PAGE}/comments"))
    assert "have changed since then" not in page
    ada.post(f"{PAGE}/annotators/A002/exclude", {"reason": "clicked at random"})
    assert "have changed since then" in words(ada.get(PAGE))


def test_export_has_every_answer_with_its_outcome_and_the_same_bytes_twice(world: World) -> None:
    add_answered_campaign(world)
    files = export(world)
    answers = [json.loads(line) for line in files["answers.jsonl"].splitlines()]
    assert "Reader 1" not in world.client("ada").get(PAGE).text
    assert [answer["outcome"] for answer in answers].count("counted") == 11
    (unjudged,) = [answer for answer in answers if answer["outcome"] == "no value"]
    assert (unjudged["unit"], unjudged["reason"]) == ("News-2", "too short to judge")
    manifest = json.loads(files["manifest.json"])
    assert manifest["outcomes"] == {"counted": 11, "no value": 1}
    labels, counts, sds = zip(
        *(row.split("\t") for row in files["gold.tsv"].decode().splitlines()), strict=True
    )
    assert labels == ("gold", repr(1 / 3), "1.0", repr(9.5 / 3), "4.0")
    assert counts == ("n", "3", "2", "3", "3")
    assert sds == ("sd", repr(stdev((0, 0, 1))), "0.0", repr(stdev((2.5, 3, 4))), "0.0")
    assert b"Reader 1" not in b"".join(files.values())
    assert export(world) == files


def test_large_export_is_made_by_a_job_and_offered_until_answers_change(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_answered_campaign(world)
    ada, files = world.client("ada"), export(world)
    monkeypatch.setattr(export_zips, "DIRECT_LIMIT", 11)
    program, path = Program(world, "ada"), "/tasks/small/campaigns/pairs/export"

    def make(at: datetime) -> None:
        assert program.get(f"{path}.zip").status_code == 409
        assert program.post(path).status_code == 204
        world.work(at, but=())

    assert "Download everything" not in ada.get(PAGE).text
    assert ada.post(f"{PAGE}/export").status_code == 302
    assert "progress.js" in ada.get(PAGE).text
    world.work(DURING, but=())
    assert "Download everything" in ada.get(PAGE).text
    assert export(world) == files
    with db.writing(world.session):
        answer = world.session.query(UnitAnswer).first()
        make_transient(answer)
        answer.id, answer.standing, answer.nonce = None, "late", "again"
        world.session.add(answer)
    assert export(world) == files
    later = DURING + timedelta(minutes=10)
    world.set_clock(later)
    make(later)
    assert export(world)["answers.jsonl"].count(b"\n") == 13
    ada.post(f"{PAGE}/annotators/A002/exclude", {"reason": "clicked at random"})
    make(later)
    ada.post(f"{PAGE}/annotators/A003/erase")
    assert world.session.query(RoundExport).all() == []
    make(later)
    assert b"too short" not in export(world)["answers.jsonl"]


def test_api_has_the_campaigns_with_their_progress_and_the_same_export(world: World) -> None:
    add_answered_campaign(world)
    world.client("ada").post(f"{PAGE}/annotators/A002/exclude", {"reason": "clicked at random"})
    ada, path = Program(world, "ada"), "/tasks/small/campaigns"
    (listed,) = ada.get(path).json["items"]
    shown = ada.get(f"{path}/pairs").json
    assert listed["rounds"] == [{"slug": "rate", "kind": "rate", "state": "closed"}]
    (round_,) = shown["rounds"]
    assert (round_["units"], round_["complete"], round_["answers"]) == (4, 0, 7)
    excluded = {annotator["name"]: annotator["excluded"] for annotator in round_["annotators"]}
    assert excluded == {"A001": None, "A002": "clicked at random", "A003": None}
    answer = ada.get(f"{path}/pairs/export.zip")
    with ZipFile(io.BytesIO(answer.data)) as zipped:
        assert {name.split("/", 1)[1]: zipped.read(name) for name in zipped.namelist()} == export(world)


def test_export_leaves_out_who_withdrew_and_says_how_many_answers(world: World) -> None:
    answered = add_answered_campaign(world)
    answer_hashes.record_due_hashes(world.site, DURING)
    with db.writing(world.session):
        annotator = world.session.get_one(Annotator, answered.annotators["A003"])
        consents.withdraw_consent(world.session, annotator, DURING)
    files = export(world)
    assert b"A003" not in files["answers.jsonl"] + files["ratings.csv"]
    assert [(row.reason, row.salt) for row in world.session.scalars(select(AnswerText))] == [(None, None)]
    assert verify_log(world.session, []).problems.listed == []
    assert json.loads(files["manifest.json"])["withdrawn answers"] == 4


def test_trial_counts_nowhere(world: World) -> None:
    add_answered_campaign(world, trial=True)
    campaign = world.session.query(Campaign).one()
    shown = progress.measure_progress(world.session, campaign.rounds[0], DURING)
    assert (shown.answers, shown.annotators) == (0, [])
    assert export(world)["answers.jsonl"] == b""


def test_excluded_answers_leave_the_gold_and_come_back(world: World) -> None:
    add_answered_campaign(world)
    ada = world.client("ada")
    page = f"{PAGE}/annotators/A003"
    assert "Enter a reason" in words(ada.post(f"{page}/exclude", {"reason": ""}, follow_redirects=True))
    shown = words(ada.post(f"{page}/exclude", {"reason": "asleep"}, follow_redirects=True))
    assert "The answers of A003 no longer count." in shown
    assert "Excluded: asleep" in shown
    values = preview(world).values
    assert [value.value for value in values.values()] == [0.5, 1.0, 2.75, 4.0]
    ada.post(f"{PAGE}/annotators/A002/exclude", {"reason": "clicked"})
    asked = words(ada.get(PAGE.replace("results", "close")))
    assert "Then 4 of 4 items have no gold label, because a label needs 2 answers." in asked
    again = words(ada.post(f"{page}/exclude", {"reason": "asleep"}, follow_redirects=True))
    assert "A003 is excluded already." in again
    assert "count again" in words(ada.post(f"{page}/include", {"reason": "awake"}, follow_redirects=True))
    log = words(ada.get("/tasks/small/organize/log"))
    assert "excluded the answers of annotator A003 in the campaign pairs" in log


def test_organizer_sees_the_answers_of_an_annotator_which_the_log_says_each_time(world: World) -> None:
    answered = add_answered_campaign(world)
    world.give_role("dee", "observer")
    page = f"{PAGE}/annotators/A003/answers"
    shown = words(world.client("ada").post(page))
    assert "left text 2 right text 2" in shown
    assert "I cannot judge this too short to judge" in shown
    assert "Reader 3" not in shown
    assert world.client("dee").post(page).status_code == 403
    with db.writing(world.session):
        annotator = world.session.get_one(Annotator, answered.annotators["A003"])
        consents.withdraw_consent(world.session, annotator, DURING)
    refused = words(world.client("ada").post(page, follow_redirects=True))
    assert "A003 withdrew their consent, so their answers are not shown." in refused
    (entry,) = world.session.scalars(select(AuditEntry).where(AuditEntry.action == "annotator.view"))
    assert entry.details == {"campaign": "pairs", "annotator": "A003"}


def test_first_items_of_a_level_have_the_columns_of_the_units(world: World) -> None:
    add_answered_campaign(world)
    with db.writing(world.session):
        edit = levels.LevelEdit("notes", "Notes", ("letter", "note"))
        levels.add_level(world.session, world.actor("ada"), world.task, edit, DURING)
        campaign = world.session.query(Campaign).one()
        campaign.level, campaign.split = "notes", "test"
        units = plans.list_items(world.session, campaign.rounds[0])
        genres, groups = ([getattr(unit, name) or "" for unit in units] for name in ("genre", "group"))
    world.client("ada").post(f"{PAGE}/gold")
    level, split = tasks.get_level_split(world.task, "notes", "test")
    assert any(genres)
    columns = ["left", "right", "id", "genre", *(["group"] if any(groups) else [])]
    assert level.layout["columns"] == columns
    assert list(scoring.items_of(world.session, split).genres) == genres


def test_gold_of_a_new_split_is_in_force_and_scores_are_hidden_from_teams(world: World) -> None:
    add_answered_campaign(world)
    ada = world.client("ada")
    button = "Make the gold standard"
    assert button in words(ada.get(PAGE))
    done = words(ada.post(f"{PAGE}/gold", follow_redirects=True))
    assert "Gold version 1 was made from the answers and is now in force." in done
    assert "These values are gold version 1 of the level s2p, split training." in done
    assert button not in done
    _, split = tasks.get_level_split(world.task, "s2p", "training")
    version = find_gold(world.session, split)
    assert version is not None
    assert world.storage.get(version.sha256) == export(world)["gold.tsv"]
    assert "plan" in version.reason
    assert "pairs" in version.reason
    assert world.client("bo").get("/tasks/small/organize/gold").status_code in (403, 404)
    assert world.client("bo").get(PAGE).status_code == 403
    assert world.client("dee").get(PAGE).status_code == 404
    twice = words(ada.post(f"{PAGE}/gold", follow_redirects=True))
    assert "This file is identical to version 1" in twice
    ada.post(f"{PAGE}/annotators/A003/exclude", {"reason": "asleep"})
    assert button in words(ada.get(PAGE))
    assert "is now a candidate" in words(ada.post(f"{PAGE}/gold", follow_redirects=True))
    assert find_candidate(world.session, split) is not None


@pytest.mark.parametrize(
    ("state", "options", "message"),
    [
        ("opened", {}, "Close the round first"),
        ("closed", {"split": "test"}, "are not the texts of this campaign in the same order"),
        ("closed", {"level": "x2y"}, "This task has no level “x2y”."),
        ("closed", {"level": None, "split": None}, "for none of the task’s levels"),
        ("closed", {"at_least": 4}, "because no item has enough answers"),
    ],
)
def test_gold_is_refused_with_the_reason(world: World, state: str, options: dict, message: str) -> None:
    add_answered_campaign(world, state=state, **options)
    ada = world.client("ada")
    assert message in words(ada.post(f"{PAGE}/gold", follow_redirects=True))
    shown = words(ada.get(PAGE))
    assert message in shown
    assert "Make the gold standard" not in shown
    assert all(split.name != "training" for level in world.task.levels for split in level.splits)


def test_gold_keeps_how_well_its_annotators_would_do(world: World) -> None:
    add_answered_campaign(world)
    world.client("ada").post(f"{PAGE}/gold")
    _, split = tasks.get_level_split(world.task, "s2p", "training")
    version = find_gold(world.session, split)
    ceiling = {score["metric"]: score for score in version.human_ceiling}
    # Distances to the mean of the others: .5 0 1 0, 1 0 .25 0, and .5 1.25 0 of three pairs.
    expected = ((1.5 / 4) + (1.25 / 4) + (1.75 / 3)) / 3
    assert ceiling["mae"]["value"] == pytest.approx(expected)
    assert (ceiling["mae"]["annotators"], ceiling["mae"]["units"]) == (3, 4)
    assert ceiling["pearson"]["signature"] == f"human-pearson|n:4|annotators:3|v:{scoring.VERSION}"


def test_units_with_too_few_answers_are_not_scored(world: World) -> None:
    add_answered_campaign(world, at_least=3)
    values = preview(world).values
    assert values["News-2"] == gold.GoldValue(2, None, 0.0)
    world.client("ada").post(f"{PAGE}/gold")
    _, split = tasks.get_level_split(world.task, "s2p", "training")
    version = find_gold(world.session, split)
    assert world.storage.get(version.sha256).decode().splitlines()[2] == "\t2\t0.0"


def test_hash_over_answers_is_recorded_once_and_finds_a_changed_answer(world: World) -> None:
    add_answered_campaign(world)
    for minutes in (0, 1):
        answer_hashes.record_due_hashes(world.site, DURING + timedelta(minutes=minutes))
    (entry,) = world.session.scalars(
        select(AuditEntry).where(AuditEntry.action == answer_hashes.HASH_ACTION)
    ).all()
    assert entry.details["count"] == 12
    found = verify_log(world.session, [])
    assert (found.answers, found.problems.listed) == (12, [])
    with db.writing(world.session):
        world.session.execute(text("UPDATE unit_answer SET value = 3 WHERE id = 2"))
    (problem,) = verify_log(world.session, []).problems.listed
    assert problem.startswith(f"entry {entry.number}: the answers of campaign pairs")


@pytest.mark.both_databases
def test_erasure_empties_names_and_texts_and_leaves_the_log_valid(world: World) -> None:
    answered = add_answered_campaign(world)
    answer_hashes.record_due_hashes(world.site, DURING)
    page = f"{PAGE}/annotators/A003/erase"
    assert "the person still cannot be in a team of the task" in words(world.client("ada").get(PAGE))
    assert "was erased" in words(world.client("ada").post(page, follow_redirects=True))
    session = world.session
    identity = session.get_one(AnnotatorIdentity, answered.annotators["A003"])
    assert (identity.label, identity.email, identity.user_id) == (None, None, None)
    key = session.scalars(
        select(AnnotatorKey).where(AnnotatorKey.annotator_id == identity.annotator_id)
    ).one()
    assert key.ended_at is not None
    assert [(row.comment, row.reason, row.salt) for row in session.scalars(select(AnswerText))] == [
        (None, None, None)
    ]
    assert verify_log(session, []).problems.listed == []
    assert b"A003" in export(world)["ratings.csv"]


def test_draft_with_answers_cannot_be_deleted(world: World) -> None:
    add_answered_campaign(world)
    with db.writing(world.session):
        task = world.task
        task.state, task.published_at = "draft", None
    ada, at = world.client("ada"), "/tasks/small/organize/"
    reason = "Annotators have answered in this task, so it cannot be deleted."
    assert reason in words(ada.get(at))
    assert f'href="{at}delete"' not in ada.get(at).text
    assert reason in words(ada.get(f"{at}delete"))
    assert reason in words(ada.post(f"{at}delete", follow_redirects=True))
    assert world.session.query(Campaign).count() == 1


def test_data_set_of_the_export_has_the_gold_of_the_page(world: World, tmp_path: Path) -> None:
    add_answered_campaign(world)
    for name, data in export(world).items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)
    files = make_dataset(read_export(tmp_path, read_facts(tmp_path), {}), DatasetRules(at_least=2))
    header, *rows = (line.split("\t") for line in files["test.tsv"].decode().splitlines())
    means = {row[header.index("left")]: float(row[header.index("mean")]) for row in rows}
    campaign = world.session.query(Campaign).one()
    units = {unit.key: unit for unit in plans.list_units(world.session, campaign.rounds[0])}
    values = preview(world).values
    assert means == {units[key].texts["left"]: value.value for key, value in values.items()}
