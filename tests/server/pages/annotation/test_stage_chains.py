"""From choices to a data set, and from written words to a leaderboard, by pages and commands."""

import csv
import io
import json
import re
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from datetime import timedelta
from html import unescape
from pathlib import Path
from statistics import correlation, mean, variance
from typing import Any
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from werkzeug.test import TestResponse

from scorer.baselines.common_substring import lcs
from scorer.cli.__main__ import cli
from server.annotation.campaigns import creation, service as campaigns
from server.annotation.models import Campaign
from server.core import db
from server.planning import baselines, phase_editing
from server.releases import creation as release_creation
from tests.scorer.stages_campaign import STAGES, STAGES_FILES, write_stages
from tests.server.annotation.small_campaign import Hand
from tests.server.pages.annotation.test_passes import begin_second_pass, join
from tests.server.pages.annotation.test_stages import CHOSEN
from tests.server.visitors import words
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database
DAY = timedelta(days=1)
PAGES = "/tasks/small/organize/campaigns"


def add_campaign(world: World, folder: Path, round_slug: str) -> None:
    """Add the campaign of a folder and open one of its rounds."""
    prepared = creation.prepare_campaign(folder)
    with db.writing(world.session):
        ada = world.actor("ada")
        campaign = creation.add_campaign(world.session, ada, world.task, prepared, DURING)
        campaigns.open_round(world.session, ada, campaigns.get_round(campaign, round_slug), DURING)


def close_round(world: World, slug: str, round_slug: str) -> None:
    with db.writing(world.session):
        campaign = world.session.query(Campaign).filter_by(slug=slug).one()
        campaigns.close_round(
            world.session, world.actor("ada"), campaigns.get_round(campaign, round_slug), DURING + 9 * DAY
        )


def work(hand: Hand, answer: Callable[[list[str]], Mapping[str, str]]) -> None:
    """Answer what is asked about the texts of each page, as long as there is anything."""
    open_part(hand)
    while "data-annotate" in hand.page.text:
        shown = re.findall(r'<p class="lines"[^>]*>(.*?)</p>', hand.page.text)
        hand.send("ticket", **answer([unescape(re.sub("</?mark>", "", text)) for text in shown]))
        if "Hand in" in hand.page.text:
            hand.send("Hand in")
            open_part(hand)


def open_part(hand: Hand) -> None:
    """Open the personal link, and begin or continue what there is to answer."""
    hand.get(f"/a/me/{hand.key}")
    hand.send('name="language"')
    if 'name="round"' in hand.page.text:
        hand.send('name="round"')
    begin_second_pass(hand)


def export(world: World, slug: str, round_slug: str, folder: Path) -> Path:
    sent = world.client("ada").get(f"{PAGES}/{slug}/results/export.zip?round={round_slug}")
    with ZipFile(io.BytesIO(sent.data)) as zipped:
        zipped.extractall(folder)
    return folder / f"small-{slug}-{round_slug}"


def scorer(*arguments: str | Path) -> str:
    done = CliRunner().invoke(cli, [*map(str, arguments)])
    assert done.exit_code == 0, done.output
    return done.stdout


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return [*csv.DictReader(file, delimiter="\t")]


def read_figures(folder: Path) -> dict[str, list[dict[str, Any]]]:
    tables: dict[str, list[dict[str, Any]]] = json.loads((folder / "figures.json").read_bytes())["tables"]
    return tables


def host(world: World, split: str) -> TestResponse:
    """Publish a phase on a split with a baseline, and release its leaderboard."""
    opens = DURING + 9 * DAY
    edit = phase_editing.PhaseEdit("Words", opens, opens + DAY, 0, 1, None, None, "hidden")
    with db.writing(world.session):
        phase = phase_editing.add_phase(
            world.session, world.actor("ada"), world.task, "words", split, edit, opens, sure=True
        )
        baselines.add_baseline(world.session, world.actor("ada"), phase, "lcs", opens)
    world.work(opens + 2 * DAY)
    with db.writing(world.session):
        phase = world.phase("words")
        release_creation.release_board(world.session, world.actor("ada"), phase, opens + 2 * DAY)
    return world.client().get("/tasks/small/boards/words")


