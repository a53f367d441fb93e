"""Downloads the public leaderboard of a task."""

from collections.abc import Sequence

from scorer.client.connection import API, Connection, path_of
from scorer.errors import SiteError, SiteUnavailable, TokenError


def fetch_board(site: Connection, task: str, phases: Sequence[str]) -> tuple[str, bytes]:
    """Download the leaderboard of the last phase that has one.

    Parameters
    ----------
    site : Connection
        The site.
    task : str
        The slug of the task.
    phases : sequence of str
        At least one phase, in order.

    Returns
    -------
    (str, bytes)
        The address of the leaderboard, and the bytes whose SHA-256 is on its page.

    Raises
    ------
    SiteError
        If no phase has a leaderboard, or the last released one was withdrawn.
    """
    first: SiteError | None = None
    for phase in reversed(phases):
        path = API + path_of("tasks", task, "phases", phase, "board")
        try:
            return site.address + path, site.file(path)
        except (TokenError, SiteUnavailable):
            raise
        except SiteError as error:
            if error.code == "withdrawn":  # an older leaderboard must not replace it
                raise
            first = first or error
    raise first or SiteError(f"{task} has no phase")
