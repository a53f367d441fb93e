"""Errors as `application/problem+json` (RFC 9457), with the codes, lines and texts of the pages."""

from http import HTTPStatus
from json import JSONDecodeError
from typing import Any

from apiflask.exceptions import HTTPError
from flask import Response, json, request
from werkzeug.exceptions import HTTPException, InternalServerError

from server.core.errors import (
    FAILED_CODE,
    WEB_SERVER_CODES,
    BadJson,
    InvalidFile,
    InvalidRunFiles,
    NotFound,
    ServerError,
    TooLarge,
)
from server.core.i18n import N_, _
from server.core.outages import RETRY_SECONDS, is_outage
from server.web.error_responses import log_failure, retry_after
from server.web.formatting import format_size
from server.web.rest.schemas import Problem

PREFIX = "/api/"
"""The prefix of the paths whose errors are problem documents, whatever raised them."""
_SCHEMA = Problem()
_CODES = {
    **{kind.status: kind.code for kind in (NotFound, TooLarge)},
    **{status: code for code, status, _words in WEB_SERVER_CODES},
}
"""Error codes by HTTP status; Python renamed some of its statuses, so its names are not used."""
STATUS_MESSAGES = {
    404: N_("There is nothing at this address. /api/v1/openapi.json lists all addresses."),
    405: N_("This address accepts other methods; see the header Allow."),
    413: N_("The request is too large. Nothing was stored or counted."),
    415: N_("Send the content type that /api/v1/openapi.json lists for this address."),
    500: N_("Something went wrong on the server. Nothing was counted. The server’s log has the reference."),
    503: N_("The site’s database or disk is not available. Nothing was counted. Try again in a minute."),
}


def is_api_request() -> bool:
    """Whether the request is for the API, which answers in JSON."""
    return request.path.startswith(PREFIX)


def from_server_error(error: ServerError) -> Response:
    """Convert an error of a service to a response."""
    more: dict[str, Any] = {}
    if isinstance(error, InvalidFile):
        more = {"refused": error}
    elif isinstance(error, InvalidRunFiles):
        more = {"files": error.faults, "good": error.good}
    response = _problem(error.status, error.code, error.message, **more)
    response.headers.update(retry_after(error))
    if error.status == HTTPStatus.UNAUTHORIZED:
        response.headers["WWW-Authenticate"] = "Bearer"
    return response


def from_http_error(error: HTTPException) -> Response:
    """Convert an error of the web server or an unexpected failure; the log has the latter's reference."""
    status = error.code or 500
    if isinstance(error, InternalServerError):
        cause = error.original_exception
        status = 503 if is_outage(cause) else 500
        response = _problem(status, FAILED_CODE, _(STATUS_MESSAGES[status]), reference=log_failure(cause))
        if status == 503:
            response.headers["Retry-After"] = str(RETRY_SECONDS)
        return response
    cause = getattr(error, "exc", None)
    if isinstance(cause, JSONDecodeError | UnicodeDecodeError):
        return _problem(status, BadJson.code, _bad_json(cause))
    detail = error.description if error.description != type(error).description else None
    if status == 413 and (limit := request.max_content_length) is not None:
        detail = _(
            "A request can have at most %(size)s here. Nothing was stored or counted.",
            size=format_size(limit),
        )
    response = _problem(
        status,
        _code(status),
        detail or _(STATUS_MESSAGES[status]) if detail or status in STATUS_MESSAGES else error.name,
    )
    if "Allow" in dict(error.get_headers()):
        response.headers["Allow"] = dict(error.get_headers())["Allow"]
    return response


def _bad_json(error: ValueError) -> str:
    if isinstance(error, JSONDecodeError):
        return _(
            "The body is not valid JSON at line %(line)d, column %(column)d.",
            line=error.lineno,
            column=error.colno,
        )
    return _("The body is not valid JSON. Send it as UTF-8.")


def from_input_error(error: HTTPError) -> Response:
    """Convert an error in the form of a request: each field with what is wrong with it."""
    messages_by_place = dict(error.detail or {}) if isinstance(error.detail, dict) else {}
    fields = [
        {
            "place": "form" if place == "form_and_files" else place,
            "field": field,
            "detail": " ".join(_flatten_messages(messages)),
        }
        for place, by_field in messages_by_place.items()
        for field, messages in (by_field.items() if isinstance(by_field, dict) else [("", by_field)])
    ]
    words = _("The request is not valid; see “fields” for the errors.")
    detail = words if fields else error.message or ""
    return _problem(error.status_code, _code(error.status_code), detail, bad_fields=fields)


def _flatten_messages(messages: Any) -> list[str]:
    if isinstance(messages, dict):
        return [f"{key}: {text}" for key, value in messages.items() for text in _flatten_messages(value)]
    return [str(message) for message in messages] if isinstance(messages, list) else [str(messages)]


def _code(status: int) -> str:
    return _CODES.get(status) or HTTPStatus(status).phrase.lower().replace(" ", "_").replace("-", "_")


def _problem(status: int, code: str, detail: str, **more: Any) -> Response:
    body = {
        "type": "about:blank",
        "title": HTTPStatus(status).phrase,
        "status": status,
        "code": code,
        "detail": detail,
        **more,
    }
    return Response(json.dumps(_SCHEMA.dump(body)), status, content_type="application/problem+json")
