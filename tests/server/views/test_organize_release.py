import pytest

from server.services import releases
from tests.server.conftest import World, words

PREVIEW = "/tasks/small/organize/boards/evaluation"


def test_the_button_publishes_the_board(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada = world.client("ada")
    assert ada.post(f"{PREVIEW}/release").headers["Location"] == PREVIEW
    assert "Release 1 is public now." in words(ada.get(PREVIEW))
    assert "birch one" in words(world.client().get("/tasks/small/boards/evaluation"))


def test_releasing_the_same_again_is_refused_with_a_sentence(world: World) -> None:
    world.upload(world.run(), "p2s")
    ada = world.client("ada")
    for _ in range(2):
        ada.post(f"{PREVIEW}/release")
    page = words(ada.get(PREVIEW))
    assert "Release 1 shows just this board already." in page
    assert len(releases.list_releases(world.session, world.phase())) == 1


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 404), (None, 302)])
def test_others_release_nothing(world: World, person: str | None, status: int) -> None:
    world.upload(world.run(), "p2s")
    assert world.client(person).post(f"{PREVIEW}/release").status_code == status
    assert releases.find_newest(world.session, world.phase()) is None
