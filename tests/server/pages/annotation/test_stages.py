"""Annotators choose sentences of reports, and write texts or choose senses, without script."""

import csv
import io
import json
import re
from pathlib import Path
from zipfile import ZipFile

import pytest

from server.annotation.assignments import leases
from server.annotation.campaigns import creation, erasure, service as campaigns
from server.annotation.models import Annotator, AnswerText, Campaign
from server.core import db
from tests.scorer.stages_campaign import write_stages
from tests.server.annotation.small_campaign import Hand, add_links, list_answers
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database
RESULTS = "/tasks/small/organize/campaigns/harbour-stages/results"
CHOSEN = {"A": "1", "B": "3", "C": "5", "A_rating": "4", "B_rating": "2", "C_rating": "0"}


def begin_stages(world: World, folder: Path, *rounds: str, **files: str) -> Hand:
    """An annotator at the first step of the first of some rounds of a new campaign with other `files`."""
    folder.mkdir(exist_ok=True)
    prepared = creation.prepare_campaign(write_stages(folder, **files))
    with db.writing(world.session):
        campaign = creation.add_campaign(world.session, world.actor("ada"), world.task, prepared, DURING)
        for slug in rounds:
            round_ = campaigns.get_round(campaign, slug)
            campaigns.open_round(world.session, world.actor("ada"), round_, DURING)
    hand = Hand(world, add_links(world)[0])
    hand.begin()
    return hand


def read_export(world: World, round_slug: str) -> dict[str, str]:
    sent = world.client("ada").get(f"{RESULTS}/export.zip?round={round_slug}")
    with ZipFile(io.BytesIO(sent.data)) as zipped:
        return {name.split("/", 1)[1]: zipped.read(name).decode() for name in zipped.namelist()}


def rows_of(text: str) -> list[dict[str, str]]:
    return [*csv.DictReader(io.StringIO(text), delimiter="\t")]


def test_three_sentences_of_an_incident_are_chosen_and_rated(world: World, tmp_path: Path) -> None:
    hand = begin_stages(world, tmp_path / "campaign", "choose")
    page = hand.page.text
    assert "1 of 2" in words(hand.page)
    assert "The ferry went down, said the first report." in re.sub("</?mark>", "", page)
    assert "<mark>ferry</mark>" in page  # it is in a third of the sentences
    assert "<mark>The</mark>" not in page  # it is in more of them
    assert not any(f"{incident}-first1" in page for incident in "abc")  # keys may name systems
    hand.send("ticket", **CHOSEN)
    assert "2 of 2" in words(hand.page)
    assert "Everything is answered" in words(hand.send("ticket", **CHOSEN))
    first, second = list_answers(world)
    incident = str(first.picks and first.picks["A"][0])[0]
    assert first.picks == {
        "A": [f"{incident}-first1", 4.0], "B": [f"{incident}-first3", 2.0], "C": [f"{incident}-second2", 0.0],
    }  # fmt: skip
    assert second.picks == first.picks
    files = read_export(world, "choose")
    rows = rows_of(files["choices.tsv"])
    assert [row["id"] for row in rows] == [f"{incident}{n}-{choice}" for n in "12" for choice in "ABC"]
    assert rows[0] == {
        "id": f"{incident}1-A", "unit": f"{incident}1", "group": incident, "genre": "news",
        "annotator": "A001", "plan": "1", "assignment": "1", "left": "The old ferry sank at night.",
        "right": "The ferry went down, said the first report.", "choice": "A", "rating": "4.0",
        "sentence": f"{incident}-first1",
    }  # fmt: skip
    assert files["reports.tsv"].splitlines()[1] == (
        "a-first1\ta\t\tfirst\tThe ferry went down, said the first report."
    )
    assert json.loads(files["manifest.json"])["highlighting"].startswith("Words are casefolded.")
    answer = json.loads(files["answers.jsonl"].splitlines()[0])
    assert (answer["picks"], answer["outcome"]) == (first.picks, "counted")


def test_incidents_that_someone_left_go_to_one_person_whole(world: World, tmp_path: Path) -> None:
    begin_stages(world, tmp_path / "campaign", "choose")
    leaver, newcomer = (Hand(world, key) for key in add_links(world, 2))
    assert "1 of 4" in words(leaver.begin())  # two incidents of two sentences
    leaver.get(f"/a/me/{leaver.key}")
    leaver.send('name="language"')
    leaver.send("leave the rest to others")
    assert "1 of 4" in words(newcomer.begin())


