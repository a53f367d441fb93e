"""Planning the import of a bundle that anyone may upload, with limits of memory and time.

Such a bundle may be made to exhaust both."""

import sys
from dataclasses import replace
from pathlib import Path

from scorer.bundles.drafts.guess import draft_task
from scorer.bundles.drafts.task_file import write_task_file
from scorer.errors import DataError
from server.bundles.importing import ImportPlan, plan_import
from server.core import child_processes
from server.core.errors import InvalidFile
from server.core.i18n import _
from server.scoring import service as scoring

COMMAND = (sys.executable, "-m", "server.bundles.planning_process")


def plan_upload(folder: Path) -> ImportPlan:
    """Read and check a bundle, once a limited process could do so; does not access the database.

    Raises:
        InvalidFile: it takes too much memory or time, or as `plan_import` does.
    """
    _read_within_limits(folder)
    return plan_import(folder, computes_baselines=False)


def describe_upload(folder: Path, name: str) -> None:
    """Write the task.toml of a package, once a limited process could do so.

    Raises:
        InvalidFile: it takes too much memory or time, or as `describe_package` does.
    """
    _read_within_limits(folder, name)
    if not (folder / "task.toml").exists():
        describe_package(folder, name)


def _read_within_limits(folder: Path, *name: str) -> None:
    try:
        child_processes.run_limited((*COMMAND, str(folder), *name), timeout=child_processes.TIME_LIMIT)
    except child_processes.LimitsExceeded as error:
        words = _(
            "Reading the bundle takes more than %(memory)d MB of memory or %(seconds)d seconds. Make "
            "its files smaller, or ask the operator of the site to import it.",
            memory=child_processes.MEMORY_LIMIT >> 20,
            seconds=child_processes.TIME_LIMIT,
        )
        raise InvalidFile(words, (), 0) from error


def describe_package(folder: Path, name: str) -> None:
    """Write the task.toml of a package that has none, from what its files seem to be.

    Raises:
        InvalidFile: no file has items; with every file, and why it is not used.
    """
    try:
        draft = draft_task(folder)
    except DataError as error:
        # The folder is a path of the server, which says nothing to the person.
        problems = [replace(one, source=one.source.replace(str(folder), name)) for one in error.problems]
        raise scoring.rejection_of(DataError(problems, error.count), _("The package")) from error
    draft = replace(draft, slug=name, title=draft.title or name.replace("-", " ").capitalize())
    (folder / "task.toml").write_text(write_task_file(draft), encoding="utf-8")
