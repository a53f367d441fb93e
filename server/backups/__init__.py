"""Backups: one file with the database and every stored file, made while the site runs, and restored."""

from server.backups.archive import check
from server.backups.manifest import Manifest
from server.backups.restoring import restore
from server.backups.saving import save

__all__ = ["Manifest", "check", "restore", "save"]
