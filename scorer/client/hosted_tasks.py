"""A task as a site describes it: its phases, levels and files, and what their runs have to be."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.client.connection import API, Connection, path_of
from scorer.client.local_files import check_file_name, sha256_of
from scorer.client.times import format_time
from scorer.errors import RequestError, SiteError, SiteUnavailable
from scorer.files.reading import Items, ItemsLayout, KeyedFormat, Run, parse_items, parse_run

ACCEPTING_STATES = ("open", "grace")


@dataclass(frozen=True, slots=True)
class HostedFile:
    """A file of a task; `run_limit` of items: the most bytes that a run for them may have."""

    level: str
    split: str
    kind: str
    filename: str
    sha256: str
    n_items: int
    run_limit: int | None


@dataclass(frozen=True, slots=True)
class HostedTask:
    """A task of a site.

    Parameters
    ----------
    slug : str
        Its name in addresses.
    values : mapping
        All that the site says of it.
    files : tuple of HostedFile
        Those that whoever asks may download.
    """

    slug: str
    values: Mapping[str, Any]
    files: tuple[HostedFile, ...]

    def phase(self, slug: str | None = None) -> Mapping[str, Any]:
        """A phase by its slug; without one, the only one that takes files.

        Raises
        ------
        RequestError
            If there is no such phase, or none or several take files.
        """
        phases = {str(row["slug"]): row for row in self.values["phases"]}
        if slug is not None:
            if slug not in phases:
                raise RequestError(f'{self.slug} has no phase "{slug}"; it has {", ".join(phases)}')
            return dict(phases[slug])
        taking = [row for row in phases.values() if row["state"] in ACCEPTING_STATES]
        if len(taking) != 1:
            which = ", ".join(str(row["slug"]) for row in taking or phases.values())
            words = "several phases take files" if taking else "no phase takes files now"
            raise RequestError(f"{words}; name one with --phase: {which}")
        return dict(taking[0])

    def items_of(self, phase: Mapping[str, Any]) -> dict[str, HostedFile]:
        """The files of items of a phase's levels, by level.

        Raises
        ------
        RequestError
            If the site shows none of them, for the phase has not opened.
        """
        files = {
            file.level: file for file in self.files if (file.kind, file.split) == ("items", phase["split"])
        }
        if not files:
            raise RequestError(f'the items of phase "{phase["slug"]}" are not open: it is {phase["state"]}')
        return files

    def layout_of(self, level: str) -> ItemsLayout:
        """The columns of a level's items."""
        values = next(row["layout"] for row in self.values["levels"] if row["slug"] == level)
        columns = values["columns"] or ()
        pairs = tuple(columns.items() if isinstance(columns, dict) else columns)
        return ItemsLayout(**{**values, "columns": pairs or None})

    def check(self, items: Items, data: bytes, source: str) -> Run:
        """A run file as the site will read it.

        Raises
        ------
        RunError
            With every problem.
        """
        keyed = self.values["keyed"]
        return parse_run(
            data,
            source,
            ids=items.ids,
            keyed=None if keyed is None else KeyedFormat(**keyed),
            scale=(self.values["scale_min"], self.values["scale_max"]),
            confidence_max=self.values["confidence_max"],
        )


def require_opened(phase: Mapping[str, Any]) -> None:
    """Refuse a phase that opens later. One that is over may still say what became of a file.

    Raises
    ------
    SiteError
        If it is not open yet.
    """
    if phase["state"] == "early":
        opens = format_time(phase["window"]["opens"])
        raise SiteError(f'phase "{phase["slug"]}" takes no files yet: it opens at {opens}')


def read_task(site: Connection, slug: str) -> HostedTask:
    """A task of a site.

    Raises
    ------
    SiteError
        If there is none, or the site does not answer.
    """
    values = fetch_task_json(site, slug)
    return HostedTask(slug, values, tuple(_read_hosted_file(row) for row in values["files"]))


def fetch_task_json(site: Connection, slug: str, below: str = "") -> dict[str, Any]:
    """What the API has of a task, or at a path below it.

    Raises
    ------
    RequestError
        If it has no name.
    SiteError
        If there is none, or the site does not answer.
    """
    if not slug.strip("."):
        raise RequestError(f'"{slug}" is no name of a task; `scorer tasks` lists those that there are')
    try:
        return site.json(path_of("tasks", slug) + below)
    except SiteError as error:
        if error.code != "not_found":
            raise
        raise SiteError(
            f'there is no task "{slug}" at {site.address}; `scorer tasks` lists those that there are',
            error.problem,
        ) from error


def read_file(site: Connection, task: HostedTask, file: HostedFile) -> bytes:
    """The bytes of a file, which are those that the site names.

    Raises
    ------
    SiteAway
        If they have another SHA-256.
    """
    data = site.file(API + path_of("tasks", task.slug, "files", file.level, file.split, file.kind))
    if sha256_of(data) != file.sha256:
        raise SiteUnavailable(
            f"{file.filename} came with other bytes than the site names by SHA-256; try again"
        )
    return data


def read_items(site: Connection, task: HostedTask, levels: Sequence[HostedFile]) -> dict[str, Items]:
    """The items of levels, parsed.

    Raises
    ------
    SiteError
        If the site does not answer, or with other bytes than it names.
    """
    return {
        file.level: parse_items(read_file(site, task, file), file.filename, task.layout_of(file.level))
        for file in levels
    }


def _read_hosted_file(values: Mapping[str, Any]) -> HostedFile:
    level, split, kind = (str(values[name]) for name in ("level", "split", "kind"))
    filename, sha256 = check_file_name(values["filename"]), str(values["sha256"])
    limit = values["run_limit"]
    return HostedFile(level, split, kind, filename, sha256, int(values["n_items"]), limit and int(limit))
