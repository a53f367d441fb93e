"""Reads files and standard input, up to a maximum of bytes and lines. No other module reads a whole file."""

import errno
import os
import stat
import sys
from io import FileIO, RawIOBase
from typing import BinaryIO

MAX_BYTES = 256 * 2**20
"""Far more than real files need: a run has at most 1 MB, a news corpus with contexts about 100 MB."""
MAX_LINES = 5_000_000
"""Forty times the lines of that corpus. A parsed line takes 100 to 300 bytes of memory."""
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
        If the file cannot be read. If it has more than MAX_BYTES or MAX_LINES, errno is EFBIG and strerror is
        a sentence. The size of a regular file is checked before it is read, of any other file meanwhile.
    """
    if path == "-":
        return _read(sys.stdin.buffer)
    with FileIO(path) as file:
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_size > MAX_BYTES:
            raise _too_large(f"{MAX_BYTES // 2**20} MB")
        return _read(file)


def _read(file: BinaryIO | RawIOBase) -> bytes:
    """Read a stream to its end; stop at most one chunk beyond the limits."""
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
