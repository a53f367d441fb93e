"""The public board of a task, from its site."""

from collections.abc import Sequence

from scorer.client.connection import API, Connection, path_of
from scorer.errors import SiteError, SiteUnavailable, TokenError


def fetch_board(site: Connection, task: str, phases: Sequence[str]) -> tuple[str, bytes]:
    """The board of the last of the phases that has one.

    Parameters
    ----------
    site : Connection
        Where.
    task : str
        The task's slug.
    phases : sequence of str
        In their order, at least one.

    Returns
    -------
    (str, bytes)
        Its address, and the bytes whose SHA-256 the page shows.

    Raises
    ------
    SiteError
        If none has one, or that of the last released was withdrawn, as the site says it.
    """
    first: SiteError | None = None
    for phase in reversed(phases):
        path = API + path_of("tasks", task, "phases", phase, "board")
        try:
            return site.address + path, site.file(path)
        except (TokenError, SiteUnavailable):
            raise
        except SiteError as error:
            if error.code == "withdrawn":  # an older board does not take its place
                raise
            first = first or error
    raise first or SiteError(f"{task} has no phase")
