"""Who writes to a SQLite file takes turns, in the order in which they came.

SQLite has whoever finds it locked look again, and at distances that grow to a tenth of a second: under load
the last may be first, and some wait for seconds while nobody writes. Here the threads of a process queue for
its one place, and those of the processes for the lock of a file beside the database, which the system hands
to the next at once, and takes from a process that ends.
"""

import fcntl
import os
import threading
from pathlib import Path

PATIENCE = 20.0
"""Seconds until somebody goes without a turn: SQLite then says whether it can be."""


class Turns:
    """The turns of one database, as one process takes them."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._place = threading.Lock()
        self._file = -1

    def take(self) -> bool:
        """Wait for a turn; False: none came in time."""
        if not self._place.acquire(timeout=PATIENCE):
            return False
        try:
            file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
            except BaseException:
                os.close(file)
                raise
        except BaseException:
            self._place.release()
            raise
        self._file = file
        return True

    def give(self) -> None:
        """Let the next one in."""
        file, self._file = self._file, -1
        os.close(file)  # and its lock with it
        self._place.release()
