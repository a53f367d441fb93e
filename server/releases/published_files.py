"""The files of runs that are published with a release: each, and all in one zip."""

import hashlib

from server.core.errors import NotFound
from server.core.i18n import _
from server.core.storage import Storage
from server.core.tables import write_table
from server.releases.files import ReleasedFile
from server.releases.service import ReleaseState
from server.runs.archives import RunArchive

HEAD = ("file", "team", "run", "level", "late", "baseline", "sha256", "bytes")


def list_files(state: ReleaseState) -> list[ReleasedFile]:
    """The files of a release that stands.

    Raises:
        NotFound: it has none; the task does not publish them, or it is a live one.
    """
    files = state.files
    if not files:
        raise NotFound(_("No files of runs are published with this release."))
    return files


def read_file(storage: Storage, state: ReleaseState, path: str) -> bytes:
    """One of the files, by its name there.

    Raises:
        NotFound: there is none of this name.
    """
    for file in list_files(state):
        if file.path == path:
            return storage.get(file.sha256)
    raise NotFound(_("There is no such file with this release."))


def archive_files(state: ReleaseState, name: str) -> RunArchive:
    """All of them, with a table of them and the board that they gave.

    Raises:
        NotFound: there are none.
    """
    files = list_files(state)
    rows = [
        (
            f"runs/{file.path}",
            file.team,
            file.run,
            file.level,
            "yes" if file.late else "no",
            "yes" if file.baseline else "no",
            file.sha256,
            str(file.size),
        )
        for file in files
    ]
    tables = {"files.tsv": write_table("tsv", HEAD, rows).encode(), "board.json": state.text.encode()}
    return RunArchive(name, tables, {f"runs/{file.path}": file.sha256 for file in files})


def tag_of(archive: RunArchive) -> str:
    """What tells one such zip from another, without packing it."""
    parts = [archive.name, *map(str, archive.stored.items())]
    parts += [hashlib.sha256(content).hexdigest() for content in archive.tables.values()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
