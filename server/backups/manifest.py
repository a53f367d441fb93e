"""`backup.json`, the last member of a backup: what it contains, and the hash of each other member."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, Literal

from server.core.errors import BadBackup
from server.core.storage import is_sha256

SCHEMA = "assay.backup/1"
MANIFEST_NAME = "backup.json"
DATABASE_NAME = "database"
DatabaseKind = Literal["sqlite", "postgresql"]
_MEMBER = re.compile(r"database|files/([0-9a-f]{2})/(\1[0-9a-f]{62})")


@dataclass(frozen=True, slots=True)
class BackupMember:
    """A member of a backup: the database, or a stored file."""

    path: str
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup contains; `audit`: number and hash of the newest entry of the audit log."""

    site: str
    assay: str
    revision: str
    database: DatabaseKind
    made: datetime
    audit: tuple[int, str] | None
    parts: tuple[BackupMember, ...]

    @property
    def size(self) -> int:
        """The number of bytes when it is unpacked."""
        return sum(part.bytes for part in self.parts)


def member_path(sha256: str) -> str:
    """Return the path of a stored file in a backup."""
    return f"files/{sha256[:2]}/{sha256}"


def is_member(path: str) -> bool:
    """Whether a backup can have a member of this name beside its manifest."""
    return _MEMBER.fullmatch(path) is not None


def write_manifest(manifest: Manifest) -> bytes:
    """Serialize the manifest."""
    audit = None if manifest.audit is None else dict(zip(("number", "sha256"), manifest.audit, strict=True))
    changed = {"made": manifest.made.isoformat(), "audit": audit}
    values = {"schema": SCHEMA, **asdict(manifest), **changed}
    return (json.dumps(values, ensure_ascii=False, indent=1) + "\n").encode()


def read_manifest(data: bytes, source: str) -> Manifest:
    """Parse the manifest.

    Raises:
        BadBackup: it is not a manifest that this version can read.
    """
    try:
        values = json.loads(data)
        schema = values["schema"]
        if schema != SCHEMA:
            raise BadBackup(
                f'{source}: {MANIFEST_NAME} is of the kind "{schema}"; this version reads "{SCHEMA}".'
            )
        return _manifest(values)
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise BadBackup(f"{source}: {MANIFEST_NAME} cannot be read. Use another backup.") from error


def _manifest(values: dict[str, Any]) -> Manifest:
    audit = values["audit"]
    manifest = Manifest(
        **{name: values[name] for name in ("site", "assay", "revision", "database")},
        made=datetime.fromisoformat(values["made"]),
        audit=None if audit is None else (audit["number"], audit["sha256"]),
        parts=tuple(BackupMember(part["path"], part["sha256"], part["bytes"]) for part in values["parts"]),
    )
    texts = manifest.site, manifest.assay, manifest.revision
    if manifest.database not in ("sqlite", "postgresql") or not all(isinstance(text, str) for text in texts):
        raise ValueError("a field has another type")
    _check_parts(manifest.parts)
    return manifest


def _check_parts(parts: Sequence[BackupMember]) -> None:
    names = [part.path for part in parts]
    if len(set(names)) < len(names) or DATABASE_NAME not in names or not all(map(is_member, names)):
        raise ValueError("the parts are not those of a backup")
    if not all(is_sha256(part.sha256) and type(part.bytes) is int for part in parts):
        raise ValueError("a part has no hash or no size")
