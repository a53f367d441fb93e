import json

import pytest

from server.core import db
from tests.server.visitors import words
from tests.server.world import AFTER, World

pytestmark = pytest.mark.one_database

PATH = "/tasks/small/organize/boards/evaluation"


def test_preview_shows_the_board_as_it_would_be_released(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada = world.client("ada")
    page = words(ada.get(PATH))
    assert "No results have been released. Below is the leaderboard as it would be released now." in page
    assert "birch one" in page
    assert "Evaluation is still open. A release now would show scores that this phase hides" in page
    files = "Everyone, including teams that still submit, could then download the counting submissions."
    assert files not in page
    with db.writing(world.session):
        world.phase().runs_public = True
    assert f"while teams can still submit. {files}" in words(ada.get(PATH))
    world.set_clock(AFTER)
    assert "still takes" not in words(ada.get(PATH))


def test_preview_json_equals_the_release(world: World) -> None:
    world.upload(world.run(), "p2s")
    preview = world.client("ada").get(f"{PATH}.json")
    assert preview.mimetype == "application/json"
    assert preview.data == world.release().board.encode()
    assert json.loads(preview.data)["official"][0]["run"] == "one"


def test_only_people_with_a_role_see_the_preview(world: World) -> None:
    world.upload(world.run(), "p2s")
    for person, status in (("bo", 403), ("dee", 404), (None, 302)):
        visitor = world.client(person)
        for suffix in ("", ".json"):
            response = visitor.get(PATH + suffix)
            assert response.status_code == status, (person, suffix)
            assert "birch one" not in words(response), (person, suffix)
