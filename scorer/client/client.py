"""A site of Assay as a Python program uses it; the commands of `scorer` use it, too."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from scorer.client.connection import API, Connection, open_http, path_of
from scorer.client.hosted_tasks import HostedTask, read_task
from scorer.client.receipts import fetch_receipt
from scorer.client.settings import find_login, settings_path
from scorer.client.uploads import AcceptedFile, Confirmation, Question, check_run, prepare_upload
from scorer.errors import RequestError
from scorer.proof.receipts import Receipt, read_receipt
from scorer.proof.signing import read_signed


class Client(Connection):
    """A site, with the rights of an API token. Use it in a `with` block, or close it.

    The methods below are the frequent requests. `json`, `rows`, `file` and `make` send any other request of
    the API, whose reference is the page /help/api of the site. Times from a site are ISO 8601 texts.

    Parameters
    ----------
    site : str, optional
        The address, such as https://tasks.example.org. By default `ASSAY_SITE`, else the site to which you
        last logged in with `scorer login`.
    token : str, optional
        The API token. By default `ASSAY_TOKEN`, else the one that `scorer login` stored for the site. Without
        any, only public data can be read.
    sleep : callable, optional
        Waits between retries, given seconds. A request is sent up to five times, and a file is never counted
        twice.

    Raises
    ------
    RequestError
        If no site is given, or certificates or a proxy that the environment names cannot be used.
    TokenError
        If the token cannot be one.
    DataError
        If the stored settings are damaged.

    Notes
    -----
    Every method raises `SiteError` if the site rejects the request; its `code` and `problem` are the site's.
    `TokenError` (the token is missing, revoked or lacks a scope) and `SiteUnavailable` (no valid answer
    within 60 seconds) are kinds of it.

    Examples
    --------
    >>> with Client("https://tasks.example.org", "assay_1x") as client:
    ...     client.address
    'https://tasks.example.org'
    """

    def __init__(
        self,
        site: str | None = None,
        token: str | None = None,
        *,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        login = find_login(settings_path(), os.environ, site, token)
        super().__init__(login, open_http(login.site), sleep)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection."""
        self._client.close()

    def task(self, slug: str) -> HostedTask:
        """Read a task: its phases, levels and files.

        Raises
        ------
        SiteError
            If there is no such task.
        """
        return read_task(self, slug)

    def runs(self, task: str) -> list[dict[str, Any]]:
        """List the runs of your team in a task, or of all teams if you may see all of the task.

        Returns
        -------
        list of dict
            Each has `run`, `team`, `withdrawn`, and in `counting` the submission that counts at each level.

        Raises
        ------
        SiteError
            If there is no such task, or you have no team in it.
        """
        return list(self.rows(path_of("tasks", task, "runs")))

    def submit(
        self,
        files: str | Path | Mapping[str, str | Path],
        *,
        task: str,
        run: str,
        phase: str | None = None,
        late: bool = False,
        confirmed: Sequence[Confirmation] = (),
    ) -> list[AcceptedFile]:
        """Check a run and upload it: all of its files are stored, or none. You can safely repeat this.

        Parameters
        ----------
        files : path, or mapping of str to path
            A folder, a zip file of one, or a run file, whose names contain the level; or the file of each
            level.
        task, run : str
            The slug of the task, and the name of the run, which is created if your team has no such run.
        phase : str, optional
            Its slug. By default, the only phase that accepts files.
        late : bool
            Send files after the deadline, which are scored and never ranked.
        confirmed : sequence of str
            "first_is_score" accepts a first column that looks like ids. "sure" accepts a file that seems to
            be for another level or run.

        Returns
        -------
        list of AcceptedFile
            For each level the file, and the site's answer. A file that was already there is not sent again.

        Raises
        ------
        DataError
            If a file is bad; lists every problem, and nothing was sent.
        RequestError
            If there is no such phase, level or folder, or the files would be late.
        SiteError
            If the site rejects a file. With the code "left_out", the quota of some levels is used up, and
            the site has stored the files of the others.
        """

        def confirm(question: Question, reason: str) -> None:
            if question == "late" and not late:
                raise RequestError(f"{reason} To send them, add late=True.")

        paths = (
            {level: Path(path) for level, path in files.items()}
            if isinstance(files, Mapping)
            else Path(files)
        )
        checked = check_run(self, task, phase, paths, confirmed)
        upload = prepare_upload(self, checked, " ".join(run.split()), confirmed, confirm)
        upload.send()
        return upload.sent

    def receipt(self, submission: int) -> Receipt:
        """Read the receipt of a submission. `scorer receipt` also saves it and verifies its signature.

        Parameters
        ----------
        submission : int
            The number of the submission.

        Raises
        ------
        SiteError
            If there is no such submission, or it is another team's.
        """
        source = f"{self.address}/submissions/{submission}"
        signed = read_signed(fetch_receipt(self, submission), source)
        return read_receipt(signed, source)

    def evidence(self, task: str, phase: str, release: int, *, accept_terms: bool = False) -> bytes:
        """Download a release: its leaderboard and everything that is public about it, as a signed zip file.

        Parameters
        ----------
        task, phase : str
            The slugs.
        release : int
            The number of the release, from 1.
        accept_terms : bool
            Accept the terms of the task. You need this only if it has terms that you have not accepted.

        Returns
        -------
        bytes
            The zip file, for `scorer verify` and `scorer board`.

        Raises
        ------
        SiteError
            If there is no such release, it was withdrawn, or the terms are not accepted.
        """
        path = path_of("tasks", task, "phases", phase, "releases", str(release), "evidence.zip")
        return self.file(f"{API}{path}{'?terms=accepted' if accept_terms else ''}")
