"""Sweeps: files that no row names, because the transaction that brought them was rolled back."""

from datetime import datetime

from sqlalchemy import Connection, select
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
"""Every column that names a file of the store; a test asks it of each column with a hash."""


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


def list_named_files(connection: Connection) -> frozenset[str]:
    """The files that the database names."""
    names = (name for column in FILE_COLUMNS for name in connection.scalars(select(column)))
    return frozenset(name for name in names if name is not None)
