"""Uploads a run: checks all files, then sends them in one request, so that the site stores all or none.

Only files for levels with a used-up quota are left out.
Also formats the scores of a file in the site's answer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from scorer.client.connection import Connection, path_of
from scorer.client.hosted_tasks import HostedFile, HostedTask, read_items, read_task
from scorer.client.local_files import sha256_of
from scorer.client.run_folder import RunFile, read_level_files, read_run
from scorer.client.team_counts import fetch_counts
from scorer.client.times import format_time
from scorer.errors import DataError, Problem, RequestError, SiteError
from scorer.files.reading import Items
from scorer.reports.scores import DASH, format_number


@dataclass(frozen=True, slots=True)
class AcceptedFile:
    """A file that the site has accepted, and its answer: among others `scores`, `counts` and `receipt`."""

    file: RunFile
    answer: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class CheckedRun:
    """The good files of a run for a phase, warnings about them, and the levels for which there is no file."""

    task: str
    phase: Mapping[str, Any]
    files: Sequence[RunFile]
    warnings: Sequence[Problem]
    empty: Sequence[str]


Confirmation = Literal["first_is_score", "sure"]
"""What the site accepts without asking."""
Question = Literal["new run", "late"]
"""What may need the user's consent: a run of a new name, or files that are late."""
Confirm = Callable[[Question, str], None]
"""Called with what needs the user's consent, and a sentence about it."""
RunPaths = Path | Mapping[str, Path]
"""A folder, a zip file of one or a run file; or the file of each level."""


def check_run(
    site: Connection, task: str, phase: str | None, files: RunPaths, confirmed: Sequence[Confirmation]
) -> CheckedRun:
    """Read the files of a run and check them, before anything is sent.

    Parameters
    ----------
    site : Connection
        The site.
    task, phase : str, str or None
        The slugs. By default, the only phase that accepts files.
    files : RunPaths
        The files.
    confirmed : sequence of str
        As for `RunUpload`.

    Raises
    ------
    DataError
        Lists every problem of every file.
    RequestError
        If there is no such phase, level or folder.
    SiteError
        If there is no such task, or the phase is not open yet.
    """
    hosted = read_task(site, task)
    target = hosted.phase(phase)
    if target["state"] == "early":  # a closed phase passes: it may have stored the same files before
        opens = format_time(target["window"]["opens"])
        raise SiteError(f'phase "{target["slug"]}" does not accept files yet: it opens at {opens}')
    levels = hosted.items_of(target)
    found = (
        read_run(files, list(levels)) if isinstance(files, Path) else read_level_files(files, list(levels))
    )
    items = read_items(site, hosted, [levels[file.level] for file in found])
    first_is_score = "first_is_score" in confirmed
    warnings = check_files(hosted, levels, items, found, first_is_score=first_is_score)
    return CheckedRun(task, target, found, warnings, [level for level in levels if level not in items])


def prepare_upload(
    site: Connection, checked: CheckedRun, name: str, confirmed: Sequence[Confirmation], confirm: Confirm
) -> "RunUpload":
    """Prepare the upload of checked files to the run of this name, which is created if there is none.

    Parameters
    ----------
    site : Connection
        The site.
    checked : CheckedRun
        From `check_run`.
    name : str
        The name of the run.
    confirmed : sequence of str
        As for `RunUpload`.
    confirm : callable
        Raises an exception if there is no consent.

    Raises
    ------
    RequestError
        If the run is withdrawn.
    SiteError
        If the site rejects a request.
    """
    phase, slug = checked.phase, str(checked.phase["slug"])
    run = find_own_run(site, checked.task, slug, name)
    is_open = phase["state"] == "open"
    prepare = partial(RunUpload, site, files=checked.files, is_open=is_open, confirmed=confirmed)
    upload = None if run is None else prepare(run)
    if upload is None:
        confirm("new run", f'There is no run "{name}" in {slug} yet.')
    if phase["state"] == "grace" and (upload is None or upload.left):
        ends = format_time(phase["window"]["grace_ends"])
        confirm("late", f"{slug} accepts late submissions until {ends}. Late submissions are not ranked.")
    return upload or prepare(make_run(site, checked.task, slug, name))


def check_files(
    task: HostedTask,
    levels: Mapping[str, HostedFile],
    items: Mapping[str, Items],
    files: Sequence[RunFile],
    *,
    first_is_score: bool = False,
) -> list[Problem]:
    """Check all files in the same way as the site.

    Parameters
    ----------
    task : HostedTask
        From `read_task`.
    levels : mapping
        The items files, from `HostedTask.items_of`.
    items : mapping
        The items of each file's level, from `read_items`.
    files : sequence of RunFile
        The files to send.
    first_is_score : bool
        Accept a first column that looks like ids.

    Returns
    -------
    list of Problem
        Warnings about files that are accepted.

    Raises
    ------
    DataError
        If a file is bad; lists every problem of every file.
    """
    refused, warnings = list[DataError](), list[Problem]()
    for file in files:
        try:
            _require_small(file, levels[file.level].run_limit)
            run = task.check(items[file.level], file.data, str(file.path), first_is_score=first_is_score)
            warnings += run.warnings
        except DataError as error:
            refused.append(error)
    if refused:
        raise DataError.of_all(refused)
    return warnings


def _require_small(file: RunFile, limit: int | None) -> None:
    """Raise DataError if a file is larger than the site accepts for a run."""
    if limit is not None and len(file.data) > limit:
        message = f"has {len(file.data)} bytes; a run for {file.level} may have at most {limit}"
        raise DataError([Problem(str(file.path), None, "too_large", message)])


