"""The features of a learned system: the runs of baselines, overlaps of words, and lengths."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import log

import numpy as np
from numpy.typing import NDArray

from scorer.baselines.rounding import round_half_up, shortest_decimal
from scorer.baselines.run_file import BASELINES, Baseline, Measure, baseline_run
from scorer.files.reading import Items
from scorer.vectors.similarity import split_text

Matrix = NDArray[np.float64]
FeatureRun = Callable[..., str]
"""Returns the aligned run of a feature for items; takes `scale`, and the options of `baseline_run`."""

VALUE_DIGITS = 6
"""Machines add up in different orders, which seldom changes the sixth decimal place."""


def word_overlap(left: str, right: str, n: int = 1) -> Fraction:
    """Compute the share of the sequences of n words of the right text that the left text has too.

    Parameters
    ----------
    left, right : str
        Two texts. Words are those of `scorer items`, in lower case and without numbers.
    n : int, default 1
        The number of words of a sequence.

    Returns
    -------
    Fraction
        The share of the different sequences, from 0 to 1; 0 if the right text has none.

    References
    ----------
    Broder (1997), On the resemblance and containment of documents, doi:10.1109/SEQUEN.1997.666900. Bär,
    Biemann, Gurevych & Zesch (2012), UKP: Computing semantic textual similarity by combining multiple content
    similarity measures (ACL S12-1059), section 2.

    Examples
    --------
    >>> word_overlap("The old mill at the pier", "an old mill"), word_overlap("The old mill", "old mill", 2)
    (Fraction(2, 3), Fraction(1, 1))
    """
    a, b = (_sequences(text, n) for text in (left, right))
    return Fraction(len(a & b), max(1, len(b)))


def _sequences(text: str, n: int) -> set[tuple[str, ...]]:
    words = split_text(text.lower())
    return {tuple(words[start : start + n]) for start in range(len(words) - n + 1)}


def _log_length(text: str) -> float:
    return log(1 + len(split_text(text)))


def _feature(measure: Measure) -> FeatureRun:
    return partial(baseline_run, Baseline("", "", lambda _: measure))


FEATURES: Mapping[str, FeatureRun] = {
    **{name: partial(baseline_run, name) for name in BASELINES},
    "tfidf words": partial(baseline_run, "tfidf", words=True),
    "word overlap": _feature(word_overlap),
    "word pair overlap": _feature(partial(word_overlap, n=2)),
    "left length": _feature(lambda left, _: _log_length(left)),
    "right length": _feature(lambda _, right: _log_length(right)),
}
"""The features that need no file. A length is the logarithm of 1 and the number of words."""


def make_features(items: Items, runs: Mapping[str, Callable[[Items], str]]) -> tuple[Matrix, Sequence[str]]:
    """Compute the features of items.

    Parameters
    ----------
    items : Items
        The items of a level.
    runs : mapping of str to callable
        The function that returns the aligned run of each feature.

    Returns
    -------
    (n, p) array of float
        The value of each feature of each item.
    sequence of str
        What a run has after the score of each item: a tab and a confidence for word2sense, else "".
    """
    lines = [run(items).splitlines() for run in runs.values()]
    matrix = np.array([[float(line.partition("\t")[0]) for line in column] for column in lines]).T
    return matrix, ["".join(line.partition("\t")[1:]) for line in lines[0]]


def format_values(values: Matrix, rests: Sequence[str]) -> str:
    r"""Write predicted values, (n,), as an aligned run.

    >>> format_values(np.array([0.1234567, 3.0]), ["\t1", ""])
    '0.123457\t1\n3\n'
    """
    rounded = (round_half_up(Fraction(value), VALUE_DIGITS) for value in values.tolist())
    return "".join(f"{shortest_decimal(value)}{rest}\n" for value, rest in zip(rounded, rests, strict=True))
