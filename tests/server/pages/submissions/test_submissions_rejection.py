import pytest

from server.submissions.models import Rejection
from tests.server.programs import Program
from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database


@pytest.fixture
def path(world: World) -> str:
    address = f"/tasks/small/runs/{world.run().id}/p2s/upload"
    assert world.client("bo").upload(address, b"1\n2\nn/a\n", "<i>.tsv").status_code == 422
    rejection = world.session.query(Rejection).one()
    return f"/tasks/small/rejections/{rejection.id}"


@pytest.mark.parametrize("person", ["cy", "ada"])
def test_team_and_organizers_can_read_every_bad_line_later(world: World, path: str, person: str) -> None:
    response = world.client(person).get(path)
    page = words(response)
    assert "Rejected with 2 problems" in page
    assert "It was not stored and does not count against your quota." in page
    assert 'Line 3 Score "n/a" is not a number' in page
    assert "<i>" not in response.text


@pytest.mark.parametrize(("person", "status"), [("dee", 404), (None, 302)])
def test_others_cannot_read_a_rejection(world: World, path: str, person: str | None, status: int) -> None:
    response = world.client(person).get(path)
    assert response.status_code == status
    assert "n/a" not in response.text


def test_equal_problems_are_grouped_on_page_and_api_also_later(world: World) -> None:
    bo, run_id = world.client("bo"), world.run().id
    data = b"0,1\n0,2\n0,3\n0,4\n"
    answer = bo.upload(f"/tasks/small/runs/{run_id}/p2s/upload", data, "run.tsv")
    sentence = 'Lines 1, 2, 3, 4 Score "0,1" has a decimal comma; write 0.1.'
    assert "run.tsv has 4 problems." in words(answer)
    assert sentence in words(answer)
    assert '<span class="number" aria-hidden="true">4</span><code>0,4</code>' in answer.text
    rejection = world.session.query(Rejection).one()
    assert sentence in words(bo.get(f"/tasks/small/rejections/{rejection.id}"))
    stored = Program(world, "bo").get(f"/rejections/{rejection.id}").json
    assert (stored["count"], stored["problems"][0]["count"]) == (4, 4)
    assert stored["problems"][0]["others"][0] == {
        "line": 2,
        "message": 'score "0,2" has a decimal comma; write 0.2',
    }
