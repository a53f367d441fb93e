"""Restoring a backup: into an empty data folder and an empty database, or not at all."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import make_url

from server.backups import archive, databases
from server.backups.manifest import DATABASE_NAME, Manifest
from server.core import migrate
from server.core.config import Config
from server.core.errors import BackupFailed, BadBackup, Conflict
from server.core.storage import Storage

_TEMPORARY_NAME = ".restoring"
_IGNORED_FILES = ("lost+found",)


def restore(config: Config, path: Path) -> Manifest:
    """Verify a whole backup, then restore its site.

    The files come first and the database last, in one step: until then there is no site.

    Raises:
        BadBackup: it is damaged, or of another kind of database or a newer version.
        Conflict: the data folder or the database is not empty.
        BackupFailed: something cannot be written.
    """
    manifest = archive.check(path)
    _require_fitting(manifest, config, path)
    _require_empty(config.data_dir)
    databases.require_empty(config.database_url)
    try:
        config.data_dir.mkdir(parents=True, exist_ok=True)
        with _temporary_folder(config.data_dir) as aside:
            _unpack(path, manifest, aside)
            Storage(aside / "files").move(config.files_dir)
            try:
                databases.fill_database(config.database_url, aside / DATABASE_NAME)
            except BaseException:
                if databases.is_empty(config.database_url):
                    shutil.rmtree(config.files_dir)
                raise
    except OSError as error:
        message = f"The site cannot be written: {error.strerror or error}. Nothing was restored."
        raise BackupFailed(message) from error
    return manifest


def _require_fitting(manifest: Manifest, config: Config, path: Path) -> None:
    kind = make_url(config.database_url).get_backend_name()
    if kind != manifest.database:
        raise BadBackup(
            f"{path} is a backup of a site on {manifest.database}, but ASSAY_DATABASE_URL names {kind}. Name "
            f"an empty {manifest.database} database. You can move tasks between databases with "
            "`assay task export` and `assay task import`."
        )
    if manifest.revision not in migrate.revisions():
        raise BadBackup(
            f"{path} has the schema {manifest.revision} of Assay {manifest.assay}, which this version "
            "does not support. Install that version or a newer one."
        )


def _require_empty(folder: Path) -> None:
    names = sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []
    names = [name for name in names if name not in _IGNORED_FILES]
    if not names:
        return
    hint = " (left by an interrupted restore)" if _TEMPORARY_NAME in names else ""
    named = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")
    raise Conflict(
        f"{folder} contains {named}{hint}, but a backup can be restored into an empty folder only. "
        "Move it away."
    )


@contextmanager
def _temporary_folder(folder: Path) -> Iterator[Path]:
    aside = folder / _TEMPORARY_NAME
    aside.mkdir(mode=0o700)
    try:
        yield aside
    finally:
        shutil.rmtree(aside)


def _unpack(path: Path, manifest: Manifest, aside: Path) -> None:
    """Write the database and the files, each verified again."""
    storage = Storage(aside / "files")

    def visit(name: str, file: archive.HashingReader) -> None:
        if name == DATABASE_NAME:
            with (aside / DATABASE_NAME).open("xb") as database:
                shutil.copyfileobj(file, database)
        else:
            storage.put(file.read_all())

    if archive.visit_members(path, visit) != manifest:
        raise BadBackup(f"{path} changed while it was read. Nothing was restored.")
