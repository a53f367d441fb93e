"""Zip files of bundles and exports: reading, writing, and safe names for the files in them.

The same files always give the same bytes.
"""

import re
import shutil
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO

from scorer.bundles import zips as packages
from scorer.bundles.zip_members import BAD_ZIP, ZipLimits, check_names, printable_name
from scorer.errors import BundleError
from server.core.errors import Conflict, FileProblem, InvalidFile
from server.core.i18n import _, ngettext
from server.core.outages import is_outage

MEGABYTE = 1 << 20
CONSOLE_LIMITS = ZipLimits()
WEB_LIMITS = ZipLimits(members=20_000, unpacked=256 * MEGABYTE, directory=8 * MEGABYTE)


def read_members(data: bytes, most: int) -> list[tuple[str, bytes]]:
    """Return the files of a small zip by their paths; together they may have `most` bytes, or a megabyte.

    Raises:
        InvalidFile: as `unpacked` does.
    """
    megabytes = -(-most // MEGABYTE)
    limits = ZipLimits(members=1000, unpacked=megabytes * MEGABYTE, directory=MEGABYTE)
    with unpacked(BytesIO(data), limits, inner=False) as folder:
        paths = sorted(path for path in folder.rglob("*") if path.is_file())
        return [(path.relative_to(folder).as_posix(), path.read_bytes()) for path in paths]


@contextmanager
def unpacked(
    package: Path | IO[bytes], limits: ZipLimits = CONSOLE_LIMITS, *, inner: bool = True
) -> Iterator[Path]:
    """Yield a bundle's folder, which may be inside another (`inner`); a zip is unpacked while it is needed.

    Raises:
        InvalidFile: the zip leads outside, is too large, or is damaged; with every member that is at fault.
    """
    if isinstance(package, Path) and package.is_dir():
        yield package
        return
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(packages.unpack_zip(package, "", limits, inner=inner))
        except BundleError as error:
            if is_outage(error.__cause__):
                raise error.__cause__ from error  # our disk failed: the zip is good
            raise _package_rejection(error, package) from error
        yield folder


def _package_rejection(error: BundleError, package: Path | IO[bytes]) -> InvalidFile:
    """Translate the scorer's error about a zip into the site's error."""
    first = error.problems[0]
    if first.code == packages.NO_ZIP:
        return InvalidFile(_no_zip(package), (), 0)
    if first.code == BAD_ZIP:
        return InvalidFile(_("The zip %(what)s.", what=first.message), (), 0)
    words = ngettext(
        "The zip file has %(num)d problem. Fix it, create the zip again and upload it.",
        "The zip file has %(num)d problems. Fix them, create the zip again and upload it.",
        error.count,
    )
    return _reject(error, words)


def _reject(error: BundleError, words: str) -> InvalidFile:
    problems = [
        FileProblem(problem.source, None, problem.code, problem.message) for problem in error.problems
    ]
    return InvalidFile(words, problems, error.count)


def _no_zip(package: Path | IO[bytes]) -> str:
    if isinstance(package, Path):
        return _("%(name)s is neither a folder nor a zip file.", name=printable_name(package.name))
    package.seek(0)
    begin = package.read(2)
    if not begin:
        return _("This file is empty. Create the zip again.")
    return (
        _("This zip file is truncated or damaged. Create it again.")
        if begin == b"PK"
        else _("This is not a zip file.")
    )


def write_zip(target: IO[bytes], folder: str, files: Iterable[tuple[str, Callable[[], bytes]]]) -> None:
    """Write a zip of one folder's files, sorted by name, so that the same files give the same bytes."""
    by_name = sorted(files, key=lambda file: file[0])
    write_members(target, ((f"{folder}/{name}", read()) for name, read in by_name))


def write_members(target: IO[bytes], members: Iterable[tuple[str, bytes]]) -> None:
    """Write members to a zip in their order, without timestamps."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path, data in members:
            archive.writestr(_make_info(path), data)


def pack_files(target: IO[bytes], files: Iterable[tuple[str, Callable[[], bytes]]]) -> None:
    """Write files with the names that browsers sent into a zip, which is then read as any other.

    Raises:
        InvalidFile: with every name that no file of a zip can have.
    """
    named = [(name.replace("\\", "/"), read) for name, read in files]
    try:
        check_names([name for name, _read in named])
    except BundleError as error:
        words = ngettext(
            "%(num)d file has a name that cannot be used. Rename it, and upload the files again.",
            "%(num)d files have names that cannot be used. Rename them, and upload the files again.",
            error.count,
        )
        raise _reject(error, words) from error
    write_members(target, ((name, read()) for name, read in named))


def _make_info(path: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
    info.compress_type = zipfile.ZIP_DEFLATED
    info.create_system = 3
    info.external_attr = (stat.S_IFREG | 0o644) << 16
    return info


def write_folder(target: IO[bytes], name: str, folder: Path) -> None:
    """Write a zip of a folder's files, as `write_zip` does, without reading a whole file into memory."""
    paths = sorted(
        (path.relative_to(folder).as_posix(), path) for path in folder.rglob("*") if path.is_file()
    )
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for member, path in paths:
            info = _make_info(f"{name}/{member}")
            info.file_size = path.stat().st_size
            with path.open("rb") as source, archive.open(info, "w") as copy:
                shutil.copyfileobj(source, copy)


def require_new_target(target: Path) -> None:
    """Raise rather than overwrite what exists.

    Raises:
        Conflict: the target is a file, a folder that is not empty, or in a folder that does not exist.
    """
    if target.is_file() or (target.is_dir() and any(target.iterdir())):
        raise Conflict.of("%(target)s already exists. Choose another name.", target=target)
    if not target.absolute().parent.is_dir():
        raise Conflict.of("The folder %(folder)s does not exist.", folder=target.parent)


def write_zip_file(target: Path, folder: str, files: Iterable[tuple[str, Callable[[], bytes]]]) -> None:
    """Write files as a zip with one `folder`; the zip appears whole or not at all."""
    unfinished = target.with_name(target.name + ".unfinished")
    with unfinished.open("wb") as file:
        write_zip(file, folder, files)
    unfinished.replace(target)


def write_package(target: Path, folder: str, files: Iterable[tuple[str, Callable[[], bytes]]]) -> None:
    """Write files as a zip with one `folder` if the target ends in .zip; else into the target folder."""
    if target.suffix.lower() == ".zip":
        write_zip_file(target, folder, files)
        return
    for name, read in files:
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(read())


_UNSAFE = re.compile(r"[^A-Za-z0-9_.-]+")
_MAX_LENGTH = 60
_WINDOWS_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?")
"""Names that cannot be file names on Windows."""


def safe_filename(text: str) -> str:
    """Return a name of ASCII letters, digits, hyphens, dots and underscores that resembles `text`."""
    name = _UNSAFE.sub("-", text).strip("-.")[:_MAX_LENGTH].rstrip("-.")
    return f"{name or 'unnamed'}-" if _WINDOWS_DEVICES.fullmatch(name) or not name else name


class UniqueFilenames:
    """Gives each file of a folder a unique name, also on disks that ignore upper and lower case."""

    def __init__(self) -> None:
        self._taken: set[tuple[str, str]] = set()
        self._given: dict[tuple[str, object], str] = {}

    def give(self, folder: str, key: object, text: str) -> str:
        """Return the name in `folder` for what `key` identifies: always the same for the same key."""
        if (folder, key) not in self._given:
            name, number = safe_filename(text), 1
            while (folder, name.casefold()) in self._taken:
                number += 1
                name = f"{safe_filename(text)}-{number}"
            self._taken.add((folder, name.casefold()))
            self._given[folder, key] = name
        return self._given[folder, key]
