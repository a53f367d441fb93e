"""The file store: files named by their SHA-256, never changed. No other module touches the disk."""

import contextlib
import hashlib
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from obstore.exceptions import AlreadyExistsError
from obstore.store import LocalStore
from sqlalchemy.orm import Session

STORAGE_KEY = "storage"
"""The key in a session's `info` under which its site's store is."""
_SHA256 = re.compile(r"[0-9a-f]{64}")
_PIECE = re.compile(r"[0-9a-f]{64}#\d+")
"""The name of a partial file, which the store leaves if it is killed while it writes."""
_ASIDE_SUFFIX = ".aside"
_CHECK_FILE, _CHECK_BYTES = "check", b"This file shows that the folder can be written.\n"
"""It is replaced each time and never deleted, so that checks at the same time do not disturb each other."""


def text_sha256(text: str) -> str:
    """Return the SHA-256 of a text's UTF-8 bytes, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def is_sha256(text: str) -> bool:
    """Whether a text can be a SHA-256, in lower-case hexadecimal digits."""
    return _SHA256.fullmatch(text) is not None


def sync_to_disk(path: Path) -> None:
    """Return once the disk has the bytes of a file, or the names in a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@dataclass(frozen=True, slots=True)
class FileEntry:
    """A file of the store, or a part of one; `put_at`: when its bytes were last put."""

    name: str
    size: int
    put_at: datetime
    whole: bool


class Storage:
    """Immutable files in a folder; no path is ever made from a name that a user chose."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._store = LocalStore(str(folder))
        self._named: set[Path] = set()
        """The subfolders whose own names are known to be synced to the disk."""

    def put(self, data: bytes) -> str:
        """Store `data` and return its SHA-256; the same bytes are stored once, and their age starts again."""
        sha256 = hashlib.sha256(data).hexdigest()
        while True:
            with contextlib.suppress(AlreadyExistsError):
                self._store.put(self._key(sha256), data, mode="create")
            if self.renew(sha256):
                return sha256

    def renew(self, sha256: str) -> bool:
        """Reset the age of a stored file, so that the cleanup does not delete it; False: it is not stored."""
        path = self._folder / self._key(sha256)
        try:
            os.utime(path)
            self._sync(path)
        except FileNotFoundError:
            return False
        return True

    def has(self, sha256: str) -> bool:
        """Whether the bytes with this SHA-256 are stored."""
        return (self._folder / self._key(sha256)).is_file()

    def get(self, sha256: str) -> bytes:
        """Return the bytes with this SHA-256."""
        return bytes(self._store.get(self._key(sha256)).bytes())

    def size(self, sha256: str) -> int:
        """Return the number of bytes with this SHA-256."""
        return int(self._store.head(self._key(sha256))["size"])

    def is_writable(self) -> bool:
        """Whether a small file can be written and read again; what prevents it may be raised instead."""
        self._store.put(_CHECK_FILE, _CHECK_BYTES)
        return bytes(self._store.get(_CHECK_FILE).bytes()) == _CHECK_BYTES

    def free_bytes(self) -> int:
        """Return how much more can be stored."""
        return shutil.disk_usage(self._folder).free

    def files(self) -> Iterator[FileEntry]:
        """Yield everything in the store, by name."""
        for path in sorted(self._folder.glob("??/*")):
            if path.name.endswith(_ASIDE_SUFFIX):
                self._put_back(path)
                path = path.with_name(path.name.removesuffix(_ASIDE_SUFFIX))  # noqa: PLW2901  (the same file)
            if not (is_sha256(path.name) or _PIECE.fullmatch(path.name)):
                continue
            with contextlib.suppress(FileNotFoundError):
                status = path.stat()
                put_at = datetime.fromtimestamp(status.st_mtime, UTC)
                yield FileEntry(path.name, status.st_size, put_at, is_sha256(path.name))

    def remove(self, file: FileEntry, put_before: datetime) -> bool:
        """Remove a file unless its bytes were put again meanwhile; return whether it was removed.

        The file is moved aside before its age is read: a `put` after that writes it again, and a `put` before
        that shows in its age, so that no `put` returns a file that is then removed.
        """
        path = self._folder / file.name[:2] / file.name
        aside = path.with_name(path.name + _ASIDE_SUFFIX)
        try:
            path.rename(aside)
        except FileNotFoundError:
            return False
        if datetime.fromtimestamp(aside.stat().st_mtime, UTC) >= put_before:
            self._put_back(aside)
            return False
        aside.unlink()
        return True

    def move(self, folder: Path) -> None:
        """Move the whole store to a folder that does not exist yet."""
        self._folder.rename(folder)
        sync_to_disk(folder.parent)
        self._folder, self._store = folder, LocalStore(str(folder))

    @staticmethod
    def _put_back(aside: Path) -> None:
        """Give a file that was moved aside its name again."""
        with contextlib.suppress(FileExistsError):
            os.link(aside, aside.with_name(aside.name.removesuffix(_ASIDE_SUFFIX)))
        aside.unlink(missing_ok=True)

    def _sync(self, path: Path) -> None:
        """Sync the file and its name to the disk before the transaction that refers to it commits."""
        sync_to_disk(path)
        sync_to_disk(path.parent)
        if path.parent not in self._named:  # folders are never removed
            sync_to_disk(path.parent.parent)
            self._named.add(path.parent)

    @staticmethod
    def _key(sha256: str) -> str:
        return f"{sha256[:2]}/{sha256}"


def storage_of(session: Session) -> Storage:
    """Return the store of the site whose session this is."""
    storage: Storage = session.info[STORAGE_KEY]
    return storage
