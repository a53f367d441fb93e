"""The API as `openapi.json` describes it.

Made once a process from the views, with tokens, examples, errors, bodies and headers added.
"""

import re
from collections.abc import Callable, Mapping
from copy import deepcopy
from inspect import getdoc
from typing import Any

from apiflask import Schema
from flask import current_app, json, request

from server.core.errors import list_codes
from server.web.rest.field_descriptions import FIELD_DESCRIPTIONS, PATH_DESCRIPTIONS


def openapi_spec() -> dict[str, Any]:
    """The description, to be read and not changed."""
    described: dict[str, Any] = _compute_once("openapi", lambda: current_app.spec)  # type: ignore[attr-defined]  # an APIFlask
    return described


def openapi_text() -> str:
    """The same as a document."""
    text: str = _compute_once("openapi.json", lambda: json.dumps(openapi_spec(), indent=1))
    return text


def _compute_once(name: str, make: Callable[[], Any]) -> Any:
    cache = current_app.extensions
    if name not in cache:
        cache[name] = make()
    return cache[name]


EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "AcceptSchema": {"sha256": 64 * "0"},
    "ExportSchema": {"people": "ids"},
    "ExtensionSchema": {"closes": "2027-03-16T12:00:00Z", "reason": "The site was down.", "team": None},
    "JoinSchema": {"token": "the-last-part-of-the-link"},
    "MoveSchema": {"direction": "up"},
    "NewAnnouncement": {"title": "The data is out", "text": "You find it on the *page* of the task."},
    "NewPhase": {
        "slug": "post-evaluation",
        "title": "Post-evaluation",
        "split": "test",
        "opens": "2027-04-01T09:00:00Z",
        "feedback": "hidden",
        "files_per_day": 5,
    },
    "NewRelease": {"note": "The final board.", "anonymous": False, "sure": True},
    "NewRunSchema": {
        "name": "encoder",
        "description": "A cross-encoder.",
        "links": "https://example.org/code",
    },
    "NewTeamSchema": {"name": "rowan"},
    "PhaseChange": {"closes": "2027-03-15T12:00:00Z", "grace_hours": 72, "reminders": [72, 24]},
    "PublicItemsSchema": {"percent": 30, "seed": "7"},
    "ReasonSchema": {"reason": "Two labels were mistyped."},
    "RoleSchema": {"role": "observer"},
    "RunChangeSchema": {"method": "A cross-encoder, trained on the trial items.", "is_primary": True},
    "TaskChange": {"title": "Cross-level similarity", "licence": "CC BY 4.0"},
    "TeamChange": {"affiliations": "University of the Forest\nInstitute of Rivers"},
}

IDEMPOTENCY_HEADER = "Idempotency-Key"
PATH_PARAMETER = re.compile(r"<(?:\w+(?:\([^)]*\))?:)?(\w+)>")
"""A part of an address as a rule of the app has it."""
PATH_CHOICE = re.compile(r"<any\(([^)]*)\):(\w+)>")
"""Such a part that is one of a few words, separated by commas."""
ETAG_HEADER = {"description": "Of the bytes of the answer.", "schema": {"type": "string"}}
REPLAYED_HEADER = {
    "description": "There where a request is answered as the first time.",
    "schema": {"const": "true"},
}
NOT_MODIFIED = {"description": "The answer whose tag was sent in If-None-Match is still the same."}

