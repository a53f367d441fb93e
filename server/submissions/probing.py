"""Files that look like probing: made to learn gold values from scores, and not by a system.

Who probes sends a base file and varies one item, or files that are nearly constant, or steps so small that no
system makes them; each answer then tells of one item. A flag is a hint and no verdict: a hand-mended line, a
rescaled file or a rerun on another machine can look the same. What differs much from file to file, such as
random halves of the items, is not found here. Nothing here sees gold.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

FlagCode = Literal["nearly-constant", "few-items-varied", "tiny-steps"]
Scores = Sequence[float]

MIN_ITEMS = 20
"""Below this a few items are a good part of the file, and shares say nothing."""
CONSTANT_SHARE = 0.95
"""Coarse systems give a quarter to two thirds of the items one value; 95 % leaves the rest for probes."""
FEW_SHARE = 0.02
"""A mended bug or another seed moves most items. Five of 250 is what a hand or a probe changes."""
TINY_STEP = 0.001
"""Of the scale's width: another seed moves items by a hundredth of it and more, rounding by less."""
_ROUNDING_ALLOWANCE = 1.01
"""What arithmetic may add to a bound."""
EQUALITY_TOLERANCE = 1e-9
"""Of the scale's width: what arithmetic alone leaves between two equal values."""


@dataclass(frozen=True, slots=True)
class ProbingSign:
    """What looks like probing; `other` is the place of the earlier file that differs so little."""

    code: FlagCode
    words: str
    other: int | None = None


def find_probing(scores: Scores, earlier: Sequence[Scores], width: float) -> list[ProbingSign]:
    """What looks like probing in a file beside earlier ones of its team, the newest first.

    `width` is that of the task's scale. The same file sent twice learns nothing and is passed.
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
        return None  # one value throughout has no correlation, and tells nothing
    return ProbingSign("nearly-constant", f"{same} of {len(scores)} scores are {value:g}")


def _find_few_varied(scores: Scores, earlier: Sequence[Scores], width: float) -> ProbingSign | None:
    """The earlier file from which the fewest items differ, if those are few, rescaling aside."""
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
    """Whether more than a few scores are farther than a step from any line, told by a part of the items.

    Three items at most a step from one line are bent by no more than their distances allow, so of three that
    are bent by more one is farther from each line. Two systems differ so much at nearly each three.
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
    """How far each score is from the line that most of them follow: Pearson does not see a rescaled file."""
    order = sorted(range(len(other)), key=lambda i: other[i])
    half = len(order) // 2
    pairs = [(order[k], order[k + half]) for k in range(half)]
    slopes = [(scores[j] - scores[i]) / (other[j] - other[i]) for i, j in pairs if other[j] > other[i]]
    slope = _median(slopes) if slopes else 1.0
    shift = _median([a - slope * b for a, b in zip(scores, other, strict=True)])
    return [abs(a - slope * b - shift) for a, b in zip(scores, other, strict=True)]


def _median(values: Sequence[float]) -> float:
    return sorted(values)[len(values) // 2]
