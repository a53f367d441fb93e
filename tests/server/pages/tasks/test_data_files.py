import pytest

from tests.server.small_task import GOLD
from tests.server.world import OPENS, World

pytestmark = pytest.mark.one_database

TEST_ITEMS = "/tasks/small/data/p2s.test.items.tsv"
TEST_GOLD = "/tasks/small/data/p2s.test.gold.tsv"


def test_anyone_can_download_items_once_the_phase_has_opened(world: World) -> None:
    response = world.client().get(TEST_ITEMS)
    assert response.status_code == 200
    assert response.data.startswith(b"the boat came in before the storm\tthe boat came in\tNews-1\n")
    assert response.headers["Content-Disposition"] == 'attachment; filename="p2s.test.items.tsv"'
    world.set_clock(OPENS.replace(year=2025))
    assert world.client().get(TEST_ITEMS).status_code == 404
    assert world.client("bo").get(TEST_ITEMS).status_code == 404


@pytest.mark.parametrize("person", [None, "dee", "bo"])
def test_hidden_gold_is_not_found(world: World, person: str | None) -> None:
    response = world.client(person).get(TEST_GOLD)
    assert response.status_code == 404
    assert GOLD["p2s"][0] not in response.text


def test_anyone_can_download_public_gold_and_only_organizers_hidden_gold(world: World) -> None:
    assert world.client().get("/tasks/small/data/p2s.trial.gold.tsv").data == b"0\n2\n3\n4\n"
    assert world.client("ada").get(TEST_GOLD).data.split() == [value.encode() for value in GOLD["p2s"]]


def test_other_data_urls_are_not_found(world: World) -> None:
    ada = world.client("ada")
    for name in (
        "p2s.test.senses.tsv",
        "p2s.training.items.tsv",
        "p2s.test.items.csv",
        "..%2f..%2fassay.sqlite",
        "p2s..items.tsv",
    ):
        assert ada.get(f"/tasks/small/data/{name}").status_code == 404, name
