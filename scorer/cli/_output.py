"""What the commands write beside their results: progress on standard error, problems and errors as JSON."""

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

import click

from scorer.errors import DataError, Problem, RequestError, ScorerError, SiteError

ERROR_SCHEMA = "assay.error/1"


@contextmanager
def progress(words: str, total: int | None = None, *, long: bool = True) -> Iterator[Callable[[int], None]]:
    """Show that work goes on, and how far it is; yields what is told of steps that are done.

    Nothing is shown, and rich is not loaded, if the work is not `long` or standard error is no terminal.
    """
    if not (long and sys.stderr.isatty()):
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    look = TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn()
    with Progress(*look, console=console, transient=True) as bar:
        task = bar.add_task(words, total=total)
        yield lambda steps: bar.advance(task, steps)


def problem_values(problem: Problem) -> dict[str, Any]:
    """A problem as JSON has it: the first line with it, how many lines have it, and the next few."""
    values = asdict(problem)
    return {"file": values.pop("source"), **values}


def print_json(document: Mapping[str, Any] | None) -> None:
    """Print a document, if there is one."""
    import json

    if document is not None:
        click.echo(json.dumps(document, ensure_ascii=False, indent=1))


def error_document(
    document: Mapping[str, Any], error: ScorerError | click.UsageError | OSError
) -> dict[str, Any]:
    """A document that says what went wrong: the words of standard error, and all that is behind them."""
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