def test_what_is_missing_or_chosen_twice_is_said_at_once_and_kept(world: World, tmp_path: Path) -> None:
    hand = begin_stages(world, tmp_path / "campaign", "choose")
    page = hand.send("ticket", A="1", A_rating="4", B="1", B_rating="2", C_rating="0")
    assert page.status_code == 422
    assert "Choose the least similar sentence (C)." in words(page)
    assert "A, B and C must be three different sentences." in words(page)
    page = hand.send("ticket", **(CHOSEN | {"B_rating": "9", "C": "99"}))
    assert "Rate the sentence B." in words(page)
    checked = re.findall(r'name="(\w+)" value="(\w+)"[^>]* checked', page.text)
    assert dict(checked) == {"A": "1", "B": "3", "A_rating": "4", "C_rating": "0"}
    assert list_answers(world) == []


def test_choice_can_be_changed_until_it_is_handed_in(world: World, tmp_path: Path) -> None:
    hand = begin_stages(world, tmp_path / "campaign", "choose")
    address = hand.page.request.path
    hand.send("ticket", **CHOSEN)
    checked = re.findall(r'name="(\w+)" value="(\w+)"[^>]* checked', hand.get(address).text)
    assert dict(checked) == CHOSEN
    hand.send("ticket", **(CHOSEN | {"A": "2"}))
    old, new = list_answers(world)
    assert new.supersedes_id == old.id
    assignment = re.search(r"/assignments/(\d+)/", hand.get("/a/1/").text)
    page = hand.get(f"/a/1/assignments/{assignment and assignment[1]}/answers")
    assert "Your answer: A 4, B 2, C 0" in words(page)


def test_words_are_written_or_left_blank(world: World, tmp_path: Path) -> None:
    hand = begin_stages(world, tmp_path / "campaign", "write")
    assert "Write a word that is 3, somewhat similar" in words(hand.page)
    assert "Example: for “a hired car”: taxi" in words(hand.page)
    assert "3 on a scale from 0 to 4" in hand.page.text
    assert "Number of words: 1" in words(hand.page)
    assert not any(text in hand.page.text for text in ("a quiet harbour", "dead calm", "all at sea"))
    hand.send("ticket", written=" boat\t")
    assert "Write a word that is 4, the same" in words(hand.page)
    hand.send("ticket", value="cannot", reason="I know none.")
    written, blank = list_answers(world)
    assert (written.value, written.picks, blank.value) == (None, None, None)
    texts = {text.answer_id: (text.written, text.reason) for text in world.session.query(AnswerText)}
    assert texts == {written.id: ("boat", None), blank.id: (None, "I know none.")}
    files = read_export(world, "write")
    (row,) = rows_of(files["written.tsv"])
    assert row == {
        "id": "p1", "group": "", "genre": "news", "annotator": "A001", "wanted": "3",
        "left": "the ferry at night", "right": "boat",
    }  # fmt: skip
    outcomes = [json.loads(line)["outcome"] for line in files["answers.jsonl"].splitlines()]
    assert outcomes == ["counted", "no value"]


@pytest.mark.parametrize(
    ("written", "doubt"),
    [
        ("The Ferry  at night", "This is the given text."),
        ("two words", "Number of words: 2 instead of 1."),
    ],
)
def test_doubtful_text_is_asked_about_once(world: World, tmp_path: Path, written: str, doubt: str) -> None:
    hand = begin_stages(world, tmp_path / "campaign", "write")
    page = hand.send("ticket", written=written, input="paste")
    assert page.status_code == 422
    assert f"Is this right? {doubt}" in words(page)
    assert f">{written}</textarea>" in page.text
    hand.send("ticket", written=written)
    assert [answer.input for answer in list_answers(world)] == ["paste"]
    page = hand.send("ticket", written=written.upper())
    assert "You wrote this text before." in words(page)


def test_senses_are_chosen_by_their_definitions(world: World, tmp_path: Path) -> None:
    hand = begin_stages(world, tmp_path / "campaign", "senses")
    assert "harbour#n#1" not in hand.page.text
    assert "Choose a definition, or leave it blank." in words(hand.send("ticket"))
    shown = re.findall(r'name="sense" value="(\d)".*?<span[^>]*>([^<]*)</span>', hand.page.text, re.DOTALL)
    place = next(place for place, text in shown if text == "a town with ships")
    hand.send("ticket", sense=place)
    assert [answer.picks for answer in list_answers(world)] == [{"sense": "port#n#1"}]
    files = read_export(world, "senses")
    (row,) = rows_of(files["written.tsv"])
    assert (row["right"], row["definition"]) == ("port#n#1", "a town with ships")
    assert sorted(json.loads(files["answers.jsonl"])["order"]) == ["harbour#n#1", "port#n#1"]
    assert files["units.tsv"].splitlines()[0] == "key\tgroup\tgenre\tleft\twanted"


