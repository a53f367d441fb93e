from datetime import timedelta

import pytest

from server.core import db
from server.core.dates import format_utc
from server.releases import scheduling as release_scheduling, service as releases
from tests.server.visitors import words
from tests.server.world import AFTER, World

pytestmark = pytest.mark.one_database

PREVIEW = "/tasks/small/organize/boards/evaluation"


def is_public(world: World) -> bool:
    newest = releases.find_newest(world.session, world.phase())
    return newest is not None and newest.withdrawal is None


def test_release_is_withdrawn_and_the_public_sees_the_reason(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    ada = world.client("ada")
    response = ada.post(f"{PREVIEW}/withdraw", {"reason": "Item 3 was mistyped."})
    assert response.headers["Location"] == PREVIEW
    assert "The release was withdrawn. Readers see the reason." in words(ada.get(PREVIEW))
    assert "Item 3 was mistyped." in words(world.client().get("/tasks/small/boards/evaluation"))


def test_scheduled_release_still_happens_after_a_withdrawal_and_the_page_says_so(world: World) -> None:
    world.upload(world.run(), "p2s")
    world.release()
    with db.writing(world.session):
        due_at = AFTER + timedelta(days=400)
        release_scheduling.schedule_release(world.session, world.actor("ada"), world.phase(), due_at, AFTER)
    page = words(world.client("ada").post(f"{PREVIEW}/withdraw", {"reason": "x"}, follow_redirects=True))
    still = f"The release scheduled for {format_utc(due_at)} will still be made and replace your reason."
    assert f"{still} Cancel it on this page if you do not want that." in page
    assert "Cancel the scheduled release" in page.split(still)[1].split("if you do not want that.")[1]


@pytest.mark.parametrize("reason", ["", "  ", "x" * 1001])
def test_withdrawing_needs_a_non_empty_reason(world: World, reason: str) -> None:
    world.release()
    ada = world.client("ada")
    refused = ada.post(f"{PREVIEW}/withdraw", {"reason": reason})
    assert refused.status_code == 422
    assert "Enter a reason" in words(refused) or len(reason) > 1000
    assert is_public(world)


def test_page_says_that_there_is_no_release_to_withdraw(world: World) -> None:
    ada = world.client("ada")
    ada.post(f"{PREVIEW}/withdraw", {"reason": "x"})
    assert "There is no release to withdraw." in words(ada.get(PREVIEW))


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 404), (None, 302)])
def test_only_organizers_can_withdraw_a_release(world: World, person: str | None, status: int) -> None:
    world.release()
    assert world.client(person).post(f"{PREVIEW}/withdraw", {"reason": "x"}).status_code == status
    assert is_public(world)


def test_older_release_can_be_withdrawn_while_the_newest_stays(world: World) -> None:
    world.release()
    world.upload(world.run(), "p2s")
    world.release()
    ada, visitor, board = world.client("ada"), world.client(), "/tasks/small/boards/evaluation"
    assert '<option value="1">Release 1</option>' in ada.get(f"{PREVIEW}/withdraw").text
    for number, word in (
        (1, "The release was withdrawn. Readers see the reason."),
        (1, "is already withdrawn"),
        (7, "There is no release 7"),
    ):
        ada.post(f"{PREVIEW}/withdraw", {"number": str(number), "reason": "a wrong name"})
        assert word in words(ada.get(PREVIEW))
    assert visitor.get(f"{board}/releases/1").status_code == 410
    assert visitor.get(f"{board}/releases/2").status_code == 200
    assert "birch one" in words(visitor.get(board))
