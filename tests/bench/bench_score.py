"""Seconds and memory of `scorer score` and `scorer check`, against a script with numpy and scipy.

Run it as `python tests/bench/bench_score.py`. It runs whole processes and asserts nothing about time, which
depends on the machine; the ratios hardly do. It fails if a value differs from scipy's by more than 1e-9.
"""

import os
import random
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from dataclasses import dataclass
from math import isclose
from pathlib import Path
from statistics import median
from time import perf_counter

ROOT = Path(__file__).parents[2]
TIMES = {500: 9, 50_000: 5, 1_000_000: 3}
"""For each number of lines, how often both processes are run in turn."""
TASKS = (
    ("pearson,spearman", "scores"),
    ("pearson,spearman", "with confidences"),
    ("pearson,spearman", "all digits"),
    ("kendall", "scores"),
    ("check", "scores"),
)


@dataclass(frozen=True, slots=True)
class Cost:
    """What one process took and printed. Its memory is at least that of this bench."""

    seconds: float
    processor: float
    megabytes: float
    output: str


def cost(command: list[str]) -> Cost:
    """Run a process to its end."""
    start = perf_counter()
    with subprocess.Popen([sys.executable, *command], cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, command
    return Cost(perf_counter() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output)


def write_files(folder: Path, lines: int) -> dict[str, str]:
    """Write items, gold in quarter points, and one run in three ways, with three decimals or all digits."""
    names = ("items", "gold", "scores", "with confidences", "all digits")
    paths = {name: str(folder / f"{name}.{lines}.tsv") for name in names}
    rng = random.Random(2014)  # noqa: S311  not a secret
    with ExitStack() as stack:
        files = [stack.enter_context(Path(path).open("w", encoding="utf-8")) for path in paths.values()]
        for k in range(lines):
            gold = rng.randrange(17) / 4
            score = gold + rng.gauss(0, 0.8)
            pair = f"The boat number {k} leaves\tA ship goes {k % 977} times\tNews-{k}"
            texts = (pair, f"{gold}", f"{score:.3f}", f"{score:.3f}\t{rng.random():.2f}", f"{score!r}")
            for file, text in zip(files, texts, strict=True):
                file.write(f"{text}\n")
    return paths


def compare(task: str, first: str, run: str, times: int) -> str:
    """Return the medians of both processes, run in turn, and the median of their ratios."""
    rival = [str(ROOT / "tests/bench/score_rival.py"), task, first, run]
    options = [word for metric in task.split(",") for word in ("--metric", metric)]
    words = ["check"] if task == "check" else ["score", "--format", "tsv", *options]
    pairs = [(cost(["-m", "scorer.cli", *words, first, run]), cost(rival)) for _ in range(times + 1)]
    if task != "check":
        check_values(*(each.output for each in pairs[0]))
    cells = []
    for costs in zip(*pairs[1:], strict=True):
        cells.append(median(each.seconds for each in costs))
        cells.append(median(each.processor for each in costs))
        cells.append(median(each.megabytes for each in costs))
    ratio = median(ours.processor / other.processor for ours, other in pairs[1:])
    return "{:10.2f}{:8.2f}{:6.0f}{:12.2f}{:8.2f}{:6.0f}{:8.2f}".format(*cells, ratio)


def check_values(ours: str, rival: str) -> None:
    """Fail if the values differ."""
    expected = dict(line.split("\t") for line in rival.splitlines())
    values = {name: value for name, value, *_ in (line.split("\t") for line in ours.splitlines()[1:])}
    assert values.keys() == expected.keys()
    assert all(isclose(float(values[name]), float(expected[name]), abs_tol=1e-9) for name in values)


def in_process(gold: str, run: str) -> float:
    """Best time to parse and score, once everything is imported."""
    sys.path.insert(0, str(ROOT))
    from scorer import evaluate, parse_gold, parse_run  # noqa: PLC0415  from this tree, installed or not

    gold_data, run_data = Path(gold).read_bytes(), Path(run).read_bytes()
    times = []
    for _ in range(50):
        start = perf_counter()
        answers = parse_gold(gold_data, "gold")
        evaluate(answers, parse_run(run_data, "run"), ["pearson", "spearman"])
        times.append(perf_counter() - start)
    return min(times)


def main() -> None:
    """Print a table of all sizes, and what the smallest one takes in a process that runs already."""
    print(f"{'':46}scorer: s     cpu    MB    rival: s     cpu    MB   ratio of cpu")
    with tempfile.TemporaryDirectory() as name:
        paths = {lines: write_files(Path(name), lines) for lines in TIMES}
        for lines, times in TIMES.items():
            for task, kind in TASKS:
                first = paths[lines]["items" if task == "check" else "gold"]
                figures = compare(task, first, paths[lines][kind], times)
                print(f"{lines:9,} {task:17} {kind:17}{figures}", flush=True)
        smallest = paths[min(TIMES)]
        seconds = in_process(smallest["gold"], smallest["with confidences"])
        print(f"{min(TIMES):9,} lines in a running process: {seconds * 1000:.1f} ms, best of 50")


if __name__ == "__main__":
    main()
