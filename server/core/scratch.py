"""The temporary files of a site: in its data folder, since they may have hidden texts and gold labels."""

import os
import shutil
import tempfile
from datetime import UTC, datetime, timedelta

from server.core.config import Config

KEPT = timedelta(days=1)
"""No process needs its files for so long; older ones are those of processes that were killed."""


def use_scratch(config: Config) -> None:
    """Put the temporary files of this process, and of those that it starts, into the data folder."""
    config.scratch_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    tempfile.tempdir = os.environ["TMPDIR"] = str(config.scratch_dir)


def delete_leftovers(config: Config, now: datetime) -> None:
    """Delete temporary files that are older than a day."""
    if not config.scratch_dir.exists():
        return
    for path in config.scratch_dir.iterdir():
        if datetime.fromtimestamp(path.lstat().st_mtime, UTC) < now - KEPT:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
