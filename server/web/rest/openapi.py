"""The API as OpenAPI describes it: made once a process, for it says what the code does."""

from collections.abc import Callable
from typing import Any

from flask import current_app, json


def openapi() -> dict[str, Any]:
    """The description, to be read and not changed."""
    described: dict[str, Any] = _once("openapi", lambda: current_app.spec)  # type: ignore[attr-defined]  # an APIFlask
    return described


def openapi_text() -> str:
    """The same as a document."""
    text: str = _once("openapi.json", lambda: json.dumps(openapi(), indent=1))
    return text


def _once(name: str, make: Callable[[], Any]) -> Any:
    known = current_app.extensions
    if name not in known:
        known[name] = make()
    return known[name]
