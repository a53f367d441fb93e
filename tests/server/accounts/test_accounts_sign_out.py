import pytest

from tests.server.visitors import words
from tests.server.world import World

pytestmark = pytest.mark.one_database


def test_signing_out_ends_the_session(world: World) -> None:
    bo = world.client("bo")
    assert bo.get("/tasks/small/team/").status_code == 200
    assert bo.post("/sign-out").status_code == 302
    assert bo.get("/tasks/small/team/").status_code == 302
    assert "Sign in" in words(bo.get("/"))


def test_get_request_does_not_sign_out(world: World) -> None:
    bo = world.client("bo")
    assert bo.get("/sign-out").status_code == 405
    assert bo.get("/tasks/small/team/").status_code == 200
