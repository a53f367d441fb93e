"""Zipped bundles: unpacked once every member was looked at, packed to the same bytes for the same files.

Nothing of a zip is believed: not its sizes, not its names, not the kinds of its members.
"""

import lzma
import re
import stat
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import IO

from server.errors import BadLine, Conflict, Refused

MEGABYTE = 1 << 20
SHOWN = 100
"""How many problems are shown."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How much a zip may hold."""

    members: int = 100_000
    unpacked: int = 1024 * MEGABYTE
    directory: int = 32 * MEGABYTE
    """Bytes of the list of members, which is read whole before anything can be looked at."""
    ratio: int = 200
    """How many times its packed size a member above a megabyte may have; text has 5 to 50."""
    depth: int = 12
    name: int = 200
    path: int = 400


CONSOLE_LIMITS = Limits()
WEB_LIMITS = Limits(members=20_000, unpacked=256 * MEGABYTE, directory=8 * MEGABYTE)

_SPOILT = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, RuntimeError, ValueError)
"""What reading raises for a zip that is not as it should be."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA)
_UTF8_FLAG, _ENCRYPTED_FLAGS = 0x800, 0x2041
_END, _END_SIZE = b"PK\x05\x06", 22
_LONG_END = b"PK\x06\x07"
_CHUNK = 1 << 16


@contextmanager
def unpacked(package: Path | IO[bytes], limits: Limits = CONSOLE_LIMITS) -> Iterator[Path]:
    """The bundle's folder; a zip is unpacked for as long as it is needed.

    Raises:
        Refused: the zip leads outside, is too much, or is spoilt; with every member that is at fault.
    """
    if isinstance(package, Path) and package.is_dir():
        yield package
        return
    with TemporaryDirectory(prefix="assay-") as temporary:
        folder = Path(temporary)
        try:
            with zipfile.ZipFile(_require_zip(package, limits)) as archive:
                _extract(archive, _members(archive, limits), folder, limits)
        except UnicodeDecodeError as error:
            raise _refused("The zip has names that are not UTF-8; pack it anew.") from error
        except _SPOILT as error:
            raise _refused("The zip is encrypted, spoilt or packed oddly; pack it anew.") from error
        yield _bundle_folder(folder)


def _refused(message: str) -> Refused:
    return Refused(message, (), 0)


def _require_zip(package: Path | IO[bytes], limits: Limits) -> Path | IO[bytes]:
    """Refuse what is no zip, and one whose list of members is too long to be read."""
    if isinstance(package, Path):
        what = f"{_shown(package.name)} is neither a folder nor"
        with package.open("rb") as file:
            size = _directory_size(file)
    else:
        what, size = "This is not", _directory_size(package)
        package.seek(0)
    if size is None:
        raise _refused(f"{what} a zip.")
    if size > limits.directory:
        raise _refused(f"The zip has more than {limits.members} members; pack only what the task needs.")
    return package


def _directory_size(file: IO[bytes]) -> int | None:
    """How many bytes the zip's list of members has; None: it is no zip."""
    end = file.seek(0, 2)
    start = max(0, end - _END_SIZE - 0xFFFF - 20)
    file.seek(start)
    tail = file.read()
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_SIZE:
        return None
    if _LONG_END in tail[max(0, at - 20) : at]:
        raise _refused("The zip is of the kind for more than 4 GB or 65535 files (zip64); pack less.")
    size: int = struct.unpack_from("<I", tail, at + 12)[0]
    return size


@dataclass(frozen=True, slots=True)
class _Member:
    """A file of the zip, and where it goes."""

    info: zipfile.ZipInfo
    path: str


@dataclass(slots=True)
class _Faults:
    """Every member that is at fault, with its reason."""

    found: list[BadLine] = field(default_factory=list)

    def add(self, name: str, code: str, message: str) -> None:
        self.found.append(BadLine(_shown(name), None, code, message))

    def raise_any(self) -> None:
        if self.found:
            count = len(self.found)
            problems = "problem" if count == 1 else "problems"
            raise Refused(f"The zip has {count} {problems}; pack it anew.", self.found[:SHOWN], count)


def _members(archive: zipfile.ZipFile, limits: Limits) -> list[_Member]:
    """The files of a zip that is harmless as a whole."""
    infos = archive.infolist()
    if len(infos) > limits.members or sum(info.file_size for info in infos) > limits.unpacked:
        raise _refused(
            f"The zip unpacks to more than {limits.members} files or {limits.unpacked // MEGABYTE} MB."
        )
    faults, members = _Faults(), []
    for info in infos:
        name = _name(info, faults)
        if name is None or not _is_plain(name, info, limits, faults):
            continue
        if not info.is_dir() and not _is_clutter(name):
            members.append(_Member(info, name))
    _refuse_twins([member.path for member in members], faults)
    faults.raise_any()
    return members


def _name(info: zipfile.ZipInfo, faults: _Faults) -> str | None:
    """The member's name; packers that do not say that theirs is UTF-8 are tried with it."""
    name = info.orig_filename
    if info.flag_bits & _UTF8_FLAG or name.isascii():
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        faults.add(name, "bad_name", "has a name in an unknown encoding; use UTF-8, or plain ASCII")
        return None


_KINDS = {0: "", stat.S_IFREG: "", stat.S_IFLNK: "is a link", stat.S_IFDIR: "is a folder without a slash"}


