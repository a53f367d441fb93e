import pytest

from server.models import Refusal
from tests.server.visitors import words
from tests.server.world import World


@pytest.fixture
def path(world: World) -> str:
    address = f"/tasks/small/runs/{world.run().id}/p2s/upload"
    assert world.client("bo").upload(address, b"1\n2\nn/a\n", "<i>.tsv").status_code == 422
    refusal = world.session.query(Refusal).one()
    return f"/tasks/small/refusals/{refusal.id}"


@pytest.mark.parametrize("person", ["cy", "ada"])
def test_team_and_organizers_read_every_bad_line_later(world: World, path: str, person: str) -> None:
    response = world.client(person).get(path)
    page = words(response)
    assert "Refused with 2 problems" in page
    assert "It was not stored and cost nothing." in page
    assert 'Line 3 Score "n/a" is not a number' in page
    assert "<i>" not in response.text


@pytest.mark.parametrize(("person", "status"), [("dee", 404), (None, 302)])
def test_others_do_not(world: World, path: str, person: str | None, status: int) -> None:
    response = world.client(person).get(path)
    assert response.status_code == status
    assert "n/a" not in response.text
