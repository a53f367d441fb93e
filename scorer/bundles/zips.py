"""Extracts zip files of bundles to a temporary folder after checking that they are safe.

This is the only code that extracts zip files; the imports of the site use it too.
"""

import errno
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from scorer.bundles.zip_members import MEGABYTE, ZipLimits, ZipMember, safe_members, zip_error

NO_ZIP = "no_zip"
"""The code for a file that is not a zip file."""
_LIMITS = ZipLimits()
_END_MARK, _END_SIZE = b"PK\x05\x06", 22
_ZIP64_END_MARK, _ZIP64_END_SIZE = b"PK\x06\x07", 20
_MAX_COMMENT = 1 << 16
_CHUNK = 1 << 16
_CORRUPT_ZIP_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError, LookupError,
    OverflowError,
)  # fmt: skip
"""The exceptions that reading a damaged zip file can raise."""


@contextmanager
def open_folder_or_zip(package: Path) -> Iterator[Path]:
    """Open the folder of a bundle, which may be in a zip file.

    Parameters
    ----------
    package : Path
        The folder, or a zip file of it. The bundle may also be the only folder inside. Any other path is
        returned unchanged.

    Yields
    ------
    Path
        The folder. If it was extracted, it is deleted at the end of the block.

    Raises
    ------
    BundleError
        Like `unpack_zip`.
    """
    if package.is_dir() or (package.suffix.lower() != ".zip" and not is_zip(package)):
        yield _inner_bundle(package)
        return
    with unpack_zip(package, package.name) as folder:
        yield folder


@contextmanager
def unpack_zip(
    package: Path | IO[bytes], source: str, limits: ZipLimits = _LIMITS, *, inner: bool = True
) -> Iterator[Path]:
    """Extract a zip file to a temporary folder after checking every member.

    Parameters
    ----------
    package : Path or binary file
        The zip file. A binary file must be seekable.
    source : str
        The name of the zip in problems, before the name of the member. Empty: only the name of the member.
    limits : ZipLimits
        The limits of the zip file.
    inner : bool
        Whether to return the inner folder if the zip has only one folder.

    Yields
    ------
    Path
        The folder, which is deleted at the end of the block.

    Raises
    ------
    BundleError
        If the file is not a zip, is damaged, has unsafe members or is too large; lists every bad member. The
        code is `NO_ZIP` or `BAD_ZIP` if the problem is with the whole file.
    """
    with TemporaryDirectory(prefix="scorer-", ignore_cleanup_errors=True) as temporary:
        _unpack_into(package, Path(temporary), source, limits)
        entries = list(Path(temporary).iterdir()) if inner else []
        yield entries[0] if len(entries) == 1 and entries[0].is_dir() else Path(temporary)


def is_zip(package: Path) -> bool:
    """Whether a file begins like a zip file.

    Parameters
    ----------
    package : Path
        Any path; the file need not exist.

    Returns
    -------
    bool

    Examples
    --------
    >>> is_zip(Path("nothing-here.zip"))
    False
    """
    try:
        with package.open("rb") as file:
            return file.read(4) in (b"PK\x03\x04", _END_MARK)
    except OSError:
        return False


def _unpack_into(package: Path | IO[bytes], folder: Path, source: str, limits: ZipLimits) -> None:
    damaged = zip_error(source, "is damaged; download it again, or create it again")
    try:
        with package.open("rb") if isinstance(package, Path) else nullcontext(package) as file:
            _check_directory(file, source, limits)
            with zipfile.ZipFile(file) as archive:
                members = safe_members(archive.infolist(), limits, source)
                _extract(archive, members, folder, source, limits)
    except UnicodeDecodeError as error:
        raise zip_error(source, "has names that are not UTF-8; create the zip again") from error
    except _CORRUPT_ZIP_ERRORS as error:
        raise damaged from error
    except OSError as error:
        if error.errno == errno.EINVAL:  # an offset before the beginning of the file
            raise damaged from error
        if error.errno == errno.ENOENT:
            raise zip_error(source, "does not exist; is its name right?", NO_ZIP) from error
        raise zip_error(source, f"cannot be unpacked: {error.strerror or error}") from error


def _inner_bundle(folder: Path) -> Path:
    """Return the bundle if it is the only entry of a folder, as after extracting a zip to a new folder."""
    entries = list(islice(folder.iterdir(), 2)) if folder.is_dir() else []
    return entries[0] if len(entries) == 1 and (entries[0] / "task.toml").is_file() else folder


def _check_directory(file: IO[bytes], source: str, limits: ZipLimits) -> None:
    """Raise BundleError if a file is not a zip, or if its central directory is too large to be read."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _MAX_COMMENT - _END_SIZE - _ZIP64_END_SIZE))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(_END_MARK)
    if at < 0 or len(tail) - at < _END_SIZE:
        raise zip_error(source, "is not a zip file, or is incomplete; download it again", NO_ZIP)
    if _ZIP64_END_MARK in tail[max(0, at - _ZIP64_END_SIZE) : at]:
        raise zip_error(
            source, "is in the format for more than 4 GB or 65535 files (zip64); put fewer files into it"
        )
    if struct.unpack_from("<I", tail, at + 12)[0] > limits.directory:
        raise zip_error(source, f"has more than {limits.members} files; include only what the task needs")


def _extract(
    archive: zipfile.ZipFile, members: Sequence[ZipMember], folder: Path, source: str, limits: ZipLimits
) -> None:
    """Extract the members; stop if they are larger than the zip declares."""
    bytes_left = limits.unpacked
    for member in members:
        target = folder / member.path
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member.info) as packed, target.open("xb") as file:
            while chunk := packed.read(_CHUNK):
                bytes_left -= len(chunk)
                if bytes_left < 0:
                    raise zip_error(source, f"unpacks to more than {limits.unpacked // MEGABYTE} MB")
                file.write(chunk)
