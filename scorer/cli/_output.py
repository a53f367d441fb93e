"""What the commands write beside their results: progress on standard error, and problems for programs."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from scorer.errors import Problem


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
