"""Finds the files of a run in a folder or a zip, and which level each file is for."""

import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from scorer.bundles.run_file_names import (
    LEVEL_TWICE,
    NO_LEVEL,
    RUN_FILE_ENDINGS,
    ignored_files,
    is_document,
    levels_in_name,
)
from scorer.bundles.zips import is_zip, unpack_zip
from scorer.errors import DataError, Problem, RequestError
from scorer.files.reading import read_bytes

MAX_FILES = 1000
"""Includes folders and hidden files, so that a wrong folder is noticed before all of it is read."""
MAX_FILE_BYTES = 50_000_000
"""The maximum size of a file. Sites accept far less."""


@dataclass(frozen=True, slots=True)
class RunFile:
    """A run file: its level, the name under which it is sent, its path and its content.

    The name is relative to the folder of the run.
    """

    level: str
    name: str
    path: Path
    data: bytes


def read_run_folder(folder: Path, slugs: Sequence[str]) -> list[RunFile]:
    """Read the run files in a folder, in the order of the levels.

    Parameters
    ----------
    folder : Path
        The names of its files, or of their folders, contain the level. Symbolic links are followed. Documents
        and hidden files are ignored, and so are other files of a level that has exactly one run file.
    slugs : sequence of str
        The levels.

    Returns
    -------
    list of RunFile
        At least one, and at most one per level.

    Raises
    ------
    DataError
        Lists every file whose level is not clear, and every file or folder that cannot be read.
    RequestError
        If the path is not a folder.
    """
    if not folder.is_dir():
        raise RequestError(f"{folder} is not a folder; give the folder, the zip or the file of the run")
    listing = _FolderListing(folder, slugs)
    ignored, problems = ignored_files(listing.names, slugs), listing.problems
    names_by_level: dict[str, list[str]] = {slug: [] for slug in slugs}
    for name in listing.names:
        if name in ignored:
            continue
        levels = levels_in_name(name, slugs)
        if not _is_utf8(name):
            problems.append(Problem(str(folder / name), None, "no_utf8", "its name is not UTF-8; rename it"))
        elif len(levels) == 1:
            names_by_level[levels[0]].append(name)
        else:
            problems.append(Problem(str(folder / name), None, NO_LEVEL, _level_message(levels, slugs)))
    hint = "keep one, and give other runs their own folders"
    for slug, names in names_by_level.items():
        problems += [
            Problem(str(folder / name), None, LEVEL_TWICE, f"is not the only file for {slug}; {hint}")
            for name in names
            if len(names) > 1
        ]
    if problems:
        raise DataError(problems)
    files = [
        RunFile(slug, names[0], folder / names[0], _read_run_bytes(folder / names[0]))
        for slug, names in names_by_level.items()
        if names
    ]
    if not files:
        message = f"has no run file; the name of a run file contains its level: {', '.join(slugs)}"
        raise DataError([Problem(str(folder), None, "no_files", message)])
    return files


def read_run(path: Path, slugs: Sequence[str]) -> list[RunFile]:
    """Read the run files in a folder or a zip, or one run file.

    Parameters
    ----------
    path : Path
        A folder, a zip file of one, or a run file. A single file need not be named after its level if there
        is only one level.
    slugs : sequence of str
        The levels.

    Returns
    -------
    list of RunFile
        At least one, and at most one per level.

    Raises
    ------
    DataError
        Lists every file whose level is not clear, and every file or folder that cannot be read.
    RequestError
        If the path does not exist, or the level of a single file is not clear.
    """
    if is_zip(path):
        return _read_zip(path, slugs)
    if not path.is_file():
        return read_run_folder(path, slugs)
    levels = levels_in_name(path.name, slugs)
    if len(levels) != 1:
        raise RequestError(
            f"{path}: {_level_message(levels, slugs)}; or give the level with --level LEVEL=FILE"
        )
    name = _name_with_level(path, levels[0], slugs)
    return [RunFile(levels[0], name, path, _read_run_bytes(path))]


