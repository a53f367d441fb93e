"""Writes files atomically: other programs see the old file or the new file, never a part of it."""

import os
from pathlib import Path


def write_whole(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Write a file atomically: write a temporary file, then rename it.

    Parameters
    ----------
    path : Path
        The file, which is replaced if it exists. Its folder must exist.
    data : bytes
        Its content.
    mode : int
        Its permissions, restricted by the umask. They also apply while the file is being written.

    Raises
    ------
    OSError
        If the file cannot be written. The temporary file is removed.
    """
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.unlink(missing_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:  # noqa: PTH123  (a descriptor)
            file.write(data)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
