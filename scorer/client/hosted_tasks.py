"""A task on a site: its phases, levels and files, and the format of its runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scorer.boards.people import PeopleRow, read_records
from scorer.client.connection import API, Connection, path_of
from scorer.client.local_files import check_file_name, sha256_of
from scorer.errors import RequestError, SiteError, SiteUnavailable, TokenError
from scorer.files.reading import Items, ItemsLayout, KeyedFormat, Run, parse_items, parse_run

ACCEPTING_STATES = ("open", "grace")


@dataclass(frozen=True, slots=True)
class HostedFile:
    """A file of a task. For items, `run_limit` is the maximum size of a run in bytes."""

    level: str
    split: str
    kind: str
    filename: str
    sha256: str
    n_items: int
    run_limit: int | None

    @property
    def path(self) -> tuple[str, ...]:
        """Its address below that of its task."""
        return "files", self.level, self.split, self.kind


@dataclass(frozen=True, slots=True)
class KitFile:
    """A file of the starter kit of a task."""

    name: str
    sha256: str

    @property
    def path(self) -> tuple[str, ...]:
        """Its address below that of its task."""
        return "starter-kit", self.name

    @property
    def filename(self) -> str:
        """Where it is saved: not beside the data, so that it cannot have the name of one of these."""
        return f"starter-kit/{self.name}"


@dataclass(frozen=True, slots=True)
class HostedBoard:
    """The public leaderboard of a phase: its address, and the bytes whose SHA-256 is on its page."""

    task: str
    phase: str
    address: str
    data: bytes


@dataclass(frozen=True, slots=True)
class HostedTask:
    """A task on a site.

    Parameters
    ----------
    slug : str
        Its name in addresses.
    values : mapping
        The task as the API returns it.
    files : tuple of HostedFile
        The data files that the user may download.
    starter_kit : tuple of KitFile
        The files of the starter kit.
    """

    slug: str
    values: Mapping[str, Any]
    files: tuple[HostedFile, ...]
    starter_kit: tuple[KitFile, ...] = ()

    def phase(self, slug: str | None = None) -> Mapping[str, Any]:
        """Return a phase by its slug, by default the only phase that accepts files.

        Raises
        ------
        RequestError
            If there is no such phase, or no or several phases accept files.
        """
        phases = {str(row["slug"]): row for row in self.values["phases"]}
        if slug is not None:
            if slug not in phases:
                raise RequestError(f'{self.slug} has no phase "{slug}"; it has {", ".join(phases)}')
            return dict(phases[slug])
        accepting = [row for row in phases.values() if row["state"] in ACCEPTING_STATES]
        if len(accepting) != 1:
            slugs = ", ".join(str(row["slug"]) for row in accepting or phases.values())
            reason = "several phases accept files" if accepting else "no phase accepts files now"
            raise RequestError(f"{reason}; choose one with --phase: {slugs}")
        return dict(accepting[0])

    def items_of(self, phase: Mapping[str, Any]) -> dict[str, HostedFile]:
        """Return the items files of a phase by level.

        Raises
        ------
        RequestError
            If no items are available because the phase is not open yet.
        """
        files = {
            file.level: file for file in self.files if (file.kind, file.split) == ("items", phase["split"])
        }
        if not files:
            raise RequestError(
                f'the items of phase "{phase["slug"]}" are not available: its state is {phase["state"]}'
            )
        return files

    def layout_of(self, level: str) -> ItemsLayout:
        """Return the layout of the items of a level."""
        values = next(row["layout"] for row in self.values["levels"] if row["slug"] == level)
        columns = values["columns"] or ()
        pairs = tuple(columns.items() if isinstance(columns, dict) else columns)
        return ItemsLayout(**{**values, "columns": pairs or None})

    def check(self, items: Items, data: bytes, source: str, *, first_is_score: bool) -> Run:
        """Check a run file in the same way as the site; `first_is_score` as in `parse_run`.

        Raises
        ------
        RunError
            Lists every problem.
        """
        keyed = self.values["keyed"]
        return parse_run(
            data,
            source,
            ids=items.ids,
            keyed=None if keyed is None else KeyedFormat(**keyed),
            scale=(self.values["scale_min"], self.values["scale_max"]),
            confidence_max=self.values["confidence_max"],
            first_is_score=first_is_score,
        )


def read_task(site: Connection, slug: str) -> HostedTask:
    """Read a task from a site.

    Raises
    ------
    SiteError
        If there is no such task, or the site does not answer.
    """
    values = fetch_task_json(site, slug)
    kit = (KitFile(check_file_name(row["name"]), str(row["sha256"])) for row in values["starter_kit"])
    return HostedTask(slug, values, tuple(_read_hosted_file(row) for row in values["files"]), tuple(kit))


def fetch_task_json(site: Connection, slug: str, below: str = "") -> dict[str, Any]:
    """Get the JSON object of a task, or of a path below it, from the API.

    Raises
    ------
    RequestError
        If the slug is empty or consists of dots.
    SiteError
        If there is no such task, or the site does not answer.
    """
    if not slug.strip("."):
        raise RequestError(f'"{slug}" is not the name of a task; `scorer tasks` lists all tasks')
    try:
        return site.json(path_of("tasks", slug) + below)
    except SiteError as error:
        if error.code != "not_found":
            raise
        raise SiteError(
            f'there is no task "{slug}" at {site.address}; `scorer tasks` lists all tasks',
            error.problem,
        ) from error


def read_file(site: Connection, task: HostedTask, file: HostedFile | KitFile) -> bytes:
    """Download a file and verify its SHA-256 hash.

    Raises
    ------
    SiteUnavailable
        If its hash is not the one that the site states.
    """
    data = site.file(API + path_of("tasks", task.slug, *file.path))
    if sha256_of(data) != file.sha256:
        raise SiteUnavailable(
            f"the download of {file.filename} does not have the SHA-256 that the site states; try again"
        )
    return data


def fetch_board(site: Connection, task: str, phases: Sequence[str]) -> HostedBoard:
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
    HostedBoard

    Raises
    ------
    SiteError
        If no phase has a leaderboard, or the last released one was withdrawn.
    """
    first: SiteError | None = None
    for phase in reversed(phases):
        path = API + path_of("tasks", task, "phases", phase, "board")
        try:
            return HostedBoard(task, phase, site.address + path, site.file(path))
        except (TokenError, SiteUnavailable):
            raise
        except SiteError as error:
            if error.code == "withdrawn":  # an older leaderboard must not replace it
                raise
            first = first or error
    raise first or SiteError(f"{task} has no phase")


def fetch_people(site: Connection, board: HostedBoard) -> PeopleRow | None:
    """Return how well people would do on a leaderboard; None: its release does not say it, or it is live.

    Raises
    ------
    SiteError
        If the site does not answer.
    """
    path = path_of("tasks", board.task, "phases", board.phase, "releases")
    for newest in site.json(f"{path}?per_page=1")["items"]:
        if newest["sha256"] == sha256_of(board.data):
            return read_records(site.json(f"{path}/{newest['number']}").get("people", ()))
    return None


def read_items(site: Connection, task: HostedTask, levels: Sequence[HostedFile]) -> dict[str, Items]:
    """Download and parse the items of levels.

    Raises
    ------
    SiteError
        If the site does not answer, or a file does not have the stated SHA-256.
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
