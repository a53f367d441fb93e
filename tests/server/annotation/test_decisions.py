"""Disagreements of annotators, the decisions of organizers, and the gold and the export with them."""

import csv
import io
import json
import re
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

import pytest

from server.annotation.models import AnnotationRound, Decision, RoundFigures
from server.annotation.results import answer_rows, decisions, gold
from server.core import db
from server.core.errors import Conflict, Forbidden
from tests.server.annotation.answered import PAGE, RATINGS, add_answered_campaign
from tests.server.annotation.test_round_results import run_scorer
from tests.server.commands import Assay
from tests.server.visitors import words
from tests.server.world import DURING, World


def get_round(world: World) -> AnnotationRound:
    return world.session.query(AnnotationRound).one()


def list_units(world: World) -> list[decisions.RatedUnit]:
    return decisions.list_rated_units(world.session, get_round(world), 1)


def decide(
    world: World, key: str, value: str | None, cause: str = "", note: str = "", by: str = "ada"
) -> None:
    (rated,) = (rated for rated in list_units(world) if rated.unit.key == key)
    with db.writing(world.session):
        new = decisions.NewDecision(value, cause, note)
        decisions.decide_unit(world.session, world.actor(by), get_round(world), rated, 1, new, DURING)


def gold_values(world: World) -> dict[str, float | None]:
    values = gold.preview_gold(world.session, get_round(world).campaign).values
    return {key: each.value for key, each in values.items()}


def test_units_are_listed_by_spread_undecided_first_under_letters_that_stay(world: World) -> None:
    add_answered_campaign(world)
    units = list_units(world)
    assert [(rated.unit.key, rated.spread) for rated in units] == [
        ("Forum-1", 1.5), ("News-1", 1), ("News-2", 0), ("Forum-2", 0)
    ]  # fmt: skip
    letters = {rated.unit.key: {each.annotator: each.letter for each in rated.ratings} for rated in units}
    assert {each.letter for each in units[0].ratings} == {"A", "B", "C"}
    assert len(set(map(str, (letters[key] for key in ("News-1", "Forum-1", "Forum-2"))))) > 1
    assert [rated.ratings for rated in list_units(world)] == [rated.ratings for rated in units]
    decide(world, "Forum-1", "3")
    assert [rated.unit.key for rated in list_units(world)][-1] == "Forum-1"


def test_newest_decision_is_the_gold_until_it_is_taken_back(world: World) -> None:
    add_answered_campaign(world, at_least=3)
    by_rule = {
        "News-1": pytest.approx(1 / 3),
        "News-2": None,
        "Forum-1": pytest.approx(9.5 / 3),
        "Forum-2": 4,
    }
    assert gold_values(world) == by_rule
    state = answer_rows.hash_state(world.session, [get_round(world)])
    hashed = gold.hash_counted(world.session, gold.preview_gold(world.session, get_round(world).campaign))
    decide(world, "Forum-1", "2", "guideline")
    decide(world, "Forum-1", "2.5", "overlooked", "The second text has a negation.")
    decide(world, "News-2", "1.5")
    preview = gold.preview_gold(world.session, get_round(world).campaign)
    assert gold_values(world) == by_rule | {"News-2": 1.5, "Forum-1": 2.5}
    assert preview.values["News-2"].n == 2
    assert gold.hash_counted(world.session, preview) != hashed
    assert answer_rows.hash_state(world.session, [get_round(world)]) != state
    assert decisions.count_causes(list_units(world)) == {"Forum": {"overlooked": 1}, "News": {"": 1}}
    decide(world, "Forum-1", None)
    assert gold_values(world) == by_rule | {"News-2": 1.5}
    assert world.session.query(Decision).count() == 4
    with pytest.raises(Conflict, match="no decision to take back"):
        decide(world, "Forum-1", None)


def test_who_rated_how_is_shown_after_the_decision_alone_and_the_log_says_who_looked(world: World) -> None:
    add_answered_campaign(world)
    actor, round_ = world.actor("ada"), get_round(world)
    with pytest.raises(Conflict, match="only after the decision"):
        decisions.record_reveal(world.session, actor, round_, list_units(world)[0], DURING)
    decide(world, "Forum-1", "3")
    with db.writing(world.session):
        decisions.record_reveal(world.session, actor, round_, list_units(world)[-1], DURING)


@pytest.mark.parametrize(
    ("state", "value", "by", "error"),
    [("opened", "3", "ada", Conflict), ("closed", "3.3", "ada", Conflict), ("closed", "3", "bo", Forbidden)],
)
def test_decision_needs_a_closed_round_a_point_of_the_scale_and_an_organizer(
    world: World, state: str, value: str, by: str, error: type[Exception]
) -> None:
    add_answered_campaign(world, state=state)
    with pytest.raises(error):
        decide(world, "Forum-1", value, by=by)
    assert world.session.query(Decision).count() == 0


