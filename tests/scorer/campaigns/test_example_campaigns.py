"""The example campaigns of deploy/campaigns/."""

import runpy
from collections import Counter
from pathlib import Path

import pytest

from scorer.campaigns.assignments import plan_round
from scorer.campaigns.config import Gate
from scorer.campaigns.reader import read_campaign

FOLDER = Path(__file__).parents[3] / "deploy" / "campaigns"
CAMPAIGNS = ("czech-choose", "czech-news", "giccs", "clss-write", "clss-crowd")
MAX_BYTES = 900_000


@pytest.mark.parametrize(
    ("name", "plans"),
    [
        ("czech-news", {"pilot": (216, {5}), "rate": (216, {50})}),
        ("czech-choose", {"choose": (4, {52, 53})}),
        ("giccs", {"compare": (150, {20}), "expert": (6, {50})}),
        ("clss-write", {"write": (6, {22})}),
        ("clss-crowd", {"rate": (40, {9})}),
    ],
)
def test_example_campaign_is_valid_and_has_the_assignments_of_its_paper(
    name: str, plans: dict[str, tuple[int, set[int]]]
) -> None:
    campaign = read_campaign(FOLDER / name)
    planned = {round_.slug: plan_round(round_).assignments for round_ in campaign.rounds}
    assert {
        slug: (len(assignments), {len(each.steps) for each in assignments})
        for slug, assignments in planned.items()
    } == plans
    assert sum(path.stat().st_size for path in (FOLDER / name).iterdir()) < MAX_BYTES


def test_generator_makes_the_texts_of_the_example_campaigns(tmp_path: Path) -> None:
    for name in CAMPAIGNS:
        (tmp_path / name).mkdir()
    runpy.run_path(str(FOLDER / "make_texts.py"))["write_tables"](tmp_path)
    made = list(tmp_path.rglob("*.tsv"))
    assert len(made) == 8
    for path in made:
        assert path.read_bytes() == (FOLDER / path.relative_to(tmp_path)).read_bytes(), path.name


def test_summaries_have_so_many_sentences_that_50_of_each_assignment_make_pairs() -> None:
    (round_,) = read_campaign(FOLDER / "czech-choose").rounds
    groups = Counter(unit.group for unit in round_.units)
    reports = {
        group: {each.texts["report"] for each in round_.sentences if each.group == group} for group in groups
    }
    assert (len(groups), {*groups.values()}) == (24, {8, 9, 10})
    assert {len(names) for names in reports.values()} == {3, 4, 5}


def test_each_rating_is_wanted_as_often_as_the_others_in_each_genre() -> None:
    (round_,) = read_campaign(FOLDER / "clss-write").rounds
    wanted = Counter((unit.genre, unit.texts["wanted"]) for unit in round_.units)
    assert wanted == {
        (genre, rating): 3 if genre == "idiom" else 10
        for genre in ("news", "travel", "forum", "idiom")
        for rating in "1234"
    }


def test_crowd_rates_15_pairs_of_each_genre_and_level_with_known_gold_over_the_whole_scale() -> None:
    (round_,) = read_campaign(FOLDER / "clss-crowd").rounds
    lines = (FOLDER / "clss-crowd" / "known-gold.tsv").read_text(encoding="utf-8").splitlines()
    known = {key: (float(gold), level) for key, gold, level in (line.split("\t") for line in lines[1:])}
    assert len({(unit.texts["left"], unit.texts["right"]) for unit in round_.units}) == 120
    assert {unit.key: unit.texts["level"] for unit in round_.units} == {
        key: level for key, (_gold, level) in known.items()
    }
    counts = Counter((unit.genre, known[unit.key][1], round(known[unit.key][0])) for unit in round_.units)
    assert counts == {
        (genre, level, rating): 3
        for genre in ("news", "travel", "forum", "idiom")
        for level in ("phrase2word", "sentence2phrase")
        for rating in range(5)
    }
    assert round_.gate == Gate(need=5, within=1, tries=1, feedback=False)
    assert [unit.texts["known"] for unit in round_.calibration_units] == ["4", "3", "2", "1", "0"]
