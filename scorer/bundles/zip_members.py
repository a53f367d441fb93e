"""Checks the members of a zip file: only plain files, inside the folder, without duplicates, within limits.

Nothing in a zip file is trusted: not the sizes, not the names, not the file types of its members.
"""

import re
import stat
import unicodedata
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from scorer.errors import BundleError, Problem, printable

MEGABYTE = 1 << 20
BAD_ZIP = "bad_zip"
"""The code of a problem with the whole zip file."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The methods that can be decompressed in chunks; one read of 64 kB of bzip2 or LZMA can give a gigabyte."""
_UTF8, _ENCRYPTED = 0x800, 0x2041
_CLUTTER_FOLDER = "__MACOSX"
_CLUTTER = (".DS_Store", "Thumbs.db", "desktop.ini")
_FILE_KINDS = {stat.S_IFLNK: "is a link", stat.S_IFDIR: "is a folder without a slash"}
_Fault = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ZipLimits:
    """The limits of a zip file."""

    members: int = 100_000
    unpacked: int = 1024 * MEGABYTE
    directory: int = 32 * MEGABYTE
    """Bytes of the central directory, which is read as a whole before any check is possible."""
    ratio: int = 200
    """The maximum compression ratio of a member above a megabyte; text has 5 to 50."""
    depth: int = 12
    name: int = 200
    path: int = 400


@dataclass(frozen=True, slots=True)
class ZipMember:
    """A file in a zip, and the path to which it is extracted."""

    info: zipfile.ZipInfo
    path: str


def safe_members(infos: Sequence[zipfile.ZipInfo], limits: ZipLimits, source: str) -> list[ZipMember]:
    """Return the files of a zip if all members are safe, without folders and system files.

    Parameters
    ----------
    infos : sequence of ZipInfo
        All members, as the zip lists them.
    limits : ZipLimits
        The limits of number, size and depth.
    source : str
        The name of the zip in problems, before the name of the member. Empty: only the name of the member.

    Returns
    -------
    list of ZipMember

    Raises
    ------
    BundleError
        Lists every problem of every member.
    """
    if len(infos) > limits.members or sum(info.file_size for info in infos) > limits.unpacked:
        limit = f"{limits.members} files or {limits.unpacked // MEGABYTE} MB"
        raise zip_error(source, f"unpacks to more than {limit}")
    members, problems = list[ZipMember](), list[Problem]()
    for info in infos:
        name = _decode_name(info)
        faults = list(_member_faults(name, info, limits))
        problems += (_problem(source, name or info.orig_filename, fault) for fault in faults)
        if name is not None and not faults and not name.endswith("/") and not _is_clutter(name):
            members.append(ZipMember(info, name))
    duplicates = _duplicate_paths([member.path for member in members])
    problems += (_problem(source, path, ("twins", message)) for path, message in duplicates)
    if problems:
        raise BundleError(problems)
    return members


def check_names(names: Sequence[str]) -> None:
    """Check names of files before a zip is made of them.

    Parameters
    ----------
    names : sequence of str

    Raises
    ------
    BundleError
        Lists every name that no member of a zip can have, as `safe_members` does.

    Examples
    --------
    >>> check_names(["pairs.tsv", "../pairs.tsv"])
    Traceback (most recent call last):
    scorer.errors.BundleError: ../pairs.tsv: leads outside: ".." is in its name
    """
    infos = [zipfile.ZipInfo(name) for name in names]
    for info in infos:
        info.flag_bits |= _UTF8
    safe_members(infos, ZipLimits(), "")


def zip_error(source: str, message: str, code: str = BAD_ZIP) -> BundleError:
    """Return the error for a problem with a whole zip file.

    Parameters
    ----------
    source : str
        The name of the zip.
    message : str
        The problem, as a sentence without a subject.
    code : str
        The stable code.

    Returns
    -------
    BundleError
    """
    return BundleError([Problem(source, None, code, message)])


def printable_name(name: str) -> str:
    """Return the name of a member for messages: shortened, and without terminal control characters.

    Parameters
    ----------
    name : str
        The name as in the zip.

    Returns
    -------
    str

    Examples
    --------
    >>> printable_name("run" + chr(27) + "[2Js.tsv")
    'run�[2Js.tsv'
    """
    plain = printable(name)
    return plain if len(plain) <= 80 else f"{plain[:60]}…"


