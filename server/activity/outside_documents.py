"""Signed documents that somebody kept outside the site: a receipt, a statement, the evidence of a release."""

from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import is_zipfile

from server.activity.verify_documents import UnverifiedDocument
from server.core.errors import InvalidFile, NotFound
from server.core.zips import unpacked

MAX_BYTES = 1024 * 1024
"""Bytes of a document; the site's own have a few thousand."""
MAX_DOCUMENTS = 100_000
"""Documents of one evidence."""
STATEMENT, RECEIPTS = "release.json", "receipts"


def read_documents(path: Path) -> Iterator[UnverifiedDocument]:
    """The documents of a file, or of an evidence as a zip or a folder; one at fault where there is none."""
    try:
        yield from _read_path(path)
    except InvalidFile as error:
        words = " ".join([error.message, *map(str, error.problems[:1])])
        yield UnverifiedDocument(str(path), b"", fault=f"{path}: {words}")
    except NotFound as error:
        yield UnverifiedDocument(str(path), b"", fault=str(error))
    except OSError as error:
        yield UnverifiedDocument(str(path), b"", fault=f"{path}: cannot be read ({error})")


def _read_path(path: Path) -> Iterator[UnverifiedDocument]:
    if path.is_dir():
        yield from _read_folder(path, str(path))
    elif is_zipfile(path):
        with unpacked(path) as folder:
            yield from _read_folder(folder, str(path))
    else:
        yield UnverifiedDocument(str(path), _read_bounded(str(path), path.stat().st_size, path.read_bytes))


def _read_folder(folder: Path, where: str) -> Iterator[UnverifiedDocument]:
    alone = folder.name == RECEIPTS and not (folder / STATEMENT).exists()
    top = folder.parent if alone else folder
    names = [path.relative_to(top).as_posix() for path in folder.rglob("*.json") if path.is_file()]
    for name in _select_names(where, names):
        file, shown = top / name, f"{where}/{name}"
        yield UnverifiedDocument(shown, _read_bounded(shown, file.stat().st_size, file.read_bytes))


def _read_bounded(where: str, size: int, read: Callable[[], bytes]) -> bytes:
    if size > MAX_BYTES:
        raise NotFound(f"{where}: has {size} bytes, and no signed document is larger than {MAX_BYTES}.")
    return read()


def _select_names(where: str, names: list[str]) -> list[str]:
    """The statement and the receipts, at the top or in the one folder of it."""
    paths = sorted(name for name in names if _is_document(name.split("/")))
    if not paths:
        raise NotFound(
            f"{where}: has no {STATEMENT} and no receipts, so there is nothing to hold against the log."
        )
    if len(paths) > MAX_DOCUMENTS:
        raise NotFound(f"{where}: has {len(paths)} documents; give them in parts of {MAX_DOCUMENTS} at most.")
    return paths


def _is_document(parts: list[str]) -> bool:
    inside = parts[1:] if len(parts) > 1 and parts[0] != RECEIPTS else parts
    return inside == [STATEMENT] or (
        len(inside) == 2 and inside[0] == RECEIPTS and inside[1].endswith(".json")
    )
