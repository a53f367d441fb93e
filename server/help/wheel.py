"""The package that runs here as a wheel, packed from its own files, so that nobody has to put one there."""

import base64
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, distribution
from io import BytesIO
from pathlib import Path, PurePosixPath
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from server.core.config import find_package_folder

DISTRIBUTION = "assay"
_ROOT = Path(__file__).parents[2]
_INFO_FILES = ("METADATA", "WHEEL", "entry_points.txt", "top_level.txt")
_PACKAGED = (".py", ".toml")
_DATA_FOLDERS = ("static", "demo")
"""Folders of the package that are packed whole, as in pyproject.toml."""
_SIBLING_FOLDERS = ("templates", "migrations")


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel: its name, its bytes, their SHA-256."""

    name: str
    data: bytes
    sha256: str


@cache
def wheel_name() -> str:
    """What the wheel of the version that runs is called."""
    package = distribution(DISTRIBUTION)
    tag = re.findall(r"^Tag: (\S+)$", package.read_text("WHEEL") or "", re.MULTILINE)[0]
    return f"{DISTRIBUTION}-{package.version}-{tag}.whl"


@cache
def build_wheel() -> Wheel:
    """The wheel of the version that runs, the same bytes each time."""
    package = distribution(DISTRIBUTION)
    info = f"{DISTRIBUTION}-{package.version}.dist-info"
    members = {**dict(_modules()), **{f"{info}/{name}": data for name, data in _info_files(package)}}
    lines = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in sorted(members.items())]
    members[f"{info}/RECORD"] = "\n".join([*lines, f"{info}/RECORD,,", ""]).encode()
    data = _pack(members)
    return Wheel(wheel_name(), data, hashlib.sha256(data).hexdigest())


def _modules() -> Iterator[tuple[str, bytes]]:
    """The files of both packages, by their names in a wheel."""
    for package in ("scorer", "server"):
        for path in sorted((_ROOT / package).rglob("*")):
            name = path.relative_to(_ROOT)
            whole = package == "server" and name.parts[1] in _DATA_FOLDERS
            if _is_packaged(path) and (whole or path.suffix in _PACKAGED or path.name == "py.typed"):
                yield name.as_posix(), path.read_bytes()
    for folder in _SIBLING_FOLDERS:
        top = find_package_folder(folder)
        for path in sorted(top.rglob("*")):
            if _is_packaged(path):
                yield (
                    (PurePosixPath("server", folder) / path.relative_to(top).as_posix()).as_posix(),
                    path.read_bytes(),
                )


def _is_packaged(path: Path) -> bool:
    return path.is_file() and "__pycache__" not in path.parts and not path.name.startswith(".")


def _info_files(found: Distribution) -> Iterator[tuple[str, bytes]]:
    """What pip has to know, as the installed package has it."""
    for name in _INFO_FILES:
        text = found.read_text(name)
        if text is not None:
            yield name, text.encode()
    for file in found.files or ():
        head, slash, name = file.as_posix().partition(".dist-info/licenses/")
        if slash and "/" not in head:
            yield f"licenses/{name}", file.read_binary()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _pack(members: dict[str, bytes]) -> bytes:
    out = BytesIO()
    with ZipFile(out, "w", ZIP_DEFLATED) as archive:
        for name, data in sorted(members.items(), key=lambda member: (".dist-info/" in member[0], member[0])):
            member = ZipInfo(name)
            member.compress_type, member.external_attr = ZIP_DEFLATED, 0o644 << 16
            archive.writestr(member, data)
    return out.getvalue()
