"""Sending a run: all files are checked, then sent in one request, so that all count or none, and once.

Also the scores of a file in the site's answer, as text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from scorer.client.connection import Connection, path_of
from scorer.client.hosted_tasks import HostedFile, HostedTask
from scorer.client.local_files import sha256_of
from scorer.client.run_folder import RunFile
from scorer.client.team_counts import fetch_counts
from scorer.errors import DataError, Problem, RequestError
from scorer.files.reading import Items
from scorer.reports.scores import DASH, format_number


@dataclass(frozen=True, slots=True)
class AcceptedFile:
    """A file that the site has taken, and what it answered."""

    file: RunFile
    answer: Mapping[str, Any]


def check_files(
    task: HostedTask, levels: Mapping[str, HostedFile], items: Mapping[str, Items], files: Sequence[RunFile]
) -> list[Problem]:
    """Check all files as the site will.

    Parameters
    ----------
    task : HostedTask
        From `read_task`.
    levels : mapping
        The files of items, from `HostedTask.items_of`.
    items : mapping
        The items of each file's level, from `read_items`.
    files : sequence of RunFile
        What is to be sent.

    Returns
    -------
    list of Problem
        What to look at, though the files are good.

    Raises
    ------
    DataError
        If one is bad, with every problem of each.
    """
    refused, warnings = list[DataError](), list[Problem]()
    for file in files:
        try:
            _require_small(file, levels[file.level].run_limit)
            warnings += task.check(items[file.level], file.data, str(file.path)).warnings
        except DataError as error:
            refused.append(error)
    if refused:
        raise DataError.of_all(refused)
    return warnings


def _require_small(file: RunFile, limit: int | None) -> None:
    """Refuse a file that the site takes for no run."""
    if limit is not None and len(file.data) > limit:
        message = f"has {len(file.data)} bytes; a run for {file.level} may have {limit}"
        raise DataError([Problem(str(file.path), None, "too_large", message)])


def find_own_run(site: Connection, task: str, phase: str, name: str) -> dict[str, Any] | None:
    """One's own run of a name, with all that was ever sent for it; None: there is none yet.

    Raises
    ------
    SiteError
        If the site refuses: whoever asks is in no team.
    RequestError
        If the run is withdrawn.
    """
    team = fetch_counts(site, task)["team"]["id"]
    for row in site.rows(f"{path_of('tasks', task, 'runs')}?phase={quote(phase, safe='')}"):
        if row["run"]["name"] == name and row["team"]["id"] == team:
            if row["withdrawn"]:
                raise RequestError(
                    f'the run "{name}" is withdrawn; bring it back on the site, or name another'
                )
            return site.json(f"/runs/{int(row['run']['id'])}")
    return None


def make_run(site: Connection, task: str, phase: str, name: str) -> dict[str, Any]:
    """A new run of one's own team, as `find_own_run` would give it.

    Raises
    ------
    SiteError
        If the site refuses.
    """
    run = site.make(path_of("tasks", task, "phases", phase, "runs"), {"name": name})
    return {"run": run, "levels": []}


class RunUpload:
    """The files of a run on their way: those that the site has already, and those that are left to send.

    Parameters
    ----------
    site : Connection
        Where to.
    run : mapping
        The run as the site has it, with all files ever sent.
    files : sequence of RunFile
        All files of the run.
    is_open : bool
        Whether what is sent now is on time: then a file that came late is sent anew.

    Raises
    ------
    SiteError
        If the site refuses to say what came of a file that it has, or does not answer.
    """

    def __init__(
        self, site: Connection, run: Mapping[str, Any], files: Sequence[RunFile], *, is_open: bool
    ) -> None:
        self.site, self.run = site, run
        self._files, self._is_open = files, is_open
        self.sent = [
            AcceptedFile(file, {**site.json(f"/submissions/{submission}"), "new": False})
            for file, (submission, other) in (
                (file, _newest_submissions(run, file, is_open=is_open)) for file in files
            )
            if submission > other
        ]

    @property
    def left(self) -> list[RunFile]:
        """The files that are not known to be stored."""
        levels = {accepted.file.level for accepted in self.sent}
        return [file for file in self._files if file.level not in levels]

    def send(self) -> None:
        """Send what is left in one request.

        The site stores all of it or nothing, by what holds as it does so, whatever another member of the
        team sends meanwhile.

        Raises
        ------
        SiteError
            If the site refuses a file; then it has stored none of them.
        SiteAway
            If no answer came; then it has stored all of them or none.
        """
        files = self.left
        if not files:
            return
        key = upload_key(self.site.address, self.run, files, is_open=self._is_open)
        path = f"/runs/{int(self.run['run']['id'])}/files"
        answers = self.site.upload(path, [(file.name, file.data) for file in files], key)
        came = {answer["submission"]["level"]: answer for answer in answers} | {
            accepted.file.level: accepted.answer for accepted in self.sent
        }
        self.sent = [AcceptedFile(file, came[file.level]) for file in self._files]


def upload_key(site: str, run: Mapping[str, Any], files: Sequence[RunFile], *, is_open: bool) -> str:
    """The name of an upload, by which the site takes it once.

    Parameters
    ----------
    site : str
        The address.
    run : mapping
        The run as the site has it, with all files ever sent.
    files : sequence of RunFile
        What is sent.
    is_open : bool
        Whether what is sent now is on time.

    Returns
    -------
    str
        The same for the same files sent again, whoever lost the answer; another one if something else came
        for a level meanwhile, or a file was withdrawn: then it is meant to count anew.
    """
    parts = [site, run["run"]["id"]]
    for file in files:
        other = _newest_submissions(run, file, is_open=is_open)[1]
        parts += [file.level, file.name, sha256_of(file.data), other]
    return sha256_of("\n".join(map(str, parts)).encode())


def _newest_submissions(run: Mapping[str, Any], file: RunFile, *, is_open: bool) -> tuple[int, int]:
    """The newest submission of just this file, and the newest of anything else for its level; 0: none."""
    sha256, newest = sha256_of(file.data), {True: 0, False: 0}
    for level in run["levels"]:
        for old in level["files"] if level["level"] == file.level else ():
            submission = old["submission"]
            same = (
                submission["sha256"] == sha256
                and not old["withdrawn"]
                and not (is_open and submission["late"])
            )
            newest[same] = max(newest[same], int(submission["id"]))
    return newest[True], newest[False]


def scores_text(answer: Mapping[str, Any]) -> str:
    """Scores in words, or "stored" where the phase hides them.

    Parameters
    ----------
    answer : mapping
        A submission as the API has it.

    Returns
    -------
    str
        Rounded values, the official metric first.

    Examples
    --------
    >>> scores_text({"scores": None})
    'stored'
    >>> scores_text({"scores": [{"metric": "pearson", "value": 0.81234, "exact": True, "part": None}]})
    'pearson 0.8123'
    """
    return "; ".join(_score_text(score) for score in answer["scores"] or ()) or "stored"


def _score_text(score: Mapping[str, Any]) -> str:
    part = {"public": " on the public items", "rest": " on the other items"}.get(str(score.get("part")), "")
    value = score["value"]
    if value is None:
        return f"{score['metric']} {DASH} ({score['undefined_reason']}){part}"
    shown = format_number(float(value)) if score["exact"] else repr(float(value))
    return f"{score['metric']} {shown}{part}"
