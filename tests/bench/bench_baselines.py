"""Time the baselines on the official training pairs, each next to a rival in the same run.

    python tests/bench/bench_baselines.py

The data is read in place from $ASSAY_SHARED, else ../shared beside the project. The rival of tf-idf is
scikit-learn, and that of word vectors is gensim. The project installs neither: without them, the bench says
so and gives our figures alone. The file of word vectors has 0.9 GB, in the folder for temporary files.
"""

import importlib.util
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy

from scorer.baselines import (
    BASELINES,
    BaselineName,
    baseline_run,
    fit_tfidf,
    greedy_string_tiling,
    longest_common_substring,
)
from scorer.baselines.text_normalization import lower_each, strip_ends
from scorer.errors import DataError
from scorer.files.reading import Items, parse_items
from scorer.vectors.similarity import split_text

ROOT = Path(__file__).resolve().parents[2]
LEVELS = ("paragraph2sentence", "sentence2phrase", "phrase2word", "word2sense")
ROUNDS = 5
NAIVE_SAMPLE = 10
"""Every tenth pair: the plain tiling takes about a minute over all of them."""

TFIDF_PAIRS = 5000
"""The pairs of the three levels of texts, repeated until they are so many."""

VECTORS, WIDTH = 400_000, 300
OUR_COMMAND = "from scorer.cli.__main__ import cli; cli(sys.argv[1:], standalone_mode=False)"
GENSIM_VECTORS = "from gensim.models import KeyedVectors as k; k.load_word2vec_format(sys.argv[1])"
REPORT_USAGE = """
import time
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(time.process_time(), peak)
"""

Pairs = Sequence[tuple[str, str]]


def difflib_lcs(a: str, b: str) -> int:
    """The rival of the first row: exact only with autojunk off."""
    return SequenceMatcher(None, a, b, autojunk=False).find_longest_match().size


def plain_tiling(a: str, b: str, min_match: int = 6) -> int:
    """The rival of the second row: Wise's passes word by word, marked characters."""
    marked_a, marked_b = bytearray(len(a)), bytearray(len(b))
    while True:
        longest = min_match
        matches: list[tuple[int, int]] = []
        for i in range(len(a) - min_match + 1):
            for j in range(len(b) - min_match + 1):
                length = 0
                while (
                    i + length < len(a)
                    and j + length < len(b)
                    and a[i + length] == b[j + length]
                    and not marked_a[i + length]
                    and not marked_b[j + length]
                ):
                    length += 1
                if length > longest:
                    longest, matches = length, []
                if length == longest:
                    matches.append((i, j))
        if not matches:
            return sum(marked_a)
        for i, j in matches:
            if not any(marked_a[i : i + longest]) and not any(marked_b[j : j + longest]):
                marked_a[i : i + longest] = marked_b[j : j + longest] = b"\x01" * longest


def our_tiling(a: str, b: str) -> int:
    """Marked characters, as the rival counts them."""
    return sum(tile.length for tile in greedy_string_tiling(a, b))


