"""Removal of orphaned files, whose transactions were rolled back, so that no row refers to them."""

from datetime import datetime

from sqlalchemy import Connection, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from server.annotation.models import AssignmentPlan, Campaign, RoundDataSet, RoundExport
from server.core import db
from server.core.storage import FileEntry, storage_of
from server.gold.models import GoldVersion
from server.levels.models import WaitingFile
from server.papers.models import StoredPaper
from server.submissions.models import Submission
from server.tasks.models import Level, Split, TaskFile

FILE_COLUMNS: tuple[InstrumentedAttribute[str] | InstrumentedAttribute[str | None], ...] = (
    Level.senses_sha256, Split.items_sha256, Split.public_items_sha256, GoldVersion.sha256,
    WaitingFile.sha256, Submission.sha256, Campaign.bundle_sha256, AssignmentPlan.sha256,
    RoundDataSet.choices_sha256, RoundDataSet.sha256, RoundExport.sha256, TaskFile.sha256,
    StoredPaper.sha256,
)  # fmt: skip
"""Every column that names a file of the store; a test checks each column with a hash."""


def find_orphaned_files(session: Session, put_before: datetime) -> list[FileEntry]:
    """List the files that no row refers to, and whose bytes were last put before an instant."""
    old = [file for file in storage_of(session).files() if file.put_at < put_before]
    named = list_named_files(session.connection())
    return [file for file in old if file.name not in named]


def remove_orphaned_files(session: Session, put_before: datetime) -> list[FileEntry]:
    """Remove orphaned files, and return them; the caller must not be in a transaction.

    Files are referenced in transactions that hold the write lock, so each is checked again under the lock.
    """
    orphans = find_orphaned_files(session, put_before)
    if not orphans:
        return []
    with db.writing(session):
        named = list_named_files(session.connection())
        return [
            file
            for file in orphans
            if file.name not in named and storage_of(session).remove(file, put_before)
        ]


def list_named_files(connection: Connection) -> frozenset[str]:
    """Return the files that the database refers to."""
    names = (name for column in FILE_COLUMNS for name in connection.scalars(select(column)))
    return frozenset(name for name in names if name is not None)
