"""Making a backup while the site runs: first the database, then the files that it refers to."""

import hashlib
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import Engine

from server.backups import databases
from server.backups.archive import ArchiveWriter, new_archive
from server.backups.manifest import DATABASE_NAME, Manifest, member_path
from server.core.config import Config
from server.core.errors import BackupFailed, Conflict
from server.core.storage import Storage, sync_to_disk
from server.scoring.service import VERSION


def save(config: Config, engine: Engine, target: Path, now: datetime) -> Manifest:
    """Write a backup to a new file.

    A transaction that commits meanwhile is either completely in it or not at all: the database is one
    snapshot, and the files that it refers to were stored before.

    Raises:
        Conflict: the file exists.
        BackupFailed: the database or a file of it cannot be read, or the backup cannot be written.
    """
    if target.exists():
        raise Conflict(f"{target} already exists. Name a new file.")
    try:
        with TemporaryDirectory(prefix=".assay-backup-", dir=target.parent) as folder:
            snapshot = databases.take_snapshot(engine, Path(folder) / DATABASE_NAME)
            with new_archive(Path(folder) / "backup") as writer:
                writer.add_file(DATABASE_NAME, Path(folder) / DATABASE_NAME)
                (Path(folder) / DATABASE_NAME).unlink()
                _add_files(writer, Storage(config.files_dir), snapshot)
                manifest = _manifest(config, snapshot, writer, now)
                writer.finish(manifest)
            _move_into_place(Path(folder) / "backup", target)
    except OSError as error:
        raise BackupFailed(
            f"{target} cannot be written: {error.strerror or error}. The incomplete file was removed."
        ) from error
    return manifest


def _manifest(config: Config, snapshot: databases.Snapshot, writer: ArchiveWriter, now: datetime) -> Manifest:
    return Manifest(
        site=config.site_url,
        assay=VERSION,
        revision=snapshot.revision,
        database=snapshot.kind,
        made=now,
        audit=snapshot.audit,
        parts=tuple(writer.parts),
    )


def _add_files(writer: ArchiveWriter, storage: Storage, snapshot: databases.Snapshot) -> None:
    """Add the files that the snapshot refers to; of an older schema, all stored files."""
    if snapshot.names is None:
        names = sorted(file.name for file in storage.files() if file.whole)
    else:
        names = sorted(snapshot.names)
        missing = [name for name in names if not storage.has(name)]
        if missing:
            raise BackupFailed(
                f"Stored files that the database refers to are missing, such as {missing[0]}; "
                f"missing in total: {len(missing)}. "
                "Restore them from an older backup."
            )
    for name in names:
        if snapshot.names is None and not storage.has(name):
            continue  # removed meanwhile as an orphaned file
        data = storage.get(name)
        if hashlib.sha256(data).hexdigest() != name:
            raise BackupFailed(f"The stored file {name} is damaged. Restore it from an older backup.")
        writer.add(member_path(name), data)


def _move_into_place(source: Path, target: Path) -> None:
    """Rename a complete file, and sync both names to the disk."""
    sync_to_disk(source)
    source.rename(target)
    sync_to_disk(target.parent)
