"""`scorer agree` on 100,000 ratings against the `krippendorff` package, in one run.

Run it as `python tests/bench/bench_agreement.py`; it takes two minutes. Each measurement runs in a process
of its own, whose peak memory is printed. Both sides alternate: a noisy machine is noisy for both.
"""

import json
import resource
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from statistics import median
from time import perf_counter
from typing import get_args

import krippendorff
import numpy as np
from numpy.typing import NDArray

from scorer.annotation.agreement import annotator_agreements
from scorer.annotation.krippendorff import Scaling, alpha_interval, krippendorff_alpha
from scorer.annotation.ratings import Ratings
from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings
from scorer.statistics.intervals import Resampling

N, K, EACH = 20_000, 60, 5
"""Units, annotators, and ratings a unit: 100,000 of 1,200,000 cells."""
POINTS = 101
"""A slider from 0 to 100."""
TIMES = 2
SCALINGS: tuple[Scaling, ...] = get_args(Scaling)


def make_ratings() -> Ratings:
    rng = np.random.default_rng(2014)
    unit = np.repeat(np.arange(N), EACH)
    annotator = np.concatenate([rng.choice(K, EACH, replace=False) for _ in range(N)])
    true = rng.uniform(20, 80, N)
    value = np.clip(np.round(true[unit] + rng.normal(0, 12, N * EACH)), 0, POINTS - 1)
    names = tuple(f"u{i}" for i in range(N)), tuple(f"a{i}" for i in range(K))
    return Ratings("bench", *names, unit, annotator, value, np.arange(N * EACH) + 2)


def rows(ratings: Ratings) -> bytes:
    """The same as a file with a row a rating."""
    columns = zip(ratings.unit.tolist(), ratings.annotator.tolist(), ratings.value.tolist(), strict=True)
    return ("unit,who,said\n" + "".join(f"u{u},a{a},{v:g}\n" for u, a, v in columns)).encode()


def matrix(ratings: Ratings) -> NDArray[np.float64]:
    """The same as the package takes it: a row an annotator."""
    return ratings.table().T


def measure(what: str) -> None:
    """Do one thing in this process and print its seconds, its value and the growth of memory."""
    ratings = make_ratings()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    deed = prepare(what, ratings)
    start = perf_counter()
    value = deed()
    seconds = perf_counter() - start
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(json.dumps({"seconds": seconds, "value": value, "mb": grown}))


def prepare(what: str, ratings: Ratings) -> Callable[[], float]:
    """What is timed, with its data at hand."""
    kind, _, name = what.partition(" ")
    scaling: Scaling = next((each for each in SCALINGS if each == name), "interval")
    if kind == "theirs":
        table = matrix(ratings)
        return lambda: float(krippendorff.alpha(reliability_data=table, level_of_measurement=scaling))
    if kind == "read":
        data, layout = rows(ratings), RatingsLayout(annotator="who", rating="said")
        return lambda: float(len(parse_ratings(data, "bench", layout)))
    if kind == "annotators":
        return lambda: float(len(annotator_agreements(ratings)))
    if kind == "interval":
        return lambda: alpha_interval(ratings, scaling, Resampling(1000, 1)).low or 0.0
    return partial(krippendorff_alpha, ratings, scaling)


def run(what: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, __file__, what], capture_output=True, text=True, check=True, timeout=600
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    print(f"{N * EACH} ratings: {N} units, {K} annotators, {POINTS} points; median of {TIMES}.")
    print("MB: the most that was used beyond the data.\n")
    print(f"{'alpha':10} {'ours':>9} {'MB':>6} {'krippendorff':>13} {'MB':>6} {'ratio':>7}  same")
    for scaling in SCALINGS:
        pairs = [(run(f"ours {scaling}"), run(f"theirs {scaling}")) for _ in range(TIMES)]
        ours, theirs = (median(pair[side]["seconds"] for pair in pairs) for side in (0, 1))
        same = abs(pairs[0][0]["value"] - pairs[0][1]["value"]) < 1e-9
        mb = [max(pair[side]["mb"] for pair in pairs) for side in (0, 1)]
        sides = f"{ours:8.3f}s {mb[0]:6.0f} {theirs:12.3f}s {mb[1]:6.0f}"
        print(f"{scaling:10} {sides} {theirs / ours:6.1f}x  {same}")
    print()
    alone = {
        "read": "read the file, a row a rating",
        "annotators": "each annotator beside the others",
        **{f"interval {scaling}": f"interval of {scaling} alpha, b = 1000, BCa" for scaling in SCALINGS},
    }
    for what, words in alone.items():
        found = run(what)
        print(f"{words:42} {found['seconds']:8.3f}s {found['mb']:6.0f} MB")


if __name__ == "__main__":
    measure(sys.argv[1]) if len(sys.argv) > 1 else main()
