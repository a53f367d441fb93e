"""Creating a campaign from a table of pairs or a list of texts, in two steps."""

import sys
from typing import Any

import pytest
from werkzeug.test import TestResponse

from scorer.bundles.bundle import ScaleSpec
from scorer.campaigns.drafts import draft
from server.annotation.drafts import inputs
from server.annotation.models import AnnotationRound, Campaign, Unit
from server.core import db
from server.tasks.models import Task, TaskRole
from tests.server.annotation.annotating import finish_upload
from tests.server.visitors import Visitor, filled_in, words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database

CAMPAIGNS = "/tasks/small/organize/campaigns/"
NEW = f"{CAMPAIGNS}new"
PAIRS = "id,sentence1,sentence2,score\n" + "".join(
    f'p-{n},"Boat {n}, late, leaves.",The boat {n} goes out.,{n}\n' for n in range(1, 21)
)
TEXTS = "".join(f"The keeper, who is {n} years old, sleeps.\n" for n in range(20, 32))
ENDS = {"gold": "p2s.test", "step": "1"}
"""What the form needs beside the guesses: the scale of the small task has no step, so 1 is one."""


def begin(visitor: Visitor, text: str, name: str = "pairs.csv", new: str = NEW) -> str:
    """Upload a table, and return the address of the next page."""
    response = visitor.upload(new, text.encode(), name)
    assert response.status_code == 302, words(response)
    return str(response.location)


def send(visitor: Visitor, address: str, **changes: Any) -> TestResponse:
    """Change some fields of the page, and press its button."""
    form = filled_in(visitor.get(address), "roles-0")
    return visitor.post(address, {**form, **changes})


def create(world: World, visitor: Visitor, address: str, **changes: Any) -> TestResponse:
    """Press the button of the page, and follow what becomes of the campaign."""
    return finish_upload(world, visitor, send(visitor, address, **changes))


def campaign_of(world: World) -> Campaign:
    world.session.expire_all()
    return world.session.query(Campaign).one()


def round_of(world: World) -> AnnotationRound:
    (round_,) = campaign_of(world).rounds
    return round_


def test_table_of_pairs_becomes_a_campaign_that_can_be_opened(world: World) -> None:
    ada = world.client("ada")
    address = begin(ada, PAIRS)
    page = ada.get(address)
    assert "Boat 5, late, leaves." in words(page)
    assert "Boat 6" not in words(page)
    form = filled_in(page, "roles-0")
    assert [form[f"roles-{place}"] for place in range(4)] == ["id", "left", "right", "ignored"]
    assert (form["header"], form["languages"]) == ("y", "en")
    assert "separated by commas" in words(page)
    assert (form["low"], form["high"], form["labels"]) == ("0", "4", "0 = unrelated\n4 = the same")
    assert form["contact"] == "https://forest.example/task"
    created = create(
        world,
        ada,
        address,
        gold="p2s.test",
        text_language="cs",
        languages=["en", "cs"],
        guide="Rate *meaning*.",
        answers="2",
        assignment="10",
    )
    assert created.request.path == f"{CAMPAIGNS}pairs/"
    said = words(created)
    assert "The campaign was created." in said
    assert "20 pairs × 2 annotators = 40" in said
    campaign, round_ = campaign_of(world), round_of(world)
    assert (campaign.level, campaign.split, campaign.languages) == ("p2s", "test", ["cs", "en"])
    assert campaign.guide == {"en": "Rate *meaning*.", "cs": "Rate *meaning*."}
    assert round_.rules.scale == ScaleSpec(0, 4, 1)
    assert round_.rules.labels["cs"] == {0: "unrelated", 4: "the same"}
    unit = world.session.query(Unit).order_by(Unit.position).first()
    assert unit is not None
    assert (unit.key, unit.texts["left"]) == ("p-1", "Boat 1, late, leaves.")
    assert ada.post(f"{CAMPAIGNS}pairs/open").status_code == 302
    assert "How similar are these two texts? open" in words(ada.get(f"{CAMPAIGNS}pairs/"))


def test_list_of_texts_becomes_best_worst_scaling_without_numpy_in_the_site(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "scorer.bws.tuples", None)  # importing it here would fail
    ada = world.client("ada")
    address = begin(ada, TEXTS, "texts.txt")
    refused = send(ada, address, **ENDS)
    assert refused.status_code == 422
    assert "Enter the text with which the texts of the list are compared." in words(refused)
    create(world, ada, address, **ENDS, compared="The keeper sleeps.")
    round_ = round_of(world)
    assert (round_.kind, round_.rules.answers, round_.rules.assignment) == ("bws", 5, 20)
    items = world.session.query(Unit).filter_by(role="item").all()
    assert {unit.texts["left"] for unit in items} == {"The keeper sleeps."}
    assert len(items) == 12
    assert ada.post(f"{CAMPAIGNS}texts/open").status_code == 302


