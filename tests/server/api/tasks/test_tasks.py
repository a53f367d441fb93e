"""Tasks by the API: lists, one with its rules, files."""

import pytest

from server.access import terms
from server.core import db
from tests.server.programs import Program
from tests.server.world import DURING, World

pytestmark = pytest.mark.one_database


def test_task_is_listed_and_shown_with_all_its_rules(world: World) -> None:
    visitor = world.client()
    listed = visitor.get("/api/v1/tasks/")
    assert [task["slug"] for task in listed.json["items"]] == ["small"]
    task = visitor.get("/api/v1/tasks/small").json
    assert [level["slug"] for level in task["levels"]] == ["p2s", "s2p"]
    again = visitor.get("/api/v1/tasks/", headers={"If-None-Match": listed.headers["ETag"]})
    assert visitor.open("/api/v1/tasks/", method="HEAD").headers["ETag"] == listed.headers["ETag"]
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
def test_rejected_requests_answer_with_a_problem_document(
    world: World, path: str, status: int, code: str
) -> None:
    answer = world.client().get(path)
    assert (answer.status_code, answer.mimetype) == (status, "application/problem+json")
    assert (answer.json["status"], answer.json["code"]) == (status, code)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("seite=2", ["There is no parameter “seite”. Known parameters: page, per_page."]),
        ("page=1&page=2", ["Send it once."]),
        (
            "page=1&x=1&y=",
            [f"There is no parameter “{name}”. Known parameters: page, per_page." for name in "xy"],
        ),
    ],
)
def test_unknown_query_parameter_is_rejected_with_the_known_ones(
    world: World, query: str, said: list[str]
) -> None:
    refused = world.client().get(f"/api/v1/tasks/?{query}")
    assert (refused.status_code, refused.mimetype) == (422, "application/problem+json")
    assert [one["detail"] for one in refused.json["fields"]] == said
    assert {one["in"] for one in refused.json["fields"]} == {"query"}


def test_endpoint_without_query_parameters_rejects_any_parameter(world: World) -> None:
    bo = Program(world, "bo")
    for path, method in (
        ("/tasks/small", "GET"),
        ("/openapi.json", "GET"),
        ("/tasks/small/team/leave", "POST"),
    ):
        refused = bo.open(f"{path}?team=1", method)
        assert (
            "There is no parameter “team”. This address has no parameters."
            in refused.json["fields"][0]["detail"]
        ), path
    assert bo.get("/tasks/small/team/log?team=1").json["fields"][0]["field"] == "team"
    assert bo.get("/tasks/small/team").json["name"] == "birch", "nobody has left"
    assert world.client().get("/help/?page=1").status_code == 200


def test_invalid_token_is_rejected_even_where_none_is_needed(world: World) -> None:
    answer = world.client().get("/api/v1/tasks/", headers={"Authorization": "Bearer assay_none"})
    assert (answer.status_code, answer.json["code"]) == (401, "bad_token")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_items_are_paginated_in_file_order(world: World) -> None:
    first = world.client().get("/api/v1/tasks/small/levels/p2s/items?per_page=3").json
    rest = world.client().get(first["next"]).json
    assert ([len(page["items"]) for page in (first, rest)], first["total"]) == ([3, 1], 4)
    file = world.client().get("/api/v1/tasks/small/files/p2s/test/items").text
    ids = [item["id"] for page in (first, rest) for item in page["items"]]
    assert sorted(ids, key=file.index) == ids
    assert all(item["left"] in file and item["genre"] in item["id"] for item in first["items"])


@pytest.mark.parametrize("path", ["files/p2s/test/items", "levels/p2s/items"])
def test_data_needs_accepted_terms(world: World, path: str) -> None:
    with db.writing(world.session):
        terms.put_terms(world.session, world.actor("ada"), world.task, "For research.", DURING)
    bo, address = Program(world, "bo", "read"), f"/tasks/small/{path}"
    for refused in (world.client().get(f"/api/v1{address}"), bo.get(address)):
        assert (refused.status_code, refused.json["code"]) == (409, "terms_not_accepted")
    with db.writing(world.session):
        version = terms.find_terms(world.session, world.task)
        terms.accept_terms(world.session, world.actor("bo"), world.task, terms.version_hash(version), DURING)
    assert bo.get(address).status_code == 200
