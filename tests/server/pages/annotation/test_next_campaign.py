"""The next campaign is made from what annotators chose or wrote: from a round's download, or by a button."""

import io
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest
from werkzeug.test import TestResponse

from scorer.campaigns.config import RoundConfig
from scorer.campaigns.drafts.next_stage import NextOptions, draft_next
from scorer.campaigns.reader import read_campaign
from server.annotation.campaigns import uploads
from server.annotation.campaigns.uploads import CampaignUpload, NextCampaign
from server.annotation.models import Campaign, Unit
from server.core import db
from tests.server.annotation.chained import PAGE as CHAIN_RESULTS, add_chain
from tests.server.pages.annotation.test_stages import CHOSEN, RESULTS, begin_stages
from tests.server.visitors import Visitor, filled_in, words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def read_next(world: World, folder: Path, round_slug: str, options: NextOptions) -> RoundConfig:
    """Download a round, and read the round of the campaign that is made from it."""
    sent = world.client("ada").get(f"{RESULTS}/export.zip?round={round_slug}")
    with ZipFile(io.BytesIO(sent.data)) as zipped:
        zipped.extractall(folder)
    (export,) = folder.iterdir()
    for name, data in draft_next(export, options).files.items():
        (folder / name).write_bytes(data)
    (round_,) = read_campaign(folder / "annotation.toml").rounds
    return round_


def test_chosen_sentences_become_pairs_with_their_contexts(world: World, tmp_path: Path) -> None:
    hand = begin_stages(world, tmp_path / "campaign", "choose")
    hand.send("ticket", **CHOSEN)
    hand.send("ticket", **CHOSEN)
    units = read_next(world, tmp_path / "export", "choose", NextOptions(first=2, context=1)).units
    assert [unit.key[1:] for unit in units] == ["1-A", "1-B", "1-C", "2-B", "2-C", "2-A"]
    assert units[1].texts == {
        "left": "The old ferry sank at night.",
        "right": "The harbour was quiet.",
        "left_context": "<sent>The old ferry sank at night.</sent> Nobody aboard was hurt.",
        "right_context": "All passengers were hurt, but lightly. <sent>The harbour was quiet.</sent>",
    }


def test_written_word_becomes_a_pair_without_its_wanted_rating(world: World, tmp_path: Path) -> None:
    hand = begin_stages(world, tmp_path / "campaign", "write")
    hand.send("ticket", written="boat")
    (unit,) = read_next(world, tmp_path / "export", "write", NextOptions(zeros=0)).units
    assert (unit.key, unit.genre) == ("p1", "news")
    assert unit.texts == {"left": "the ferry at night", "right": "boat"}


def test_chosen_sense_becomes_a_pair_with_its_definition(world: World, tmp_path: Path) -> None:
    begin_stages(world, tmp_path / "campaign", "senses").send("ticket", sense="1")
    round_ = read_next(world, tmp_path / "export", "senses", NextOptions())
    definitions = {"harbour#n#1": "a place where ships lie", "port#n#1": "a town with ships"}
    (unit,) = round_.units
    assert unit.texts["definition"] == definitions[unit.texts["right"]]
    assert round_.passes[0].show == ("left", "definition")


def make_next(world: World, ada: Visitor, address: str, **changes: Any) -> TestResponse:
    """Press the button of the page with its defaults and some changes, and follow what becomes of it."""
    page = ada.get(address)
    assert page.status_code == 200
    sent = ada.post(page.request.full_path, filled_in(page, "title") | changes)
    assert sent.status_code == 302, words(sent)
    assert "The site is making pairs from the answers" in words(ada.get(sent.location))
    world.work(DURING)
    return ada.get(sent.location, follow_redirects=True)


def read_made(world: World, slug: str) -> tuple[Campaign, list[Unit]]:
    """A campaign that was made, and its units."""
    world.session.expire_all()
    campaign = world.session.query(Campaign).filter_by(slug=slug).one()
    (round_,) = campaign.rounds
    return campaign, world.session.query(Unit).filter_by(round_id=round_.id).order_by(Unit.position).all()


def test_button_makes_the_draft_of_the_next_campaign_from_choices(world: World, tmp_path: Path) -> None:
    hand = begin_stages(world, tmp_path / "campaign", "choose")
    hand.send("ticket", **CHOSEN)
    hand.send("ticket", **CHOSEN)
    ada = world.client("ada")
    results = ada.get(f"{RESULTS}?round=choose").text
    assert f'{RESULTS}/next?round=choose">Make the next campaign' in results
    assert "Data set" not in results
    made = make_next(world, ada, f"{RESULTS}/next?round=choose", first="1", context="0", title="Alike?")
    assert made.request.path == "/tasks/small/organize/campaigns/harbour-stages-rate/"
    assert "The campaign was created." in words(made)
    assert "not open yet" in words(made)
    campaign, units = read_made(world, "harbour-stages-rate")
    assert campaign.title == "Alike?"
    assert [unit.key[1:] for unit in units] == ["1-A", "1-B", "1-C"]
    assert units[0].texts["left_context"] == "<sent>The old ferry sank at night.</sent>"
    again = filled_in(ada.get(f"{RESULTS}/next?round=choose"), "title")
    assert again["slug"] == "harbour-stages-rate-2"


