import pytest

from server.access import tasks
from server.gold.models import GoldVersion
from tests.server.small_task import GOLD
from tests.server.world import World

pytestmark = pytest.mark.one_database


def path(world: World) -> str:
    split = tasks.get_level_split(world.task, "p2s", "test")[1]
    version = world.session.query(GoldVersion).filter_by(split_id=split.id).one()
    return f"/tasks/small/organize/gold/{version.id}.tsv"


def test_organizers_download_each_version(world: World) -> None:
    response = world.client("ada").get(path(world))
    assert response.data.split() == [value.encode() for value in GOLD["p2s"]]
    assert response.headers["Content-Disposition"] == 'attachment; filename="p2s.test.gold.1.tsv"'


@pytest.mark.parametrize(("person", "status"), [("bo", 403), ("dee", 404), (None, 302)])
def test_only_organizers_download_gold_versions(world: World, person: str | None, status: int) -> None:
    response = world.client(person).get(path(world))
    assert response.status_code == status
    assert GOLD["p2s"][0].encode() not in response.data


def test_gold_version_of_another_task_is_not_found(world: World) -> None:
    assert world.client("ada").get("/tasks/small/organize/gold/999.tsv").status_code == 404
