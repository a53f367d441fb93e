"""Signed documents that were kept outside the site: a receipt, a statement, the evidence of a release."""

import re
from collections.abc import Iterator
from pathlib import Path
from zipfile import is_zipfile

from server.activity.verify_documents import UnverifiedDocument
from server.core.errors import InvalidFile, NotFound
from server.core.zips import unpacked

MAX_BYTES = 1024 * 1024
"""The maximum size of a document; the site's own have a few thousand bytes."""
MAX_DOCUMENTS = 100_000
"""The maximum number of documents in one evidence file."""
STATEMENT, RECEIPTS = "release.json", "receipts"
_DOCUMENT = re.compile(r"(?:(?!receipts/)[^/]+/)?(?:release\.json|receipts/[^/]*\.json)")
"""The path of a statement or a receipt, at the top or in a folder."""


def read_documents(path: Path) -> Iterator[UnverifiedDocument]:
    """Yield the documents in a file, or in evidence as a zip or a folder; without any, one with an error."""
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
        yield _read_document(path, str(path))


def _read_folder(folder: Path, where: str) -> Iterator[UnverifiedDocument]:
    alone = folder.name == RECEIPTS and not (folder / STATEMENT).exists()
    top = folder.parent if alone else folder
    names = [path.relative_to(top).as_posix() for path in folder.rglob("*.json") if path.is_file()]
    for name in _select_names(where, names):
        yield _read_document(top / name, f"{where}/{name}")


def _read_document(path: Path, name: str) -> UnverifiedDocument:
    size = path.stat().st_size
    if size > MAX_BYTES:
        raise NotFound(f"{name}: has {size} bytes, but signed documents have at most {MAX_BYTES}.")
    return UnverifiedDocument(name, path.read_bytes())


def _select_names(where: str, names: list[str]) -> list[str]:
    """Select the statement and the receipts among the names of files."""
    paths = sorted(filter(_DOCUMENT.fullmatch, names))
    if not paths:
        raise NotFound(
            f"{where}: has no {STATEMENT} and no receipts, so there is nothing to compare with the log."
        )
    if len(paths) > MAX_DOCUMENTS:
        raise NotFound(
            f"{where}: has {len(paths)} documents. Split them into parts of at most {MAX_DOCUMENTS}."
        )
    return paths