def read_level_files(paths: Mapping[str, Path], slugs: Sequence[str]) -> list[RunFile]:
    """Read one run file for each of the given levels, whatever the names of the files are.

    Parameters
    ----------
    paths : mapping of str to Path
        The files by level.
    slugs : sequence of str
        The levels of the task.

    Returns
    -------
    list of RunFile
        In the order of the levels.

    Raises
    ------
    DataError
        If a file cannot be read.
    RequestError
        If the task has no such level.
    """
    if unknown := [level for level in paths if level not in slugs]:
        raise RequestError(f'there is no level "{unknown[0]}"; the levels are: {", ".join(slugs)}')
    return [
        RunFile(
            level, _name_with_level(paths[level], level, slugs), paths[level], _read_run_bytes(paths[level])
        )
        for level in slugs
        if level in paths
    ]


def _read_zip(path: Path, slugs: Sequence[str]) -> list[RunFile]:
    """Read the run files in a zip; in errors and results, the zip stands for the folder that it contains."""
    with unpack_zip(path, str(path), inner=False) as folder:
        try:
            files = read_run_folder(folder, slugs)
        except DataError as error:
            raise DataError(
                [
                    replace(problem, source=str(path / Path(problem.source).relative_to(folder)))
                    for problem in error.problems
                ]
            ) from error
        return [replace(file, path=path / file.name) for file in files]


class _FolderListing:
    """Lists the files in a folder and its subfolders, and the problems with those that cannot be read."""

    def __init__(self, folder: Path, slugs: Sequence[str]) -> None:
        self.names, self.problems = list[str](), list[Problem]()
        self._folder, self._slugs, self._count = folder, slugs, 0
        self._visit_folder(folder, frozenset())

    def _visit_folder(self, folder: Path, above: frozenset[Path]) -> None:
        try:
            inside = sorted(folder.iterdir())
        except OSError as error:
            self._add_problem(folder, "unreadable", f"the folder cannot be read: {error.strerror}")
            return
        for path in inside:
            self._count += 1
            if self._count > MAX_FILES:
                message = f"{self._folder} has more than {MAX_FILES} files; give the folder of one run"
                raise RequestError(message)
            if not path.name.startswith("."):
                self._visit(path, above | {folder.resolve()})

    def _visit(self, path: Path, above: frozenset[Path]) -> None:
        try:
            mode = path.stat().st_mode
        except OSError as error:
            why = "is a broken link" if path.is_symlink() else f"cannot be read: {error.strerror}"
            self._add_problem(path, "unreadable", f"{why}; move it away")
            return
        if stat.S_ISREG(mode):
            self.names.append(path.relative_to(self._folder).as_posix())
        elif not stat.S_ISDIR(mode):
            self._add_problem(path, "no_regular_file", "is a pipe, a socket or a device; move it away")
        elif path.name.lower().endswith(RUN_FILE_ENDINGS) and levels_in_name(path.name, self._slugs):
            self._add_problem(path, "is_folder", "is a folder with the name of a run file; rename it")
        elif path.resolve() in above:
            self._add_problem(path, "loop", "is a link to a folder that contains it; remove it")
        else:
            self._visit_folder(path, above)

    def _add_problem(self, path: Path, code: str, message: str) -> None:
        if not is_document(path.name):
            self.problems.append(Problem(str(path), None, code, message))


def _is_utf8(name: str) -> bool:
    """Whether a name is valid UTF-8, which a site requires."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _name_with_level(path: Path, level: str, slugs: Sequence[str]) -> str:
    """Return the name to send a file under, from which the site finds its level: its own if that suffices."""
    is_clear = levels_in_name(path.name, slugs) == [level] and path.name.lower().endswith(RUN_FILE_ENDINGS)
    return path.name if is_clear else f"{level}.tsv"


def _read_run_bytes(path: Path) -> bytes:
    if path.is_file() and path.stat().st_size > MAX_FILE_BYTES:
        message = f"has more than {MAX_FILE_BYTES // 10**6} MB; is it a run?"
        raise DataError([Problem(str(path), None, "too_large", message)])
    return read_bytes(str(path))


def _level_message(levels: Sequence[str], slugs: Sequence[str]) -> str:
    if levels:
        return f"its name contains several levels: {', '.join(levels)}"
    return f"its name contains no level; move it away, or put one of these into its name: {', '.join(slugs)}"
