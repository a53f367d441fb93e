"""The download of a round in which annotators chose or wrote is what the next campaign is made from."""

import io
from pathlib import Path
from zipfile import ZipFile

import pytest

from scorer.campaigns.config import RoundConfig
from scorer.campaigns.drafts.next_stage import NextOptions, draft_next
from scorer.campaigns.reader import read_campaign
from tests.server.pages.annotation.test_stages import CHOSEN, RESULTS, begin
from tests.server.world import World

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
    hand = begin(world, tmp_path / "campaign", "choose")
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
    hand = begin(world, tmp_path / "campaign", "write")
    hand.send("ticket", written="boat")
    (unit,) = read_next(world, tmp_path / "export", "write", NextOptions(zeros=0)).units
    assert (unit.key, unit.genre) == ("p1", "news")
    assert unit.texts == {"left": "the ferry at night", "right": "boat"}


def test_chosen_sense_becomes_a_pair_with_its_definition(world: World, tmp_path: Path) -> None:
    begin(world, tmp_path / "campaign", "senses").send("ticket", sense="1")
    round_ = read_next(world, tmp_path / "export", "senses", NextOptions())
    definitions = {"harbour#n#1": "a place where ships lie", "port#n#1": "a town with ships"}
    (unit,) = round_.units
    assert unit.texts["definition"] == definitions[unit.texts["right"]]
    assert round_.passes[0].show == ("left", "definition")
