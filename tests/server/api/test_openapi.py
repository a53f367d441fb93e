"""The description of the API and its routes are the same set, and no made-up request finds a fault."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings, strategies as strategies_of
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from werkzeug.wsgi import ClosingIterator

from scorer.files.problem_codes import PROBLEM_CODES
from server.web.rest import openapi
from server.web.rest.field_descriptions import FIELD_DESCRIPTIONS, PATH_DESCRIPTIONS
from tests.server.players import address_parts, give_token, play
from tests.server.programs import Program
from tests.server.route_cases import CLOSED
from tests.server.world import World

pytestmark = pytest.mark.one_database

CHECKS = (not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance)
REPLAYED = "Idempotency-Replayed"
EXAMPLES = 2
"""Made-up requests for each operation and person: visitor, captain, organizer."""


def test_document_describes_exactly_the_routes(world: World) -> None:
    document = world.client().get("/api/v1/openapi.json").json
    described = {(path, method.upper()) for path, methods in document["paths"].items() for method in methods}
    routed = {
        (re.sub(r"<(?:\w+(?:\([^)]*\))?:)?(\w+)>", r"{\1}", rule.rule), method)
        for rule in world.app.url_map.iter_rules()
        if rule.rule.startswith("/api/v1/") and rule.endpoint != "api_openapi.openapi"
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}
    }
    assert described == routed
    ids = [one["operationId"] for methods in document["paths"].values() for one in methods.values()]
    assert len(ids) == len(set(ids))
    text = json.dumps(document)
    assert not re.search(r'nullable|\\\\Z"', text), "neither OpenAPI 3.1 nor ECMA"
    assert all(found.startswith("^") for found in re.findall(r'"pattern": "([^"]*)', text))
    upload = document["paths"]["/api/v1/runs/{run_id}/files/{level}"]["post"]
    assert upload["requestBody"]["required"]
    assert [*upload["responses"]["200"]["headers"], *upload["responses"]["201"]["headers"]] == [REPLAYED] * 2
    me = document["paths"]["/api/v1/me"]["get"]["responses"]
    assert (list(me["200"]["headers"]), "304" in me) == (["ETag"], True)
    change = document["paths"]["/api/v1/tasks/{slug}/phases/{phase}"]["patch"]["requestBody"]
    assert not change["required"]
    rules = document["components"]["schemas"]["PhaseChange"]["properties"]
    assert [rules[name]["enum"][0] for name in ("feedback", "board", "baselines")] == [
        "hidden",
        "released",
        "after",
    ]


def test_document_is_readable_by_client_generators(world: World) -> None:
    document = world.client().get("/api/v1/openapi.json").json
    names = [tag["name"] for tag in document["tags"]]
    operations = [one for methods in document["paths"].values() for one in methods.values()]
    assert names == sorted({tag for one in operations for tag in one["tags"]})
    for kinds in types_of(document):
        assert len(kinds) == len(set(kinds))
    asked = [one["token"] for operation in operations for one in operation["security"] if one]
    assert max(len(scopes) for scopes in asked) == 1, "scopes in one list are all needed"
    me = document["paths"]["/api/v1/me"]["get"]["security"]
    assert me == [{"token": [scope]} for scope in ("read", "submit", "organize")]
    assert document["paths"]["/api/v1/tasks/"]["get"]["security"] == [{}, {"token": []}]


def types_of(part: Any) -> Iterator[list[str]]:
    """Each list of types in a schema."""
    if isinstance(part, dict) and isinstance(part.get("type"), list):
        yield part["type"]
    for one in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        yield from types_of(one)


def test_problem_codes_of_rejected_requests_are_listed_with_descriptions(world: World) -> None:
    anybody = world.client()
    code = anybody.get("/api/v1/openapi.json").json["components"]["schemas"]["Problem"]["properties"]["code"]
    page = anybody.get("/help/api").text
    assert {"phase_shut", "team_not_approved", "too_large", "bad_json"} <= set(code["enum"])
    assert "backup_failed" not in code["enum"]
    assert "- `no_gold` (409): The file cannot be scored" in code["description"]
    assert all(f"<code>{word}</code>" in page for word in code["enum"])
    assert ("`" in page, "<code>scorer verify</code>" in page) == (False, True)


def test_problem_codes_of_bad_lines_are_listed_with_descriptions(world: World) -> None:
    response, page = (world.client().get(path) for path in ("/api/v1/openapi.json", "/help/api"))
    shapes = response.json["components"]["schemas"]
    lines = shapes["Problem"]["properties"]["problems"]["items"], shapes["ProblemSchema"]
    for code, words in PROBLEM_CODES.items():
        assert all(f"- `{code}`: {words}" in one["properties"]["code"]["description"] for one in lines)
        assert f"<dt><code>{code}</code></dt>" in page.text


def test_api_page_has_contents_and_each_endpoint_with_its_fields(world: World) -> None:
    response, page = (world.client().get(path) for path in ("/api/v1/openapi.json", "/help/api"))
    contents, _nav, rest = page.text.partition("</nav>\n<h2")
    linked = re.findall(r'<li><a href="#([^"]+)">', contents)
    assert {f"tag-{tag['name'].lower().replace(' ', '-')}" for tag in response.json["tags"]} < {*linked}
    assert [anchor for anchor in linked if len(re.findall(f'id="{anchor}"', rest)) != 1] == []
    calls = re.findall(r'<h3><strong class="tag">(\w+)</strong> <code>([^<]+)</code></h3>', rest)
    operations = [
        (method.upper(), path) for path, methods in response.json["paths"].items() for method in methods
    ]
    assert sorted(calls) == sorted(operations)
    (created,) = re.findall(r"(?s)<code>/api/v1/tasks/{slug}/phases</code>.*?</section>", rest)
    for shape in (
        "(text of 200 characters at most; required)",
        "(a time, or null)",
        "(a whole number from 0 to 8784)",
        "(one of <code>released</code>, <code>live</code>)",
        "(a list: a whole number from 1 to 720)",
        "(a number from 0.0001 to 1, or null)",
        "(true or false)",
        "&#34;slug&#34;: &#34;post-evaluation&#34;",
        "Scope: organize.",
    ):
        assert shape in created
    assert 'The number of rows per page. <span class="muted">(a whole number from 1 to 100)' in rest


@pytest.mark.own_site
def test_document_is_generated_once_per_process(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    described = []
    finish = world.app.spec_callback
    monkeypatch.setattr(world.app, "spec_callback", lambda spec: described.append(1) or finish(spec))
    visitor = world.client()
    pages = [visitor.get(path) for path in ("/api/v1/openapi.json", "/help/api") * 2]
    assert [page.data for page in pages[:2]] == [page.data for page in pages[2:]]
    assert described == [1]


PEOPLE = (("bo", "read", "submit"), ("ada", "organize"), ("dee", "submit"))
NEED_MORE = {
    "AcceptSchema", "JoinSchema", "ListedItemsSchema", "PublicItemsSchema", "RenameSchema", "StateChange",
    "SureSchema",
}  # fmt: skip
"""Bodies that name what only the task or a captain can give (terms, a link), come before any file, or are of
drafts."""


def read_whole(app: WSGIApplication) -> WSGIApplication:
    """The app with its answers closed as a server closes them, which a client of schemathesis does not."""

    def answer(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        parts = ClosingIterator(app(environ, start_response))
        try:
            return [b"".join(parts)]
        finally:
            parts.close()

    return answer


@pytest.mark.slow
def test_no_generated_request_causes_a_server_error(world: World) -> None:
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


def fields_of(part: Any, where: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Each field of each schema, with its place."""
    if isinstance(part, dict):
        for name, field in part.get("properties", {}).items():
            yield f"{where}/{name}", field
    inner = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for name, one in inner:
        yield from fields_of(one, f"{where}/{name}")


