"""Bundles that come packed: a zip is unpacked for as long as it is needed, if it is harmless.

The only unpacker: the site's imports use it too.
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
"""The code for what is no zip at all."""
_LIMITS = ZipLimits()
_END_MARK, _END_SIZE = b"PK\x05\x06", 22
_ZIP64_END_MARK, _ZIP64_END_SIZE = b"PK\x06\x07", 20
_MAX_COMMENT = 1 << 16
_CHUNK = 1 << 16
_CORRUPT_ZIP_ERRORS = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError, LookupError,
    OverflowError,
)  # fmt: skip
"""What reading raises for a zip that is not as it should be."""


@contextmanager
def open_folder_or_zip(package: Path) -> Iterator[Path]:
    """The folder of a bundle, which may be a zip of it.

    Parameters
    ----------
    package : Path
        A folder, or a zip with the files of one; or one of these with nothing but that folder in it. Anything
        else is given back.

    Yields
    ------
    Path
        The folder; an unpacked one is gone afterwards.

    Raises
    ------
    BundleError
        As `unpack_zip` does.
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
    """The folder of a zip, once every member was looked at.

    Parameters
    ----------
    package : Path or binary file
        The zip; a file can be sought in.
    source : str
        What problems call it; those of members have their names behind it. Empty: their names alone.
    limits : ZipLimits
        How much it may hold.
    inner : bool
        Whether a folder that is all there is in it is entered.

    Yields
    ------
    Path
        What is in it, or in the one folder that is all of it. It is gone afterwards.

    Raises
    ------
    BundleError
        If it is no zip, is spoilt, leads outside or is too much; with every member that is at fault. The code
        is `NO_ZIP` or `BAD_ZIP` where it is so as a whole.
    """
    with TemporaryDirectory(prefix="scorer-", ignore_cleanup_errors=True) as temporary:
        _unpack_into(package, Path(temporary), source, limits)
        entries = list(Path(temporary).iterdir()) if inner else []
        yield entries[0] if len(entries) == 1 and entries[0].is_dir() else Path(temporary)


def is_zip(package: Path) -> bool:
    """Whether a file begins as a zip does.

    Parameters
    ----------
    package : Path
        Any; there need not be one.

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
    spoilt = zip_error(source, "is spoilt, or packed oddly; get it anew, or pack it anew")
    try:
        with package.open("rb") if isinstance(package, Path) else nullcontext(package) as file:
            _check_directory(file, source, limits)
            with zipfile.ZipFile(file) as archive:
                members = safe_members(archive.infolist(), limits, source)
                _extract(archive, members, folder, source, limits)
    except UnicodeDecodeError as error:
        raise zip_error(source, "has names that are not UTF-8; pack it anew") from error
    except _CORRUPT_ZIP_ERRORS as error:
        raise spoilt from error
    except OSError as error:
        if error.errno == errno.EINVAL:  # a place before the file's begin
            raise spoilt from error
        if error.errno == errno.ENOENT:
            raise zip_error(source, "is not there; is its name right?", NO_ZIP) from error
        raise zip_error(source, f"cannot be unpacked: {error.strerror or error}") from error


def _inner_bundle(folder: Path) -> Path:
    """The bundle that is all there is in a folder, as where a zip was unpacked into one of its own."""
    entries = list(islice(folder.iterdir(), 2)) if folder.is_dir() else []
    return entries[0] if len(entries) == 1 and (entries[0] / "task.toml").is_file() else folder


def _check_directory(file: IO[bytes], source: str, limits: ZipLimits) -> None:
    """Refuse what is no zip, and one whose list of members is too long to be read."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _MAX_COMMENT - _END_SIZE - _ZIP64_END_SIZE))
    tail = file.read()
    file.seek(0)
    at = tail.rfind(_END_MARK)
    if at < 0 or len(tail) - at < _END_SIZE:
        raise zip_error(source, "is no zip, or one that broke off; get it anew", NO_ZIP)
    if _ZIP64_END_MARK in tail[max(0, at - _ZIP64_END_SIZE) : at]:
        raise zip_error(source, "is of the kind for more than 4 GB or 65535 files (zip64); pack less")
    if struct.unpack_from("<I", tail, at + 12)[0] > limits.directory:
        raise zip_error(source, f"has more than {limits.members} members; pack only what the task needs")


def _extract(
    archive: zipfile.ZipFile, members: Sequence[ZipMember], folder: Path, source: str, limits: ZipLimits
) -> None:
    """Write the members, and stop where they hold more than they said."""
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
