"""Runs in the API: created, changed, withdrawn and restored by their team."""

import pytest

from server.runs.models import Run
from tests.server.programs import Program
from tests.server.world import AFTER, World

pytestmark = pytest.mark.one_database


def test_run_can_be_created_as_on_the_page(world: World) -> None:
    bo, where = Program(world, "bo", "submit"), "/tasks/small/phases/evaluation/runs"
    made = bo.post(where, {"name": " first  run ", "method": "hands"})
    assert made.status_code == 201
    assert (made.json["name"], made.json["method"], made.json["team"]) == ("first run", "hands", "birch")
    taken = bo.post(where, {"name": "first run"})
    assert (taken.status_code, taken.json["code"]) == (409, "name_taken")
    wrong = bo.post(where, {"name": "a/b", "links": "here"})
    assert wrong.status_code == 422
    assert {(one["field"], one["detail"][:9]) for one in wrong.json["fields"]} == {
        ("name", "Remove sl"),
        ("links", "Link 1 is"),
    }
    for given in ({"name": "x", "colour": "red"}, {"name": 3}, ["x"], {}):
        assert bo.post(where, given).status_code == 422
    assert bo.post(where, {"name": "second"}).status_code == 201
    assert bo.post(where, {"name": "third"}).json["code"] == "quota_used"
    assert Program(world, "dee").post(where, {"name": "x"}).status_code == 403


def test_only_fields_that_are_sent_change_a_run(world: World) -> None:
    bo, run = Program(world, "bo"), world.run()
    where = f"/runs/{run.id}"
    bo.post(where, {"method": "hands", "links": "https://example.org/a"}, "PATCH")
    changed = bo.post(where, {"name": "uno", "is_primary": True}, "PATCH").json
    assert (changed["name"], changed["method"], changed["links"]) == ("uno", "hands", "https://example.org/a")
    assert changed["is_primary"] is True
    other = world.run("two").id
    assert bo.post(f"/runs/{other}/move", {"direction": "up"}).status_code == 204
    assert [one["run"]["id"] for one in bo.get("/tasks/small/runs").json["items"]] == [other, run.id]
    world.set_clock(AFTER)
    assert bo.post(f"/runs/{other}/move", {"direction": "down"}).json["code"] == "phase_shut"
    assert bo.post(where, {"name": "due"}, "PATCH").json["code"] == "phase_shut"
    assert bo.post(where, {"method": "feet"}, "PATCH").json["method"] == "feet"
    assert Program(world, "ada").post(where, {"method": "x"}, "PATCH").status_code == 404
    assert world.session.get_one(Run, run.id).name == "uno"


def test_run_can_be_withdrawn_and_restored(world: World) -> None:
    bo, where = Program(world, "bo"), f"/runs/{world.run().id}"
    stored = world.upload(world.run(), "p2s")
    again = f"/submissions/{stored.id}"
    done = [bo.post(f"{where}/{step}") for step in ("withdraw", "withdraw", "restore", "restore")]
    assert [(one.status_code, "Content-Type" in one.headers) for one in done] == [
        (204, False),
        (409, True),
    ] * 2
    got = [bo.post(f"{again}/{step}").status_code for step in ("withdraw", "withdraw", "restore", "restore")]
    assert got == [204, 409, 204, 409]
    world.set_clock(AFTER)
    assert bo.post(f"{again}/withdraw").json["code"] == "phase_shut"
    assert Program(world, "dee").post(f"{again}/withdraw").status_code == 404
