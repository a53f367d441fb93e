"""Tasks by the API: lists, one with its rules, files."""

import pytest

from tests.server.world import World


def test_a_task_is_listed_and_read_with_all_its_rules(world: World) -> None:
    visitor = world.client()
    listed = visitor.get("/api/v1/tasks/")
    assert [task["slug"] for task in listed.json["items"]] == ["small"]
    task = visitor.get("/api/v1/tasks/small").json
    assert [level["slug"] for level in task["levels"]] == ["p2s", "s2p"]
    again = visitor.get("/api/v1/tasks/", headers={"If-None-Match": listed.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/api/v1/tasks/none", 404, "not_found"),
        ("/api/v1/nothing", 404, "not_found"),
        ("/api/v1/tasks/?page=x", 422, "unprocessable_entity"),
        ("/api/v1/tasks/small/files/p2s/test/gold", 404, "not_found"),
    ],
)
def test_what_is_refused_is_a_problem(world: World, path: str, status: int, code: str) -> None:
    answer = world.client().get(path)
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json")
    assert (answer.json["status"], answer.json["code"]) == (status, code)


def test_a_token_that_is_not_in_use_is_refused_where_none_is_needed(world: World) -> None:
    answer = world.client().get("/api/v1/tasks/", headers={"Authorization": "Bearer assay_none"})
    assert (answer.status_code, answer.json["code"]) == (401, "bad_token")
    assert answer.headers["WWW-Authenticate"] == "Bearer"
