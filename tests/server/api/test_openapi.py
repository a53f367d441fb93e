"""The description of the API and its routes are the same set, and no made-up request finds a fault."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as strategies_of
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from werkzeug.wsgi import ClosingIterator

from tests.server.players import address_parts, give_token, play
from tests.server.route_cases import CLOSED
from tests.server.world import World

CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)
REPLAYED = "Idempotency-Replayed"
EXAMPLES = 3
"""Made-up requests for each operation and person: visitor, captain, organizer."""


def test_the_document_and_the_routes_are_the_same_set(world: World) -> None:
    told = world.client().get("/api/v1/openapi.json").json
    described = {(path, method.upper()) for path, methods in told["paths"].items() for method in methods}
    routed = {
        (re.sub(r"<(?:\w+(?:\([^)]*\))?:)?(\w+)>", r"{\1}", rule.rule), method)
        for rule in world.app.url_map.iter_rules()
        if rule.rule.startswith("/api/v1/") and rule.endpoint != "api.openapi"
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert described == routed
    ids = [one["operationId"] for methods in told["paths"].values() for one in methods.values()]
    assert len(ids) == len(set(ids))
    text = json.dumps(told)
    assert not re.search(r'nullable|\\\\Z"', text), "neither OpenAPI 3.1 nor ECMA"
    assert all(found.startswith("^") for found in re.findall(r'"pattern": "([^"]*)', text))
    upload = told["paths"]["/api/v1/runs/{run_id}/files/{level}"]["post"]
    assert upload["requestBody"]["required"]
    assert [*upload["responses"]["200"]["headers"], *upload["responses"]["201"]["headers"]] == [REPLAYED] * 2
    me = told["paths"]["/api/v1/me"]["get"]["responses"]
    assert (list(me["200"]["headers"]), "304" in me) == (["ETag"], True)
    change = told["paths"]["/api/v1/tasks/{slug}/phases/{phase}"]["patch"]["requestBody"]
    assert not change["required"]
    rules = told["components"]["schemas"]["PhaseChange"]["properties"]
    assert [rules[name]["enum"][0] for name in ("feedback", "board", "baselines")] == [
        "hidden",
        "released",
        "after",
    ]


def test_tools_that_write_clients_can_read_it(world: World) -> None:
    told = world.client().get("/api/v1/openapi.json").json
    names = [tag["name"] for tag in told["tags"]]
    operations = [one for methods in told["paths"].values() for one in methods.values()]
    assert names == sorted({tag for one in operations for tag in one["tags"]})
    for kinds in types_of(told):
        assert len(kinds) == len(set(kinds))
    asked = [one["token"] for operation in operations for one in operation["security"] if one]
    assert max(len(scopes) for scopes in asked) == 1, "scopes in one list are all needed"
    me = told["paths"]["/api/v1/me"]["get"]["security"]
    assert me == [{"token": [scope]} for scope in ("read", "submit", "organize")]
    assert told["paths"]["/api/v1/tasks/"]["get"]["security"] == [{}, {"token": []}]


def types_of(part: Any) -> Iterator[list[str]]:
    """Each list of types in a schema."""
    if isinstance(part, dict) and isinstance(part.get("type"), list):
        yield part["type"]
    for one in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from types_of(one)


def test_the_codes_of_refusals_are_listed_with_their_words(world: World) -> None:
    anybody = world.client()
    code = anybody.get("/api/v1/openapi.json").json["components"]["schemas"]["Problem"]["properties"]["code"]
    page = anybody.get("/help/api").text
    assert {"phase_shut", "team_not_approved", "too_large", "bad_json"} <= set(code["enum"])
    assert "backup_failed" not in code["enum"]
    assert "- `no_gold` (409): Nothing can be scored" in code["description"]
    assert all(f"<code>{word}</code>" in page for word in code["enum"])
    assert ("`" in page, "<code>scorer verify</code>" in page) == (False, True)


def test_it_is_described_once_a_process(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    described = []
    finish = world.app.spec_callback
    monkeypatch.setattr(world.app, "spec_callback", lambda spec: described.append(1) or finish(spec))
    visitor = world.client()
    pages = [visitor.get(path) for path in ("/api/v1/openapi.json", "/help/api") * 2]
    assert [page.data for page in pages[:2]] == [page.data for page in pages[2:]]
    assert described == [1]


def read_whole(app: WSGIApplication) -> WSGIApplication:
    """The app with its answers closed as a server closes them, which a client of schemathesis does not."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        parts = ClosingIterator(app(environ, start_response))
        try:
            return [b"".join(parts)]
        finally:
            parts.close()

    return answer


def test_no_made_up_request_finds_a_fault(world: World) -> None:
    play(world, CLOSED)
    world.app.config["PROPAGATE_EXCEPTIONS"] = False
    people = [{}, *({"Authorization": f"Bearer {give_token(world, who)}"} for who in ("bo", "ada"))]
    schema = schemathesis.openapi.from_wsgi("/api/v1/openapi.json", read_whole(world.app))
    strategies = [operation.ok().as_strategy() for operation in schema.get_all_operations()]
    there, asked = address_parts(world), 0

    @settings(
        max_examples=EXAMPLES, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @given(data=strategies_of.data())
    def ask(data: strategies_of.DataObject) -> None:
        nonlocal asked
        for strategy in strategies:
            for headers in people:
                case = data.draw(strategy)
                if data.draw(strategies_of.booleans()):
                    case.path_parameters.update(
                        {name: there[name] for name in case.path_parameters if name in there}
                    )
                case.call_and_validate(headers=headers, checks=CHECKS)
                asked += 1

    ask()
    assert asked >= EXAMPLES * len(strategies) * len(people)