LINE_PROBLEMS: dict[str, Any] = {
    "type": "array",
    "description": "What is wrong with a file, each problem once for all lines that have it; a hundred "
    "problems at most.",
    "items": {
        "type": "object",
        "properties": {
            "source": {"type": "string"},
            "line": {"type": ["integer", "null"]},
            "code": {"type": "string"},
            "message": {"type": "string"},
            "said": {"type": "string", "description": "The whole sentence, with its place."},
            "text": {
                "type": ["string", "null"],
                "description": "The line as it was sent; null: there is none.",
            },
            "before": {
                "type": ["string", "null"],
                "description": "The line before it; null: there is none.",
            },
            "after": {"type": ["string", "null"], "description": "The line after it; null: there is none."},
            "count": {"type": "integer", "description": "How many lines have this problem."},
            "others": {
                "type": "array",
                "description": "The next few lines with the same problem.",
                "items": {
                    "type": "object",
                    "properties": {
                        "line": {"type": ["integer", "null"]},
                        "message": {"type": "string"},
                        "text": {"type": ["string", "null"], "description": "The line as it was sent."},
                    },
                },
            },
        },
    },
}
PROBLEM_SCHEMA: dict[str, Any] = {
    "type": "object",
    "description": "A refusal (RFC 9457), with the code and the text of the site's pages.",
    "required": ["type", "title", "status", "code", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string", "description": "The status in words."},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "problems": LINE_PROBLEMS,
        "count": {"type": "integer"},
        "files": {
            "type": "array",
            "description": "Those of a whole run that are at fault.",
            "items": {
                "type": "object",
                "required": ["filename", "level", "code", "detail"],
                "properties": {
                    "filename": {"type": "string"},
                    "level": {"type": ["string", "null"], "description": "The one that it is for."},
                    "code": {
                        "type": "string",
                        "description": "What the file sent alone is refused for, `no_level` or "
                        "`level_twice` of its name, or what is wrong with a zip.",
                    },
                    "detail": {"type": "string"},
                    "problems": LINE_PROBLEMS,
                    "count": {"type": "integer"},
                },
            },
        },
        "good": {"type": "array", "items": {"type": "string"}, "description": "The names of the others."},
        "fields": {
            "type": "array",
            "description": "What was sent wrong.",
            "items": {
                "type": "object",
                "required": ["in", "field", "detail"],
                "properties": {name: {"type": "string"} for name in ("in", "field", "detail")},
            },
        },
        "reference": {"type": "string", "description": "What the site's log has of a fault of ours."},
    },
}
PROBLEM_RESPONSE = {
    "description": "Refused.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def find_operation() -> Mapping[str, Any]:
    """What the description says of the operation that the request asks for; empty where it says nothing."""
    operations = (
        {} if request.url_rule is None else openapi_spec()["paths"].get(_path(request.url_rule.rule), {})
    )
    operation: Mapping[str, Any] = operations.get(
        "get" if request.method == "HEAD" else request.method.lower(), {}
    )
    return operation


def _path(rule: str) -> str:
    """An address as the description has it."""
    return PATH_PARAMETER.sub(r"{\1}", rule)


def finish_spec(spec: dict[str, Any] | str) -> dict[str, Any]:
    """Describe refusals as they are sent, and tokens as optional where nobody is asked for one."""
    assert isinstance(spec, dict)  # noqa: S101  (the format is JSON)
    schemas = spec["components"]["schemas"]
    for unused in ("HTTPError", "ValidationError"):
        schemas.pop(unused, None)
    descriptions = _schema_descriptions()
    for name, schema in schemas.items():
        schema["description"] = descriptions[name]
        if name in EXAMPLES:
            schema["examples"] = [EXAMPLES[name]]
    schemas["Problem"] = deepcopy(PROBLEM_SCHEMA)
    schemas["Problem"]["properties"]["code"] = _code_schema()
    _describe(schemas)
    _convert_to_json_schema(spec)
    choices = _choices()
    for path, operations in spec["paths"].items():
        for method, operation in operations.items():
            for parameter in operation.get("parameters", []):
                _describe_parameter(parameter, choices.get(path, {}))
            _describe_headers(method, operation)
            _require_body(operation, schemas)
            successes = {
                code: response for code, response in operation["responses"].items() if int(code) < 400
            }
            operation["responses"] = {**successes, "4XX": PROBLEM_RESPONSE, "5XX": PROBLEM_RESPONSE}
            operation["security"] = _security(operation.get("security", []))
    spec["tags"] = [{"name": name} for name in sorted({tag["name"] for tag in spec["tags"]})]
    return spec


def _code_schema() -> dict[str, Any]:
    """What was refused, for programs: each word that may stand there."""
    codes = list_codes()
    said = "\n".join(f"- `{code}` ({status}): {words}" for code, status, words in codes)
    return {"type": "string", "enum": [entry[0] for entry in codes], "description": said}


def _schema_descriptions(kind: type[Schema] = Schema) -> dict[str, str]:
    """What each schema of this package says of itself, by its name."""
    descriptions = {kind.__name__: getdoc(kind) or ""} if kind.__module__.startswith("server.") else {}
    for subclass in kind.__subclasses__():
        descriptions |= _schema_descriptions(subclass)
    return descriptions


def _describe(part: Any) -> None:
    """Give each field that says nothing else the words that go with its name."""
    for name, field in part.get("properties", {}).items() if isinstance(part, dict) else ():
        if name in FIELD_DESCRIPTIONS:
            field.setdefault("description", FIELD_DESCRIPTIONS[name])
    for child in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        _describe(child)


def _security(asked: list[dict[str, list[str]]]) -> list[dict[str, list[str]]]:
    """One of these scopes is needed; a token that needs none only says who reads, if there is one."""
    scopes = [scope for requirement in asked for scope in requirement["token"]]
    return [{"token": [scope]} for scope in scopes] or [{}, {"token": []}] * bool(asked)


def _convert_to_json_schema(part: Any) -> None:
    """Write patterns as ECMA has them, and what may be null as OpenAPI 3.1 does: in its type."""
    if isinstance(part, dict):
        if isinstance(part.get("pattern"), str):
            part["pattern"] = f"^{part['pattern'].removesuffix(chr(92) + 'Z')}$"
        part.pop("nullable", None)
        if isinstance(part.get("type"), list):
            part["type"] = [*dict.fromkeys(part["type"])]
    for child in part.values() if isinstance(part, dict) else part if isinstance(part, list) else ():
        _convert_to_json_schema(child)


def _choices() -> dict[str, dict[str, list[str]]]:
    """What a part of an address may be, where only a few words are there, by address and name."""
    return {
        _path(rule.rule): {name: sorted(words.split(",")) for words, name in PATH_CHOICE.findall(rule.rule)}
        for rule in current_app.url_map.iter_rules()
    }


def _describe_parameter(parameter: dict[str, Any], choices: dict[str, list[str]]) -> None:
    if parameter["in"] == "header":
        parameter["schema"].pop("default", None)
    if parameter["in"] == "path":
        name = parameter["name"]
        parameter["description"] = PATH_DESCRIPTIONS.get(name) or FIELD_DESCRIPTIONS[name]
        if name in choices:
            parameter["schema"]["enum"] = choices[name]


def _describe_headers(method: str, operation: dict[str, Any]) -> None:
    """Say of a GET that it has a tag; of an upload, when it is replayed."""
    answers = operation["responses"]
    good = [response for code, response in answers.items() if code.startswith("2")]
    if method == "get":
        good[0]["headers"] = {"ETag": ETAG_HEADER}
        answers["304"] = NOT_MODIFIED
    if any(parameter["name"] == IDEMPOTENCY_HEADER for parameter in operation.get("parameters", [])):
        for response in good:
            response["headers"] = {"Idempotency-Replayed": REPLAYED_HEADER}


def _require_body(operation: dict[str, Any], schemas: dict[str, Any]) -> None:
    for kind in operation.get("requestBody", {}).get("content", {}).values():
        schema = schemas[kind["schema"]["$ref"].rpartition("/")[2]]
        operation["requestBody"]["required"] = bool(schema.get("required"))
