"""The files of a run in a folder: which is for which level."""

import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer.bundles.run_file_names import (
    LEVEL_TWICE,
    NO_LEVEL,
    RUN_FILE_ENDINGS,
    ignored_files,
    is_document,
    levels_in_name,
)
from scorer.errors import DataError, Problem, RequestError
from scorer.files.reading import read_bytes

MAX_FILES = 1000
"""Folders and hidden ones counted too, so that a wrong folder is noticed before all of it is read."""
MAX_FILE_BYTES = 50_000_000
"""Of one file; a site takes far less."""


@dataclass(frozen=True, slots=True)
class RunFile:
    """A run file: the level it is for, its path below the folder, where it is, its bytes."""

    level: str
    name: str
    path: Path
    data: bytes


def read_run_folder(folder: Path, slugs: Sequence[str]) -> list[RunFile]:
    """The run files in a folder, in the order of the levels.

    Parameters
    ----------
    folder : Path
        Names of files, or of the folders that they lie in, hold the level; links are followed. Documents and
        hidden files are left out, and so is what lies beside a level's one run file.
    slugs : sequence of str
        The levels.

    Returns
    -------
    list of RunFile
        At least one, and at most one a level.

    Raises
    ------
    DataError
        If it is not clear which file is for which level, or something cannot be read, with every problem.
    RequestError
        If it is no folder.
    """
    if not folder.is_dir():
        raise RequestError(f"{folder} is no folder; give the one that the run's files lie in")
    listing = _FolderListing(folder, slugs)
    out, problems = ignored_files(listing.names, slugs), listing.problems
    taken: dict[str, list[str]] = {slug: [] for slug in slugs}
    for name in listing.names:
        if name in out:
            continue
        levels = levels_in_name(name, slugs)
        if not _is_utf8(name):
            problems.append(Problem(str(folder / name), None, "no_utf8", "its name is no UTF-8; rename it"))
        elif len(levels) == 1:
            taken[levels[0]].append(name)
        else:
            problems.append(Problem(str(folder / name), None, NO_LEVEL, _level_message(levels, slugs)))
    for slug, same in taken.items():
        problems += [
            Problem(str(folder / name), None, LEVEL_TWICE, f"is not the only file for {slug}; leave one")
            for name in same
            if len(same) > 1
        ]
    if problems:
        raise DataError(problems)
    files = [
        RunFile(slug, same[0], folder / same[0], _read_run_bytes(folder / same[0]))
        for slug, same in taken.items()
        if same
    ]
    if not files:
        message = f"has no run file; the name of one holds its level: {', '.join(slugs)}"
        raise DataError([Problem(str(folder), None, "no_files", message)])
    return files


class _FolderListing:
    """What lies in a folder and below it, links followed: the files, and what cannot be read as one."""

    def __init__(self, folder: Path, slugs: Sequence[str]) -> None:
        self.names, self.problems = list[str](), list[Problem]()
        self._folder, self._slugs, self._count = folder, slugs, 0
        self._look_into(folder, frozenset())

    def _look_into(self, folder: Path, above: frozenset[Path]) -> None:
        try:
            inside = sorted(folder.iterdir())
        except OSError as error:
            self._refuse(folder, "unreadable", f"the folder cannot be read: {error.strerror}")
            return
        for path in inside:
            self._count += 1
            if self._count > MAX_FILES:
                words = f"{self._folder} has more than {MAX_FILES} files; give the folder of one run"
                raise RequestError(words)
            if not path.name.startswith("."):
                self._take(path, above | {folder.resolve()})

    def _take(self, path: Path, above: frozenset[Path]) -> None:
        try:
            mode = path.stat().st_mode
        except OSError as error:
            why = "is a link that leads nowhere" if path.is_symlink() else f"cannot be read: {error.strerror}"
            self._refuse(path, "unreadable", f"{why}; move it away")
            return
        if stat.S_ISREG(mode):
            self.names.append(path.relative_to(self._folder).as_posix())
        elif not stat.S_ISDIR(mode):
            self._refuse(path, "no_regular_file", "is a pipe, a socket or a device; move it away")
        elif path.name.lower().endswith(RUN_FILE_ENDINGS) and levels_in_name(path.name, self._slugs):
            self._refuse(path, "is_folder", "is a folder that is named like a run file; name it otherwise")
        elif path.resolve() in above:
            self._refuse(path, "loop", "is a link to a folder that it lies in; remove it")
        else:
            self._look_into(path, above)

    def _refuse(self, path: Path, code: str, message: str) -> None:
        if not is_document(path.name):
            self.problems.append(Problem(str(path), None, code, message))


def _is_utf8(name: str) -> bool:
    """Whether a name is UTF-8, as all is that goes to a site."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _read_run_bytes(path: Path) -> bytes:
    if path.stat().st_size > MAX_FILE_BYTES:
        message = f"has more than {MAX_FILE_BYTES // 10**6} MB; is it a run?"
        raise DataError([Problem(str(path), None, "too_large", message)])
    return read_bytes(str(path))


def _level_message(levels: Sequence[str], slugs: Sequence[str]) -> str:
    if levels:
        return f"its name says more than one level: {', '.join(levels)}"
    return f"its name says no level; move it away, or put one of these into its name: {', '.join(slugs)}"
