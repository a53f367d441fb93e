"""Recognizes runs that were made for another level or split of the same task."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from scorer.errors import Problem
from scorer.files.keyed import read_keyed
from scorer.files.reading import KeyedFormat
from scorer.files.text import Problems, count_content_lines, decode_lines

_SYMPTOM_CODES = frozenset(("unknown_id", "too_few_lines", "too_many_lines"))


@dataclass(frozen=True, slots=True)
class TaskItems:
    """The items of one level and split of a task.

    Parameters
    ----------
    name : str
        Their name in messages, such as "the trial items of Paragraph to sentence".
    n : int
        The number of items.
    ids : callable
        Returns their ids. It is called only for keyed runs.
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
    """Return a problem that says for which other items a run was made.

    Parameters
    ----------
    problems : sequence of Problem
        The problems of the run with its own items.
    data : bytes
        The run.
    source : str
        The name of the file in messages.
    keyed : KeyedFormat, optional
        The columns of a keyed run.
    own : TaskItems
        The items that the run should answer.
    others : iterable of TaskItems
        Other items of the task, the most likely ones first. The message names them, so leave out items that
        the reader may not see.

    Returns
    -------
    Problem or None
        None if no other items have the same ids or the same number of lines.
    """
    if _SYMPTOM_CODES.isdisjoint(problem.code for problem in problems):
        return None
    ignored_problems = Problems(source)
    lines = decode_lines(data, ignored_problems)
    if keyed is None:
        n = count_content_lines(lines)
        answered = [other for other in others if other.n == n]
        fact = f"the file has {n} lines, as many as "
    else:
        columns = keyed.id, keyed.id, None
        ids = frozenset(read_keyed(lines, ignored_problems, columns, keyed.delimiter, None))
        answered = [other for other in others if ids and ids == frozenset(other.ids())]
        fact = "the file has the items of "
    if not answered:
        return None
    names = " or ".join(f"{other.name} ({other.n})" for other in answered)
    message = f"{fact}{names}, not {own.name} ({own.n}); upload it there, or choose the right file"
    return Problem(source, None, "other_items", message)
