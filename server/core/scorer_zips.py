"""Zip files of what a command of the scorer makes, in a process of its own."""

import sys
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from server.core.child_processes import ProcessFailed, run_process
from server.core.storage import Storage
from server.core.zips import write_folder

_ERROR_LENGTH = 20_000


def store_made(
    storage: Storage, arguments: Sequence[str], folder: Path, made: str, name: str
) -> tuple[str | None, str | None]:
    """Run a command in a folder, and store the folder `made` that it makes there as a zip file.

    The zip file has one folder, which is called `name`. Returns its hash, or else why there is none.
    """
    try:
        run_process((sys.executable, "-m", "scorer.cli", *arguments), folder=folder)
    except ProcessFailed as failed:
        return None, (failed.printed or str(failed))[:_ERROR_LENGTH]
    zipped = BytesIO()
    write_folder(zipped, name, folder / made)
    return storage.put(zipped.getvalue()), None
