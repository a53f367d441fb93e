"""Runs that answer other items of their task than those that they are checked with."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from scorer.errors import Problem
from scorer.files.keyed import read_keyed
from scorer.files.reading import KeyedFormat
from scorer.files.text import Problems, count_content_lines, decode_lines

_SYMPTOM_CODES = frozenset(("unknown_id", "too_few_lines", "too_many_lines"))


@dataclass(frozen=True, slots=True)
class TaskItems:
    """Items of a level and a split of a task.

    Parameters
    ----------
    name : str
        What messages call them, such as "the trial items of Paragraph to sentence".
    n : int
        How many there are.
    ids : callable
        Reads their ids; it is called for keyed runs alone.
    """

    name: str
    n: int
    ids: Callable[[], Sequence[str]]


def find_other_items(
    problems: Sequence[Problem],
    data: bytes,
    source: str,
    keyed: KeyedFormat | None,
    own: TaskItems,
    others: Iterable[TaskItems],
) -> Problem | None:
    """The one problem of a run that answers other items of its task.

    Parameters
    ----------
    problems : sequence of Problem
        What is wrong with the run as one for its own items.
    data : bytes
        The run.
    source : str
        What to call it in messages.
    keyed : KeyedFormat, optional
        The columns of a keyed run.
    own : ItemsOfTask
        The items that it should answer.
    others : iterable of ItemsOfTask
        Those that it may answer by mistake, the likely ones first. The message names them: leave out what
        the reader may not know.

    Returns
    -------
    Problem or None
        None if its ids, or its number of lines, are not those of other items.
    """
    if _SYMPTOM_CODES.isdisjoint(problem.code for problem in problems):
        return None
    lines = decode_lines(data, Problems(source))
    if keyed is None:
        n = count_content_lines(lines)
        answered = [other for other in others if other.n == n]
        fact = f"the run has {n} lines, as many as "
    else:
        columns = keyed.id, keyed.id, None
        ids = frozenset(read_keyed(lines, Problems(source), columns, keyed.delimiter, None))
        answered = [other for other in others if ids and ids == frozenset(other.ids())]
        fact = "the run answers "
    if not answered:
        return None
    names = " or ".join(f"{other.name} ({other.n})" for other in answered)
    message = f"{fact}{names}, not {own.name} ({own.n}); upload it there, or choose the right file"
    return Problem(source, None, "other_items", message)
