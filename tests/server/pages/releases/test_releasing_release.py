from datetime import timedelta

import pytest

from server.releases import service as releases
from tests.server.visitors import words
from tests.server.world import AFTER, DURING, World

pytestmark = pytest.mark.one_database

PREVIEW = "/tasks/small/organize/boards/evaluation"


def test_release_button_publishes_the_board(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada = world.client("ada")
    assert ada.post(f"{PREVIEW}/release", {"sure": "y"}).headers["Location"] == PREVIEW
    assert "Release 1 is now public." in words(ada.get(PREVIEW))
    assert "birch one" in words(world.client().get("/tasks/small/boards/evaluation"))


def test_releasing_an_unchanged_board_is_rejected_with_a_message(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada = world.client("ada")
    for _ in range(2):
        ada.post(f"{PREVIEW}/release", {"sure": "y"})
    page = words(ada.get(PREVIEW))
    assert "Release 1 already shows this leaderboard." in page
    assert len(releases.list_releases(world.session, world.phase())) == 1


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 404), (None, 302)])
def test_only_organizers_can_release(world: World, person: str | None, status: int) -> None:
    world.upload(world.run(), "p2s")
    assert world.client(person).post(f"{PREVIEW}/release").status_code == status
    assert releases.find_newest(world.session, world.phase()) is None


def test_release_can_be_scheduled_and_cancelled_and_its_failure_is_shown(world: World) -> None:
    ada, form = world.client("ada"), {"when": "at", "at": "2026-03-20 09:00", "names": "anonymous"}
    missing = ada.post(f"{PREVIEW}/release", {"when": "at"})
    assert (missing.status_code, "Enter a time, or release now." in words(missing)) == (422, True)
    past = ada.post(f"{PREVIEW}/release", {**form, "at": "2026-03-01 09:00"})
    assert (past.status_code, "is in the past. Choose a time in the future" in words(past)) == (422, True)
    long = ada.post(f"{PREVIEW}/release", {**form, "note": "x" * 1001})
    assert (long.status_code, "Use at most 1000 characters." in words(long)) == (422, True)
    ada.post(f"{PREVIEW}/release", {**form, "note": " Item 3\r\nwas mended. "})
    page = words(ada.get(PREVIEW))
    assert "Note to readers: Item 3 was mended." in page
    planned = "An anonymous release is scheduled for 20 Mar 2026, 09:00 UTC (19 Mar, 21:00 AoE)."
    assert planned in page
    assert "next release scheduled 20 Mar 2026, 09:00" in words(ada.get("/tasks/small/organize/"))
    world.give_role("dee", "observer")
    seen = words(world.client("dee").get(PREVIEW))
    assert (planned in seen, "Cancel the scheduled release" in seen) == (True, False)
    ada.post(f"{PREVIEW}/cancel")
    assert "The scheduled release was cancelled." in words(ada.get(PREVIEW))
    world.upload(world.run(), "p2s")
    world.release(DURING)
    ada.post(f"{PREVIEW}/release", {**form, "names": "named", "at": "2026-03-11 09:00", "sure": "y"})
    world.work(DURING + timedelta(days=1))
    for address in (PREVIEW, "/tasks/small/organize/"):
        said = words(ada.get(address))
        assert "failed. Release 1 already shows this leaderboard." in said


def test_button_reveals_the_team_names_of_a_release(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada, board = world.client("ada"), "/tasks/small/boards/evaluation"
    ada.post(f"{PREVIEW}/release", {"names": "anonymous", "sure": "y"})
    assert "Release 1 of Evaluation is anonymous. Reveal names" in words(ada.get("/tasks/small/organize/"))
    assert "Team A run 1" in words(world.client().get(board))
    ada.post(f"{PREVIEW}/name")
    assert "birch one" in words(world.client().get(board))
    assert "release 1 shows the names" in words(ada.get(PREVIEW))
    ada.post(f"{PREVIEW}/release", {"names": "anonymous", "sure": "y"})
    assert "an anonymous release would hide nothing" in words(ada.get(PREVIEW))


def test_gold_is_published_with_the_release_and_pages_say_since_when(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada = world.client("ada")
    ada.post(f"{PREVIEW}/release", {"opens_gold": "y", "sure": "y"})
    assert "Submissions on the test items are accepted until 18 Mar 2026, 12:00 UTC" in words(
        ada.get(PREVIEW)
    )
    world.set_clock(AFTER)
    page = words(ada.get(PREVIEW))
    assert "Add a post-evaluation phase" not in page
    ada.post(f"{PREVIEW}/release", {"opens_gold": "y", "sure": "y"})
    page = words(ada.get(PREVIEW))
    assert "The gold standard of the test items is public." in page
    asked = words(ada.get(f"{PREVIEW}/withdraw"))
    assert "A gold standard that was made public with the release stays public." in asked
    task = words(world.client().get("/tasks/small/"))
    assert "The gold standard of these items has been public since 19 Mar 2026, 16:00" in task
