"""Zips of bundles and exports: unpacking, packing, and safe names for the files in them.

The same files are packed to the same bytes."""

import re
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO

from scorer.bundles import zips as packages
from scorer.bundles.zip_members import BAD_ZIP, ZipLimits, printable_name
from scorer.errors import BundleError
from server.core.errors import Conflict, FileProblem, InvalidFile
from server.core.i18n import _, ngettext
from server.core.outages import is_outage

MEGABYTE = 1 << 20
CONSOLE_LIMITS = ZipLimits()
WEB_LIMITS = ZipLimits(members=20_000, unpacked=256 * MEGABYTE, directory=8 * MEGABYTE)


def read_members(data: bytes, most: int) -> list[tuple[str, bytes]]:
    """The files of a small zip by their paths in it, which together have `most` bytes, or a megabyte.

    Raises:
        Refused: as `unpacked` does.
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
    """The bundle's folder, which may lie in another (`inner`); a zip is unpacked for as long as it is needed.

    Raises:
        Refused: the zip leads outside, is too much, or is spoilt; with every member that is at fault.
    """
    if isinstance(package, Path) and package.is_dir():
        yield package
        return
    with ExitStack() as stack:
        try:
            folder = stack.enter_context(packages.unpack_zip(package, "", limits, inner=inner))
        except BundleError as error:
            if is_outage(error.__cause__):
                raise error.__cause__ from error  # of our disk: the zip is good
            raise _package_refusal(error, package) from error
        yield folder


def _package_refusal(error: BundleError, package: Path | IO[bytes]) -> InvalidFile:
    """The scorer's words in the site's sentences."""
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
    """Pack files of one folder by name, so that the same files give the same bytes."""
    by_name = sorted(files, key=lambda file: file[0])
    write_members(target, ((f"{folder}/{name}", read()) for name, read in by_name))


def write_members(target: IO[bytes], members: Iterable[tuple[str, bytes]]) -> None:
    """Pack members in their order, without times."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
        for path, data in members:
            info = zipfile.ZipInfo(path, (1980, 1, 1, 0, 0, 0))
            info.compress_type = zipfile.ZIP_DEFLATED
            info.create_system = 3
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(info, data)


def require_new_target(target: Path) -> None:
    """Refuse to write over what is there.

    Raises:
        Conflict: there is a file, or a folder with something in it, or no folder to write in.
    """
    if target.is_file() or (target.is_dir() and any(target.iterdir())):
        raise Conflict(_("%(target)s already exists. Choose another name.", target=target))
    if not target.absolute().parent.is_dir():
        raise Conflict(_("The folder %(folder)s does not exist.", folder=target.parent))


def write_zip_file(target: Path, folder: str, files: Iterable[tuple[str, Callable[[], bytes]]]) -> None:
    """Write files as a zip with one `folder`, which is there whole or not at all."""
    unfinished = target.with_name(target.name + ".unfinished")
    with unfinished.open("wb") as file:
        write_zip(file, folder, files)
    unfinished.replace(target)


def write_package(target: Path, folder: str, files: Iterable[tuple[str, Callable[[], bytes]]]) -> None:
    """Write files as a zip with one `folder`, if the target's name says zip; else into the target itself."""
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
"""Names that are no files on Windows."""


def safe_filename(text: str) -> str:
    """A name of ASCII letters, digits, hyphens, dots and underscores that reads like `text`."""
    name = _UNSAFE.sub("-", text).strip("-.")[:_MAX_LENGTH].rstrip("-.")
    return f"{name or 'unnamed'}-" if _WINDOWS_DEVICES.fullmatch(name) or not name else name


class UniqueFilenames:
    """Gives each thing of a folder a name of its own, in whatever case a disk compares them."""

    def __init__(self) -> None:
        self._taken: set[tuple[str, str]] = set()
        self._given: dict[tuple[str, object], str] = {}

    def give(self, folder: str, key: object, text: str) -> str:
        """The name in `folder` of the thing that `key` tells from others: always the same."""
        if (folder, key) not in self._given:
            name, number = safe_filename(text), 1
            while (folder, name.casefold()) in self._taken:
                number += 1
                name = f"{safe_filename(text)}-{number}"
            self._taken.add((folder, name.casefold()))
            self._given[folder, key] = name
        return self._given[folder, key]
