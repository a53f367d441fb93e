"""Turns error responses of a site into errors with the site's message and every bad line."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scorer.client.settings import Login
from scorer.errors import Problem, ProblemLine, SiteError, SiteUnavailable, TokenError, printable

_MAX_LINES = 1000


def read_error(status: int, data: bytes, login: Login) -> SiteError:
    """Return the error for an error response.

    Parameters
    ----------
    status : int
        The HTTP status, at least 400.
    data : bytes
        The body, which is `application/problem+json` if an Assay site has answered.
    login : Login
        The site, and the source of the token, for messages.

    Returns
    -------
    SiteError
        Has the message of the site. `TokenError` for 401 and for a token without the required scope;
        `SiteUnavailable` if the response is not from an Assay site.
    """
    problem, site = _parse_problem(data), login.site
    if problem is None and status in (502, 503, 504):
        return SiteUnavailable(
            f"{site} is not available: only its proxy answers (status {status}); try again in a minute"
        )
    if problem is None:
        return SiteUnavailable(
            f"{site} answered with status {status}, but not like an Assay site; is the address right?"
        )
    text = "\n".join(_sentences(problem))
    if status == 401 or problem["code"] == "scope_missing":
        return TokenError(f"{text}\n{login.renewal}", problem)
    if status >= 500:
        return SiteUnavailable(f"{site}: {text}", problem)
    return SiteError(text, problem)


def read_left_out(files: Sequence[Mapping[str, Any]] | None) -> SiteError | None:
    """Return the error about files that a site has left out of an upload that it has stored, if any."""
    if not files:
        return None
    problem = {"code": "left_out", "detail": "the site has stored the other files", "files": list(files)}
    return SiteError("\n".join(_sentences(problem)), problem)


def read_problems(values: Mapping[str, Any]) -> list[Problem]:
    """Read the bad lines from a problem document."""
    return [
        Problem(
            str(row.get("source")),
            row.get("line"),
            str(row.get("code")),
            str(row.get("message")),
            row.get("text"),
            count if isinstance(count := row.get("count"), int) else 1,
            tuple(
                ProblemLine(other.get("line"), str(other.get("message")), other.get("text"))
                for other in _rows(row, "others")
            ),
        )
        for row in _rows(values, "problems")
    ]


def _parse_problem(data: bytes) -> dict[str, Any] | None:
    try:
        values = json.loads(data)
    except ValueError:
        return None
    named = isinstance(values, dict) and isinstance(values.get("code"), str) and "detail" in values
    return values if named else None


def _sentences(problem: Mapping[str, Any]) -> Iterator[str]:
    fields = _rows(problem, "fields")
    own = problem["detail"] or problem.get("title") or problem["code"]
    yield "the site does not accept this:" if fields else printable(own)
    yield from _problem_lines(problem)
    for row in _rows(problem, "files"):
        code = f" ({row['code']})" if row.get("code") else ""
        yield printable(f"{row.get('filename')}{code}: {row.get('detail')}")
        yield from _problem_lines(row)
    for row in fields:
        yield printable(f"{row.get('field') or row.get('in')}: {row.get('detail')}")
    if "reference" in problem:
        yield printable(f"reference: {problem['reference']}")


def _problem_lines(values: Mapping[str, Any]) -> Iterator[str]:
    lines = read_problems(values)
    yield from (printable(line) for line in lines)
    count = values.get("count")
    shown = sum(line.count for line in lines)
    if isinstance(count, int) and count > shown:
        yield f"and {count - shown} more problems"


def _rows(values: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    rows = values.get(name)
    return [row for row in rows[:_MAX_LINES] if isinstance(row, Mapping)] if isinstance(rows, list) else []
