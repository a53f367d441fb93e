"""The running package as a wheel, built from its own files, so that nobody has to provide one."""

import base64
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib.metadata import Distribution, distribution
from io import BytesIO

from server.core.config import find_package_folder
from server.core.zips import write_members

DISTRIBUTION = "assay"
_INFO_FILES = ("METADATA", "WHEEL", "entry_points.txt", "top_level.txt")
_DATA_FOLDERS = (
    "scorer/bundles/examples/",
    "server/accounts/common_words.txt",
    "server/static/",
    "server/demo/",
    "server/locale/",
    "server/templates/",
    "server/migrations/",
)
"""Other files of the packages than modules, as in pyproject.toml and setup.py."""


@dataclass(frozen=True, slots=True)
class Wheel:
    """A wheel: its name, its bytes, and their SHA-256."""

    name: str
    data: bytes
    sha256: str


@cache
def wheel_name() -> str:
    """Return the name of the wheel of the running version."""
    package = distribution(DISTRIBUTION)
    tag = re.findall(r"^Tag: (\S+)$", package.read_text("WHEEL") or "", re.MULTILINE)[0]
    return f"{DISTRIBUTION}-{package.version}-{tag}.whl"


@cache
def build_wheel() -> Wheel:
    """Build the wheel of the running version; it always has the same bytes."""
    package = distribution(DISTRIBUTION)
    info = f"{DISTRIBUTION}-{package.version}.dist-info"
    members = [*sorted(dict(_package_files()).items()), *sorted(_info_files(package))]
    record = [f"{name},sha256={_digest(data)},{len(data)}" for name, data in members]
    members.append((f"{info}/RECORD", "\n".join([*record, f"{info}/RECORD,,", ""]).encode()))
    file = BytesIO()
    write_members(file, members)
    return Wheel(wheel_name(), file.getvalue(), hashlib.sha256(file.getvalue()).hexdigest())


def _package_files() -> Iterator[tuple[str, bytes]]:
    """Yield the files of both packages, by their names in a wheel; if installed, some occur twice."""
    for package in ("scorer", "server", "server/templates", "server/migrations"):
        folder = find_package_folder(package.removeprefix("server/"))
        for path in folder.rglob("*"):
            name = f"{package}/{path.relative_to(folder).as_posix()}"
            is_packaged = path.suffix in (".py", ".toml", ".md") or path.name == "py.typed"
            is_hidden = path.name.startswith(".") or "__pycache__" in path.parts
            if (is_packaged or name.startswith(_DATA_FOLDERS)) and path.is_file() and not is_hidden:
                yield name, path.read_bytes()


def _info_files(package: Distribution) -> Iterator[tuple[str, bytes]]:
    """Yield the metadata for pip, from the installed package."""
    for file in package.files or ():
        if file.parts[0].endswith(".dist-info") and (file.name in _INFO_FILES or file.parts[1] == "licenses"):
            yield file.as_posix(), file.read_binary()


def _digest(data: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
