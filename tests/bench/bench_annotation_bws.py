"""`scorer bws` on 100,000 answers against a split-half in plain Python, in one run.

Run it as `python tests/bench/bench_annotation_bws.py`; it takes a minute. Each measurement runs in a process
of its own, whose peak memory is printed. Both sides alternate: a noisy machine is noisy for both. Plain
Python is measured on some splits and multiplied, which the table says.
"""

import csv
import json
import random
import resource
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from itertools import groupby
from statistics import correlation, fmean, median
from time import perf_counter

from scorer.bws.answers import parse_answers
from scorer.bws.reliability import split_half
from scorer.bws.report import agreement_table
from scorer.bws.scores import bws_scores
from scorer.bws.tuples import TupleRules, make_tuples, parse_item_list

N, SIZE, EACH = 10_000, 4, 5
"""Items, items a tuple, answers a tuple: with two tuples an item, 100,000 answers."""
REPEATS, PLAIN = 100, 4
"""Splits, and how many of them plain Python makes."""
TIMES = 3


def make_file() -> bytes:
    """Answers of people who see the items' order through noise."""
    rng = random.Random(2016)  # noqa: S311  (made-up answers)
    true = [rng.gauss(0, 1) for _ in range(N)]
    rows = ["Item1,Item2,Item3,Item4,BestItem,WorstItem"]
    for _ in range(2 * N):
        shown = rng.sample(range(N), SIZE)
        for _ in range(EACH):
            felt = sorted(shown, key=lambda item: true[item] + rng.gauss(0, 0.5))
            rows.append(",".join(f"w{item}" for item in (*shown, felt[-1], felt[0])))
    return "\n".join(rows).encode()


Row = tuple[tuple[str, ...], str, str]


def plain_scores(rows: Sequence[Row]) -> dict[str, float]:
    shown = Counter(item for row in rows for item in row[0])
    best, worst = Counter(row[1] for row in rows), Counter(row[2] for row in rows)
    return {item: (best[item] - worst[item]) / times for item, times in shown.items()}


def plain_split_half(file: bytes, repeats: int) -> float:
    """What one would write: lists and dicts, and the correlations of the standard library."""
    rng = random.Random(1)  # noqa: S311  (a rival's splits)
    by_tuple = defaultdict(list)
    for row in csv.DictReader(file.decode().splitlines()):
        shown = tuple(row[f"Item{place}"] for place in range(1, SIZE + 1))
        by_tuple[frozenset(shown)].append((shown, row["BestItem"], row["WorstItem"]))
    found = []
    for _ in range(repeats):
        halves: tuple[list[Row], list[Row]] = ([], [])
        for answers in by_tuple.values():
            rng.shuffle(answers)
            cut = len(answers) // 2 + (len(answers) % 2 and rng.random() < 0.5)
            halves[0].extend(answers[:cut])
            halves[1].extend(answers[cut:])
        a, b = map(plain_scores, halves)
        both = [item for item in a if item in b]
        x, y = [a[item] for item in both], [b[item] for item in both]
        found.append((correlation(x, y), correlation(plain_ranks(x), plain_ranks(y))))
    return fmean(pair[0] for pair in found) if found else 0.0


def plain_ranks(values: Sequence[float]) -> list[float]:
    ranks, order, start = [0.0] * len(values), sorted(range(len(values)), key=values.__getitem__), 0
    for _, run_of_same in groupby(order, key=values.__getitem__):
        same = list(run_of_same)
        for place in same:
            ranks[place] = start + (len(same) - 1) / 2
        start += len(same)
    return ranks


def prepare(what: str) -> Callable[[], float]:
    """What is timed, with its data at hand."""
    if what == "tuples":
        items = parse_item_list("\n".join(map(str, range(N))).encode(), "items")
        return lambda: make_tuples(items, TupleRules(SIZE, 2, 1)).whole.most_met
    file = make_file()
    if what.startswith("theirs"):
        return lambda: plain_split_half(file, int(what.split()[1]))
    if what in ("read", "ours"):
        return {
            "read": lambda: float(len(parse_answers(file, "bench"))),
            "ours": lambda: value_of(split_half(parse_answers(file, "bench"), REPEATS, 1)[0].pearson),
        }[what]
    answers = parse_answers(file, "bench")
    return {
        "score": lambda: bws_scores(answers)[0].score,
        "agreement": lambda: value_of(agreement_table(answers, 0.8).rows[0][4]),
    }[what]


def value_of(found: object) -> float:
    """A number that is not undefined."""
    assert isinstance(found, float)
    return found


def measure(what: str) -> None:
    """Do one thing in this process and print its seconds, its value and the growth of memory."""
    deed = prepare(what)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = perf_counter()
    value = deed()
    seconds = perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"seconds": seconds, "value": value, "mb": (peak - before) / 1024, "peak": peak / 1024}))


def run(what: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, __file__, what], capture_output=True, text=True, check=True, timeout=600
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def main() -> None:
    print(f"{2 * N * EACH} answers to {2 * N} tuples of {SIZE} of {N} items; median of {TIMES}.")
    print("MB: the most that was used beyond the data; in brackets the whole process.\n")
    pairs = [(run("ours"), run(f"theirs {PLAIN}"), run("theirs 0")) for _ in range(TIMES)]
    ours = median(pair[0]["seconds"] for pair in pairs)
    reading = median(pair[2]["seconds"] for pair in pairs)
    theirs = reading + (median(pair[1]["seconds"] for pair in pairs) - reading) * REPEATS / PLAIN
    mb = [
        f"{max(pair[k]['mb'] for pair in pairs):.0f} ({max(pair[k]['peak'] for pair in pairs):.0f}) MB"
        for k in (0, 1)
    ]
    title = f"read the file and split it {REPEATS} times"
    print(
        f"{title}: ours {ours:.2f} s, {mb[0]}; plain Python {theirs:.0f} s ({PLAIN} splits measured), {mb[1]}"
    )
    values = pairs[0][0]["value"], pairs[0][1]["value"]
    print(f"{theirs / ours:.0f} times; Pearson {values[0]:.4f} and {values[1]:.4f}\n")
    alone = {
        "read": "read the file",
        "score": "score the items",
        "agreement": "alpha and strong agreement",
        "tuples": f"{2 * N} tuples of {SIZE} of {N} items",
    }
    for what, words in alone.items():
        found = run(what)
        print(f"{words:42} {found['seconds']:8.3f}s {found['mb']:6.0f} MB")


if __name__ == "__main__":
    measure(sys.argv[1]) if len(sys.argv) > 1 else main()
