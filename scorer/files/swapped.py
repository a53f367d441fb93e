"""Aligned runs whose columns are others than the score and its confidence: ids, or the two swapped."""

from collections.abc import Sequence

from scorer.files.aligned import Cells
from scorer.files.numbers import read_number
from scorer.files.text import Problems, shorten

_MOSTLY = 0.9


def drop_ids(
    cells: Sequence[Cells | None], ids: Sequence[str] | None, problems: Problems
) -> Sequence[Cells | None]:
    """Cells without a column of the items' ids, which is noted; the scores beside it can be read on."""
    known = {wanted for wanted in ids or () if read_number(wanted) is None}
    if not known or any(problem.code == "keyed_file" for problem in problems.kept):
        return cells
    for name in ("first", "second"):
        found = [None if cell is None or cell[2] is None else _turned(cell, name) for cell in cells]
        if sum(cell is not None and cell[2] in known for cell in found) >= max(1, _MOSTLY * len(cells)):
            message = f"the {name} column holds the ids of the items, which an aligned run has not: remove it"
            problems.add(None, "ids_column", message + _first_astray(found, ids or ()))
            return [None if cell is None else (cell[0], cell[1], None) for cell in found]
    return cells


def _turned(cell: Cells, name: str) -> Cells:
    """A cell whose second column is the one of this name."""
    number, first, second = cell
    return (number, second or "", first) if name == "first" else cell


def note_swapped(
    scores: Sequence[float | None],
    confidences: Sequence[float | None],
    scale: tuple[float, float] | None,
    confidence_max: float,
    problems: Problems,
) -> None:
    """Note that score and confidence look swapped: each would do as the other, and not as itself."""
    if not any(problem.code == "confidence_range" for problem in problems.kept):
        return
    low, high = scale or (float("-inf"), float("inf"))
    swapped = all(
        score is not None and confidence is not None and 0 <= score <= confidence_max
        for score, confidence in zip(scores, confidences, strict=True)
    ) and all(confidence is not None and low <= confidence <= high for confidence in confidences)
    if swapped:
        message = "every second column would do as a score, and every first one as a confidence: are they"
        problems.add(None, "swapped_columns", f"{message} swapped? the score comes first")


def _first_astray(cells: Sequence[Cells | None], ids: Sequence[str]) -> str:
    """Where the order of the lines leaves that of the items."""
    for cell, due in zip(cells, ids, strict=False):
        if cell is not None and cell[2] != due:
            there = f"line {cell[0]} has {shorten(cell[2] or '')} where {shorten(due)} is due"
            return f"; {there}, mend the order too"
    return ""
