"""What a site refuses, as an error: the sentence of its page, and every line that is wrong."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from scorer.client.settings import Login
from scorer.errors import Problem, ProblemLine, SiteError, SiteUnavailable, TokenError

_MAX_LINES = 1000


def read_error(status: int, data: bytes, login: Login) -> SiteError:
    """The error that an answer stands for.

    Parameters
    ----------
    status : int
        Of HTTP, from 400.
    data : bytes
        The body: `application/problem+json`, if it is a site of Assay that answers.
    login : Login
        The site, and whose token it was, for messages.

    Returns
    -------
    SiteError
        With what the page would say; `TokenError` for 401 and for a token without the scope that is needed,
        `SiteUnavailable` where it is no such answer.
    """
    problem, site = _parse_problem(data), login.site
    if problem is None and status in (502, 503, 504):
        return SiteUnavailable(
            f"a proxy answers for {site}, the site behind it does not (status {status}); "
            "try again in a minute"
        )
    if problem is None:
        return SiteUnavailable(
            f"{site} answered with status {status} and nothing that Assay says; is it the right site?"
        )
    text = "\n".join(_sentences(problem))
    if status == 401 or problem["code"] == "scope_missing":
        return TokenError(f"{text}\n{login.renewal}", problem)
    if status >= 500:
        return SiteUnavailable(f"{site}: {text}", problem)
    return SiteError(text, problem)


def read_problems(values: Mapping[str, Any]) -> list[Problem]:
    """The bad lines that a problem names; an older site lists each for itself."""
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
    yield "the site does not take this:" if fields else printable_line(own)
    yield from _problem_lines(problem)
    for row in _rows(problem, "files"):
        code = f" ({row['code']})" if row.get("code") else ""
        yield printable_line(f"{row.get('filename')}{code}: {row.get('detail')}")
        yield from _problem_lines(row)
    for row in fields:
        yield printable_line(f"{row.get('field') or row.get('in')}: {row.get('detail')}")
    if "reference" in problem:
        yield printable_line(f"reference: {problem['reference']}")


def _problem_lines(values: Mapping[str, Any]) -> Iterator[str]:
    lines = read_problems(values)
    yield from (printable_line(str(line)) for line in lines)
    count = values.get("count")
    shown = sum(line.count for line in lines)
    if isinstance(count, int) and count > shown:
        yield f"and {count - shown} more problems"


def _rows(values: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    rows = values.get(name)
    return [row for row in rows[:_MAX_LINES] if isinstance(row, Mapping)] if isinstance(rows, list) else []


def printable_line(text: object) -> str:
    """A text of a site that stays one line, and that a terminal takes for nothing but text."""
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in str(text))
