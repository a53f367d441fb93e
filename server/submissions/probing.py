"""Detects files that look like probing: made to learn gold values from scores, not by a system.

A team that probes uploads a base file and varies one item, or files that are nearly constant, or steps so
small that no system makes them; each score then reveals one gold value. A flag is a hint and no proof: a line
that was edited manually, a rescaled file or a rerun on another machine can look the same. Probing with files
that differ much, such as random halves of the items, is not detected. This module does not read gold files.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

FlagCode = Literal["nearly-constant", "few-items-varied", "tiny-steps"]
Scores = Sequence[float]

MIN_ITEMS = 20
"""With fewer items, a few items are a large share of the file, so that shares mean little."""
CONSTANT_SHARE = 0.95
"""Coarse systems give a quarter to two thirds of the items one value; 95 % leaves the rest for probes."""
FEW_SHARE = 0.02
"""A bug fix or another seed changes most items; a manual edit or a probe changes about five of 250."""
TINY_STEP = 0.001
"""Relative to the scale's width: another seed changes items by at least a hundredth, rounding by less."""
_ROUNDING_ALLOWANCE = 1.01
"""The tolerance of a bound for floating-point errors."""
EQUALITY_TOLERANCE = 1e-9
"""Relative to the scale's width: the difference of equal values by floating-point errors."""


@dataclass(frozen=True, slots=True)
class ProbingSign:
    """A sign of probing; `other` is the index of the earlier file that hardly differs."""

    code: FlagCode
    words: str
    other: int | None = None


def find_probing(scores: Scores, earlier: Sequence[Scores], width: float) -> list[ProbingSign]:
    """Find signs of probing in a file, given earlier ones of its team, the newest first.

    `width` is that of the task's scale. The same file sent twice reveals nothing and is ignored.
    """
    if len(scores) < MIN_ITEMS:
        return []
    findings = [
        _find_nearly_constant(scores),
        _find_few_varied(scores, earlier, width) or _find_tiny_steps(scores, earlier, width),
    ]
    return [finding for finding in findings if finding is not None]


def _find_nearly_constant(scores: Scores) -> ProbingSign | None:
    ((value, same),) = Counter(scores).most_common(1)
    if not CONSTANT_SHARE * len(scores) <= same < len(scores):
        return None  # a constant file has no correlation, so it reveals nothing
    return ProbingSign("nearly-constant", f"{same} of {len(scores)} scores are {value:g}")


def _find_few_varied(scores: Scores, earlier: Sequence[Scores], width: float) -> ProbingSign | None:
    """Find the earlier file from which only a few items differ, apart from rescaling."""
    few = max(1, math.floor(FEW_SHARE * len(scores)))
    best: tuple[int, int] | None = None
    for place, other in enumerate(earlier):
        if differ_in_more(scores, other, few, TINY_STEP * width):
            continue
        rest = _distances_from_line(scores, other)
        for step in (EQUALITY_TOLERANCE, TINY_STEP):
            moved = sum(distance > step * width for distance in rest)
            if 1 <= moved <= few and (best is None or moved < best[0]):
                best = moved, place
    if best is None:
        return None
    differ = "differs" if best[0] == 1 else "differ"
    return ProbingSign(
        "few-items-varied", f"{best[0]} of {len(scores)} scores {differ} from an earlier file", best[1]
    )


def _find_tiny_steps(scores: Scores, earlier: Sequence[Scores], width: float) -> ProbingSign | None:
    for place, other in enumerate(earlier):
        if any(abs(a - b) > TINY_STEP * width for a, b in zip(scores, other, strict=True)):
            continue
        largest = max(abs(a - b) for a, b in zip(scores, other, strict=True))
        if largest > EQUALITY_TOLERANCE * width:
            words = f"no score differs by more than {largest:.2g} from an earlier file"
            return ProbingSign("tiny-steps", words, place)
    return None


def differ_in_more(scores: Scores, other: Scores, few: int, step: float) -> bool:
    """Whether clearly more than `few` scores are off any line; a fast test on a part of the items.

    If three items are at most a step from one line, the bend between them is bounded, so of three items with
    a larger bend at least one is farther from each line. Two different systems have such bends almost
    everywhere.
    """
    bent, n = 0, len(scores)
    for k in range(0, n - 2, 3):
        run, rise = other[k + 1] - other[k], other[k + 2] - other[k]
        bend = (scores[k + 1] - scores[k]) * rise - (scores[k + 2] - scores[k]) * run
        bent += abs(bend) > 2 * _ROUNDING_ALLOWANCE * step * (abs(run) + abs(rise))
        if bent > few:
            return True
    return False


def _distances_from_line(scores: Scores, other: Scores) -> list[float]:
    """Return how far each score is from the line that most of them follow, a robust fit of the rescaling."""
    order = sorted(range(len(other)), key=lambda i: other[i])
    half = len(order) // 2
    pairs = [(order[k], order[k + half]) for k in range(half)]
    slopes = [(scores[j] - scores[i]) / (other[j] - other[i]) for i, j in pairs if other[j] > other[i]]
    slope = _median(slopes) if slopes else 1.0
    shift = _median([a - slope * b for a, b in zip(scores, other, strict=True)])
    return [abs(a - slope * b - shift) for a, b in zip(scores, other, strict=True)]


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]
