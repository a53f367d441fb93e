"""Output of the commands apart from their results: progress bars, files, and problems and errors as JSON."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.errors import DataError, Problem, RequestError, ScorerError, SiteError
from scorer.files.writing import write_whole

if TYPE_CHECKING:
    from rich.progress import Progress

ERROR_SCHEMA = "assay.error/1"
_DELAY = 1.0
"""The number of seconds after which work has a progress bar."""


@contextmanager
def progress(description: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error if the work is long; yields the function that adds steps to it.

    It shows the time that is left or, if there is no `total`, the time that has passed. Nothing is shown if
    standard error is not a terminal. rich takes longer to import than a small file to score, so it waits.
    """
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    from threading import Timer

    bar = _LateBar(description, total)
    timer = Timer(_DELAY, bar.show)
    timer.daemon = True
    timer.start()
    try:
        yield bar.advance
    finally:
        timer.cancel()
        timer.join()
        bar.stop()


class _LateBar:
    """A progress bar that another thread shows, at which point some of the steps are done."""

    def __init__(self, description: str, total: int | None) -> None:
        self._description, self._total, self._done = description, total, 0
        self._bar: Progress | None = None

    def show(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        time = TimeElapsedColumn() if self._total is None else TimeRemainingColumn()
        columns = TextColumn("{task.description}"), BarColumn(), time
        bar = Progress(*columns, console=Console(stderr=True), transient=True)
        bar.add_task(self._description, total=self._total)
        bar.start()
        self._bar = bar

    def advance(self, steps: int) -> None:
        self._done += steps
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self._done)

    def stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def write_output(path: Path, data: bytes) -> None:
    """Write an output file as a whole, so that Ctrl-C leaves no part of it. A pipe or a device gets the data.

    Raises
    ------
    OSError
        If the file cannot be written. It names the file.
    """
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(data)
        else:
            write_whole(path.resolve(), data)
    except OSError as error:
        error.filename = str(path)
        raise


def refuse_outputs(paths: Sequence[Path], inputs: Iterable[str | None]) -> None:
    """Raise RequestError, before the work, if an output is an input, is named twice or cannot be written."""
    refuse_inputs(paths, inputs)
    for path in paths:
        if obstacle := _obstacle(path):
            raise RequestError(f"{path}: cannot be written: {obstacle}; name another file")


def refuse_inputs(paths: Sequence[Path], inputs: Iterable[str | None]) -> None:
    """Raise RequestError if an output is also an input, or is named twice."""
    read = {realpath(path) for path in inputs if path not in (None, "-")}
    for place, path in enumerate(paths):
        if realpath(path) in read:
            raise RequestError(f"{path} is an input file, so it cannot be an output file; name another file")
        if realpath(path) in map(realpath, paths[:place]):
            raise RequestError(f"{path} is named for two outputs; name two different files")


def _obstacle(path: Path) -> str | None:
    folder = Path(realpath(path)).parent
    try:
        if path.is_dir():
            return "this is a folder"
        if path.exists() and not path.is_file():
            return None
    except OSError as error:
        return error.strerror
    if not folder.is_dir():
        return f"there is no folder {folder}"
    return None if os.access(folder, os.W_OK) else f"the folder {folder} is read-only"


def problem_values(problem: Problem) -> dict[str, Any]:
    """Return a problem for JSON: the first line that has it, the number of such lines, and the next few."""
    values = asdict(problem)
    return {"file": values.pop("source"), **values}


def print_json(document: Mapping[str, Any] | None) -> None:
    """Print a document as JSON, if there is one."""
    import json

    if document is not None:
        click.echo(json.dumps(document, ensure_ascii=False, indent=1))


def error_document(
    document: Mapping[str, Any], error: ScorerError | click.UsageError | OSError
) -> dict[str, Any]:
    """Return a document with the message of an error and all its details."""
    more: dict[str, Any] = {}
    if isinstance(error, DataError):
        more = {"problems": [problem_values(problem) for problem in error.problems], "count": error.count}
    elif isinstance(error, SiteError) and error.problem:
        more = {"problem": error.problem}
    return {"schema": ERROR_SCHEMA, **more, **document, **_error_values(error)}


def _error_values(error: ScorerError | click.UsageError | OSError) -> dict[str, str]:
    match error:
        case ScorerError():
            return {"code": error.code, "detail": str(error)}
        case click.UsageError():
            return {"code": RequestError.code, "detail": error.format_message()}
    return {"code": "os_error", "detail": f"{error.filename or 'the results'}: {error.strerror}"}
