"""How well people would do: a row of the leaderboard, as late as what reveals more than scores."""

import json
from io import BytesIO
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner, Result
from sqlalchemy import select

from scorer import __version__
from scorer.boards.people import read_people
from scorer.cli.__main__ import cli
from server.access import tasks
from server.core import db
from server.core.errors import Conflict
from server.core.site_resources import Site
from server.corrections import service as gold
from server.gold.models import GoldVersion
from server.gold.versions import find_gold
from server.planning.phase_editing import PhaseEdit, add_phase
from server.releases.creation import ReleaseOptions, release_board
from server.releases.models import Release
from tests.server.annotation.answered import PAGE, add_answered_campaign
from tests.server.round_trip import bring, packed, unpack
from tests.server.visitors import words
from tests.server.world import AFTER, CLOSES, DURING, LATE, OPENS, World

BOARD = "/tasks/small/boards/evaluation"
PHASE = "/tasks/small/phases/evaluation"
VALUE = 0.8153246
MAE = {"metric": "mae", "value": 1, "units": 4, "signature": "human-mae|n:4"}


def play(world: World) -> None:
    world.add_human_ceiling(VALUE)
    world.upload(world.run(), "p2s")


def download(world: World, number: int) -> dict[str, str]:
    """The leaderboard of a release in each format but JSON, whose bytes are signed; the API has the same."""
    found = {}
    for ending in ("csv", "md", "tex", "tsv", "txt"):
        answer = world.client().get(f"{BOARD}/releases/{number}.{ending}")
        sent = world.client().get(f"/api/v1{PHASE}/releases/{number}/board.{ending}")
        assert (answer.status_code, answer.data) == (200, sent.data)
        found[ending] = answer.text
    return found


def sent_people(world: World, number: int) -> list[dict[str, object]]:
    """How well people would do, as the API sends it with a release."""
    people: list[dict[str, object]] = world.client().get(f"/api/v1{PHASE}/releases/{number}").json["people"]
    return people


def test_people_are_a_row_without_rank_once_no_file_can_come(world: World) -> None:
    play(world)
    world.set_clock(AFTER)
    assert read_people(world.release(DURING).rules) is None
    assert read_people(world.release(LATE).rules) is None  # baselines show, but late files come
    assert "annotators" not in words(world.client().get(BOARD))
    for number in (1, 2):
        assert not any("people" in text.lower() for text in download(world, number).values())
        assert sent_people(world, number) == []
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
    assert {ending: text.count("12 annotators") for ending, text in download(world, 3).items()} == {
        "csv": 1, "md": 1, "tex": 2, "tsv": 1, "txt": 1,
    }  # fmt: skip
    assert sent_people(world, 3) == [
        {
            "level": "p2s",
            "metric": "pearson",
            "value": VALUE,
            "annotators": 12,
            "units": 4,
            "signature": f"human-pearson|n:4|annotators:12|v:{__version__}",
        }
    ]


def test_number_of_annotators_is_that_of_the_values_beside_it() -> None:
    levels = [
        {"slug": slug, "gold": {"human_ceiling": [{**MAE, "annotators": count}]}}
        for slug, count in (("p2s", 12), ("s2p", 13))
    ]
    row = read_people({"levels": [*levels, {"slug": "w2s", "gold": None}]})
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
    assert read_people(world.release().rules) is None


def test_gold_that_is_published_with_the_release_hides_nothing(world: World) -> None:
    play(world)
    with db.writing(world.session):
        world.phase().closes = None
    assert read_people(world.release(AFTER).rules) is None
    ceiling = read_people(world.release(AFTER, opens_gold=True).rules)
    assert ceiling is not None
    assert {key: score.value for key, score in ceiling.scores.items()} == {("p2s", "pearson"): VALUE}


def test_rescored_gold_keeps_it_and_other_gold_has_none(world: World) -> None:
    play(world)
    _, split = tasks.get_level_split(world.task, "p2s", "test")
    version = find_gold(world.session, split)
    assert version is not None
    with db.writing(world.session):
        version.scorer = "0.0.1"
    prepared = gold.prepare_rescoring(world.session, world.actor("ada"), version)
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


def unpack_evidence(world: World, board: str, folder: Path) -> Path:
    """The evidence of the first release of a phase, in a folder of its own."""
    with ZipFile(BytesIO(world.client().get(f"{board}/releases/1/evidence.zip").data)) as zipped:
        zipped.extractall(folder / "evidence")
    (unpacked,) = (folder / "evidence").iterdir()
    return unpacked


def test_evidence_claims_it(world: World, tmp_path: Path) -> None:
    play(world)
    rules = world.release().rules
    folder = unpack_evidence(world, BOARD, tmp_path)
    assert "also has the human ceiling" in (folder / "README.md").read_text()
    found = CliRunner().invoke(cli, ["verify", str(folder)])
    assert found.exit_code == 0, found.stdout
    said = f"people would reach pearson {VALUE} at p2s (12 annotators, 4 items)."
    assert f"claimed: According to rules.json, {said}" in found.stdout
    assert json.loads((folder / "rules.json").read_text()) == rules


def test_ratings_of_export_and_data_set_prove_it_and_changed_ones_do_not(
    world: World, tmp_path: Path
) -> None:
    add_answered_campaign(world)
    ada = world.client("ada")
    assert ada.post(f"{PAGE}/gold").status_code == 302
    edit = PhaseEdit("Later", OPENS, CLOSES, 0, 1, None, None, "hidden")
    with db.writing(world.session):
        add_phase(world.session, world.actor("ada"), world.task, "later", "training", edit, OPENS)
    world.upload(world.run(phase="later"), "s2p")
    with db.writing(world.session):
        release_board(world.session, world.actor("ada"), world.phase("later"), AFTER, ReleaseOptions())
    world.set_clock(AFTER)
    folder = unpack_evidence(world, "/tasks/small/boards/later", tmp_path)
    with ZipFile(BytesIO(ada.get(f"{PAGE}/export.zip").data)) as zipped:
        zipped.extractall(tmp_path / "export")
    (export,), data_set = (tmp_path / "export").iterdir(), tmp_path / "data-set"
    made = CliRunner().invoke(cli, ["dataset", str(export), "--out", str(data_set), "--at-least", "2"])
    assert made.exit_code == 0, made.output
    ratings, file = (export / "ratings.csv").read_text(), tmp_path / "ratings.csv"

    def verify(text: str) -> Result:
        file.write_text(text)
        return CliRunner().invoke(cli, ["verify", str(folder), "--ratings", f"s2p={file}"])

    published = (data_set / "test-ratings.tsv").read_text()
    assert "A001" not in published
    for text in (ratings, published):
        found = verify(text)
        assert found.exit_code == 0, found.stdout
        assert f"proved: The human ceiling at s2p was recomputed from {file}: pearson 0." in found.stdout
        assert "(3 annotators, 4 items). It is the same as in rules.json." in found.stdout
        assert "people would reach" not in found.stdout
    assert ratings.count("Forum-1,A001,2.5") == 1
    found = verify(ratings.replace("Forum-1,A001,2.5", "Forum-1,A001,0.5"))
    assert (found.exit_code, "FAILED: The human ceiling at s2p" in found.stdout) == (1, True)
