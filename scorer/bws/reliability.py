"""Split-half reliability of best-worst scores, by random splits of the answers to each tuple."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import mean, stdev
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scorer.annotation.agreement import Value
from scorer.annotation.ratings import Floats, Indices
from scorer.bws.answers import Answers
from scorer.bws.scores import count_choices, scores_of_counts
from scorer.statistics.random_streams import draw_halves, open_stream
from scorer.statistics.resampling import Progress
from scorer.values import Undefined

MissingItemRule = Literal["left-out", "zero"]
"""The ways to handle an item that has no answer in one half."""
_NO_SPLIT = Undefined("no_split", "each tuple has a single answer, so its answers cannot be split")
_CONSTANT_SCORES = Undefined(
    "constant_scores",
    "in each split, fewer than two items have scores in both halves, or all scores of a half are equal",
)
_ONE_SPLIT = Undefined("one_split", "a standard deviation needs at least two splits with a correlation")
_NEGATIVE_CORRELATION = Undefined(
    "negative", "the halves correlate negatively, so the formula does not apply"
)


@dataclass(frozen=True, slots=True)
class Reliability:
    """Split-half reliability of the scores of some items.

    Parameters
    ----------
    items, tuples, answers : int
        The numbers of items, tuples and answers.
    single : int
        The number of tuples with a single answer, which is assigned to one of the halves at random.
    pearson, spearman : float or Undefined
        The mean correlations over the splits, in [-1, 1].
    pearson_sd, spearman_sd : float or Undefined
        The standard deviations over the splits (divisor n - 1).
    spearman_brown : float or Undefined
        The reliability of all answers together, estimated from the mean Pearson correlation, in [0, 1].
    missing : float
        The mean number of items that have no answer in one of the halves.
    degenerate : int
        The number of splits in which a correlation is undefined. Means are over the other splits.
    """

    items: int
    tuples: int
    answers: int
    single: int
    pearson: Value
    pearson_sd: Value
    spearman: Value
    spearman_sd: Value
    spearman_brown: Value
    missing: float
    degenerate: int


def spearman_brown(r: float) -> Value:
    """Estimate the reliability of all answers from the correlation of the halves (Spearman-Brown formula).

    Parameters
    ----------
    r : float
        The correlation, in [-1, 1].

    Returns
    -------
    float or Undefined
        The reliability, in [0, 1]. It is undefined if r is below 0.

    Notes
    -----
    2 r / (1 + r), which is the expected correlation with an equal number of new answers.

    References
    ----------
    Spearman (1910), Correlation calculated from faulty data, British Journal of Psychology 3(3), 271-295,
    doi:10.1111/j.2044-8295.1910.tb00206.x; Brown (1910), Some experimental results in the correlation of
    mental abilities, the same, 296-322, doi:10.1111/j.2044-8295.1910.tb00207.x.

    Examples
    --------
    >>> spearman_brown(0.5)
    0.6666666666666666
    """
    return _NEGATIVE_CORRELATION if r < 0 else 2 * r / (1 + r)


def split_half(
    answers: Answers,
    repeats: int = 100,
    seed: int = 0,
    missing: MissingItemRule = "left-out",
    progress: Progress = lambda _: None,
) -> tuple[Reliability, tuple[Reliability, ...]]:
    """Compute split-half reliability: split the answers of each tuple at random, and correlate the scores.

    Parameters
    ----------
    answers : Answers
        N answers to t tuples of n items.
    repeats : int, at least 1
        The number of splits.
    seed : int, at least 0
        The seed of the splits.
    missing : "left-out" or "zero"
        How to handle an item without an answer in one half. With "left-out", it is left out of the split.
        With "zero", as in the NRC's script, it has the score 0 if it is missing in the second half, and is
        left out if it is missing in the first half.
    progress : callable, optional
        A callback. It is called with the number of splits that were completed since its last call.

    Returns
    -------
    Reliability
        The reliability over all items.
    tuple of Reliability
        The reliability over the items of each group, in the order of `answers.group_names`.

    Notes
    -----
    If a tuple has an odd number of answers, one of the halves, with equal probability, has one answer more.
    So the single answer of a tuple is in either half. If no tuple has two answers, the reliability is
    undefined. The splits do not depend on the order of the rows. The Spearman-Brown formula is applied once,
    to the mean Pearson correlation.

    References
    ----------
    Kiritchenko & Mohammad (2017), Best-Worst Scaling More Reliable than Rating Scales: A Case Study on
    Sentiment Intensity Annotation, ACL, section 4, doi:10.18653/v1/P17-2074, and SHR-BWS.pl 1.1 of the NRC.
    Asaadi, Kolagar, Liebel & Zarcone (2022), GiCCS: A German in-Context Conversational Similarity Benchmark,
    GEM, doi:10.18653/v1/2022.gem-1.30, who use three splits.

    Examples
    --------
    >>> from scorer.bws.answers import parse_answers
    >>> rows = "a,b,c,a,c\\n" * 4 + "b,c,d,b,d\\n" * 4
    >>> file = f"Item1,Item2,Item3,BestItem,WorstItem\\n{rows}".encode()
    >>> split_half(parse_answers(file, "answers.csv"), repeats=3)[0].pearson
    1.0
    """
    names = answers.group_names
    scopes = [np.zeros(len(answers.items), dtype=np.intp)]
    if names:
        place_of = {name: place for place, name in enumerate(names)}
        scopes.append(np.array([place_of[group] for group in answers.groups or ()], dtype=np.intp))
    results_by_scope: list[list[NDArray[np.float64]]] = [[] for _ in scopes]
    for first, second in split_scores(answers, repeats, seed):
        absent = np.isnan(first) | np.isnan(second)
        is_kept = ~(np.isnan(first) if missing == "zero" else absent)
        others = np.nan_to_num(second)[is_kept]
        for scope, results in zip(scopes, results_by_scope, strict=True):
            many = int(scope.max()) + 1
            values = correlations_by_scope(first[is_kept], others, scope[is_kept], many)
            results.append(np.stack([*values, np.bincount(scope, absent, many)]))
        progress(1)
    (whole,), *groups = (
        _summary(np.stack(results, axis=2), _sizes(answers, scope))
        for results, scope in zip(results_by_scope, scopes, strict=True)
    )
    return whole, tuple(groups[0]) if names else ()


def split_scores(answers: Answers, repeats: int, seed: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield the (n,) scores of both halves of random splits. An item without an answer in a half is NaN."""
    stream = open_stream(seed, [], "best-worst halves")
    sizes, whole = answers.sizes, count_choices(answers)
    by_size = [answers.starts[sizes == c][:, None] + np.arange(c) for c in np.unique(sizes)]
    for _ in range(repeats):
        in_first = np.zeros(len(answers), dtype=bool)
        for places in by_size:
            in_first[places] = draw_halves(stream, *places.shape)
        first = count_choices(answers, in_first)
        yield scores_of_counts(first), scores_of_counts(whole - first)


