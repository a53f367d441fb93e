"""What counts of one's own teams."""

from collections.abc import Iterator
from typing import Any

from scorer.client.connection import Connection
from scorer.client.hosted_tasks import fetch_task_json
from scorer.errors import SiteError, SiteUnavailable

_NO_TEAM_STATUSES = 403, 404, 422
"""What a site answers somebody who has no team in a task, or sees those of all."""


def fetch_counts(site: Connection, task: str) -> dict[str, Any]:
    """What counts of one's own team in a task.

    Raises
    ------
    SiteError
        If there is no such task, or whoever asks has no team there.
    """
    try:
        return fetch_task_json(site, task, "/counts")
    except SiteError as error:
        if error.problem.get("status") != 422:
            raise
        raise SiteError(
            f"your role in {task} lets you see every team, so none there is your own; "
            "use the token of a member of the team that you mean",
            error.problem,
        ) from error


def fetch_all_counts(site: Connection) -> Iterator[tuple[str, dict[str, Any]]]:
    """What counts of one's own team in each task that one has a team in, by the task's slug.

    Raises
    ------
    SiteError
        If the site does not answer, or the token may not read.
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
    if hidden is not None and not has_team:  # a token may lack what a role needs, and be good elsewhere
        raise hidden
