"""What may stand in a zip: plain files that stay inside, each of them once, and no more than there may be.

Nothing of a zip is believed: not its sizes, not its names, not the kinds of its members.
"""

import re
import stat
import unicodedata
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from scorer.errors import BundleError, Problem

MEGABYTE = 1 << 20
BAD_ZIP = "bad_zip"
"""The code of what is wrong with a zip as a whole."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""What can be unpacked piece by piece; 64 kB of bzip2 or LZMA become a gigabyte in one."""
_UTF8, _ENCRYPTED = 0x800, 0x2041
_CLUTTER = ("__MACOSX/", ".DS_Store", "Thumbs.db", "desktop.ini")
_FILE_KINDS = {stat.S_IFLNK: "is a link", stat.S_IFDIR: "is a folder without a slash"}
_Fault = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ZipLimits:
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


@dataclass(frozen=True, slots=True)
class ZipMember:
    """A file of a zip, and where it goes."""

    info: zipfile.ZipInfo
    path: str


def safe_members(infos: Sequence[zipfile.ZipInfo], limits: ZipLimits, source: str) -> list[ZipMember]:
    """The files of a zip of which no member is at fault, without folders and clutter.

    Parameters
    ----------
    infos : sequence of ZipInfo
        All of them, as the zip lists them.
    limits : ZipLimits
        How many, how large, how deep.
    source : str
        What problems call the zip; its members' names follow it. Empty: those stand alone.

    Returns
    -------
    list of Member

    Raises
    ------
    BundleError
        With every fault of every member.
    """
    if len(infos) > limits.members or sum(info.file_size for info in infos) > limits.unpacked:
        limit = f"{limits.members} files or {limits.unpacked // MEGABYTE} MB"
        raise zip_error(source, f"unpacks to more than {limit}")
    members, problems = list[ZipMember](), list[Problem]()
    for info in infos:
        name = _decode_name(info)
        faults = list(_member_faults(name, info, limits))
        problems += (_problem(source, name or info.orig_filename, fault) for fault in faults)
        if name is not None and not faults and not info.is_dir() and not _is_clutter(name):
            members.append(ZipMember(info, name))
    duplicates = _duplicate_paths([member.path for member in members])
    problems += (_problem(source, path, ("twins", message)) for path, message in duplicates)
    if problems:
        raise BundleError(problems)
    return members


def zip_error(source: str, message: str, code: str = BAD_ZIP) -> BundleError:
    """What is raised for a zip that is at fault as a whole.

    Parameters
    ----------
    source : str
        What the zip is called.
    message : str
        What is wrong with it, without a subject.
    code : str
        Stable, for programs.

    Returns
    -------
    BundleError
    """
    return BundleError([Problem(source, None, code, message)])


def printable_name(name: str) -> str:
    """A member's name for messages: short, and without what a terminal would obey.

    Parameters
    ----------
    name : str
        Whatever the zip says.

    Returns
    -------
    str

    Examples
    --------
    >>> printable_name("run" + chr(27) + "[2Js.tsv")
    'run�[2Js.tsv'
    """
    plain = "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in name)
    return plain if len(plain) <= 80 else f"{plain[:60]}…"


def _problem(source: str, name: str, fault: _Fault) -> Problem:
    return Problem(f"{source}/{printable_name(name)}" if source else printable_name(name), None, *fault)


def _decode_name(info: zipfile.ZipInfo) -> str | None:
    """The name of a member; packers that do not say that theirs is UTF-8 are tried with it."""
    name = info.orig_filename
    if info.flag_bits & _UTF8 or name.isascii():
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return None


def _member_faults(name: str | None, info: zipfile.ZipInfo, limits: ZipLimits) -> Iterator[_Fault]:
    """What is wrong with a member: with its name, how it is packed, and what it is."""
    named = _name_fault(name, limits)
    if named is not None:
        yield named
    if info.flag_bits & _ENCRYPTED:
        yield "encrypted", "is encrypted; pack it without a password"
    if info.compress_type not in _METHODS:
        yield "bad_method", "is packed in a way that is not known here; pack it as usual, by deflate"
    if info.file_size > MEGABYTE and info.file_size > limits.ratio * max(1, info.compress_size):
        yield "bomb", f"unpacks to more than {limits.ratio} times its size"
    kind = stat.S_IFMT(info.external_attr >> 16)
    if not info.orig_filename.endswith("/") and kind not in (0, stat.S_IFREG):
        yield "no_file", f"{_FILE_KINDS.get(kind, 'is a device')}; put the file itself there"


def _name_fault(name: str | None, limits: ZipLimits) -> _Fault | None:
    """Why a name is no plain place inside."""
    if name is None:
        return "bad_name", "has a name in an unknown encoding; use UTF-8, or plain ASCII"
    parts = name.rstrip("/").split("/")
    is_long = len(name.encode()) > limits.path or max(len(part.encode()) for part in parts) > limits.name
    rules: tuple[tuple[bool, str, str], ...] = (
        (not name.isprintable(), "bad_name", "has a name with characters that cannot be seen"),
        ("\\" in name, "bad_name", "has a backslash in its name; folders are parted by slashes"),
        (name.startswith("/"), "outside", "leads outside: its name begins with a slash"),
        (re.match(r"[A-Za-z]:", name) is not None, "outside", "leads outside: its name begins with a drive"),
        (".." in parts, "outside", 'leads outside: ".." is in its name'),
        ("" in parts or "." in parts, "bad_name", "has an empty folder name, or a dot, in its path"),
        (":" in parts[0], "bad_name", "has a colon in its name, as drives of Windows have"),
        (is_long, "too_long", "has too long a name"),
        (len(parts) > limits.depth, "too_deep", f"lies deeper than {limits.depth} folders"),
    )
    return next(((code, message) for wrong, code, message in rules if wrong), None)


def _is_clutter(name: str) -> bool:
    """What some systems add to every zip."""
    return name.startswith(_CLUTTER[0]) or name.rpartition("/")[2] in _CLUTTER


def _duplicate_paths(paths: Sequence[str]) -> Iterator[_Fault]:
    """Paths that are one file on some disk: twice the same, in other case, a file and a folder."""
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    for path in paths:
        other = files.get(_normalize_path(path))
        if other is None:
            files[_normalize_path(path)] = path
        else:
            same = f'is the same file as "{printable_name(other)}" on some disks'
            yield path, "stands there twice" if other == path else same
        for folder in (str(parent) for parent in PurePosixPath(path).parents):
            other = folders.setdefault(_normalize_path(folder), folder)
            if other != folder:
                yield path, f'lies in a folder that is the same as "{printable_name(other)}" on some disks'
                break
    for key in files.keys() & folders.keys():
        yield files[key], "is a file and a folder"


def _normalize_path(path: str) -> str:
    """A path as a disk sees it that minds neither case nor how a letter with an accent is written."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())
