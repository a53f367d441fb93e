import hashlib
import json

import pytest

from tests.server.world import World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/boards/evaluation.json"


def test_the_json_is_the_release_byte_for_byte(world: World) -> None:
    world.upload(world.run(), "p2s")
    release = world.release()
    board, sha256 = release.board.encode(), release.sha256
    world.upload(world.run("two"), "p2s")
    response = world.client().get(PATH)
    assert (response.status_code, response.mimetype) == (200, "application/json")
    assert response.data == board
    assert hashlib.sha256(response.data).hexdigest() == sha256
    assert json.loads(response.data)["schema"] == "assay.board/1"


@pytest.mark.parametrize("person", [None, "bo", "ada"])
def test_board_json_is_not_found_before_a_release_and_after_its_withdrawal(
    world: World, person: str | None
) -> None:
    world.upload(world.run(), "p2s")
    assert world.client(person).get(PATH).status_code == 404
    world.release()
    world.withdraw_release()
    gone = world.client(person).get(PATH)
    assert (gone.status_code, gone.mimetype) == (410, "text/plain")
    assert "a mistake" in gone.text
