"""How long `scorer score` takes on 500 lines as a whole process, against `python -c "import numpy"`.

Run it as `python tests/bench/bench_score.py`. It prints figures and asserts nothing: time depends on the
machine, the ratio hardly does.
"""

import random
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from time import perf_counter

ROOT = Path(__file__).parents[2]
LINES = 500
TIMES = 15


def seconds(command: list[str]) -> float:
    """Wall time of one process."""
    start = perf_counter()
    subprocess.run(command, check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    return perf_counter() - start


def write_pair(folder: Path) -> tuple[Path, Path]:
    """Gold and run of 500 lines, the run with confidences."""
    rng = random.Random(2014)  # noqa: S311  not a secret
    gold = [rng.randrange(17) / 4 for _ in range(LINES)]
    run = [f"{value + rng.gauss(0, 0.8):.3f}\t{rng.random():.2f}" for value in gold]
    for name, values in (("gold.tsv", gold), ("run.tsv", run)):
        (folder / name).write_text("".join(f"{value}\n" for value in values), encoding="utf-8")
    return folder / "gold.tsv", folder / "run.tsv"


def in_process(gold: Path, run: Path) -> float:
    """Best time to parse and score, once everything is imported."""
    sys.path.insert(0, str(ROOT))
    from scorer import evaluate, parse_gold, parse_run  # noqa: PLC0415  from this tree, installed or not

    gold_data, run_data = gold.read_bytes(), run.read_bytes()
    times = []
    for _ in range(50):
        start = perf_counter()
        answers = parse_gold(gold_data, "gold")
        evaluate(answers, parse_run(run_data, "run", n=LINES), ["pearson", "spearman"])
        times.append(perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the medians, their ratio, and the time in the process."""
    with tempfile.TemporaryDirectory() as name:
        gold, run = write_pair(Path(name))
        score = [sys.executable, "-m", "scorer.cli", "score", str(gold), str(run)]
        numpy = [sys.executable, "-c", "import numpy"]
        seconds(score), seconds(numpy)
        pairs = [(seconds(score), seconds(numpy)) for _ in range(TIMES)]
        scorer_time, numpy_time = (median(times) for times in zip(*pairs, strict=True))
        print(f"scorer score, {LINES} lines  {scorer_time * 1000:7.1f} ms  median of {TIMES} processes")
        print(f'python -c "import numpy"  {numpy_time * 1000:7.1f} ms')
        print(f"ratio                     {scorer_time / numpy_time:7.2f}     wanted: at most 1")
        print(f"in a running process      {in_process(gold, run) * 1000:7.1f} ms  best of 50")


if __name__ == "__main__":
    main()