def _problem(source: str, name: str, fault: _Fault) -> Problem:
    return Problem(f"{source}/{printable_name(name)}" if source else printable_name(name), None, *fault)


def _decode_name(info: zipfile.ZipInfo) -> str | None:
    """Decode the name of a member, with slashes for the backslashes of some Windows programs.

    Tries UTF-8 even if the zip does not declare it, as some programs do.
    """
    name = info.orig_filename.replace("\\", "/")
    if info.flag_bits & _UTF8 or name.isascii():
        return name
    try:
        return name.encode("cp437").decode("utf-8")
    except UnicodeError:
        return None


def _member_faults(name: str | None, info: zipfile.ZipInfo, limits: ZipLimits) -> Iterator[_Fault]:
    """Yield the problems of a member: its name, its compression, and its file type."""
    named = _name_fault(name, limits)
    if named is not None:
        yield named
    if info.flag_bits & _ENCRYPTED:
        yield "encrypted", "is encrypted; create the zip again without a password"
    if info.compress_type not in _METHODS:
        yield (
            "bad_method",
            "is compressed with an unsupported method; create the zip again with the usual method, deflate",
        )
    if info.file_size > MEGABYTE and info.file_size > limits.ratio * max(1, info.compress_size):
        yield "bomb", f"unpacks to more than {limits.ratio} times its size"
    kind = stat.S_IFMT(info.external_attr >> 16)
    if not (name or "").endswith("/") and kind not in (0, stat.S_IFREG):
        yield "no_file", f"{_FILE_KINDS.get(kind, 'is a device')}; put the file itself there"


def _name_fault(name: str | None, limits: ZipLimits) -> _Fault | None:
    """Return a problem unless a name is a plain path inside the folder."""
    if name is None:
        return "bad_name", "has a name in an unknown encoding; use UTF-8, or plain ASCII"
    parts = name.rstrip("/").split("/")
    sizes = [len(part.encode(errors="replace")) for part in (name, *parts)]  # a lone surrogate has no bytes
    is_long = sizes[0] > limits.path or max(sizes[1:]) > limits.name
    rules: tuple[tuple[bool, str, str], ...] = (
        (not name.isprintable(), "bad_name", "has a name with invisible characters"),
        (name.startswith("/"), "outside", "leads outside: its name begins with a slash"),
        (re.match(r"[A-Za-z]:", name) is not None, "outside", "leads outside: its name begins with a drive"),
        (".." in parts, "outside", 'leads outside: ".." is in its name'),
        ("" in parts or "." in parts, "bad_name", "has an empty folder name, or a dot, in its path"),
        (":" in parts[0], "bad_name", "has a colon in its name, like a Windows drive"),
        (is_long, "too_long", "has a name that is too long"),
        (len(parts) > limits.depth, "too_deep", f"is more than {limits.depth} folders deep"),
    )
    return next(((code, message) for wrong, code, message in rules if wrong), None)


def _is_clutter(name: str) -> bool:
    """Whether a file is one that macOS or Windows adds to zip files."""
    *folders, filename = name.split("/")
    return _CLUTTER_FOLDER in folders or filename in _CLUTTER


def _duplicate_paths(paths: Sequence[str]) -> Iterator[_Fault]:
    """Yield paths that clash on some disks: duplicates, names in other case, a file that is also a folder."""
    files: dict[str, str] = {}
    folders: dict[str, str] = {}
    for path in paths:
        other = files.get(_normalize_path(path))
        if other is None:
            files[_normalize_path(path)] = path
        else:
            same = f'is the same file as "{printable_name(other)}" on some disks'
            yield path, "is in the zip twice" if other == path else same
        for folder in (str(parent) for parent in PurePosixPath(path).parents):
            other = folders.setdefault(_normalize_path(folder), folder)
            if other != folder:
                yield path, f'lies in a folder that is the same as "{printable_name(other)}" on some disks'
                break
    for key in files.keys() & folders.keys():
        yield files[key], "is a file and a folder"


def _normalize_path(path: str) -> str:
    """Normalize a path as on a disk that ignores case and Unicode composition."""
    if path.isascii():
        return path.lower()
    return unicodedata.normalize("NFD", unicodedata.normalize("NFD", path).casefold())
