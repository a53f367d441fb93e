"""How well people would do: a row of the leaderboard, as late as what reveals more than scores."""

import json
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from scorer.cli.__main__ import cli
from server.access import tasks
from server.core import db
from server.core.errors import Conflict
from server.core.site_resources import Site
from server.corrections import service as gold
from server.gold.models import GoldVersion
from server.gold.versions import find_gold
from server.releases.models import Release
from server.releases.rules import find_human_ceiling
from tests.server.round_trip import bring, packed, unpack
from tests.server.visitors import words
from tests.server.world import AFTER, DURING, LATE, World

BOARD = "/tasks/small/boards/evaluation"
VALUE = 0.8153246


def play(world: World) -> None:
    world.add_human_ceiling(VALUE)
    world.upload(world.run(), "p2s")


def test_people_are_a_row_without_rank_once_no_file_can_come(world: World) -> None:
    play(world)
    world.set_clock(AFTER)
    assert find_human_ceiling(world.release(DURING).rules) is None
    assert find_human_ceiling(world.release(LATE).rules) is None  # baselines show, but late files come
    assert "annotators" not in words(world.client().get(BOARD))
    release = world.release(AFTER)  # of the same leaderboard, which shows more now
    assert [
        level["gold"].get("human_ceiling", [{}])[0].get("value") for level in release.rules["levels"]
    ] == [
        VALUE,
        None,
    ]
    with pytest.raises(Conflict, match="already shows this leaderboard"):
        world.release(AFTER)
    for page in (BOARD, f"{BOARD}/releases/3", f"{BOARD}?level=p2s"):
        shown = words(world.client().get(page))
        assert "People (12 annotators) 0.815" in shown
        assert "the ratings of each annotator of the gold standard" in shown
    assert "annotators" not in words(world.client().get(f"{BOARD}?level=s2p"))
    assert "annotators" not in words(world.client().get(f"{BOARD}?q=birch"))
    assert str(VALUE) not in world.client().get(f"{BOARD}.json").text


def test_number_of_annotators_is_that_of_the_values_beside_it() -> None:
    levels = [
        {"slug": slug, "gold": {"human_ceiling": [{"metric": "mae", "value": 1, "annotators": count}]}}
        for slug, count in (("p2s", 12), ("s2p", 13))
    ]
    row = find_human_ceiling({"levels": [*levels, {"slug": "w2s", "gold": None}]})
    assert row is not None
    both = ("p2s", "mae"), ("s2p", "mae"), ("w2s", "mae")
    assert (row.count_annotators(both), row.count_annotators(both[:1])) == ((12, 13), (12, 12))


def test_only_the_metrics_of_the_level_are_shown(world: World) -> None:
    play(world)
    (score,) = world.release().rules["levels"][0]["gold"]["human_ceiling"]
    assert score["metric"] == "pearson"


def test_board_of_some_of_the_items_has_no_human_ceiling_of_all(world: World) -> None:
    play(world)
    with db.writing(world.session):
        world.phase().feedback = "public-part"
    assert find_human_ceiling(world.release().rules) is None


def test_gold_that_is_published_with_the_release_hides_nothing(world: World) -> None:
    play(world)
    with db.writing(world.session):
        world.phase().closes = None
    assert find_human_ceiling(world.release(AFTER).rules) is None
    ceiling = find_human_ceiling(world.release(AFTER, opens_gold=True).rules)
    assert ceiling is not None
    assert ceiling.scores == {("p2s", "pearson"): VALUE}


def test_rescored_gold_keeps_it_and_other_gold_has_none(world: World) -> None:
    play(world)
    _, split = tasks.get_level_split(world.task, "p2s", "test")
    version = find_gold(world.session, split)
    assert version is not None
    with db.writing(world.session):
        version.scorer = "0.0.1"
    prepared = gold.prepare_rescoring(world.session, world.storage, world.actor("ada"), version)
    assert prepared.human_ceiling == version.human_ceiling
    assert world.fix_gold("p2s", b"3\n2\n1\n0\n").human_ceiling is None


def test_import_keeps_it(world: World, second_site: Site, tmp_path: Path) -> None:
    play(world)
    rules = world.release().rules
    bring(second_site, unpack(packed(world.site), tmp_path / "exported"))
    session = second_site.session()
    (release,) = session.scalars(select(Release))
    assert release.rules == rules
    (ceiling,) = session.scalars(
        select(GoldVersion.human_ceiling).where(GoldVersion.human_ceiling.is_not(None))
    )
    assert [score["value"] for score in ceiling] == [VALUE, VALUE]


def test_evidence_claims_it(world: World, tmp_path: Path) -> None:
    play(world)
    rules = world.release().rules
    with ZipFile(BytesIO(world.client().get(f"{BOARD}/releases/1/evidence.zip").data)) as zipped:
        zipped.extractall(tmp_path)
    (folder,) = tmp_path.iterdir()
    assert "also has the human ceiling" in (folder / "README.md").read_text()
    found = CliRunner().invoke(cli, ["verify", str(folder)])
    assert found.exit_code == 0, found.stdout
    said = f"people would reach pearson {VALUE} at p2s (12 annotators)."
    assert f"claimed: According to rules.json, {said}" in found.stdout
    assert json.loads((folder / "rules.json").read_text()) == rules