def find_own_run(site: Connection, task: str, phase: str, name: str) -> dict[str, Any] | None:
    """Get the run of the user's team with this name and all its submissions; None if there is none yet.

    Raises
    ------
    SiteError
        If the site rejects the request, for example because the user is not in a team.
    RequestError
        If the run is withdrawn.
    """
    team = fetch_counts(site, task)["team"]["id"]
    for row in site.rows(f"{path_of('tasks', task, 'runs')}?phase={quote(phase, safe='')}"):
        if row["run"]["name"] == name and row["team"]["id"] == team:
            if row["withdrawn"]:
                raise RequestError(
                    f'the run "{name}" is withdrawn; restore it on the site, or choose another name'
                )
            return site.json(f"/runs/{int(row['run']['id'])}")
    return None


def make_run(site: Connection, task: str, phase: str, name: str) -> dict[str, Any]:
    """Create a run of the user's team; returns the same as `find_own_run`.

    Raises
    ------
    SiteError
        If the site rejects the request.
    """
    run = site.make(path_of("tasks", task, "phases", phase, "runs"), {"name": name})
    return {"run": run, "levels": []}


class RunUpload:
    """The upload of a run: the files that the site already has, and the files that are still to be sent.

    Parameters
    ----------
    site : Connection
        The site.
    run : mapping
        The run as the site has it, with all its submissions.
    files : sequence of RunFile
        All files of the run.
    is_open : bool
        Whether files that are sent now are on time. If so, a file that was late before is sent again.
    confirmed : sequence of str
        What the site is to accept without asking: `first_is_score`, `sure`.

    Raises
    ------
    SiteError
        If the site does not return the result of a file that it has, or does not answer.
    """

    def __init__(
        self,
        site: Connection,
        run: Mapping[str, Any],
        files: Sequence[RunFile],
        *,
        is_open: bool,
        confirmed: Sequence[Confirmation] = (),
    ) -> None:
        self.site, self.run = site, run
        self._files, self._is_open, self._confirmed = files, is_open, confirmed
        self.sent = [
            AcceptedFile(file, {**site.json(f"/submissions/{submission}"), "new": False})
            for file, (submission, other) in (
                (file, _newest_submissions(run, file, is_open=is_open)) for file in files
            )
            if submission > other
        ]

    @property
    def left(self) -> list[RunFile]:
        """The files that the site has not confirmed as stored."""
        levels = {accepted.file.level for accepted in self.sent}
        return [file for file in self._files if file.level not in levels]

    def send(self) -> None:
        """Send the remaining files in one request.

        The site stores all of them or none, and checks limits at that moment, so it does not matter what
        other team members upload at the same time.

        Raises
        ------
        SiteError
            If the site rejects a file; then it has stored none of them. If it leaves files out because
            the quota of their level is used up, it has stored those in `sent`.
        SiteUnavailable
            If there was no answer; then the site has stored all of them or none.
        """
        files = self.left
        if not files:
            return
        key = upload_key(self.site.address, self.run, files, is_open=self._is_open)
        path = f"/runs/{int(self.run['run']['id'])}/files"
        flags: dict[str, str] = dict.fromkeys(self._confirmed, "true")
        answers, left_out = self.site.upload(path, [(file.name, file.data) for file in files], key, flags)
        answer_by_level = {answer["submission"]["level"]: answer for answer in answers} | {
            accepted.file.level: accepted.answer for accepted in self.sent
        }
        self.sent = [
            AcceptedFile(file, answer_by_level[file.level])
            for file in self._files
            if file.level in answer_by_level
        ]
        if left_out is not None:
            raise left_out


def upload_key(site: str, run: Mapping[str, Any], files: Sequence[RunFile], *, is_open: bool) -> str:
    """Return the idempotency key of an upload, by which the site recognizes a repeated request.

    Parameters
    ----------
    site : str
        The address of the site.
    run : mapping
        The run as the site has it, with all its submissions.
    files : sequence of RunFile
        The files to send.
    is_open : bool
        Whether files that are sent now are on time.

    Returns
    -------
    str
        The same if the same files are sent again after a lost answer. Different if a level has got another
        submission since then or a file was withdrawn, because the upload is then meant to count again.
    """
    parts = [site, run["run"]["id"]]
    for file in files:
        other = _newest_submissions(run, file, is_open=is_open)[1]
        parts += [file.level, file.name, sha256_of(file.data), other]
    return sha256_of("\n".join(map(str, parts)).encode())


def _newest_submissions(run: Mapping[str, Any], file: RunFile, *, is_open: bool) -> tuple[int, int]:
    """Return the newest submission of this file and the newest of any other file of its level; 0: none."""
    sha256, newest = sha256_of(file.data), {True: 0, False: 0}
    for level in run["levels"]:
        for stored in level["files"] if level["level"] == file.level else ():
            submission = stored["submission"]
            is_this_file = (
                submission["sha256"] == sha256
                and not stored["withdrawn"]
                and not (is_open and submission["late"])
            )
            newest[is_this_file] = max(newest[is_this_file], int(submission["id"]))
    return newest[True], newest[False]


def scores_text(answer: Mapping[str, Any]) -> str:
    """Format the scores of a submission, or return "stored" if the phase does not show scores.

    Parameters
    ----------
    answer : mapping
        A submission as the API returns it.

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