def _is_plain(name: str, info: zipfile.ZipInfo, limits: Limits, faults: _Faults) -> bool:
    """Whether a member is a file or folder that stays inside; what it is otherwise goes to `faults`."""
    parts = name.rstrip("/").split("/")
    kind = stat.S_IFMT(info.external_attr >> 16)
    rules: tuple[tuple[bool, str, str], ...] = (
        (not name.isprintable(), "bad_name", "has a name with characters that cannot be seen"),
        ("\\" in name, "bad_name", "has a backslash in its name; folders are parted by slashes"),
        (name.startswith("/"), "outside", "leads outside: its name begins with a slash"),
        (re.match(r"[A-Za-z]:", name) is not None, "outside", "leads outside: its name begins with a drive"),
        (".." in parts, "outside", 'leads outside: ".." is in its name'),
        ("" in parts or "." in parts, "bad_name", "has an empty folder name, or a dot, in its path"),
        (_is_long(name, parts, limits), "too_long", "has too long a name"),
        (len(parts) > limits.depth, "too_deep", f"lies deeper than {limits.depth} folders"),
        (info.flag_bits & _ENCRYPTED_FLAGS != 0, "encrypted", "is encrypted; pack it without a password"),
        (info.compress_type not in _METHODS, "bad_method", "is packed in a way that is not known here"),
        (_is_bomb(info, limits), "bomb", f"unpacks to more than {limits.ratio} times its size"),
    )
    for wrong, code, message in rules:
        if wrong:
            faults.add(name, code, message)
            return False
    if not info.is_dir() and kind not in (0, stat.S_IFREG):
        faults.add(name, "no_file", f"{_KINDS.get(kind, 'is a device')}; put the file itself there")
        return False
    return True


def _is_long(name: str, parts: list[str], limits: Limits) -> bool:
    return len(name.encode()) > limits.path or any(len(part.encode()) > limits.name for part in parts)


def _is_bomb(info: zipfile.ZipInfo, limits: Limits) -> bool:
    return info.file_size > MEGABYTE and info.file_size > limits.ratio * max(1, info.compress_size)


def _is_clutter(name: str) -> bool:
    """What some systems add to every zip."""
    last = name.rpartition("/")[2]
    return name.startswith("__MACOSX/") or last in (".DS_Store", "Thumbs.db", "desktop.ini")


def _refuse_twins(paths: list[str], faults: _Faults) -> None:
    """Refuse names that are one file on some disk: twice the same, in other case, a file and a folder."""
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    for path in paths:
        if (other := files.setdefault(_folded(path), path)) is not path:
            faults.add(path, "twins", f'stands there twice, or differs from "{_shown(other)}" in case alone')
        for folder in (str(parent) for parent in PurePosixPath(path).parents):
            if (other := folders.setdefault(_folded(folder), folder)) != folder:
                faults.add(
                    path, "twins", f'lies in a folder that differs from "{_shown(other)}" in case alone'
                )
                break
    for key in files.keys() & folders.keys():
        faults.add(files[key], "twins", "is a file and a folder")


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", path).casefold()


def _extract(archive: zipfile.ZipFile, members: Iterable[_Member], folder: Path, limits: Limits) -> None:
    """Write the members, and stop where they hold more than they said."""
    left = limits.unpacked
    for member in members:
        target = folder / member.path
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member.info) as source, target.open("xb") as file:
            while chunk := source.read(_CHUNK):
                left -= len(chunk)
                if left < 0:
                    raise _refused(f"The zip unpacks to more than {limits.unpacked // MEGABYTE} MB.")
                file.write(chunk)


def _bundle_folder(folder: Path) -> Path:
    """The folder of the bundle: the zip's own, or its only one."""
    inner = [path for path in folder.iterdir() if path.is_dir()]
    bare = not (folder / "task.toml").exists() and len(inner) == 1
    return inner[0] if bare else folder


def _shown(name: str) -> str:
    """A member's name for messages: short, and without what a terminal would obey."""
    shown = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name)
    return shown if len(shown) <= 80 else f"{shown[:60]}…"


def write_zip(target: IO[bytes], folder: str, files: Iterable[tuple[str, Callable[[], bytes]]]) -> None:
    """Pack files by name and without times, so that the same files give the same bytes."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for name, read in sorted(files, key=lambda file: file[0]):
            info = zipfile.ZipInfo(f"{folder}/{name}", (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(info, read())


def require_free(target: Path) -> None:
    """Refuse to write over what is there.

    Raises:
        Conflict: there is a file, or a folder with something in it, or no folder to write in.
    """
    if target.is_file() or (target.is_dir() and any(target.iterdir())):
        raise Conflict(f"{target} is there already; name another file or folder.")
    if not target.absolute().parent.is_dir():
        raise Conflict(f"There is no folder {target.parent} to write in.")


def write_file(target: Path, folder: str, files: Iterable[tuple[str, Callable[[], bytes]]]) -> None:
    """Write files as a zip with one `folder`, which is there whole or not at all."""
    unfinished = target.with_name(target.name + ".unfinished")
    with unfinished.open("wb") as file:
        write_zip(file, folder, files)
    unfinished.replace(target)


def write_package(target: Path, folder: str, files: Iterable[tuple[str, Callable[[], bytes]]]) -> None:
    """Write files as a zip with one `folder`, if the target's name says zip; else into the target itself."""
    if target.suffix.lower() == ".zip":
        write_file(target, folder, files)
        return
    for name, read in files:
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(read())
