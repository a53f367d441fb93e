"""Signed documents that somebody kept outside the site: a receipt, a statement, the evidence of a release."""

import zipfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from server.errors import NotFound
from server.services.audit_witnesses import Paper

BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
"""What Python says of a zip that is none, in full."""
LARGEST = 1024 * 1024
"""Bytes of a document; the site's own have a few thousand."""
MOST = 100_000
"""Documents of one evidence."""
STATEMENT = "release.json"


def read_papers(path: Path) -> Iterator[Paper]:
    """The documents of a file, or of an evidence as a zip or a folder.

    Raises:
        NotFound: there is none, or it cannot be read.
    """
    try:
        if path.is_dir():
            yield from _of_folder(path)
        elif zipfile.is_zipfile(path):
            yield from _of_zip(path)
        else:
            yield Paper(str(path), _bounded(str(path), path.stat().st_size, path.read_bytes))
    except (*BROKEN, OSError) as error:
        raise NotFound(f"{path}: cannot be read ({error}).") from error


def _of_folder(folder: Path) -> Iterator[Paper]:
    names = [path for path in folder.rglob("*.json") if path.is_file()]
    for name in _wanted(str(folder), [path.relative_to(folder).as_posix() for path in names]):
        file = folder / name
        yield Paper(str(file), _bounded(str(file), file.stat().st_size, file.read_bytes))


def _of_zip(path: Path) -> Iterator[Paper]:
    with zipfile.ZipFile(path) as archive:
        for name in _wanted(str(path), archive.namelist()):
            where = f"{path}/{name}"
            yield Paper(where, _bounded(where, archive.getinfo(name).file_size, partial(archive.read, name)))


def _bounded(where: str, size: int, read: Callable[[], bytes]) -> bytes:
    if size > LARGEST:
        raise NotFound(f"{where}: has {size} bytes, and no signed document is larger than {LARGEST}.")
    return read()


def _wanted(where: str, names: list[str]) -> list[str]:
    """The statement and the receipts, at the top or in the one folder of it."""
    found = sorted(name for name in names if _is_wanted(name.split("/")))
    if not found:
        raise NotFound(
            f"{where}: has no {STATEMENT} and no receipts, so there is nothing to hold against the log."
        )
    if len(found) > MOST:
        raise NotFound(f"{where}: has {len(found)} documents; give them in parts of {MOST} at most.")
    return found


def _is_wanted(parts: list[str]) -> bool:
    inside = parts[1:] if len(parts) > 1 and parts[0] != "receipts" else parts
    return inside == [STATEMENT] or (
        len(inside) == 2 and inside[0] == "receipts" and inside[1].endswith(".json")
    )
