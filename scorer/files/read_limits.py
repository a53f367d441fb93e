"""The only place where a file or standard input is read whole: at most so many bytes and lines of it."""

import errno
import os
import stat
import sys
from io import FileIO, RawIOBase
from typing import BinaryIO

MAX_BYTES = 256 * 2**20
"""Far more than any file of the field: a run has 1 MB at most, a news corpus with contexts about 100 MB."""
MAX_LINES = 5_000_000
"""Forty times the lines of that corpus; each takes 100 to 300 bytes of memory when it is parsed."""
_CHUNK = 2**20


def read_bounded(path: str) -> bytes:
    """Read a file, or standard input where the path is "-".

    Parameters
    ----------
    path : str

    Returns
    -------
    bytes

    Raises
    ------
    OSError
        If it cannot be read; with errno EFBIG and a sentence as its strerror if it has more than MAX_BYTES or
        MAX_LINES. A regular file is judged by its size before it is read, all others while they are.
    """
    if path == "-":
        return _read(sys.stdin.buffer)
    with FileIO(path) as file:
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_size > MAX_BYTES:
            raise _too_large(f"{MAX_BYTES // 2**20} MB")
        return _read(file)


def _read(file: BinaryIO | RawIOBase) -> bytes:
    """All of a stream; never more than a chunk beyond the bounds."""
    data, line_ends = bytearray(), 0
    while chunk := file.read(_CHUNK):
        data += chunk
        line_ends += max(chunk.count(b"\n"), chunk.count(b"\r"))
        if len(data) > MAX_BYTES:
            raise _too_large(f"{MAX_BYTES // 2**20} MB")
        if line_ends > MAX_LINES:
            raise _too_large(f"{MAX_LINES // 10**6} million lines")
    return bytes(data)


def _too_large(bound: str) -> OSError:
    message = f"it has more than {bound}, which is the limit; name the right file, or split this one"
    return OSError(errno.EFBIG, message)