def seconds(work: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Median time of some work."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return median(times)


def race(title: str, pairs: Pairs, ours: Callable[[str, str], int], rival: Callable[[str, str], int]) -> None:
    """Print both times over the same pairs, and whether they agree."""
    mine = seconds(lambda: [ours(a, b) for a, b in pairs])
    theirs = seconds(lambda: [rival(a, b) for a, b in pairs], rounds=1 if len(pairs) < 100 else ROUNDS)
    equal = sum(ours(a, b) == rival(a, b) for a, b in pairs)
    print(f"{title:<46}{mine:>9.4f}{theirs:>10.3f}{theirs / mine:>9.1f} x   equal {equal} of {len(pairs)}")


def our_tfidf(pairs: Pairs) -> list[float]:
    """Fit on both sides of all pairs, and compare them."""
    similarity = fit_tfidf(text for pair in pairs for text in pair)
    return [similarity(a, b) for a, b in pairs]


def sklearn_tfidf(vectorizer: Any, pairs: Pairs) -> list[float]:
    """The same by the rival, whose rows have the length 1."""
    rows = vectorizer.fit_transform([text for pair in pairs for text in pair])
    return list(numpy.asarray(rows[0::2].multiply(rows[1::2]).sum(axis=1)).ravel())


def race_tfidf(pairs: Pairs) -> None:
    """Print the time of tf-idf, and that of scikit-learn with the largest difference, if it is installed."""
    title = f"TF-IDF, {len(pairs)} pairs of texts, scikit-learn"
    mine = seconds(lambda: our_tfidf(pairs), rounds=3)
    try:
        text_features = importlib.import_module("sklearn.feature_extraction.text")
    except ImportError:
        print(f"{title:<46}{mine:>9.4f}   scikit-learn is not installed")
        return
    vectorizer = text_features.TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    theirs = seconds(lambda: sklearn_tfidf(vectorizer, pairs), rounds=3)
    both = zip(our_tfidf(pairs), sklearn_tfidf(vectorizer, pairs), strict=True)
    apart = max(abs(ours - rival) for ours, rival in both)
    print(f"{title:<46}{mine:>9.4f}{theirs:>10.3f}{theirs / mine:>9.1f} x   at most {apart:.0e} apart")


def write_vectors(path: Path, words: Sequence[str]) -> None:
    """Write a file as of word2vec, in which the first words are those of the items."""
    numbers = numpy.random.default_rng(1).normal(0, 0.3, (100, WIDTH))
    rows = [" ".join(f"{number:.4f}" for number in row) for row in numbers]
    with path.open("w", encoding="utf-8") as file:
        file.write(f"{VECTORS} {WIDTH}\n")
        for n in range(VECTORS):
            file.write(f"{words[n] if n < len(words) else f'word{n}'} {rows[n % len(rows)]}\n")


def measure_process(title: str, work: str, *arguments: str) -> None:
    """Print the wall time, the processor time and the most memory of a Python process that does some work."""
    start = time.perf_counter()
    command = [sys.executable, "-c", f"import sys\n{work}\n{REPORT_USAGE}", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    cpu, kilobytes = map(float, done.stdout.splitlines()[-1].split())
    print(f"{title:<46}{time.perf_counter() - start:>9.2f}{cpu:>10.2f}{kilobytes / 1024:>9.0f} MB")


def race_vectors(items: Path, words: Sequence[str]) -> None:
    """Print what a run with a large file of word vectors takes, and what gensim takes to load the file."""
    print(f"\n{f'{VECTORS} vectors of {WIDTH} numbers':<46}{'wall':>9}{'processor':>10}")
    with TemporaryDirectory() as folder:
        vectors = Path(folder, "vectors.txt")
        write_vectors(vectors, words)
        command = "baseline", "vectors", str(items), "--vectors", str(vectors), "-o", f"{folder}/run.tsv"
        measure_process("scorer baseline vectors", OUR_COMMAND, *command)
        if importlib.util.find_spec("gensim") is None:
            print("gensim is not installed")
            return
        measure_process("gensim, which loads all of them", GENSIM_VECTORS, str(vectors))


def run_time(name: BaselineName, items: Items) -> str:
    """Time of a whole baseline run with its WordNet, or why there is none."""
    try:
        return f"{seconds(lambda: baseline_run(name, items), 3):>9.4f}"
    except DataError as error:
        return f"  skipped: {error}"


def main() -> None:
    """Race the kernels, then time the four levels."""
    folder = Path(os.environ.get("ASSAY_SHARED", ROOT.parent / "shared")) / "data/clss/data/training"
    if not folder.is_dir():
        print(f"bench_baselines: {folder} is missing; set ASSAY_SHARED to the shared folder", file=sys.stderr)
        return
    levels = {}
    for level in LEVELS:
        path = folder / f"{level}.train.input.tsv"
        levels[level] = parse_items(path.read_bytes(), str(path))
    texts = [(strip_ends(item.left), strip_ends(item.right)) for item in levels[LEVELS[0]].items]
    lowered = [(lower_each(a), lower_each(b)) for a, b in texts]
    print(f"{'seconds, median':<46}{'ours':>9}{'rival':>10}")
    race(f"LCS, {len(texts)} {LEVELS[0]}, difflib", texts, longest_common_substring, difflib_lcs)
    race(
        f"GST, {len(texts) // NAIVE_SAMPLE} of them, plain passes",
        lowered[::NAIVE_SAMPLE],
        our_tiling,
        plain_tiling,
    )
    mine = seconds(lambda: [our_tiling(a, b) for a, b in lowered])
    print(f"{f'GST, {len(texts)} {LEVELS[0]}':<46}{mine:>9.4f}")
    texts = [(item.left, item.right) for level in LEVELS[:3] for item in levels[level].items]
    race_tfidf([texts[n % len(texts)] for n in range(TFIDF_PAIRS)])
    print(f"\n{'seconds, whole run':<46}{''.join(f'{name:>9}' for name in BASELINES)}")
    for level, items in levels.items():
        print(f"{level:<46}{''.join(run_time(name, items) for name in BASELINES)}")
    words = dict.fromkeys(word for pair in texts for text in pair for word in split_text(text))
    items = folder / f"{LEVELS[0]}.train.input.tsv"
    race_vectors(items, list(words))
    gold = folder.parents[1] / "keys" / "training" / f"{LEVELS[0]}.train.gs.tsv"
    measure_process("scorer train ridge", OUR_COMMAND, "train", "ridge", str(items), str(gold))


if __name__ == "__main__":
    main()