def test_wrong_columns_are_corrected_on_the_page(world: World) -> None:
    ada = world.client("ada")
    address = begin(ada, "The boat leaves.\tIt goes.\ta-1\nThe lamp is lit.\tIt is dark.\ta-2\n", "pairs.tsv")
    right_first = {"roles-0": "right", "roles-1": "left", "roles-2": "id"}
    twice = send(ada, address, **ENDS, **right_first | {"roles-2": "left"}, title="Boats and lamps")
    assert twice.status_code == 422
    assert 'Choose "left" for one column only.' in words(twice)
    kept = filled_in(twice, "roles-0")
    assert (kept["roles-0"], kept["roles-2"], kept["title"]) == ("right", "left", "Boats and lamps")
    finish_upload(world, ada, ada.post(address, kept | right_first))
    unit = world.session.query(Unit).order_by(Unit.position).first()
    assert unit is not None
    assert (unit.key, unit.texts) == ("a-1", {"left": "It goes.", "right": "The boat leaves."})


def test_columns_are_guessed_again_for_another_delimiter(world: World) -> None:
    ada = world.client("ada")
    address = begin(ada, "The boat leaves,It goes out\nThe lamp is lit,It is dark\n", "pairs.txt")
    assert "separate them by commas" in words(ada.get(address))
    assert filled_in(ada.get(address), "roles-0")["roles-0"] == "right"
    again = f"{address}&delimiter=comma"
    form = filled_in(ada.get(again), "roles-0")
    assert (form["roles-0"], form["roles-1"]) == ("left", "right")
    create(world, ada, again, **ENDS)
    assert round_of(world).kind == "rate"


def test_table_that_another_delimiter_breaks_is_shown_as_before(world: World) -> None:
    ada = world.client("ada")
    address = begin(ada, '"Boats leave.\tThey go.\nIt is lit.\tIt is dark.\n', "pairs.tsv")
    page = ada.get(f"{address}&delimiter=comma")
    assert "pairs.tsv: Line 1 a quote opens here and is never closed" in words(page)
    assert filled_in(page, "roles-0")["roles-0"] == "left"


@pytest.mark.parametrize(
    ("changes", "name", "message"),
    [
        ({"title": ""}, "title", "Enter a title."),
        ({"slug": "Boats!"}, "slug", "Use lowercase letters"),
        ({"contact": "nobody"}, "contact", "Enter an email address, or a link"),
        ({"high": "0"}, "high", "The highest rating must be above the lowest."),
        ({"step": "3"}, "step", "Enter a step that divides the scale"),
        ({"step": ""}, "step", "Enter a step that divides the scale"),
        ({"languages": []}, "languages", "Choose one or more of en, cs, de."),
        ({"labels": "5 = more"}, "labels", "Not on the scale: 5."),
        ({"labels": "four"}, "labels", "write a number and its label"),
        ({"labels": "4 = " + "x" * 201}, "labels", "Use at most 200 characters for a label."),
        ({"answers": "101"}, "answers", "Enter a number from 1 to 100."),
        ({"assignment": ""}, "assignment", "Enter a number."),
        ({"text_language": "English"}, "text_language", "Enter the code of a language"),
        ({"gold": ""}, "gold", "Choose one."),
        ({"low": "-1"}, "gold", "The gold labels of the campaign, from -1 to 4, are not within"),
        ({"roles-1": "ignored"}, "compared", "Enter the text with which the texts of the list"),
        ({"roles-2": "nonsense"}, "roles", 'Choose "right" for the texts of a list'),
    ],
)
def test_each_error_is_at_its_field_and_the_file_is_not_asked_for_again(
    world: World, changes: dict[str, str], name: str, message: str
) -> None:
    ada = world.client("ada")
    address = begin(ada, PAIRS)
    refused = send(ada, address, **{**ENDS, "guide": "Rate\nmeaning.", **changes})
    assert refused.status_code == 422
    assert f'href="#{name}"' in refused.text
    assert message in words(refused)
    assert filled_in(refused, "roles-0")["guide"].split() == ["Rate", "meaning."]
    assert send(ada, address, **ENDS).status_code == 302


def test_short_name_that_is_suggested_is_free_and_another_one_is_refused_at_its_field(world: World) -> None:
    ada = world.client("ada")
    address = begin(ada, PAIRS)
    create(world, ada, address, **ENDS)
    assert filled_in(ada.get(address), "roles-0")["slug"] == "pairs-2"
    refused = send(ada, address, **ENDS, slug="pairs")
    assert refused.status_code == 422
    assert "already has a campaign with the short name" in words(refused)
    assert 'href="#slug"' in refused.text
    assert send(ada, address, **ENDS).status_code == 302


