"""Files that come from a site: written whole or not at all, and never over something else unasked."""

import hashlib
from pathlib import Path
from tempfile import TemporaryFile
from typing import Literal

from scorer.errors import DataError, Problem, SiteUnavailable
from scorer.files.read_limits import read_bounded
from scorer.files.writing import write_whole

SaveOutcome = Literal["written", "there already", "replaced"]


def sha256_of(data: bytes) -> str:
    """The SHA-256 of bytes as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def check_file_name(name: object) -> str:
    """The name of a file that a site gave, if it is one and leads nowhere.

    Raises
    ------
    SiteAway
        If it is a path, hidden, or no text.

    Examples
    --------
    >>> check_file_name("p2s.test.items.tsv")
    'p2s.test.items.tsv'
    """
    text = name if isinstance(name, str) else ""
    if not text or not text.isprintable() or text.startswith(".") or set(text) & set("/\\:"):
        raise SiteUnavailable(f"the site names a file {text!r}; such a name is not written here")
    return text


def has_sha256(path: Path, sha256: str) -> bool:
    """Whether a file has these bytes; one that cannot be read has not."""
    try:
        return path.is_file() and sha256_of(read_bounded(str(path))) == sha256
    except OSError:
        return False


def require_folder(folder: Path) -> None:
    """Refuse a folder to write into that is a file, or lies in one; it may be missing.

    Raises
    ------
    DataError
        If it is none.
    """
    for path in (folder, *folder.parents):
        if path.is_file():
            raise DataError([Problem(str(path), None, "no_folder", "is no folder; name one to write into")])


def require_writable(folder: Path) -> None:
    """Make sure that files can be written into a folder; it is made if it is missing.

    Raises
    ------
    DataError
        If none can be.
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
    path: Path, data: bytes, *, force: bool = False, mend: str = "replace it with --force"
) -> SaveOutcome:
    """Write a file, all or nothing.

    Parameters
    ----------
    path : Path
        Where; folders that are missing are made.
    data : bytes
        What.
    force : bool
        Replace a file with other bytes.
    mend : str
        What would replace it, for messages.

    Returns
    -------
    "written", "there already" or "replaced"
        What was done.

    Raises
    ------
    DataError
        If a file with other bytes is there, or nothing can be written.
    """
    try:
        exists = path.exists()
        if exists and has_sha256(path, sha256_of(data)):
            return "there already"
        if exists and not force:
            message = f"is there with other bytes; move it away, or {mend}"
            raise DataError([Problem(str(path), None, "other_file", message)])
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, data)
    except OSError as error:
        message = f"cannot be written: {error.strerror}; name another folder"
        raise DataError([Problem(str(path), None, "not_written", message)]) from error
    return "replaced" if exists else "written"