def test_chosen_sentences_are_rated_and_become_a_data_set(world: World, tmp_path: Path) -> None:
    """Of two annotators' incidents, the first two sentences are rated; the third incident is for training."""
    tables = {
        name: re.sub(r"(?m)^(\w)(.*)\.$", r"\1\2, quay \1.", STAGES_FILES[f"{name}.tsv"])
        for name in ("summaries", "reports")
    }
    (tmp_path / "choose").mkdir()
    add_campaign(world, write_stages(tmp_path / "choose", **tables), "choose")

    def choose(shown: list[str]) -> dict[str, str]:
        ratings = ("4", "2", "0") if "ferry" in shown[0] else ("4", "4", "1")
        return CHOSEN | dict(zip(("A_rating", "B_rating", "C_rating"), ratings, strict=True))

    for _ in range(2):
        work(join(world), choose)
    chosen = export(world, "harbour-stages", "choose", tmp_path)
    scorer("campaign", "next", chosen, "--out", tmp_path / "rate", "--first", "2")
    config = tmp_path / "rate" / "annotation.toml"
    fewer = config.read_text(encoding="utf-8").replace("assignment = 2", "assignment = 4")
    config.write_text(re.sub("(answers|at_least) = [97]", r"\1 = 2", fewer), encoding="utf-8")
    add_campaign(world, tmp_path / "rate", "rate")
    given: defaultdict[tuple[str, str], list[int]] = defaultdict(list)

    def rate(shown: list[str]) -> dict[str, str]:
        value = len(given) * 7 % 5
        given[shown[0], shown[1]].append(value)
        return {"value": str(value)}

    hands = [join(world, "annotators") for _ in range(6)]
    for day in (0, 4):
        world.set_clock(DURING + day * DAY)
        for hand in hands:
            work(hand, rate)
    close_round(world, "harbour-stages-rate", "rate")
    rated = export(world, "harbour-stages-rate", "rate", tmp_path)
    shutil.copy(chosen / "choices.tsv", rated)
    out = tmp_path / "dataset"
    scorer("dataset", rated, "--out", out)
    test = read_rows(out / "test-free.tsv")
    assert {(row["left"], row["right"]): (float(row["mean"]), row["n"]) for row in test} == {
        pair: (mean(values), "2") for pair, values in given.items() if pair[0].count("quay") == 1
    }
    assert len(test) == 12
    assert Counter((row["choice"], row["first"]) for row in test) == {
        ("A", "4"): 4, ("B", "2"): 2, ("B", "4"): 2, ("C", "0"): 2, ("C", "1"): 2,
    }  # fmt: skip
    near = [(row["choice"], row["rating"]) for row in read_rows(out / "train-N1.tsv")]
    assert sorted(near) == [("A", "4"), ("A", "4"), ("B", "2"), ("C", "0"), ("C", "1")]
    assert len(read_rows(out / "train-N2.tsv")) == 6
    figures = {row["code"]: row for table in read_figures(out).values() for row in table}
    counts = {n: [figures[f"sorted.train.{n}"][f"pairs {choice}"] for choice in "ABC"] for n in (0, 1, 2, 4)}
    assert counts == {0: [0, 0, 1], 1: [0, 0, 1], 2: [0, 1, 0], 4: [2, 1, 0]}
    assert figures["kept.train.N1"]["pairs"] == 5
    assert "significance.paired.0.05" in figures


WANTED = {"the ferry at night": 3, "a quiet harbour": 1, "dead calm": 4, "all at sea": 2}
WORDS = {phrase: f"{phrase.split()[-1]}{rating}" for phrase, rating in WANTED.items()}


def write_words(world: World, folder: Path) -> Path:
    """Write a word for each phrase, of which one is left blank first; the folder of the export."""
    folder.mkdir()
    config = STAGES.replace("[entry", 'level = "s2p"\nsplit = "training"\n\n[entry', 1)
    add_campaign(world, write_stages(folder, annotation=config), "write")
    blanks = ["dead calm"]

    def write(shown: list[str]) -> dict[str, str]:
        if shown[0] in blanks:
            blanks.remove(shown[0])
            return {"value": "cannot"}
        return {"written": WORDS[shown[0]]}

    for _ in range(2):
        work(join(world), write)
    return export(world, "harbour-stages", "write", folder)


def rate_as_two(world: World) -> dict[tuple[str, str], list[float]]:
    """Have two experts rate all pairs as was wanted, but one pair otherwise; the ratings by pair."""
    rated: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for of_other in (1, 3):

        def rate(shown: list[str], of_other: int = of_other) -> dict[str, str]:
            phrase, word = shown
            value = WANTED[phrase] if word == WORDS[phrase] else 0
            value = of_other if value == 1 else value
            rated[phrase, word].append(value)
            return {"value": str(value)}

        work(join(world, "experts"), rate)
    return rated


def make_gold(world: World, slug: str, decided: str) -> None:
    """Close the round, decide on its one disagreement, and make the gold standard."""
    close_round(world, slug, "rate")
    ada = world.client("ada")
    page = ada.get(f"{PAGES}/{slug}/disagreements").text
    (address,) = {*map(unescape, re.findall(r'href="([^"]*/disagreements/\d+[^"]*)"', page))}
    ada.post(address, {"value": decided, "cause": "overlooked"})
    made = ada.post(f"{PAGES}/{slug}/results/gold?round=rate", follow_redirects=True)
    assert "Gold version 1 was made" in words(made)


def test_written_words_become_a_leaderboard(world: World, tmp_path: Path) -> None:
    written = write_words(world, tmp_path / "write")
    rows = {row["left"]: row for row in read_rows(written / "written.tsv")}
    assert {phrase: row["right"] for phrase, row in rows.items()} == WORDS
    assert {phrase: int(row["wanted"]) for phrase, row in rows.items()} == WANTED
    assert [row["annotator"] for row in rows.values()].count("A002") == 1
    assert rows["dead calm"]["annotator"] == "A002"
    scorer("campaign", "next", written, "--out", tmp_path / "rate")
    assert "wanted" not in (tmp_path / "rate" / "pairs.tsv").read_text(encoding="utf-8")
    add_campaign(world, tmp_path / "rate", "rate")
    ratings = rate_as_two(world)
    assert sorted(ratings.values()) == [[0, 0], [1, 3], [2, 2], [3, 3], [4, 4]]
    make_gold(world, "harbour-stages-rate", "1")
    rated = export(world, "harbour-stages-rate", "rate", tmp_path)
    units = read_rows(rated / "units.tsv")
    gold = [float(row["gold"]) for row in read_rows(rated / "gold.tsv")]
    expected = {pair: mean(values) for pair, values in ratings.items()}
    expected["a quiet harbour", WORDS["a quiet harbour"]] = 1.0
    assert {(unit["left"], unit["right"]): value for unit, value in zip(units, gold, strict=True)} == expected
    alpha = json.loads(scorer("figures", rated, "--format", "json"))["tables"]["alpha"][0]["alpha"]
    values = [value for values in ratings.values() for value in values]
    assert alpha == pytest.approx(1 - (3 - 1) ** 2 / len(ratings) / (2 * variance(values)))
    baseline = [lcs(unit["left"], unit["right"]) for unit in units]
    assert f"organizers LCS {correlation(gold, baseline):.3f}" in words(host(world, "training"))