@pytest.mark.parametrize(
    ("data", "name", "message"),
    [
        (b"", "pairs.tsv", "pairs.tsv the file is empty"),
        (b"a\tb\nc\tM\xfcller\n", "pairs.tsv", "pairs.tsv: Line 2 byte 0xFC"),
        (b"1\n2\n", "pairs.tsv", "has no column of texts"),
        (b"left;right\nA;B\nC;D\n", "pairs.csv", "write tabs or commas"),
        (b"a b\n" * 31, "pairs.tsv", "has 31 lines; the maximum is 30"),
        (b"a b\t" * 101 + b"\n", "pairs.tsv", "has 102 columns; the maximum is 100"),
    ],
)
def test_table_whose_rows_cannot_be_shown_is_rejected_at_the_upload(
    world: World, monkeypatch: pytest.MonkeyPatch, data: bytes, name: str, message: str
) -> None:
    monkeypatch.setattr(draft, "MAX_UNITS", 30)
    refused = world.client("ada").upload(NEW, data, name)
    assert refused.status_code == 422
    assert message in words(refused)


def test_bad_lines_are_shown_before_anything_is_typed_and_when_it_is_sent(world: World) -> None:
    ada = world.client("ada")
    address = begin(ada, "id\tleft\tright\na\tOne boat\tTwo\na\tThree boats\tFour\nb\t\tSix\n", "bad.tsv")
    page, sent = ada.get(address), create(world, ada, address, **ENDS, title="Boats", labels="4 = the same")
    kept = filled_in(sent, "roles-0")
    assert [kept[name] for name in ("title", "labels", "gold", "high")] == [
        "Boats",
        "4 = the same",
        "p2s.test",
        "4",
    ]
    for response in (page, sent):
        assert "bad.tsv has 2 problems." in words(response)
        assert 'bad.tsv: Line 3 key "a" is on line 2 already' in words(response)
        assert 'bad.tsv: Line 4 the column "left" is empty' in words(response)


def test_page_of_a_table_is_for_the_person_and_the_task_of_its_upload(world: World) -> None:
    world.give_role("dee", "co-organizer")
    ada, dee = world.client("ada"), world.client("dee")
    address = begin(ada, PAIRS)
    assert dee.get(address).status_code == 404
    assert dee.post(address, filled_in(ada.get(address), "roles-0") | ENDS).status_code == 404
    assert "Upload it again." in words(dee.get(address))
    assert ada.get(address[:-1] + ("A" if address[-1] != "A" else "B")).status_code == 404
    assert ada.get(address.partition("?")[0]).status_code == 404
    add_empty_task(world)
    assert ada.get(address.replace("/small/", "/empty/")).status_code == 404
    assert world.client("bo").get(address).status_code == 403


def test_table_that_the_sweep_deleted_is_asked_for_again(world: World) -> None:
    ada = world.client("ada")
    address = begin(ada, PAIRS)
    form = filled_in(ada.get(address), "roles-0")
    for file in world.storage.files():
        world.storage.remove(file, file.put_at.replace(year=2100))
    gone = ada.post(address, form | ENDS)
    assert gone.status_code == 404
    assert "The uploaded table is no longer there. Upload it again." in words(gone)


def add_empty_task(world: World) -> None:
    """A task of ada without levels."""
    task = Task(slug="empty", title="Empty", description="", licence="", scale_min=0, scale_max=1, labels=[])
    task.board_rules, task.registration, task.created_at = {}, "open", DURING
    with db.writing(world.session):
        world.session.add(task)
        world.session.flush()
        role = TaskRole(task_id=task.id, user_id=world.user("ada").id, role="organizer", added_at=DURING)
        world.session.add(role)


def test_campaign_without_gold_is_made_in_a_task_without_levels(world: World) -> None:
    add_empty_task(world)
    ada = world.client("ada")
    address = begin(ada, PAIRS, new="/tasks/empty/organize/campaigns/new")
    form = filled_in(ada.get(address), "roles-0")
    assert (form["gold"], form["high"], form["step"]) == ("", "1", "1")
    create(world, ada, address, contact="ada@example.org", high="6", gold="none")
    assert (campaign_of(world).level, campaign_of(world).split) == (None, None)


def test_task_without_a_scale_gets_the_usual_one() -> None:
    task = Task(scale_min=None, scale_max=None, scale_step=None, labels=[], contact="TODO", levels=[])
    values = inputs.suggest_values(task, draft.draft_campaign(PAIRS.encode(), "pairs.csv"), ())
    assert [values[name] for name in ("low", "high", "step", "labels")] == [0, 4, 1, ""]
    assert values["contact"] == ""