@pytest.mark.one_database
def test_export_has_decisions_from_which_the_scorer_computes_the_gold(world: World, tmp_path: Path) -> None:
    add_answered_campaign(world, {name: (first, None, *rest) for name, (first, _, *rest) in RATINGS.items()})
    decide(world, "Forum-1", "3", "unclear text", "What is meant?")
    decide(world, "News-1", "0.5")
    decide(world, "News-2", "1")
    sent = world.client("ada").get(f"{PAGE}/export.zip")
    with ZipFile(io.BytesIO(sent.data)) as zipped:
        zipped.extractall(tmp_path)
    (folder,) = tmp_path.iterdir()
    with (folder / "causes.csv").open(encoding="utf-8", newline="") as file:
        assert list(csv.reader(file))[1:] == [
            ["News-1", "News", "", ""],
            ["News-2", "News", "", ""],
            ["Forum-1", "Forum", "unclear text", "What is meant?"],
        ]
    lines = (folder / "README.md").read_text().splitlines()
    (command,) = (line.split()[1:] for line in lines if line.startswith("    scorer adjudicate"))
    printed = json.loads(run_scorer(folder, *command, "--format", "json"))
    offline = {row["unit"]: row["gold"] for row in printed["tables"]["gold"]}
    assert offline == gold_values(world) == {"News-1": 0.5, "News-2": 1, "Forum-1": 3, "Forum-2": 4}


DISAGREEMENTS = "/tasks/small/organize/campaigns/pairs/disagreements"


def store_figures(world: World, alphas: Mapping[str, float]) -> None:
    """Store what a job could have computed from earlier answers."""
    about = {"units": 4, "ratings": 12, "low": 0.125, "high": 1.0}
    rows = [{"code": "alpha", "units of": name, "alpha": alpha, **about} for name, alpha in alphas.items()]
    text, id_ = json.dumps({"tables": {"alpha": rows}}), get_round(world).id
    with db.writing(world.session):
        world.session.add(RoundFigures(round_id=id_, answers_sha256="0" * 64, text=text, made_at=DURING))


@pytest.mark.one_database
def test_organizer_decides_pair_after_pair_and_then_sees_who(world: World) -> None:
    add_answered_campaign(world)
    ada = world.client("ada")
    page = ada.get(DISAGREEMENTS)
    assert "2 of 4 pairs have ratings that differ by 1 or more, and no decision." in words(page)
    (first, second) = re.findall(rf'href="({DISAGREEMENTS}/\d+)\?round=rate"', page.text)
    assert "A001" not in page.text
    page = ada.get(first)
    assert not re.search(r" checked|A00\d|Reveal who", page.text)
    sent = {"value": "3", "cause": "guideline", "note": "See the guide."}
    answered = ada.post(f"{first}?round=rate", sent, headers={"Accept": "application/json"})
    assert answered.json == {"location": f"{second}?round=rate"}
    assert words(ada.post(f"{second}?round=rate", {"value": "7"}, follow_redirects=True)).count(
        "Choose a rating"
    )
    page = ada.post(f"{second}?round=rate", {"value": "0.5"}, follow_redirects=True)
    assert "0 of 4 pairs have ratings" in words(page)
    assert "Pairs that needed no decision" not in words(page)
    store_figures(world, {"all": 0.75, "without a decision": 0.875, "genre News": 0.5})
    page = ada.get(DISAGREEMENTS)
    assert "All pairs 4 0.750 0.125 1.000 Pairs that needed no decision 4 0.875 0.125 1.000 To" in words(page)
    assert re.search(r"Forum-1 Forum spread 1.5 decided: 3 guideline .*See the guide.", words(page))
    assert "Reveal who" in ada.get(first).text
    assert re.search(r"A00\d, 2.5", words(ada.post(f"{first}/who?round=rate")))
    log = words(ada.get("/tasks/small/organize/log"))
    assert "ada looked at who rated Forum-1 in the round rate of pairs" in log
    assert "2 labels were decided" in words(ada.get(PAGE))
    page = ada.post(f"{first}?round=rate", {"take_back": "y"}, follow_redirects=True)
    assert "1 pair is still to decide" in words(page)


@pytest.mark.one_database
def test_commands_export_exclude_and_make_gold(world: World, assay: Assay, tmp_path: Path) -> None:
    add_answered_campaign(world)
    folder = tmp_path / "exported"
    exported = assay("campaign", "export", "small", "pairs", folder)
    assert exported.stdout == f"Campaign pairs was written to {folder}.\n"
    assert (folder / "ratings.csv").is_file()
    again = assay("campaign", "export", "small", "pairs", folder)
    assert (again.exit_code, "File exists" in again.stderr) == (1, True)
    excluded = assay("campaign", "exclude", "small", "pairs", "A001", "--reason", "hasty")
    assert excluded.stdout == "The answers of A001 no longer count.\n"
    included = assay("campaign", "exclude", "small", "pairs", "A001", "--reason", "checked", "--include")
    assert included.stdout == "The answers of A001 count again.\n"
    assert assay("campaign", "gold", "small", "pairs").stdout == "Gold version 1 was made and is in force.\n"