def correlations_by_scope(a: Floats, b: Floats, scope: Indices, many: int) -> tuple[Floats, Floats]:
    """Compute the (many,) Pearson and Spearman correlations within `many` scopes. NaN means undefined."""
    (ranks_a, constant_a), (ranks_b, constant_b) = (_ranks(values, scope, many) for values in (a, b))
    n = np.bincount(scope, minlength=many)
    undefined = constant_a | constant_b | (n < 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        correlations = [_pearson(x, y, scope, n) for x, y in ((a, b), (ranks_a, ranks_b))]
    return np.where(undefined, np.nan, correlations[0]), np.where(undefined, np.nan, correlations[1])


def _pearson(x: Floats, y: Floats, scope: Indices, n: Indices) -> Floats:
    x, y = (values - (np.bincount(scope, values, len(n)) / n)[scope] for values in (x, y))
    xx, yy, xy = (np.bincount(scope, product, len(n)) for product in (x * x, y * y, x * y))
    r: Floats = np.clip(xy / np.sqrt(xx * yy), -1.0, 1.0)
    return r


def _ranks(values: Floats, scope: Indices, many: int) -> tuple[Floats, NDArray[np.bool_]]:
    """Rank the values by scope and value, with mean ranks for ties, and find the scopes that are constant."""
    order = np.lexsort((values, scope))
    new = np.ones(len(values), dtype=bool)
    new[1:] = (np.diff(values[order]) != 0) | (np.diff(scope[order]) != 0)
    starts = np.flatnonzero(new)
    ends = np.append(starts[1:], len(values))
    ranks = np.empty(len(values))
    ranks[order] = np.repeat((starts + ends - 1) / 2, ends - starts)
    return ranks, np.bincount(scope[order][starts], minlength=many) < 2


def _sizes(answers: Answers, scope: Indices) -> NDArray[np.intp]:
    """Count items, tuples, answers and tuples with a single answer in each scope; (4, many)."""
    many = int(scope.max()) + 1
    of_tuple, sizes = scope[answers.shown[:, 0]], answers.sizes
    columns = (scope, of_tuple, np.repeat(of_tuple, sizes), of_tuple[sizes == 1])
    return np.stack([np.bincount(column, minlength=many) for column in columns])


def _summary(results: NDArray[np.float64], sizes: NDArray[np.intp]) -> list[Reliability]:
    """Summarize (3, many, repeats) results: Pearson, Spearman and the number of missing items."""
    reliabilities = []
    for place in range(results.shape[1]):
        pearson, spearman, missing = results[:, place]
        items, tuples, answers, single = sizes[:, place].tolist()
        split = single < tuples
        r, sd = _mean(pearson, split=split)
        rho, rho_sd = _mean(spearman, split=split)
        whole = r if isinstance(r, Undefined) else spearman_brown(r)
        counts = (float(missing.mean()), int(np.isnan(pearson).sum()))
        reliabilities.append(Reliability(items, tuples, answers, single, r, sd, rho, rho_sd, whole, *counts))
    return reliabilities


def _mean(values: Floats, *, split: bool) -> tuple[Value, Value]:
    numbers = values[~np.isnan(values)].tolist()
    undefined = _CONSTANT_SCORES if split else _NO_SPLIT
    if not (split and numbers):
        return undefined, undefined
    return mean(numbers), stdev(numbers) if len(numbers) > 1 else _ONE_SPLIT
