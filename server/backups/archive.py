"""A backup as one gzipped tar file: written in one pass, and trusted only after it was verified."""

import gzip
import hashlib
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from typing import IO, Protocol

from server.backups.manifest import (
    MANIFEST_NAME,
    BackupMember,
    Manifest,
    is_member,
    read_manifest,
    write_manifest,
)
from server.core.errors import BackupFailed, BadBackup

_CHUNK = 1 << 20
_MAX_MANIFEST = 1 << 28
_DAMAGE = (tarfile.TarError, gzip.BadGzipFile, zlib.error, EOFError, ValueError, LookupError, OverflowError)


class ByteSource(Protocol):
    """A source of bytes that is read in parts."""

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most `size`; empty at the end."""


class HashingReader:
    """Hashes what is read of a file, and detects damage."""

    def __init__(self, source: str, file: ByteSource) -> None:
        self._source, self._file = source, file
        self._hash = hashlib.sha256()
        self.bytes = 0

    def read(self, size: int = _CHUNK, /) -> bytes:
        """Return the next bytes."""
        with reading_errors(self._source):
            piece = self._file.read(size)
        self._hash.update(piece)
        self.bytes += len(piece)
        return piece

    def read_all(self) -> bytes:
        """Return all remaining bytes."""
        return b"".join(iter(self.read, b""))

    def as_part(self, path: str) -> BackupMember:
        """Return what was read, as a member of a backup."""
        return BackupMember(path, self._hash.hexdigest(), self.bytes)


class ArchiveWriter:
    """Adds the members of a backup, and its manifest at the end."""

    def __init__(self, tar: tarfile.TarFile) -> None:
        self._tar = tar
        self.parts: list[BackupMember] = []

    def add_file(self, path: str, source: Path) -> None:
        """Add a file from the disk."""
        with source.open("rb") as file:
            self._add(path, source.stat().st_size, file)

    def add(self, path: str, data: bytes) -> None:
        """Add a member from bytes."""
        self._add(path, len(data), BytesIO(data))

    def finish(self, manifest: Manifest) -> None:
        """Add the manifest, which must be the last member."""
        self._add(MANIFEST_NAME, len(data := write_manifest(manifest)), BytesIO(data))

    def _add(self, path: str, size: int, file: IO[bytes]) -> None:
        info, hashing = tarfile.TarInfo(path), HashingReader(path, file)
        info.size, info.mode = size, 0o600
        self._tar.addfile(info, hashing)
        self.parts.append(hashing.as_part(path))


@contextmanager
def new_archive(path: Path) -> Iterator[ArchiveWriter]:
    """Create an archive that only its owner can read, and close it at the end."""
    with ExitStack() as stack:
        raw = stack.enter_context(path.open("xb"))
        path.chmod(0o600)
        packed = stack.enter_context(gzip.GzipFile("", "wb", 6, raw, mtime=0))
        tar = stack.enter_context(tarfile.open(fileobj=packed, mode="w|", format=tarfile.USTAR_FORMAT))
        yield ArchiveWriter(tar)


def check(path: Path) -> Manifest:
    """Read a backup to its end, and verify each member's hash.

    Raises:
        BadBackup: it is damaged, truncated, or not a backup.
    """
    return visit_members(path, lambda _name, _file: None)


def visit_members(path: Path, visit: Callable[[str, HashingReader], object]) -> Manifest:
    """Call `visit` with each member but the manifest to read it, and verify all members.

    Raises:
        BadBackup: it is damaged, truncated, or not a backup, which is known only at the end.
    """
    parts: list[BackupMember] = []
    manifest: Manifest | None = None
    with _opened(path) as (packed, tar):
        while (info := _next(path, tar)) is not None:
            if (
                manifest is not None
                or not info.isreg()
                or not (is_member(info.name) or info.name == MANIFEST_NAME)
            ):
                raise BadBackup(
                    f"{path}: {info.name!r} is not a valid member of a backup, or follows the last one."
                )
            with reading_errors(str(path)):
                file = tar.extractfile(info)
            hashing = HashingReader(str(path), file or BytesIO())
            if info.name == MANIFEST_NAME:
                manifest = _read_manifest(path, info.size, hashing)
                continue
            visit(info.name, hashing)
            while hashing.read():
                pass
            parts.append(hashing.as_part(info.name))
        _drain(path, packed)
    _compare(path, manifest, parts)
    assert manifest is not None  # noqa: S101  (compared above)
    return manifest


def _compare(path: Path, manifest: Manifest | None, parts: list[BackupMember]) -> None:
    if manifest is None:
        raise BadBackup(f"{path} is truncated or damaged: its last member, {MANIFEST_NAME}, is missing.")
    if parts != list(manifest.parts):
        raise BadBackup(f"{path} is damaged: {_difference(manifest, parts)}.")
    for part in parts:
        if part.path.startswith("files/") and not part.path.endswith(part.sha256):
            raise BadBackup(f"{path} is damaged: the contents of {part.path} do not match its name.")


def _difference(manifest: Manifest, parts: list[BackupMember]) -> str:
    """Describe the first member that differs from the manifest."""
    for wanted, member in zip(manifest.parts, parts, strict=False):
        if wanted != member:
            return f"{wanted.path} does not match {MANIFEST_NAME}"
    return f"it has {len(parts)} members, but {MANIFEST_NAME} lists {len(manifest.parts)}"


def _read_manifest(path: Path, size: int, hashing: HashingReader) -> Manifest:
    if size > _MAX_MANIFEST:
        raise BadBackup(f"{path}: {MANIFEST_NAME} is too large.")
    return read_manifest(hashing.read_all(), str(path))


@contextmanager
def _opened(path: Path) -> Iterator[tuple[gzip.GzipFile, tarfile.TarFile]]:
    with ExitStack() as stack:
        with reading_errors(str(path)):
            raw = stack.enter_context(path.open("rb"))
            packed = stack.enter_context(gzip.GzipFile(fileobj=raw, mode="rb"))
            tar = stack.enter_context(tarfile.open(fileobj=packed, mode="r|"))
        yield packed, tar


def _next(path: Path, tar: tarfile.TarFile) -> tarfile.TarInfo | None:
    with reading_errors(str(path)):
        return tar.next()


def _drain(path: Path, packed: gzip.GzipFile) -> None:
    """Read to the end, where gzip's checksum is: after the last member there is nothing but zeros."""
    rest = HashingReader(str(path), packed)
    while piece := rest.read():
        if piece.strip(b"\0"):
            raise BadBackup(f"{path} is damaged: there is data after its last member.")


@contextmanager
def reading_errors(source: str) -> Iterator[None]:
    """Convert errors of reading to one with a message for people."""
    try:
        yield
    except _DAMAGE as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise BadBackup(f"{source} is damaged, truncated, or not a backup: {reason}.") from error
    except OSError as error:
        raise BackupFailed(f"{source} cannot be read: {error.strerror or error}.") from error
