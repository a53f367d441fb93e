import pytest

from tests.server.small_task import GOOD
from tests.server.world import World

pytestmark = pytest.mark.one_database


@pytest.mark.parametrize("person", ["bo", "cy", "ada"])
def test_team_and_organizers_get_the_bytes_that_were_uploaded(world: World, person: str) -> None:
    data = GOOD.replace(b"\n", b"\r\n")
    path = f"/tasks/small/submissions/{world.upload(world.run(), 'p2s', data).id}/file"
    response = world.client(person).get(path)
    assert (response.status_code, response.data) == (200, data)
    assert response.headers["Content-Type"] == "text/tab-separated-values; charset=utf-8"
    assert response.headers["Content-Disposition"] == 'attachment; filename="run.tsv"'


def test_people_outside_the_team_cannot_download_the_file(world: World) -> None:
    path = f"/tasks/small/submissions/{world.upload(world.run(), 'p2s').id}/file"
    response = world.client("dee").get(path)
    assert response.status_code == 404
    assert GOOD not in response.data
