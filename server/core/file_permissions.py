"""File permissions: the data contains gold labels and password hashes, so only the site may read it.

New files of the site's processes are private because of their umask, 0o077. This module restricts files that
existed before, or that were copied manually.
"""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from server.core.config import Config

_ACCESS_OF_OTHERS = stat.S_IRWXG | stat.S_IRWXO


def restrict_data(config: Config) -> list[str]:
    """Make the data folder, its files and a SQLite database private; return lines on what changed.

    What the site did not put into the folder keeps its permissions, and the folder around it is private.
    """
    closed, refused = restrict_paths(_paths(config))
    lines = []
    if closed:
        lines.append(
            f"Other accounts of this machine had access to {_describe_paths(closed)}. Now only this one has."
        )
    if refused:
        lines.append(
            f"Other accounts of this machine have access to {_describe_paths(refused)}, and this one may not "
            f"change that. As root, run `chown -R {os.geteuid()} {config.data_dir}`, and start again."
        )
    return lines


def restrict_paths(paths: Iterable[Path]) -> tuple[list[Path], list[Path]]:
    """Take all permissions from group and others.

    Returns the paths that were changed, and the paths that this account may not change.
    """
    closed: list[Path] = []
    refused: list[Path] = []
    for path in paths:
        try:
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode) or not mode & _ACCESS_OF_OTHERS:
                continue
            path.chmod(stat.S_IMODE(mode) & ~_ACCESS_OF_OTHERS)
            closed.append(path)
        except FileNotFoundError:
            continue  # removed meanwhile
        except OSError:
            refused.append(path)
    return closed, refused


def _paths(config: Config) -> Iterator[Path]:
    """Yield the folders and files of the site."""
    yield config.data_dir
    yield from config.data_dir.glob("*.sqlite*")
    if (file := find_database_file(config.database_url)) is not None:
        yield from (file.with_name(file.name + ending) for ending in ("", "-wal", "-shm"))
    files_dir = config.files_dir.resolve()
    yield files_dir
    for folder, folders, files in os.walk(files_dir):
        yield from (Path(folder, name) for name in (*folders, *files))


def find_database_file(url: str) -> Path | None:
    """Return the file of a SQLite database."""
    try:
        address = make_url(url)
    except ArgumentError:
        return None  # opening the database says so
    in_file = address.drivername == "sqlite" and address.database not in (None, "", ":memory:")
    return Path(str(address.database)) if in_file else None


def _describe_paths(paths: list[Path]) -> str:
    if len(paths) == 1:
        return str(paths[0])
    return f"{len(paths)} files and folders of this site, such as {paths[0]}"
