"""Sweeps: files that no row names, because the transaction that brought them was rolled back."""

from datetime import datetime

from sqlalchemy import Column, Connection, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from server.core import db
from server.core.storage import FileEntry, Storage
from server.gold.models import GoldVersion
from server.submissions.models import Submission
from server.tasks.models import Level, Split

FILE_COLUMNS: tuple[InstrumentedAttribute[str] | InstrumentedAttribute[str | None], ...] = (
    Level.senses_sha256, Split.items_sha256, Split.public_items_sha256, GoldVersion.sha256,
    Submission.sha256,
)  # fmt: skip
"""Every column that names a file of the store."""
OTHER_HASH_COLUMNS = frozenset(
    {
        "api_token.token_sha256",
        "audit_entry.sha256",
        "idempotency_key.request_sha256",
        "inference.board_sha256",
        "inference.sha256",
        "refusal.sha256",
        "release.named_sha256",
        "release.sha256",
        "release_seal.board_sha256",
        "sign_in.token_sha256",
    }
)
"""Columns that hold hashes of something else: of entries, refused files, boards in their rows, secrets."""


def find_orphaned_files(session: Session, storage: Storage, put_before: datetime) -> list[FileEntry]:
    """The files that no row names, and whose bytes nobody has brought since an instant."""
    old = [file for file in storage.files() if file.put_at < put_before]
    named = list_named_files(session.connection())
    return [file for file in old if file.name not in named]


def remove_orphaned_files(session: Session, storage: Storage, put_before: datetime) -> list[FileEntry]:
    """Remove them, and return which went; the caller holds no transaction.

    Files are named in transactions that hold the write lock, so each is looked for again behind it.
    """
    orphans = find_orphaned_files(session, storage, put_before)
    if not orphans:
        return []
    with db.writing(session):
        named = list_named_files(session.connection())
        return [file for file in orphans if file.name not in named and storage.remove(file, put_before)]


def is_classified(column: Column[str]) -> bool:
    """Whether it is known of a column whether it names files: one that is not may lose them."""
    names = {f"{attribute.class_.__table__.name}.{attribute.key}" for attribute in FILE_COLUMNS}
    return f"{column.table.name}.{column.name}" in names | OTHER_HASH_COLUMNS


def list_named_files(connection: Connection) -> frozenset[str]:
    """The files that the database names."""
    names = (name for column in FILE_COLUMNS for name in connection.scalars(select(column)))
    return frozenset(name for name in names if name is not None)
