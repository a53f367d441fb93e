"""Writing a file whole or not at all: whoever reads it meanwhile sees the old one or the new one."""

import os
from pathlib import Path


def write_whole(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Write a file beside its place, then give it its name.

    Parameters
    ----------
    path : Path
        Where; its folder is there, and what is there in its place goes.
    data : bytes
        What.
    mode : int
        The permissions, of which the umask takes some; it is never open to more, not for a moment.

    Raises
    ------
    OSError
        If it cannot be written; nothing is left beside it.
    """
    new = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        new.unlink(missing_ok=True)
        with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:  # noqa: PTH123  (a descriptor)
            file.write(data)
        new.replace(path)
    finally:
        new.unlink(missing_ok=True)
