"""Sending a run: every file is checked before one is sent, and each is sent so that it counts once."""

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from scorer.client.hosted import HostedFile, HostedTask
from scorer.client.run_folder import RunFile
from scorer.client.site import Site
from scorer.errors import DataError, Problem, RequestError
from scorer.io import Items


@dataclass(frozen=True, slots=True)
class Sent:
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
        problems = [problem for error in refused for problem in error.problems]
        raise DataError(problems, sum(error.count for error in refused))
    return warnings


def _require_small(file: RunFile, limit: int | None) -> None:
    """Refuse a file that the site takes for no run."""
    if limit is not None and len(file.data) > limit:
        message = f"has {len(file.data)} bytes; a run for {file.level} may have {limit}"
        raise DataError([Problem(str(file.path), None, "too_large", message)])


def find_run(site: Site, task: str, phase: str, name: str) -> dict[str, Any] | None:
    """One's own run of a name, with all that was ever sent for it; None: there is none yet.

    Raises
    ------
    SiteError
        If the site refuses: whoever asks is in no team.
    RequestError
        If the run is withdrawn.
    """
    team = site.json(f"/tasks/{quote(task, safe='')}/counts")["team"]["id"]
    for row in site.rows(f"/tasks/{quote(task, safe='')}/runs?phase={quote(phase, safe='')}"):
        if row["run"]["name"] == name and row["team"]["id"] == team:
            if row["withdrawn"]:
                raise RequestError(
                    f'the run "{name}" is withdrawn; bring it back on the site, or name another'
                )
            return site.json(f"/runs/{int(row['run']['id'])}")
    return None


def make_run(site: Site, task: str, phase: str, name: str) -> dict[str, Any]:
    """A new run of one's own team, as `find_run` would give it.

    Raises
    ------
    SiteError
        If the site refuses.
    """
    path = f"/tasks/{quote(task, safe='')}/phases/{quote(phase, safe='')}/runs"
    return {"run": site.make(path, {"name": name}), "levels": []}


def send_files(site: Site, run: Mapping[str, Any], files: Sequence[RunFile]) -> Iterator[Sent]:
    """Send the files of a run one after another; yields what the site answered to each.

    Raises
    ------
    SiteError
        If the site refuses one: those before it are stored, and those behind it not sent.
    """
    for file in files:
        path = f"/runs/{int(run['run']['id'])}/files/{quote(file.level, safe='')}"
        key = upload_key(site.address, run, file)
        yield Sent(file, site.upload(path, file.path.name, file.data, key))


def upload_key(site: str, run: Mapping[str, Any], file: RunFile) -> str:
    """The name of an upload, by which the site takes it once.

    Parameters
    ----------
    site : str
        The address.
    run : mapping
        The run as the site has it, with all files ever sent.
    file : RunFile
        What is sent.

    Returns
    -------
    str
        The same for the same file sent again, whoever lost the answer; another one if something else came
        for the level meanwhile, or the file was withdrawn: then it is meant to count anew.
    """
    sha256 = hashlib.sha256(file.data).hexdigest()
    before = [
        int(old["submission"]["id"])
        for level in run["levels"]
        if level["level"] == file.level
        for old in level["files"]
        if old["submission"]["sha256"] != sha256 or old["withdrawn"]
    ]
    parts = (site, run["run"]["id"], file.level, sha256, max(before, default=0))
    return hashlib.sha256("\n".join(map(str, parts)).encode()).hexdigest()
