"""The files of a run in a folder: which is for which level."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from scorer.errors import DataError, Problem, RequestError
from scorer.io import read_bytes
from scorer.run_names import left_out, levels_of

MOST_FILES = 1000
"""Folders and hidden ones counted too, so that a wrong folder is noticed before all of it is read."""
MOST_BYTES = 50_000_000
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
        Names of files, or of the folders that they lie in, hold the level. Documents and hidden files are
        left out, and so is what lies beside a level's one run file.
    slugs : sequence of str
        The levels.

    Returns
    -------
    list of RunFile
        At least one, and at most one a level.

    Raises
    ------
    DataError
        If it is not clear which file is for which level, with every problem.
    RequestError
        If it is no folder.
    """
    if not folder.is_dir():
        raise RequestError(f"{folder} is no folder; give the one that the run's files lie in")
    names = _names(folder)
    out = left_out(names, slugs)
    taken: dict[str, list[str]] = {slug: [] for slug in slugs}
    problems = []
    for name in names:
        if name in out:
            continue
        levels = levels_of(name, slugs)
        if len(levels) == 1:
            taken[levels[0]].append(name)
        else:
            problems.append(Problem(str(folder / name), None, "no_level", _which(levels, slugs)))
    for slug, same in taken.items():
        problems += [
            Problem(str(folder / name), None, "level_twice", f"is not the only file for {slug}; leave one")
            for name in same
            if len(same) > 1
        ]
    if problems:
        raise DataError(problems)
    found = [
        RunFile(slug, same[0], folder / same[0], _bytes(folder / same[0]))
        for slug, same in taken.items()
        if same
    ]
    if not found:
        message = f"has no run file; the name of one holds its level: {', '.join(slugs)}"
        raise DataError([Problem(str(folder), None, "no_files", message)])
    return found


def _names(folder: Path) -> list[str]:
    """The files, by their paths below the folder."""
    found = []
    for count, path in enumerate(folder.rglob("*")):
        if count >= MOST_FILES:
            raise RequestError(f"{folder} has more than {MOST_FILES} files; give the folder of one run")
        name = path.relative_to(folder)
        if path.is_file() and not any(part.startswith(".") for part in name.parts):
            found.append(name.as_posix())
    return sorted(found)


def _bytes(path: Path) -> bytes:
    if path.stat().st_size > MOST_BYTES:
        message = f"has more than {MOST_BYTES // 10**6} MB; is it a run?"
        raise DataError([Problem(str(path), None, "too_large", message)])
    return read_bytes(str(path))


def _which(levels: Sequence[str], slugs: Sequence[str]) -> str:
    if levels:
        return f"its name says more than one level: {', '.join(levels)}"
    return f"its name says no level; move it away, or put one of these into its name: {', '.join(slugs)}"
