"""The description of the API, `openapi.json`.

It is generated once in a process from the views; tokens, examples, errors, bodies and headers are added here.
"""

import re
from collections.abc import Callable, Mapping
from inspect import getdoc
from threading import RLock
from typing import Any

from apispec import APISpec, BasePlugin
from flask import current_app, json, request
from marshmallow import Schema

from server.web.rest.field_descriptions import FIELD_DESCRIPTIONS, PATH_DESCRIPTIONS
from server.web.rest.schemas import Problem


def openapi_spec() -> dict[str, Any]:
    """Return the description; callers must not change it."""
    described: dict[str, Any] = _compute_once("openapi", lambda: current_app.spec)  # type: ignore[attr-defined]  # an APIFlask
    return described


def openapi_text() -> str:
    """Return the description as a document."""
    text: str = _compute_once("openapi.json", lambda: json.dumps(openapi_spec(), indent=1))
    return text


_BEING_MADE = RLock()
"""Held while the description is made, which many threads ask for at once as a site starts."""


def _compute_once(name: str, make: Callable[[], Any]) -> Any:
    cache = current_app.extensions
    if name not in cache:
        with _BEING_MADE:
            if name not in cache:
                cache[name] = make()
    return cache[name]


EXAMPLES: Mapping[str, Mapping[str, Any]] = {
    "AcceptSchema": {"sha256": 64 * "0"},
    "CopySchema": {"slug": "similarity-2027", "days": 364},
    "ExportSchema": {"people": "ids"},
    "ExtensionSchema": {"closes": "2027-03-16T12:00:00Z", "reason": "The site was down.", "team": None},
    "JoinSchema": {"token": "the-last-part-of-the-link"},
    "MoveSchema": {"direction": "up"},
    "NewAnswer": {"text": "Yes, all public corpora.", "public_question": "Which corpora may we use?"},
    "NewQuestion": {"text": "May we use the *Forest* corpus?"},
    "NewAnnouncement": {
        "title": "The data is out",
        "text": "You can download it from the *page* of the task.",
    },
    "AnnouncementChange": {"text": "You can download the *new* data.", "pinned": True},
    "NewPhase": {
        "slug": "post-evaluation",
        "title": "Post-evaluation",
        "split": "test",
        "opens": "2027-04-01T09:00:00Z",
        "feedback": "hidden",
        "files_per_day": 5,
    },
    "ListedItemsSchema": {"ids": "News-1\nNews-2"},
    "NewRelease": {"note": "The final leaderboard.", "anonymous": False, "sure": True},
    "NewRunSchema": {
        "name": "encoder",
        "description": "A cross-encoder.",
        "links": "https://example.org/code",
    },
    "NewTeamSchema": {"name": "rowan"},
    "PhaseChange": {"closes": "2027-03-15T12:00:00Z", "grace_hours": 72, "reminders": [72, 24]},
    "PublicItemsSchema": {"percent": 30, "seed": "7"},
    "ReasonSchema": {"reason": "It was made by mistake."},
    "RenameSchema": {"slug": "similarity-2027"},
    "RoleSchema": {"role": "observer"},
    "RunChangeSchema": {"method": "A cross-encoder, trained on the trial items.", "is_primary": True},
    "StateChange": {"state": "published", "sure": True},
    "SureSchema": {"sure": True},
    "TaskChange": {"title": "Cross-level similarity", "licence": "CC BY 4.0"},
    "TeamChange": {"affiliations": "University of the Forest\nInstitute of Rivers"},
}

IDEMPOTENCY_HEADER = "Idempotency-Key"
PATH_PARAMETER = re.compile(r"<(?:\w+(?:\([^)]*\))?:)?(\w+)>")
"""A path parameter in a URL rule of the app."""
PATH_CHOICE = re.compile(r"<any\(([^)]*)\):(\w+)>")
"""A path parameter that is one of a few words, separated by commas."""
ETAG_HEADER = {"description": "The entity tag of the response.", "schema": {"type": "string"}}
REPLAYED_HEADER = {
    "description": "Present if the request is a retry and the response is the original one.",
    "schema": {"const": "true"},
}
NOT_MODIFIED = {
    "description": "The response has not changed since the one whose ETag was sent in If-None-Match."
}

