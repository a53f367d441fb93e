"""The bundle of a task setup: its `task.toml`, its texts, and the uploaded files."""

import copy
import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import tomli_w

from server.core.storage import Storage
from server.setups.models import TaskSetup
from server.setups.rules import DESCRIPTION_FILE, TASK_FILE, TERMS_FILE

TABLES = ("task", "board", "teams", "level", "phase", "run")
MOMENTS = ("opens", "closes")
"""The keys of a phase that are instants; JSON has them as text."""


@dataclass(frozen=True, slots=True)
class BundleFile:
    """A file of the bundle, and where its bytes are in the store."""

    path: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class SetupContent:
    """All that the bundle of a setup has, or a part of it; it stays the same when the setup changes."""

    tables: Mapping[str, Any]
    files: tuple[BundleFile, ...]

    @property
    def size(self) -> int:
        """The size of the files together."""
        return sum(file.size for file in self.files)

    @property
    def digest(self) -> str:
        """A hash of everything."""
        names = "".join(f"\n{file.path} {file.sha256}" for file in self.files)
        texts = "\0".join(f"{name}={text}" for name, text in _texts(self.tables))
        return hashlib.sha256(write_toml(self.tables) + names.encode() + texts.encode()).hexdigest()


def content_of(setup: TaskSetup) -> SetupContent:
    """Return the content of a setup as it is now."""
    files = tuple(BundleFile(file.path, file.sha256, file.size) for file in setup.files)
    return SetupContent(setup.tables, files)


def write_toml(tables: Mapping[str, Any]) -> bytes:
    """Write the `task.toml` of these tables; it names the files of its texts."""
    written = {name: copy.deepcopy(tables[name]) for name in TABLES if tables.get(name)}
    written["task"]["description"] = DESCRIPTION_FILE
    written["task"]["terms"] = TERMS_FILE if tables["task"].get("terms") else "none"
    if len(written.get("level", ())) < 2:
        written.get("board", {}).pop("total", None)  # it would repeat the only level
    for phase in written.get("phase", ()):
        phase |= {key: datetime.fromisoformat(phase[key]) for key in MOMENTS if key in phase}
    return tomli_w.dumps(written).encode()


def list_bundle_files(content: SetupContent, storage: Storage) -> list[tuple[str, Callable[[], bytes]]]:
    """Return each file of the bundle with the function that reads it."""
    return [
        (TASK_FILE, partial(write_toml, content.tables)),
        *((name, text.encode) for name, text in _texts(content.tables)),
        *((file.path, partial(storage.get, file.sha256)) for file in content.files),
    ]


def write_bundle(folder: Path, content: SetupContent, storage: Storage) -> None:
    """Write the bundle into a folder."""
    for name, read in list_bundle_files(content, storage):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(read())


def _texts(tables: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the texts that are files of the bundle."""
    yield DESCRIPTION_FILE, tables["task"].get("description", "")
    if tables["task"].get("terms"):
        yield TERMS_FILE, tables["task"]["terms"]