@pytest.mark.both_databases
def test_organizers_see_what_was_written_by_genre_and_wanted_rating(world: World, tmp_path: Path) -> None:
    hand = begin_stages(world, tmp_path / "campaign", "write")
    hand.send("ticket", written="boat", input="paste")
    hand.send("ticket", value="cannot", reason="I know none.")
    ada = world.client("ada")
    assert "Written texts" in words(ada.get(f"{RESULTS}?round=write"))
    page = words(ada.get(f"{RESULTS}/texts?round=write"))
    counts = page.partition("Wanted: 4 Written Blank Open Written Blank Open Written Blank Open Written")[2]
    assert counts.partition("Blank Open ")[2].startswith(
        "news 0 0 1 0 0 0 1 0 0 0 0 0 slang 0 0 0 0 0 1 0 0 0 0 1 1 All genres 0 0 1 0 0 1 1 0 0 0 1 1 "
    )
    first, second = (
        "p1 news the ferry at night 3 boat pasted A001",
        "p3 slang dead calm 4 left blank I know none. A001",
    )
    assert f"Annotator {first} {second}" in page
    for query, shown, hidden in (("genre=slang", second, first), ("wanted=3", first, second)):
        page = words(ada.get(f"{RESULTS}/texts?round=write&{query}"))
        assert shown in page
        assert hidden not in page
    assert "There are no texts yet." in words(ada.get(f"{RESULTS}/texts?round=write&page=2"))
    ada.post(f"{RESULTS}/annotators/A001/exclude?round=write", {"reason": "clicked at random"})
    assert "There are no texts yet." in words(ada.get(f"{RESULTS}/texts?round=write"))
    assert ada.get(f"{RESULTS}/texts?round=choose").status_code == 404


def test_organizers_see_chosen_definitions(world: World, tmp_path: Path) -> None:
    hand = begin_stages(world, tmp_path / "campaign", "senses")
    hand.send("ticket", sense="1")
    hand.send("ticket", sense="2")
    page = words(world.client("ada").get(f"{RESULTS}/texts?round=senses"))
    assert "Chosen definitions senses" in page
    texts = {answer.step.unit.key: dict(answer.step.unit.candidates or ()) for answer in list_answers(world)}
    for answer in list_answers(world):
        chosen = texts[answer.step.unit.key][(answer.picks or {})["sense"]]
        assert f"{answer.step.unit.texts['wanted']} {chosen} A001" in page


@pytest.mark.parametrize(
    ("kind", "nouns", "question"),
    [
        ("choose", "sentences", "Choose the most similar sentence (A)"),
        ("write", "texts", "Annotators write a word that is as similar to the text as wanted."),
        ("senses", "texts", "Annotators choose the definition that is as similar to the text as wanted."),
    ],
)
def test_pages_of_organizers_have_the_words_of_each_kind_and_only_what_it_has(
    world: World, tmp_path: Path, kind: str, nouns: str, question: str
) -> None:
    twice = "key\tgenre\tleft\twanted\np1\tnews\tat sea\t3\np2\tnews\tat sea\t1\n"
    begin_stages(world, tmp_path / "campaign", kind, phrases=twice)
    ada, campaign = world.client("ada"), RESULTS.removesuffix("results")
    page = words(ada.get(f"{RESULTS}?round={kind}"))
    assert f"{nouns.capitalize()} by number of answers" in page
    for missing in ("agreement looks good", "Gold standard", "Data set", "Disagreements"):
        assert missing not in page.partition("Results of")[2]
    page = words(ada.get(f"{campaign}texts?round={kind}"))
    assert question in page
    assert "4 the same" in page
    assert "Annotators do not see" not in page
    page = words(ada.get(campaign))
    assert f"{2 if nouns == 'texts' else 6} {nouns}" in page
    assert "pairs" not in page
    assert "same texts as an earlier one" not in page


@pytest.mark.both_databases
def test_erased_text_leaves_its_unit_to_others(world: World, tmp_path: Path) -> None:
    hand = begin_stages(world, tmp_path / "campaign", "write")
    hand.send("ticket", written="skiff")
    hand.send("ticket", written="calm")
    assert "Thank you" in words(hand.send("Hand in"))

    def find_missing() -> set[str]:
        world.session.rollback()
        round_ = campaigns.get_round(world.session.query(Campaign).one(), "write")
        return {*leases.missing_slots(world.session, round_, DURING)}

    assert find_missing() == set()
    world.session.rollback()
    with db.writing(world.session):
        annotator = world.session.query(Annotator).one()
        erasure.erase_annotator(world.session, world.actor("ada"), annotator, DURING)
    assert find_missing() == {"p1", "p3"}
    page = words(world.client("ada").get(f"{RESULTS}/texts?round=write"))
    assert "p1 news the ferry at night 3 erased A001" in page
    assert rows_of(read_export(world, "write")["written.tsv"]) == []
    assert "skiff" not in "".join(read_export(world, "write").values())
