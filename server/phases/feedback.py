"""What a team learns about its scores while a phase is open."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

Feedback = Literal["hidden", "scores", "rounded", "public-part", "ladder"]
Part = Literal["public", "rest"]
"""The two parts of a split of which some items were declared public."""
STEP_DECIMALS = 10
"""Multiples of a step are rounded to this many decimal places, which removes floating-point noise."""


@dataclass(frozen=True, slots=True)
class ShownScore:
    """The value of one metric as a person may see it; `exact`: unrounded."""

    metric: str
    value: float | None
    undefined_code: str | None
    undefined_reason: str | None
    n: int
    signature: str
    exact: bool = True
    places: int | None = None
    part: Part | None = None


def decimal_places(kind: Feedback | None, places: int | None, step: float | None) -> int | None:
    """Return the decimal places of such feedback, from the rounding or the step; None: unrounded."""
    if kind == "rounded":
        return places
    if kind == "ladder" and step is not None:
        return max(0, -int(Decimal(repr(step)).normalize().as_tuple().exponent))
    return None


def draw_public_items(ids: Sequence[str], percent: int, seed: str) -> list[str]:
    """Draw a percentage of the items, at least two and at most all but two; return ids in item order.

    Drawn by the SHA-256 of the seed and the id, so that anyone who knows the seed draws the same items.
    """
    wanted = min(max(2, round(len(ids) * percent / 100)), len(ids) - 2)
    drawn = sorted(ids, key=lambda id_: hashlib.sha256(f"{seed}\n{id_}".encode()).digest())[:wanted]
    return [id_ for id_ in ids if id_ in set(drawn)]


def ladder(
    values: Sequence[float | None], step: float, *, higher_is_better: bool = True
) -> list[float | None]:
    """Compute what the Ladder mechanism shows after each of a team's scores, in order of submission.

    The best score so far, rounded to a multiple of `step`; it changes only for a score that is better by more
    than `step` (Blum & Hardt 2015, algorithm 1, with the sign of the metric). None: no score had a value yet.
    """
    shown: list[float | None] = []
    best: float | None = None
    for value in values:
        if value is not None and (best is None or _gain(value, best, higher_is_better) > step):
            best = round(round(value / step) * step, STEP_DECIMALS)
        shown.append(best)
    return shown


def _gain(value: float, best: float, higher_is_better: bool) -> float:
    return value - best if higher_is_better else best - value
