"""Backups: one file with the database and every stored file, taken while the site runs, and put back."""

from server.services.backups.archive import check
from server.services.backups.manifest import Manifest
from server.services.backups.restoring import restore
from server.services.backups.saving import save

__all__ = ["Manifest", "check", "restore", "save"]
