"""What `openapi.json` says beyond the views: who may call without a token, and what a refusal looks like."""

from typing import Any

PROBLEM = {
    "type": "object",
    "description": "A refusal (RFC 9457), with the code and the text of the site's pages.",
    "required": ["type", "title", "status", "code", "detail"],
    "properties": {
        "type": {"type": "string"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "code": {"type": "string", "description": "What was refused, for programs."},
        "detail": {"type": "string", "description": "What is wrong, and how to mend it."},
        "problems": {
            "type": "array",
            "description": "The bad lines of a file, the first hundred of `count`.",
            "items": {
                "type": "object",
                "properties": {
                    "source": {"type": "string"},
                    "line": {"type": ["integer", "null"]},
                    "code": {"type": "string"},
                    "message": {"type": "string"},
                    "said": {"type": "string", "description": "The whole sentence, with its place."},
                },
            },
        },
        "count": {"type": "integer"},
        "files": {"type": "array", "items": {"type": "object"}, "description": "Those at fault."},
        "fields": {"type": "array", "items": {"type": "object"}, "description": "What was sent wrong."},
        "reference": {"type": "string", "description": "What the site's log has of a fault of ours."},
    },
}
REFUSED = {
    "description": "Refused.",
    "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}},
}


def finish(spec: dict[str, Any] | str) -> dict[str, Any]:
    """Describe refusals as they are sent, and tokens as optional where nobody is asked for one."""
    assert isinstance(spec, dict)  # noqa: S101  (the format is JSON)
    spec["components"]["schemas"]["Problem"] = PROBLEM
    for unused in ("HTTPError", "ValidationError"):
        spec["components"]["schemas"].pop(unused, None)
    for operations in spec["paths"].values():
        for operation in operations.values():
            known = {code: one for code, one in operation["responses"].items() if int(code) < 400}
            operation["responses"] = {**known, "4XX": REFUSED, "5XX": REFUSED}
            operation["security"] = [_optional(one) for one in operation.get("security", [])]
            if {} in operation["security"]:
                operation["security"] = [{}, {"token": []}]
    return spec


def _optional(asked: dict[str, list[str]]) -> dict[str, list[str]]:
    """A token without a scope is asked for nowhere: it only says who reads."""
    return asked if asked["token"] else {}
