"""The API reference for people, one operation at a time, generated from the OpenAPI description."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from server.core.i18n import _

Spec = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class RequestField:
    """A query parameter, or a field of the body."""

    name: str
    required: bool
    shape: str
    words: str


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API."""

    tag: str
    method: str
    path: str
    summary: str
    more: str
    scopes: tuple[str, ...]
    """The scopes of which a token needs one; empty: no token is needed."""
    takes: tuple[RequestField, ...]
    example: str | None
    """A valid body, as JSON."""
    answers: tuple[str, ...]
    """The names of the fields in the response."""


def list_operations(spec: Spec) -> dict[str, list[Operation]]:
    """List the operations by tag, each list sorted by path."""
    all_operations = [
        _operation(spec, path, method, operation)
        for path, operations in spec["paths"].items()
        for method, operation in operations.items()
    ]
    all_operations.sort(key=lambda one: (one.tag, one.path))
    return {tag: list(those) for tag, those in groupby(all_operations, key=lambda one: one.tag)}


def list_path_parameters(spec: Spec) -> dict[str, str]:
    """Return the descriptions of path parameters by name."""
    parameters = [
        parameter
        for operations in spec["paths"].values()
        for operation in operations.values()
        for parameter in operation.get("parameters", ())
    ]
    named = (parameter for parameter in parameters if parameter["in"] == "path")
    return dict(sorted(("{" + parameter["name"] + "}", parameter["description"]) for parameter in named))


def _operation(spec: Spec, path: str, method: str, operation: Spec) -> Operation:
    kinds = operation.get("requestBody", {}).get("content", {})
    body = next((_resolve(spec, kind["schema"]) for kind in kinds.values()), {})
    example = body["examples"][0] if "examples" in body else None
    return Operation(
        operation["tags"][0],
        method.upper(),
        path,
        operation["summary"],
        operation.get("description", ""),
        tuple(scope for requirement in operation["security"] for scope in requirement.get("token", ())),
        (*_parameters(operation), *_fields(body)),
        None if example is None else json.dumps(example, indent=2, ensure_ascii=False),
        _response_fields(spec, operation),
    )


def _parameters(operation: Spec) -> Iterator[RequestField]:
    for parameter in operation.get("parameters", ()):
        if parameter["in"] != "path":
            yield RequestField(
                parameter["name"],
                parameter.get("required", False),
                describe_shape(parameter["schema"]),
                parameter["description"],
            )


def _fields(body: Spec) -> Iterator[RequestField]:
    for name, field in body.get("properties", {}).items():
        yield RequestField(
            name, name in body.get("required", ()), describe_shape(field), field["description"]
        )


def _response_fields(spec: Spec, operation: Spec) -> tuple[str, ...]:
    """Return the names of the fields in a successful response."""
    good = (response for status, response in operation["responses"].items() if status.startswith("2"))
    kinds = [kind["schema"] for response in good for kind in response.get("content", {}).values()]
    return tuple(_resolve(spec, kinds[0]).get("properties", ())) if kinds else ()


def _resolve(spec: Spec, schema: Spec) -> Spec:
    name = schema.get("$ref", "").rpartition("/")[2]
    resolved_schema: Spec = spec["components"]["schemas"][name] if name else schema
    return resolved_schema


def describe_shape(schema: Spec) -> str:
    """Describe the allowed values in words."""
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    said = _shape(kinds[0], schema)
    return _("%(shape)s, or null", shape=said) if "null" in kinds else said


def _shape(kind: str, schema: Spec) -> str:
    if "enum" in schema:
        return _("one of %(words)s", words=", ".join(f"`{word}`" for word in schema["enum"]))
    if kind == "array":
        return _("a list: %(of)s", of=describe_shape(schema["items"]))
    if kind in ("integer", "number"):
        return _number(kind, schema)
    if kind == "string":
        return _text(schema)
    return _("true or false")


def _text(schema: Spec) -> str:
    words = {"date-time": _("a time"), "binary": _("a file")}
    if "maxLength" in schema:
        return _("text of %(most)d characters at most", most=schema["maxLength"])
    return words.get(schema.get("format", ""), _("text"))


def _number(kind: str, schema: Spec) -> str:
    if "maximum" not in schema:
        return _("a whole number") if kind == "integer" else _("a number")
    low, high = schema["minimum"], schema["maximum"]
    if kind == "integer":
        return _("a whole number from %(low)s to %(high)s", low=low, high=high)
    return _("a number from %(low)s to %(high)s", low=low, high=high)