def test_wanted_rating_is_in_no_unit_and_no_file_of_the_next_campaign(world: World, tmp_path: Path) -> None:
    hand = begin_stages(world, tmp_path / "campaign", "write")
    hand.send("ticket", written="boat")
    hand.send("ticket", written="calm")
    ada = world.client("ada")
    made = make_next(world, ada, f"{RESULTS}/next?round=write", slug="words", zeros="0.4")
    assert "0 random pairs of the genre news instead of 1: too few texts were written" in words(made)
    assert 'href="/tasks/small/organize/campaigns/words/"' in made.text
    campaign, units = read_made(world, "words")
    assert [sorted(unit.texts) for unit in units] == [["left", "right"]] * 2
    assert {unit.texts["right"] for unit in units} == {"boat", "calm"}
    with ZipFile(io.BytesIO(world.storage.get(campaign.bundle_sha256))) as zipped:
        files = {name: zipped.read(name) for name in zipped.namelist()}
    assert len(files) == 3
    assert not [name for name, data in files.items() if b"wanted" in data]
    assert "wanted" not in ada.get("/tasks/small/organize/campaigns/words/texts").text


def test_items_of_tuples_become_the_check_of_an_expert(world: World, tmp_path: Path) -> None:
    chain, names = add_chain(world, tmp_path)
    chain.answer_all("bws", names[:1])
    ada = world.client("ada")
    address = f"{CHAIN_RESULTS}/next?round=bws"
    assert {"first", "zeros", "seed"}.isdisjoint(filled_in(ada.get(address), "title"))
    make_next(world, ada, address)
    campaign, units = read_made(world, "harbour-in-context-check")
    assert (campaign.gold_rule, [unit.key for unit in units]) == (None, ["d1", "d2", "d3", "d4"])
    assert ada.get(f"{CHAIN_RESULTS}/next?round=rate").status_code == 404


def test_too_few_answers_are_said_above_what_was_entered(world: World, tmp_path: Path) -> None:
    begin_stages(world, tmp_path / "campaign", "choose").send("ticket", **CHOSEN)
    ada = world.client("ada")
    page = make_next(world, ada, f"{RESULTS}/next?round=choose", first="2", slug="late", assignments="3")
    assert "The campaign was not made there are 0 assignments with choices for 2 sentences" in words(page)
    entered = filled_in(page, "title")
    assert (entered["first"], entered["slug"], entered["assignments"]) == ("2", "late", "3")
    assert world.session.query(Campaign).count() == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"slug": "harbour-stages"}, "This task already has a campaign with the short name"),
        ({"zeros": "0.5"}, "Enter a number from 0 to 0.49."),
        ({"zeros": ""}, "Enter a number."),
        ({"seed": "-1"}, "Enter a number from 0"),
    ],
)
def test_value_that_does_not_fit_is_refused_at_once(
    world: World, tmp_path: Path, changes: dict[str, str], message: str
) -> None:
    begin_stages(world, tmp_path / "campaign", "write").send("ticket", written="boat")
    ada, address = world.client("ada"), f"{RESULTS}/next?round=write"
    refused = ada.post(address, filled_in(ada.get(address), "title") | changes)
    assert refused.status_code == 422
    assert message in words(refused)


def test_second_campaign_waits_for_the_first(world: World, tmp_path: Path) -> None:
    begin_stages(world, tmp_path / "campaign", "write").send("ticket", written="boat")
    ada, address = world.client("ada"), f"{RESULTS}/next?round=write"
    form = filled_in(ada.get(address), "title")
    first = ada.post(address, form)
    assert ada.post(address, form).location == first.location
    other = ada.post(address, form | {"seed": "7"})
    assert "still reading the files of another campaign" in words(other)
    assert filled_in(other, "title")["seed"] == "7"


@pytest.mark.both_databases
def test_round_is_not_read_for_a_person_who_stopped_organizing(world: World, tmp_path: Path) -> None:
    begin_stages(world, tmp_path / "campaign", "write").send("ticket", written="boat")
    world.give_role("dee", "organizer")
    asked = CampaignUpload(next=NextCampaign("harbour-stages", "write", NextOptions(slug="words")))
    with db.writing(world.session):
        job_id = uploads.queue_upload(world.session, world.actor("dee"), world.task, asked, DURING)
    world.end_role("dee")
    world.work(DURING)
    world.give_role("dee", "organizer")
    result = uploads.get_result(world.session, world.actor("dee"), world.task, job_id)
    assert result.upload == asked
    assert result.refused is not None
    assert world.session.query(Campaign).count() == 1
