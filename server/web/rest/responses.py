"""Responses of the API: pages of lists, and ETags, so that unchanged data is not sent again."""

from collections.abc import Sequence
from http import HTTPStatus
from typing import Any

from apiflask.fields import Integer, String
from apiflask.schemas import FileSchema
from flask import Response, request, url_for

from server.web.caching import PRIVATE, PUBLIC, require_revalidation
from server.web.rest import problems
from server.web.rest.fields import AnswerSchema, CountField, RequestSchema
from server.web.validators import RangeValidator

MAX_ROWS = 100
"""The maximum number of rows on a page of a list."""


class PageQuery(RequestSchema):
    """Which part of a list to return."""

    page = CountField(load_default=1, validate=RangeValidator(min=1, max=1000000))
    per_page = CountField(load_default=50, validate=RangeValidator(min=1, max=MAX_ROWS))


class Paged(AnswerSchema):
    """The fields that every list has beside its rows."""

    total = Integer()
    next = String(allow_none=True)


def limit_and_offset(query: dict[str, Any]) -> tuple[int, int]:
    """Return how many rows to read and how many to skip, for services that page in the database."""
    return query["per_page"], (query["page"] - 1) * query["per_page"]


def cut_page(rows: Sequence[Any], query: dict[str, Any]) -> dict[str, Any]:
    """Return the response for a page of a list that is in memory as a whole."""
    limit, offset = limit_and_offset(query)
    return page_values(rows[offset : offset + limit], len(rows), query)


def page_values(rows: Sequence[Any], total: int, query: dict[str, Any]) -> dict[str, Any]:
    """Return the response for a page of a list."""
    last = query["page"] * query["per_page"] >= total
    values = {**(request.view_args or {}), **request.args.to_dict(), "page": query["page"] + 1}
    return {
        "items": rows,
        "total": total,
        "next": None if last else url_for(request.endpoint or "", **values),
    }


def set_etag(response: Response) -> Response:
    """Set the ETag of a GET response to a hash of its bytes, and answer 304 if the client has them.

    A response without a body gets no content type.
    """
    if not problems.is_api_request():
        return response
    if response.status_code == HTTPStatus.NO_CONTENT:
        response.headers.remove("Content-Type")
    if request.method not in ("GET", "HEAD") or response.status_code != 200 or response.direct_passthrough:
        return response
    if response.headers.get("Cache-Control") in (PUBLIC, PRIVATE):
        return response
    response = require_revalidation(response, public=False)
    response.vary.add("Authorization")
    return response


JSON_FILE = FileSchema(type="object", format="json")
