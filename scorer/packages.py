"""Bundles that come packed: a zip is unpacked for as long as it is needed, if it is harmless."""

import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from scorer.errors import BundleError, Problem

MOST_FILES = 100_000
MOST_BYTES = 1 << 30
_LONGEST = 400
_DEEPEST = 12
_RATIO = 200
"""How many times its packed size a file above a megabyte may have; text has 5 to 50."""
_DIRECTORY = 32 << 20
"""Bytes of the list of files, which is read whole before anything can be looked at."""
_END, _END_SIZE = b"PK\x05\x06", 22
_CHUNK = 1 << 16
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED, _UTF8 = 0x2041, 0x800
_CLUTTER = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")
_SPOILT = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError, LookupError,
    OverflowError,
)  # fmt: skip
"""What reading raises for a zip that is not as it should be."""


@contextmanager
def opened(package: Path) -> Iterator[Path]:
    """The folder of a bundle, which may be a zip of it.

    Parameters
    ----------
    package : Path
        A folder, or a zip with the files of one or with one folder at its top. Anything else is given back.

    Yields
    ------
    Path
        The folder; an unpacked one is gone afterwards.

    Raises
    ------
    BundleError
        If a zip is spoilt, leads outside or is too much; with every file that is at fault.
    """
    if not is_zip(package):
        yield package
        return
    with TemporaryDirectory(prefix="scorer-", ignore_cleanup_errors=True) as temporary:
        yield _unpack(package, Path(temporary))


def is_zip(package: Path) -> bool:
    """Whether a file begins as a zip does.

    >>> is_zip(Path("nothing-here.zip"))
    False
    """
    try:
        with package.open("rb") as file:
            return file.read(4) in (b"PK\x03\x04", _END)
    except OSError:
        return False


def _unpack(package: Path, folder: Path) -> Path:
    try:
        _require_short(package)
        with zipfile.ZipFile(package) as archive:
            infos = [info for info in archive.infolist() if not _is_clutter(info.filename)]
            _check(package, infos)
            _extract(package, archive, infos, folder)
    except _SPOILT as error:
        raise _refused(package, "is no zip, or a damaged one; get it anew") from error
    except OSError as error:
        raise _refused(package, f"cannot be unpacked: {error.strerror or error}") from error
    inner = list(folder.iterdir())
    return inner[0] if len(inner) == 1 and inner[0].is_dir() else folder


def _require_short(package: Path) -> None:
    """Refuse a zip whose list of files is too long to be read."""
    with package.open("rb") as file:
        size = file.seek(0, 2)
        file.seek(max(0, size - _END_SIZE - 0xFFFF))
        tail = file.read()
    at = tail.rfind(_END)
    if at >= 0 and len(tail) - at >= _END_SIZE and struct.unpack_from("<I", tail, at + 12)[0] > _DIRECTORY:
        raise _refused(package, f"lists more than {MOST_FILES} files")


def _check(package: Path, infos: Sequence[zipfile.ZipInfo]) -> None:
    """Refuse what is too much, what is no file, and what would not stay inside."""
    if len(infos) > MOST_FILES or sum(info.file_size for info in infos) > MOST_BYTES:
        raise _refused(package, f"unpacks to more than {MOST_FILES} files or {MOST_BYTES >> 20} MB")
    faults, seen = [], set[str]()
    for info in infos:
        name = _name(info).casefold()
        why = _fault(info) or ("stands there twice" if name in seen else None)
        seen.add(name)
        if why is not None:
            faults.append(Problem(f"{package.name}/{info.orig_filename[:80]}", None, "bad_zip", why))
    if faults:
        raise BundleError(faults)


def _fault(info: zipfile.ZipInfo) -> str | None:
    """Why a member of a zip is not taken."""
    name = _name(info)
    parts = name.rstrip("/").split("/")
    kind = stat.S_IFMT(info.external_attr >> 16)
    if not name.isprintable() or "\\" in name or {"", ".", ".."} & {*parts} or ":" in parts[0]:
        return "has a name that does not stay inside the folder, or that cannot be seen"
    if len(name.encode()) > _LONGEST or len(parts) > _DEEPEST or max(map(len, parts)) > _LONGEST // 2:
        return "has too long a name"
    if info.flag_bits & _ENCRYPTED or info.compress_type not in _METHODS:
        return "is encrypted, or packed in a way that is not known here"
    if info.file_size > 1 << 20 and info.file_size > _RATIO * max(1, info.compress_size):
        return f"unpacks to more than {_RATIO} times its size"
    if not info.is_dir() and kind not in (0, stat.S_IFREG):
        return "is a link or a device; put the file itself there"
    return None


def _name(info: zipfile.ZipInfo) -> str:
    """The name of a member; packers that do not say that theirs is UTF-8 are tried with it."""
    if info.flag_bits & _UTF8 or info.orig_filename.isascii():
        return info.orig_filename
    return info.orig_filename.encode("cp437").decode("utf-8")


def _is_clutter(name: str) -> bool:
    """What some systems add to every zip."""
    return name.startswith(_CLUTTER[0]) or name.rpartition("/")[2] in _CLUTTER


def _extract(package: Path, archive: zipfile.ZipFile, infos: Sequence[zipfile.ZipInfo], folder: Path) -> None:
    """Write the files, and stop where they hold more than they said."""
    left = MOST_BYTES
    for info in infos:
        target = folder / _name(info)
        if info.is_dir():
            target.mkdir(parents=True, exist_ok=True)
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(info) as source, target.open("xb") as file:
            while chunk := source.read(_CHUNK):
                left -= len(chunk)
                if left < 0:
                    raise _refused(package, f"unpacks to more than {MOST_BYTES >> 20} MB")
                file.write(chunk)


def _refused(package: Path, message: str) -> BundleError:
    return BundleError([Problem(package.name, None, "bad_zip", message)])
