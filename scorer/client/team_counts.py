"""Gets which submissions of the user's teams count."""

from collections.abc import Iterator
from typing import Any

from scorer.client.connection import Connection
from scorer.client.hosted_tasks import fetch_task_json
from scorer.errors import SiteError, SiteUnavailable

_NO_TEAM_STATUSES = 403, 404, 422
"""The responses to a user who has no team in a task, or whose role shows all teams."""


def fetch_counts(site: Connection, task: str) -> dict[str, Any]:
    """Get which submissions of the user's team count in a task.

    Raises
    ------
    SiteError
        If there is no such task, or the user has no team there.
    """
    try:
        return fetch_task_json(site, task, "/counts")
    except SiteError as error:
        if error.problem.get("status") != 422:
            raise
        raise SiteError(
            f"your role in {task} lets you see all teams, so you have no team of your own there; "
            "use the token of a member of the team",
            error.problem,
        ) from error


def fetch_all_counts(site: Connection) -> Iterator[tuple[str, dict[str, Any]]]:
    """Get which submissions count in each task in which the user has a team, by the slug of the task.

    Raises
    ------
    SiteError
        If the site does not answer, or the token does not allow reading.
    """
    has_team, hidden = False, None
    for row in site.rows("/tasks/"):
        slug = str(row["slug"])
        try:
            counts = fetch_counts(site, slug)
        except SiteUnavailable:
            raise
        except SiteError as error:
            if error.problem.get("status") not in _NO_TEAM_STATUSES:
                raise
            hidden = error if error.code == "scope_missing" else hidden
        else:
            has_team = True
            yield slug, counts
    if hidden is not None and not has_team:  # a token can lack a scope in one task and be valid in others
        raise hidden
