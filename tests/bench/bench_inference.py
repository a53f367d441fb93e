"""Intervals, tests and whole boards against named rivals, in one run: 38 systems, 4 levels, 500 items.

Run it as `python tests/bench/bench_inference.py`; it takes some minutes. Rivals that would take hours are
measured on a few systems or pairs and multiplied, which the table says; whole boards of other sizes have no
rival, and stand beside what is wanted. Each of ours runs in a process of its own, whose peak memory is
printed. Both sides alternate, so that a noisy machine is noisy for both.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import combinations
from math import log
from pathlib import Path
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from scorer.boards.board import BoardLevel, BoardRules, Entry, build_board
from scorer.boards.board_data import LevelData, SystemData
from scorer.files.reading import Gold, Run
from scorer.inference.board_inference import InferenceOptions, infer_board
from scorer.scoring.evaluate import evaluate
from scorer.statistics.intervals import Resampling, bootstrap_intervals
from scorer.statistics.permutation import LevelColumn, pair_tests
from scorer.statistics.samples import make_sample

M, LEVELS, N = 38, 4, 500
PAIRS = M * (M - 1) // 2
Array = NDArray[np.float64]
Statistic = Callable[[Array, Array, int], Array]


def make_data(m: int, levels: int, n: int) -> list[tuple[Array, Array]]:
    """Gold in quarter points and systems that follow it, some hardly better than others."""
    rng = np.random.default_rng(2014)
    golds = [np.round(rng.uniform(0, 4, n) * 4) / 4 for _ in range(levels)]
    return [(gold, gold + rng.normal(size=(m, n)) * np.linspace(0.9, 2.4, m)[:, None]) for gold in golds]


DATA = make_data(M, LEVELS, N)


def our_intervals(metric: str) -> None:
    """Intervals of all systems at all levels, b = 10,000."""
    for gold, preds in DATA:
        bootstrap_intervals(gold.tolist(), preds.tolist(), metric, Resampling(10_000, 1, "percentile"))


def our_tests() -> None:
    """All pairs at all levels, 1000 permutations."""
    columns = [replace(column, counts=False) for column in list_columns(DATA)]
    pair_tests(columns, permutations=1000, seed=1)


def our_board(data: list[tuple[Array, Array]], metrics: tuple[str, ...], options: InferenceOptions) -> None:
    """Everything that a board shows: intervals, totals, tests of all pairs, clusters, stability."""
    golds = {str(k): Gold(tuple(gold.tolist())) for k, (gold, _) in enumerate(data)}
    m, n = data[0][1].shape
    genres = tuple("abcde"[place % 5] for place in range(n))
    levels = [LevelData(slug, gold, genres) for slug, gold in golds.items()]
    systems = [
        SystemData(
            "official",
            f"team{i // 2}",
            f"run{i % 2}",
            {str(k): Run(tuple(preds[i].tolist()), (None,) * n) for k, (_, preds) in enumerate(data)},
        )
        for i in range(m)
    ]
    entries = [
        Entry(
            each.team,
            each.run,
            each.kind,
            {
                slug: {result.metric: result for result in evaluate(golds[slug], run, metrics).results}
                for slug, run in each.runs.items()
            },
        )
        for each in systems
    ]
    board = build_board([BoardLevel(slug, slug, metrics) for slug in golds], BoardRules(), entries)
    infer_board(board, levels, systems, options)


BOTH = ("pearson", "spearman")
BOARDS = (
    (38, 4, 500, BOTH[:1], 3),
    (38, 4, 500, BOTH, 20),
    (16, 1, 4927, BOTH, 20),
    (120, 4, 2000, BOTH[:1], 60),
    (120, 4, 2000, BOTH, 240),
)
"""Sizes, metrics, and the seconds that are wanted."""


COSTS = {
    "systems": [(m, 1, 1000) for m in (10, 50, 120, 500)],
    "items": [(20, 1, n) for n in (250, 2000, 20_000, 100_000)],
    "levels": [(20, levels, 1000) for levels in (1, 4, 24)],
}
"""Sizes of which one grows while the others stay: systems, levels, items."""


def print_costs() -> None:
    """Print seconds of 1000 resamples and permutations as sizes grow, and the exponents of the last step."""
    print("\nseconds for 1000 resamples or permutations: systems x levels x items")
    print(f"{'':24}{'Pearson':>10}{'Spearman':>10}{'maxT':>10}")
    for grows, sizes in COSTS.items():
        table = []
        for m, levels, n in sizes:
            data = make_data(m, levels, n)
            seconds = [time_intervals(data, metric) for metric in BOTH] + [time_tests(data)]
            table.append((m * levels * n, seconds))
            print(
                f"{f'{m} x {levels} x {n:,}':24}" + "".join(f"{each:10.2f}" for each in seconds), flush=True
            )
        (small, before), (large, after) = table[-2:]
        steps = [log(b / a) / log(large / small) for a, b in zip(before, after, strict=True)]
        print(f"{f'exponent in {grows}':24}" + "".join(f"{each:10.2f}" for each in steps))


def time_intervals(data: list[tuple[Array, Array]], metric: str) -> float:
    """Seconds of the percentile intervals of all systems at all levels, b = 1000."""
    start = perf_counter()
    for gold, preds in data:
        bootstrap_intervals(gold.tolist(), preds.tolist(), metric, Resampling(1000, 1, "percentile"))
    return perf_counter() - start


def time_tests(data: list[tuple[Array, Array]]) -> float:
    """Seconds of the tests of all pairs at all levels and of the total, 1000 permutations."""
    start = perf_counter()
    pair_tests(list_columns(data), permutations=1000, seed=1)
    return perf_counter() - start


def list_columns(data: list[tuple[Array, Array]]) -> list[LevelColumn]:
    """The columns of the tests."""
    return [
        LevelColumn(str(k), "pearson", make_sample(gold.tolist(), preds.tolist()), tuple(range(len(preds))))
        for k, (gold, preds) in enumerate(data)
    ]


OURS: dict[str, Callable[[], None]] = {
    "pearson": lambda: our_intervals("pearson"),
    "spearman": lambda: our_intervals("spearman"),
    "tests": our_tests,
    "board": lambda: our_board(DATA, BOTH, InferenceOptions(adjust="holm")),
    **{
        f"board {k}": partial(our_board, make_data(*size[:3]), size[3], InferenceOptions(adjust="max-t"))
        for k, size in enumerate(BOARDS)
        if f"board {k}" in sys.argv
    },
}


def measure(name: str) -> tuple[float, float]:
    """Seconds of one of OURS and the peak memory of its process in MB."""
    environment = os.environ | {"OPENBLAS_NUM_THREADS": "1"}  # as the command sets it
    command = [sys.executable, __file__, name]
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    values = json.loads(done.stdout)
    return values["seconds"], values["megabytes"]


def plain(x: Array, y: Array, axis: int) -> Array:
    """Pearson in numpy, without checks: the fastest statistic that one would write for scipy."""
    x, y = x - x.mean(axis, keepdims=True), y - y.mean(axis, keepdims=True)
    r: Array = (x * y).sum(axis) / np.sqrt((x * x).sum(axis) * (y * y).sum(axis))
    return r


def pearsonr(x: Array, y: Array, axis: int) -> Array:
    """Pearson as scipy has it."""
    r: Array = stats.pearsonr(x, y, axis=axis).statistic
    return r


def ranked(x: Array, y: Array, axis: int) -> Array:
    """Spearman, ranked again in each resample."""
    return plain(stats.rankdata(x, axis=axis), stats.rankdata(y, axis=axis), axis)


def scipy_interval(statistic: Statistic, level: int, system: int) -> float:
    """Seconds of scipy.stats.bootstrap as it comes, with a vectorized statistic, for one system."""
    gold, preds = DATA[level]
    start = perf_counter()
    stats.bootstrap(
        (gold, preds[system]),
        statistic,
        paired=True,
        vectorized=True,
        n_resamples=10_000,
        method="percentile",
        rng=1,
    )
    return perf_counter() - start


def loop_test(level: int, first: int, second: int) -> float:
    """Seconds of a straight numpy loop over 1000 permutations of one pair."""
    rng = np.random.default_rng(1)
    gold, preds = DATA[level]
    standard = (preds - preds.mean(1, keepdims=True)) / preds.std(1, keepdims=True)
    a, b = standard[first], standard[second]
    start = perf_counter()
    observed = abs(np.corrcoef(a, gold)[0, 1] - np.corrcoef(b, gold)[0, 1])
    extreme = 0
    for _ in range(1000):
        mask = rng.random(N) < 0.5
        swapped, other = np.where(mask, b, a), np.where(mask, a, b)
        extreme += abs(np.corrcoef(swapped, gold)[0, 1] - np.corrcoef(other, gold)[0, 1]) >= observed
    return perf_counter() - start


def compare(
    name: str, rival: Callable[..., float], cases: list[tuple[int, ...]], of: int, times: int
) -> tuple[str, ...]:
    """One line of the table: ours before, between and after the rival's cases."""
    ours, theirs = [], []
    share = max(1, len(cases) // times)
    for start in range(0, len(cases), share):
        ours.append(measure(name))
        theirs += [rival(*case) for case in cases[start : start + share]]
    seconds = sorted(each[0] for each in ours)[len(ours) // 2]
    whole = sorted(theirs)[len(theirs) // 2] * of
    memory = max(each[1] for each in ours)
    return (
        f"{seconds:.2f} s",
        f"{memory:.0f} MB",
        f"{whole:.0f} s",
        f"{len(cases)} of {of}",
        f"{whole / seconds:.0f}",
    )


def main() -> None:
    """Print the table."""
    rng = np.random.default_rng(1)
    cells = [
        (int(k), int(i)) for k, i in zip(rng.integers(0, LEVELS, 12), rng.integers(0, M, 12), strict=True)
    ]
    pairs = list(combinations(range(M), 2))
    some = [
        (int(k), *pairs[int(p)])
        for k, p in zip(rng.integers(0, 4, 12), rng.integers(0, PAIRS, 12), strict=True)
    ]
    print(f"{M} systems, {LEVELS} levels, {N} items; wanted: 60, 15 and 500 times, a board in a minute,")
    print("under 200 MB. The rival's time is the median of what was measured, times how many there are.\n")
    rows: list[tuple[str, ...]] = [("", "ours", "peak", "rival", "measured", "times")]
    for title, ours, rival, measured, times in (
        (
            "Pearson intervals, b = 10,000; scipy.stats.bootstrap vectorized, pearsonr",
            "pearson",
            pearsonr,
            12,
            4,
        ),
        ("the same; scipy.stats.bootstrap vectorized, plain numpy statistic", "pearson", plain, 12, 4),
        ("Spearman intervals, b = 10,000; scipy.stats.bootstrap vectorized", "spearman", ranked, 6, 3),
    ):
        one = partial(scipy_interval, rival)
        rows.append((title, *compare(ours, one, cells[:measured], M * LEVELS, times)))
    title = "703 pairs x 4 levels x 1000 permutations; numpy loop a pair"
    rows.append((title, *compare("tests", loop_test, some, PAIRS * LEVELS, 4)))
    seconds, megabytes = measure("board")
    title = "the full board: 281,200 permutations by Holm's method, b = 10,000, both metrics"
    rows.append((title, f"{seconds:.1f} s", f"{megabytes:.0f} MB", "", "", ""))
    for k, (m, levels, n, metrics, goal) in enumerate(BOARDS):
        seconds, megabytes = measure(f"board {k}")
        title = f"{m} x {levels} x {n:,}, maxT, {' and '.join(metrics)}; wanted: {goal} s"
        rows.append((title, f"{seconds:.1f} s", f"{megabytes:.0f} MB", "", "", ""))
    widths = [max(len(row[k]) for row in rows) for k in range(6)]
    for row in rows:
        cells_ = [
            row[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)),
        ]
        print("  ".join(cells_).rstrip(), flush=True)
    print_costs()


if __name__ == "__main__":
    if len(sys.argv) > 1:
        begun = perf_counter()
        OURS[sys.argv[1]]()
        took = perf_counter() - begun
        status = Path("/proc/self/status").read_text(encoding="ascii")
        peak = next(line for line in status.splitlines() if line.startswith("VmHWM"))
        print(json.dumps({"seconds": took, "megabytes": int(peak.split()[1]) / 1024}))
    else:
        from scipy import stats  # ours do without, and their memory is measured

        main()
