"""Output of the commands apart from their results: progress bars, and problems and errors as JSON."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import click

from scorer.errors import DataError, Problem, RequestError, ScorerError, SiteError

ERROR_SCHEMA = "assay.error/1"


@contextmanager
def progress(
    description: str, total: int | None = None, *, long: bool = True
) -> Iterator[Callable[[int], None]]:
    """Show a progress bar on standard error; yields the function that advances it by a number of steps.

    Nothing is shown, and rich is not imported, if the work is not `long` or standard error is not a terminal.
    """
    if not (long and sys.stderr.isatty()):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(description, total=total)
        yield lambda steps: bar.advance(task, steps)


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
