"""Saves files from a site: atomically, and without replacing other files unless told to."""

import hashlib
from pathlib import Path
from tempfile import TemporaryFile
from typing import Literal

from scorer.errors import DataError, Problem, SiteUnavailable
from scorer.files.read_limits import read_bounded
from scorer.files.writing import write_whole

SaveOutcome = Literal["written", "there already", "replaced"]


def sha256_of(data: bytes) -> str:
    """Return the SHA-256 of bytes as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def check_file_name(name: object) -> str:
    """Return a file name that a site gave, if it is safe to write a file of that name.

    Raises
    ------
    SiteUnavailable
        If it is a path, hidden, or not text.

    Examples
    --------
    >>> check_file_name("p2s.test.items.tsv")
    'p2s.test.items.tsv'
    """
    text = name if isinstance(name, str) else ""
    if not text or not text.isprintable() or text.startswith(".") or set(text) & set("/\\:"):
        raise SiteUnavailable(f"the site gave a file the name {text!r}, which is not safe to write")
    return text


def has_sha256(path: Path, sha256: str) -> bool:
    """Whether a file exists and has this SHA-256; False if it cannot be read."""
    try:
        return path.is_file() and sha256_of(read_bounded(str(path))) == sha256
    except OSError:
        return False


def require_folder(folder: Path) -> None:
    """Raise DataError if a path or one of its parents is a file. The folder need not exist.

    Raises
    ------
    DataError
        If the path cannot be a folder.
    """
    for path in (folder, *folder.parents):
        if path.is_file():
            raise DataError(
                [Problem(str(path), None, "no_folder", "is not a folder; name a folder to write to")]
            )


def require_writable(folder: Path) -> None:
    """Create a folder if it is missing, and make sure that files can be written to it.

    Raises
    ------
    DataError
        If no file can be written.
    """
    try:
        require_folder(folder)
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        message = f"no file can be written here: {error.strerror}; name another folder"
        raise DataError([Problem(str(folder), None, "not_written", message)]) from error


def save_file(
    path: Path, data: bytes, *, force: bool = False, hint: str = "replace it with --force"
) -> SaveOutcome:
    """Write a file atomically, and do not replace a different file unless `force` is set.

    Parameters
    ----------
    path : Path
        The file. Missing folders are created.
    data : bytes
        Its content.
    force : bool
        Replace an existing file that differs.
    hint : str
        How to replace it, for the error message.

    Returns
    -------
    "written", "there already" or "replaced"
        What was done.

    Raises
    ------
    DataError
        If a different file exists, or the file cannot be written.
    """
    try:
        exists = path.exists()
        if exists and has_sha256(path, sha256_of(data)):
            return "there already"
        if exists and not force:
            message = f"already exists and differs; move it away, or {hint}"
            raise DataError([Problem(str(path), None, "other_file", message)])
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
    except OSError as error:
        message = f"cannot be written: {error.strerror}; name another folder"
        raise DataError([Problem(str(path), None, "not_written", message)]) from error
    return "replaced" if exists else "written"
