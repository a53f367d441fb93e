"""Boards and releases in the API: the same bytes as the pages, and additional fields."""

import hashlib

import pytest

from tests.server.programs import Program
from tests.server.small_task import variant
from tests.server.world import AFTER, World

pytestmark = pytest.mark.one_database

AT = "/tasks/small/phases/evaluation"


def test_api_returns_the_board_as_published_with_its_files(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    world.set_clock(AFTER)
    anybody = world.client()
    board = anybody.get(f"/api/v1{AT}/board")
    release = anybody.get(f"/api/v1{AT}/releases/1").json
    assert hashlib.sha256(board.data).hexdigest() == release["sha256"]
    assert anybody.get(f"/api/v1{AT}/releases/1/board.json").data == board.data
    pages = "/tasks/small/boards/evaluation/releases/1"
    for ours, theirs in (
        ("/board.tex", ".tex"),
        ("/statement.json", "/release.json"),
        ("/release.bib", ".bib"),
    ):
        assert anybody.get(f"/api/v1{AT}/releases/1{ours}").data == anybody.get(pages + theirs).data
    proof = anybody.get(f"/api/v1{AT}/releases/1/evidence.zip")
    assert (proof.mimetype, release["has_evidence"]) == ("application/zip", True)
    kept = {"If-None-Match": board.headers["ETag"]}
    assert anybody.get(f"/api/v1{AT}/board", headers=kept).status_code == 304
    assert (release["own_name"], Program(world, "bo").get(f"{AT}/releases/1").json["own_name"]) == (
        None,
        "birch",
    )


def test_releases_are_listed_and_withdrawn_ones_answer_gone_with_the_reason(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    world.upload(world.run("two"), "p2s", variant(1))
    world.release()
    assert "two" in world.client().get(f"/api/v1{AT}/releases/2/changes.json").text
    assert world.client().get(f"/api/v1{AT}/releases/2").json["before"] == 1
    world.withdraw_release("wrong gold")
    listed = world.client().get(f"/api/v1{AT}/releases").json["items"]
    assert [(one["number"], one["withdrawn"], one["sha256"] is None) for one in listed] == [
        (2, "wrong gold", True),
        (1, None, False),
    ]
    for what in ("", "/board.json", "/evidence.zip", "/gold/p2s"):
        gone = world.client().get(f"/api/v1{AT}/releases/2{what}")
        assert (gone.status_code, gone.json["code"]) == (410, "withdrawn")
        assert gone.json["detail"].endswith("wrong gold")
    now = world.client().get(f"/api/v1{AT}/board")
    assert (now.status_code, now.json["code"], now.json["detail"]) == (410, "withdrawn", gone.json["detail"])


def test_computed_inference_of_a_release_is_available_once_finished(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    anybody = world.client()
    assert anybody.get(f"/api/v1{AT}/releases/1/inference.json").json["code"] == "not_found"
    world.infer()
    assert anybody.get(f"/api/v1{AT}/releases/1").json["inference"] == "there"
    inferred = anybody.get(f"/api/v1{AT}/releases/1/inference.json").json
    assert [one["team"] for one in inferred["systems"]] == ["birch", "organizers"]
    table = anybody.get(f"/api/v1{AT}/releases/1/genres.tsv").text
    assert table.startswith("kind\tteam\trun\tlevel\tgenre\t")
    assert "levels" in anybody.get(f"/api/v1{AT}/releases/1/genres.json").json
