"""Turns cells into scores, confidences and gold values, and notes those that are not valid numbers."""

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.errors import Problem, merge_problems
from scorer.files.aligned import Cells
from scorer.files.numbers import explain_non_number, read_number
from scorer.files.text import Problems, shorten

Scale = tuple[float, float]
"""The lowest and the highest value of a rating scale."""
MISSING_MARKS = ("NA", "na", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null", "None")
"""The contents of cells that mean a missing rating, besides the empty cell."""
MISSING_NUMBER_MARKS = (*MISSING_MARKS, "-", ".", "*", "?")
"""The same if ratings are numbers. If they are names of categories, the last four can be such names."""


_SD_ADVICE = "write the standard deviation of the ratings, such as 0.84"


@dataclass(frozen=True, slots=True)
class ValueReader:
    """Turns cells into numbers and notes problems; `problems` and `warnings` must have the file's lines."""

    problems: Problems
    warnings: Problems
    scale: Scale | None
    confidence_max: float

    def score(self, cell: Cells | None) -> float | None:
        """Read the score of a line; a score outside the scale gives a warning."""
        if cell is None:
            return None
        value = self._number(cell[0], cell[1], "score", self.scale)
        if value is not None and self.scale and not self.scale[0] <= value <= self.scale[1]:
            message = f"score {shorten(cell[1])} is outside the scale; scores go {_range_text(self.scale)}"
            self.warnings.add_line(cell[0], "outside_scale", message)
        return value

    def confidence(self, cell: Cells | None) -> float | None:
        """Read the confidence of a line, if it has one."""
        if cell is None or cell[2] is None:
            return None
        scale = 0, self.confidence_max
        value = self._number(cell[0], cell[2], "confidence", scale)
        if value is not None and not 0 <= value <= self.confidence_max:
            message = f"confidence {shorten(cell[2])} is out of range; {_advice(scale)}"
            self.problems.add_line(cell[0], "confidence_range", message)
        return value

    def gold(self, cell: Cells | None) -> float | None:
        """Read the gold value of a line; None if it is empty."""
        return self._number(cell[0], cell[1], "gold value", self.scale) if cell and cell[1] else None

    def sd(self, cell: Cells | None) -> float | None:
        """Read the standard deviation of the ratings of an item; None if the item has no value."""
        if cell is None or not cell[1]:
            return None
        if cell[2] is None:
            message = (
                "there is no sd, the standard deviation of the ratings; write it, or leave the gold value"
            )
            self.problems.add_line(cell[0], "missing", f"{message} empty if there is only one rating")
            return None
        value = read_number(cell[2])
        if value is None:
            self.problems.add_line(cell[0], *explain_non_number(cell[2], "sd", _SD_ADVICE))
        elif value < 0:
            message = f"sd {shorten(cell[2])} is below 0; {_SD_ADVICE}"
            self.problems.add_line(cell[0], "outside_scale", message)
        return value

    def all_warnings(self, scores: Sequence[float]) -> tuple[Problem, ...]:
        """Return all warnings: first about the scores as a whole, then by line."""
        by_line = sorted(self.warnings.kept, key=lambda problem: problem.line or 0)
        problems = self._constant(scores) + merge_problems(by_line)
        if hidden := self.warnings.count - len(self.warnings.kept):
            code = self.warnings.kept[-1].code
            problems.append(Problem(self.warnings.source, None, code, f"and {hidden} more warnings"))
        return tuple(problems)

    def _constant(self, scores: Sequence[float]) -> list[Problem]:
        """Warn if all scores are the same. The gold is not used, as a warning must not reveal it."""
        if len(scores) < 2 or min(scores) != max(scores):
            return []
        fact = f"every score is {_number_text(scores[0])}: a run whose scores are all the same"
        message = f"{fact} has no correlation, and a leaderboard shows a dash; write scores that differ"
        return [Problem(self.warnings.source, None, "constant_run", message)]

    def _number(self, line: int, text: str, what: str, scale: Scale | None) -> float | None:
        value = read_number(text)
        if value is None:
            fault = ("", "") if self.problems.full else explain_non_number(text, what, _advice(scale))
            self.problems.add_line(line, *fault)
        return value


def _advice(scale: Scale | None) -> str:
    return f"write one number {_range_text(scale)}" if scale else "write one number, such as 2.5"


def _range_text(scale: Scale) -> str:
    low, high = map(_number_text, scale)
    return f"from {low} to {high}"


def _number_text(value: float) -> str:
    return repr(float(value)).removesuffix(".0")
