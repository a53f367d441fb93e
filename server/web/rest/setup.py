"""The API in JSON, with the same services, codes and texts as the pages."""

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from apiflask import APIBlueprint, APIFlask
from apiflask.exceptions import HTTPError
from flask import abort, request
from flask_wtf import CSRFProtect

from server.core.errors import BadJson, UnsupportedCondition
from server.core.i18n import _
from server.web.rest import problems
from server.web.rest.openapi import ApiDescription, find_operation, sort_tags
from server.web.rest.responses import set_etag
from server.web.rest.schemas import schema_name

MAX_NESTING = 10
"""How deeply lists and objects of a body may be nested."""


def init_api(app: APIFlask, csrf: CSRFProtect, blueprints: Iterable[APIBlueprint]) -> None:
    """Register the API on an app. It accepts only tokens, never cookies, so it needs no CSRF protection."""
    app.config.update(
        OPENAPI_VERSION="3.1.0",
        SPEC_FORMAT="json",
        AUTO_SERVERS=False,
        AUTO_404_RESPONSE=False,
        AUTO_AUTH_ERROR_RESPONSE=False,
        AUTO_VALIDATION_ERROR_RESPONSE=False,
        AUTO_OPERATION_ID=True,
        VALIDATION_ERROR_STATUS_CODE=422,
    )
    app.error_callback = problems.from_input_error
    app.spec_plugins.append(ApiDescription())
    app.schema_name_resolver = schema_name  # type: ignore[assignment]  # None is apispec's word for “inline”
    app.spec_processor(sort_tags)
    app.before_request(_check_request)
    app.after_request(set_etag)
    for blueprint in blueprints:
        csrf.exempt(blueprint)
        app.register_blueprint(blueprint)
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith(problems.PREFIX):
            rule.strict_slashes = False  # a redirect would be a page, and some clients drop the token


def _check_request() -> None:
    """Reject a request if a part of it would be ignored, or cannot be read."""
    if problems.is_api_request():
        _refuse_conditions()
        _require_known_parameters()
        _require_content_type()
        _require_readable_json()


def _refuse_conditions() -> None:
    """Reject conditional writes, which are not supported, rather than carry them out unconditionally.

    Raises:
        UnsupportedCondition: the request has such a header.
    """
    for header in ("If-Match", "If-Unmodified-Since"):
        if header in request.headers:
            raise UnsupportedCondition.of(
                "The header %(header)s is not supported here. Nothing was done; leave it out.", header=header
            )


def _require_known_parameters() -> None:
    """Reject query parameters that are unknown or sent twice, because they would be ignored."""
    if request.url_rule is None or request.method == "OPTIONS":
        return
    parameter_names = [
        parameter["name"]
        for parameter in find_operation().get("parameters", ())
        if parameter["in"] == "query"
    ]
    wrong = {
        name: [_unknown_parameter(name, parameter_names)]
        for name in request.args
        if name not in parameter_names
    }
    twice = {name: [_("Send it once.")] for name in parameter_names if len(request.args.getlist(name)) > 1}
    if wrong or twice:
        raise HTTPError(422, detail={"query": {**wrong, **twice}})


def _unknown_parameter(name: str, known: list[str]) -> str:
    if not known:
        return _("There is no parameter “%(name)s”. This address has no parameters.", name=name)
    name_list = ", ".join(known)
    return _("There is no parameter “%(name)s”. Known parameters: %(there)s.", name=name, there=name_list)


def _require_content_type() -> None:
    """Reject a body of the wrong content type, because its fields would be ignored."""
    wanted = next(iter(find_operation().get("requestBody", {}).get("content", ())), None)
    if wanted is None or not (request.content_length or "Transfer-Encoding" in request.headers):
        return
    if not (request.is_json if wanted == "application/json" else request.mimetype == wanted):
        abort(415, _("Send the body as %(wanted)s with that Content-Type.", wanted=wanted))


def _require_readable_json() -> None:
    """Reject JSON that cannot be processed; the operation itself rejects a body that is not JSON.

    Raises:
        BadJson: too deep nesting, a number of thousands of digits, or a name twice in an object.
    """
    if not request.is_json:
        return
    try:
        deep = _is_deep(json.loads(request.get_data(), object_pairs_hook=_require_unique_keys))
    except RecursionError:
        deep = True
    except (json.JSONDecodeError, UnicodeDecodeError):
        return
    except ValueError as error:  # Python's bound on digits
        raise BadJson.of("The body contains a number with too many digits.") from error
    if deep:
        raise BadJson.of("The body is nested too deeply.")


def _require_unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object of JSON; Python would silently keep the last of two values with the same name."""
    members = dict(pairs)
    if len(members) < len(pairs):
        ((twice, _times),) = Counter(name for name, _value in pairs).most_common(1)
        raise BadJson.of("The body has “%(name)s” twice. Send it once.", name=twice[:100])
    return members


def _is_deep(value: object) -> bool:
    """Whether a value is nested more deeply than any operation needs."""
    inner = [value]
    for _depth in range(MAX_NESTING):
        inner = [
            part
            for container in inner
            if isinstance(container, dict | list)
            for part in (container.values() if isinstance(container, dict) else container)
        ]
    return bool(inner)