def test_each_parameter_and_field_has_a_description(world: World) -> None:
    document = world.client().get("/api/v1/openapi.json").json
    fields = [*fields_of(document["components"]["schemas"])]
    for path, operations in document["paths"].items():
        for operation in operations.values():
            fields += [(f"{path} {one['name']}", one) for one in operation.get("parameters", ())]
    fields += document["components"]["schemas"].items()
    assert len(fields) > 600
    unsaid = [
        where for where, one in fields if not re.fullmatch(r"(?s)[^\s].*[.:`]", one.get("description", ""))
    ]
    assert unsaid == []


def test_no_description_is_unused(world: World) -> None:
    document = world.client().get("/api/v1/openapi.json").json
    parameters = [
        one
        for operations in document["paths"].values()
        for operation in operations.values()
        for one in operation.get("parameters", ())
    ]
    fields = [one for _where, one in fields_of(document["components"]["schemas"])]
    said = {one["description"] for one in (*fields, *parameters)}
    assert [name for name, words in FIELD_DESCRIPTIONS.items() if words not in said] == []
    asked = {one["name"]: one["description"] for one in parameters if one["in"] == "path"}
    assert {name: asked.get(name) for name in PATH_DESCRIPTIONS} == PATH_DESCRIPTIONS


def leaves_of(schema: dict[str, Any], where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Each value of a body, those of lists too."""
    for name, field in schema["properties"].items():
        yield f"{where}/{name}", field
        if "items" in field:
            yield f"{where}/{name}/items", field["items"]


BOUNDS = {"string": {"maxLength", "enum", "format", "pattern"}, "integer": {"maximum"}, "number": {"maximum"}}


def test_each_body_field_documents_its_bounds(world: World) -> None:
    document = world.client().get("/api/v1/openapi.json").json
    bodies = {
        kind["schema"]["$ref"].rpartition("/")[2]
        for operations in document["paths"].values()
        for operation in operations.values()
        for kind in operation.get("requestBody", {}).get("content", {}).values()
    }
    assert len(bodies) > 15
    for body in bodies:
        for where, field in leaves_of(document["components"]["schemas"][body], body):
            kinds = field["type"] if isinstance(field["type"], list) else [field["type"]]
            assert all(BOUNDS[kind] & {*field} for kind in kinds if kind in BOUNDS), where


def test_each_json_body_has_an_accepted_example(world: World) -> None:
    play(world, CLOSED)
    document = world.client().get("/api/v1/openapi.json").json
    shown = {
        name: one["examples"] for name, one in document["components"]["schemas"].items() if "examples" in one
    }
    assert shown == {name: [{**one}] for name, one in openapi.EXAMPLES.items()}
    programs = [Program(world, who, *scopes) for who, *scopes in PEOPLE]
    parts, sent = {**address_parts(world), "number": 1, "user_id": world.user("observer").id}, {}
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            if body is None:
                continue
            name = body["schema"]["$ref"].rpartition("/")[2]
            where = path.removeprefix("/api/v1").format(**parts)
            answers = [one.post(where, openapi.EXAMPLES[name], method.upper()) for one in programs]
            assert not {400, 415, 422} & {answer.status_code for answer in answers}, (path, answers[0].text)
            if any(answer.status_code < 300 for answer in answers):
                sent.setdefault(name, []).append(path)
    assert {*openapi.EXAMPLES} - {*sent} == NEED_MORE


@pytest.mark.parametrize(
    ("body", "where", "method", "name"),
    [
        ("RunChangeSchema", "/runs/{run}", "PATCH", "method"),
        ("RunChangeSchema", "/runs/{run}", "PATCH", "name"),
        ("TeamChange", "/tasks/small/team", "PATCH", "affiliations"),
        ("NewRelease", "/tasks/small/phases/evaluation/releases", "POST", "note"),
        ("PublicItemsSchema", "/tasks/small/phases/evaluation/public-items", "POST", "seed"),
        ("PhaseChange", "/tasks/small/phases/evaluation", "PATCH", "grace_hours"),
        ("PhaseChange", "/tasks/small/phases/evaluation", "PATCH", "reminders"),
    ],
)
def test_documented_bounds_are_enforced(world: World, body: str, where: str, method: str, name: str) -> None:
    schema = world.client().get("/api/v1/openapi.json").json["components"]["schemas"][body]
    field, person = schema["properties"][name], Program(world, "ada" if "phases" in where else "bo")
    most = field.get("maxLength", field.get("maximum", field.get("maxItems")))
    for size, refused in ((most, False), (most + 1, True)):
        value = "x" * size if "maxLength" in field else size if "maximum" in field else [*range(1, size + 1)]
        given = {"percent": 50, "sure": True, name: value} if method == "POST" else {name: value}
        given = {one: given[one] for one in given if one in schema["properties"]}
        answer = person.post(where.format(run=world.run().id), given, method)
        assert (answer.status_code == 422) is refused, answer.json
        assert not refused or [one["field"] for one in answer.json["fields"]] == [name]
