"""Files by their SHA-256, written once and never changed. Nothing else touches the disk."""

import contextlib
import hashlib
import os
from pathlib import Path

from obstore.exceptions import AlreadyExistsError
from obstore.store import LocalStore


class Storage:
    """Immutable files in a folder; a name that somebody gave is data, never a path."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder = folder
        self._store = LocalStore(str(folder))

    def put(self, data: bytes) -> str:
        """Keep `data`, and return its SHA-256; the same bytes are kept once."""
        sha256 = hashlib.sha256(data).hexdigest()
        with contextlib.suppress(AlreadyExistsError):
            self._store.put(self._key(sha256), data, mode="create")
        self._sync(self._folder / self._key(sha256))
        return sha256

    def has(self, sha256: str) -> bool:
        """Whether the bytes with this SHA-256 are kept."""
        return (self._folder / self._key(sha256)).is_file()

    def get(self, sha256: str) -> bytes:
        """The bytes with this SHA-256."""
        return bytes(self._store.get(self._key(sha256)).bytes())

    @staticmethod
    def _sync(path: Path) -> None:
        """Have the file and its name on the disk before the transaction that speaks of it commits."""
        for name in (path, path.parent, path.parent.parent):
            handle = os.open(name, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    @staticmethod
    def _key(sha256: str) -> str:
        return f"{sha256[:2]}/{sha256}"
