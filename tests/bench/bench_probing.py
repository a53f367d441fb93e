"""What feedback gives away: an attacker who sends files to a scorer and reads labels off the scores.

Simulated on 250 items with five labels. With all digits the attacker knows nothing beforehand; with rounded
scores it is given the mean and the spread of the gold, which trial data tell roughly. The Ladder is asked
one item a file, beside a good run. Run it as `python tests/bench/bench_probing.py`; it asserts nothing.
"""

import random
from fractions import Fraction
from itertools import pairwise
from math import fsum, sqrt

import numpy as np

from scorer.metrics import pearson
from server.phases.feedback import ladder

N, LABELS = 250, 5
GROUP, FILES = 9, 27
SEED = 12345


def draw_gold() -> list[float]:
    chance = random.Random(SEED)  # noqa: S311  (a simulation)
    return [float(chance.randrange(LABELS)) for _ in range(N)]


def packed(places: range) -> list[float]:
    """A file whose score holds the labels of some items as the digits of one number."""
    run = [0.0] * N
    for digit, place in enumerate(places):
        run[place] = float(LABELS**digit)
    return run


def read_off(score: float, run: list[float], total: np.ndarray, spread: np.ndarray) -> np.ndarray:
    """The number that the labels make, for each guess of the gold's sum and of its spread."""
    scale = sqrt(fsum(x * x for x in run) - fsum(run) ** 2 / N)
    return score * scale * spread + fsum(run) * total / N


def digits(number: int, count: int) -> list[int]:
    return [number // LABELS**k % LABELS for k in range(count)]


def guesses() -> tuple[np.ndarray, np.ndarray]:
    """Every sum that gold can have, with every spread."""
    total = np.arange(1, N * (LABELS - 1))
    squares = np.arange(1, N * (LABELS - 1) ** 2)
    sums, found = np.meshgrid(total, squares, indexing="ij")
    variance = found - sums**2 / N
    kept = variance > 0
    return sums[kept].astype(float), np.sqrt(variance[kept])


def attack_exact(gold: list[float]) -> int:
    """Labels that come out right when all digits are shown; sum and spread are found on the way."""
    total, spread = guesses()
    groups = [range(k * GROUP, min(N, (k + 1) * GROUP)) for k in range(FILES)]
    runs = [packed(places) for places in groups]
    scores = [pearson(gold, run) for run in runs]
    for run, score in zip(runs, scores, strict=True):
        numbers = read_off(score, run, total, spread)
        near = np.abs(numbers - np.rint(numbers)) < 1e-6
        fits = near & (numbers > -0.5) & (numbers < LABELS**GROUP)
        total, spread = total[fits], spread[fits]
    return sum(
        right(gold, places, read_off(score, run, total[:1], spread[:1]))
        for places, run, score in zip(groups, runs, scores, strict=True)
    )


def attack_rounded(gold: list[float], decimals: int) -> int:
    """How many labels one file reveals when scores are rounded, so that nearly all of them are right."""
    total = np.array([fsum(gold)])
    spread = np.array([sqrt(float(Fraction(fsum(g * g for g in gold)) - Fraction(fsum(gold)) ** 2 / N))])
    most = 0
    for group in range(1, GROUP + 1):
        groups = [range(k * group, (k + 1) * group) for k in range(FILES)]
        runs = [packed(places) for places in groups]
        found = sum(
            right(gold, places, read_off(round(pearson(gold, run), decimals), run, total, spread))
            for places, run in zip(groups, runs, strict=True)
        )
        most = group if found >= 0.95 * FILES * group else most
    return most


def right(gold: list[float], places: range, number: np.ndarray) -> int:
    """How many labels of a group come out as they are."""
    labels = digits(max(0, int(np.rint(number[0]))), len(places))
    return sum(label == gold[place] for label, place in zip(labels, places, strict=True))


def attack_ladder(gold: list[float], step: float) -> int:
    """Files of which the Ladder said anything: a good run with one item moved to the end of the scale."""
    chance = random.Random(SEED + 1)  # noqa: S311  (a simulation)
    base = [value + chance.gauss(0, 1) for value in gold]
    files = [base] + [[*base[:place], 4.0, *base[place + 1 :]] for place in range(FILES - 1)]
    shown = ladder([pearson(gold, file) for file in files], step)
    return sum(after != before for before, after in pairwise(shown))


def main() -> None:
    gold = draw_gold()
    print(f"What {FILES} files tell an attacker, of {N} items with {LABELS} labels each")
    print(f"  all digits              {attack_exact(gold):4d} labels")
    for decimals in (6, 5, 4, 3, 2, 1):
        print(f"  rounded to {decimals} places     {attack_rounded(gold, decimals):4d} labels a file")
    moved = attack_ladder(gold, 0.01)
    print(f"  the Ladder, step 0.01   {moved:4d} of {FILES - 1} varied files at which it moved")


if __name__ == "__main__":
    main()