PROBLEM_RESPONSE = {
    "description": "An error.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def find_operation() -> Mapping[str, Any]:
    """Return the description of the operation that the request calls; empty if there is none."""
    operations = (
        {} if request.url_rule is None else openapi_spec()["paths"].get(_path(request.url_rule.rule), {})
    )
    operation: Mapping[str, Any] = operations.get(
        "get" if request.method == "HEAD" else request.method.lower(), {}
    )
    return operation


def _path(rule: str) -> str:
    """Convert a URL rule to a path of OpenAPI."""
    return PATH_PARAMETER.sub(r"{\1}", rule)


class ApiDescription(BasePlugin):
    """A plugin of apispec that adds to schemas and operations what APIFlask cannot derive from the views."""

    def init_spec(self, spec: APISpec) -> None:
        """Describe rejections, which are the same everywhere; one description is made at a time."""
        spec.components.schema("Problem", schema=Problem())
        self.schemas, self.choices = spec.components.schemas, _choices()

    def schema_helper(self, name: str, definition: dict[str, Any], **kwargs: Any) -> dict[str, Any]:  # noqa: ARG002  (the library's way)
        """Return a schema's description, and an example of a request."""
        schema: Schema = kwargs["schema"]
        example = {"examples": [EXAMPLES[name]]} if name in EXAMPLES else {}
        return {"description": getdoc(type(schema)), **example}

    def operation_helper(
        self,
        path: str | None = None,
        operations: dict[str, Any] | None = None,
        **kwargs: Any,  # noqa: ARG002  (the library's way)
    ) -> None:
        """Add the parameters, headers, errors and tokens of operations."""
        choices = self.choices.get(path or "", {})
        for method, operation in (operations or {}).items():
            for parameter in operation["parameters"]:
                if parameter["in"] == "path":
                    _describe_path_parameter(parameter, choices)
            _describe_headers(method, operation)
            for kind in operation.get("requestBody", {}).get("content", {}).values():
                schema = self.schemas[kind["schema"]["$ref"].rpartition("/")[2]]
                operation["requestBody"]["required"] = "required" in schema
            operation["responses"] |= {"4XX": PROBLEM_RESPONSE, "5XX": PROBLEM_RESPONSE}
            operation["security"] = _security(operation["security"])


def sort_tags(spec: dict[str, Any] | str) -> dict[str, Any]:
    """List each tag once; APIFlask adds one for each blueprint."""
    assert isinstance(spec, dict)  # noqa: S101  (the format is JSON)
    return {**spec, "tags": [{"name": name} for name in sorted({tag["name"] for tag in spec["tags"]})]}


def _security(asked: list[dict[str, list[str]]]) -> list[dict[str, list[str]]]:
    """Require one of the scopes; without scopes, a token is optional and only says who the reader is."""
    scopes = [scope for requirement in asked for scope in requirement["token"]]
    return [{"token": [scope]} for scope in scopes] or [{}, {"token": []}] * bool(asked)


def _choices() -> dict[str, dict[str, list[str]]]:
    """Return the values of path parameters that are one of a few words, by path and name."""
    return {
        _path(rule.rule): {name: sorted(words.split(",")) for words, name in PATH_CHOICE.findall(rule.rule)}
        for rule in current_app.url_map.iter_rules()
    }


def _describe_path_parameter(parameter: dict[str, Any], choices: dict[str, list[str]]) -> None:
    name = parameter["name"]
    parameter["description"] = PATH_DESCRIPTIONS.get(name) or FIELD_DESCRIPTIONS[name]
    if name in choices:
        parameter["schema"]["enum"] = choices[name]


def _describe_headers(method: str, operation: dict[str, Any]) -> None:
    """Describe the ETag of GET requests and the header that marks a replayed upload."""
    answers = operation["responses"]
    good = [response for code, response in answers.items() if code.startswith("2")]
    if method == "get":
        good[0]["headers"] = {"ETag": ETAG_HEADER}
        answers["304"] = NOT_MODIFIED
    if any(parameter["name"] == IDEMPOTENCY_HEADER for parameter in operation["parameters"]):
        for response in good:
            response["headers"] = {"Idempotency-Replayed": REPLAYED_HEADER}
