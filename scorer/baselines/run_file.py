"""Describe the baselines, and create the run file of one, for `scorer baseline` and for leaderboards."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from itertools import chain
from typing import Literal

from scorer.baselines.common_substring import LCS_DIGITS, lcs_ratio
from scorer.baselines.rounding import round_half_up, shortest_decimal
from scorer.baselines.senses import SenseInventory, open_senses
from scorer.baselines.string_tiling import gst_ratio
from scorer.baselines.tfidf import fit_tfidf
from scorer.baselines.word2sense import find_glosses
from scorer.errors import RequestError
from scorer.files.reading import Items

BaselineName = Literal["lcs", "gst", "tfidf"]
OovRule = Literal["mean", "zero"]
ScaleEnd = int | float | Decimal | Fraction
Scale = ScaleEnd | tuple[ScaleEnd, ScaleEnd]
"""The two ends of a scale, or only its upper end if the lower end is 0."""

MAX_DIGITS = 15
"""The number of decimal digits that a float (IEEE 754 binary64) always preserves."""

Measure = Callable[[str, str], Fraction | float]
"""A function that computes the similarity of two texts, from 0 to 1."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline: its name for people, what it is, its measure, and the digits of that by default.

    `fit` gets all texts that will be compared and returns the measure.
    """

    title: str
    method: str
    fit: Callable[[Iterable[str]], Measure]
    digits: int | None = None


BASELINES: Mapping[BaselineName, Baseline] = {
    "lcs": Baseline("LCS", "longest common substring", lambda _: lcs_ratio, LCS_DIGITS),
    "gst": Baseline("GST", "greedy string tiling", lambda _: gst_ratio),
    "tfidf": Baseline("TF-IDF", "tf-idf of the characters of words", fit_tfidf),
}
"""All baselines, in the order in which they are offered."""


def baseline_run(
    name: BaselineName | Baseline,
    items: Items,
    *,
    scale: Scale = 4,
    digits: int | None = None,
    senses: SenseInventory | None = None,
    oov: OovRule = "mean",
    words: bool = False,
    progress: Callable[[int], None] = lambda _: None,
) -> str:
    r"""Run a baseline on the items of a level.

    Parameters
    ----------
    name : "lcs", "gst", "tfidf" or Baseline
        Longest common substring (`lcs`), greedy string tiling (`gst`), tf-idf (`fit_tfidf`), or another.
    items : Items
        The items of the level. Items with a sense key are word2sense items: ``word#pos`` and ``word#pos#n``.
    scale : number or (number, number), default 4
        The ends of the scale, to which the values 0 and 1 of the measure are mapped. A single number is the
        upper end, with the lower end 0.
    digits : int, optional
        The number of decimal places to which values are rounded, half up, before scaling. By default it is 3
        for LCS, and the others are not rounded.
    senses : SenseInventory, optional
        The source of the glosses for word2sense; by default WordNet 3.0 (`open_senses`).
    oov : "mean" or "zero", default "mean"
        The value of a word that has no sense with its part of speech: the rounded mean of the other items'
        rounded values, or 0. If there is no other item, it is 0.
    words : bool, default False
        Whether tf-idf compares words instead of characters.
    progress : callable, optional
        A callback. It is called with the number of items that were compared since its last call.

    Returns
    -------
    str
        An aligned run file with one value per line, as the shortest decimal without an exponent. For
        word2sense, lines are ``value<TAB>confidence``, with the confidence 0 for a word without a sense and
        1 for all other words.

    Raises
    ------
    ItemsError
        If word2sense items do not have a valid word and an existing sense. The error lists all of them.
    DataError
        If word2sense needs WordNet 3.0 and it is not installed.
    RequestError
        If the name, the scale, the rule or the number of digits is not valid, or `words` are asked of another
        baseline than tf-idf.

    Notes
    -----
    The digits are the same on every machine: arithmetic uses exact ratios, and for tf-idf correctly rounded
    sums and logarithms. For word2sense, the value is the largest similarity between a gloss of the word, as
    the larger text, and the gloss of the sense. The official LCS file of the training data corresponds to
    ``oov="zero"``.

    Tf-idf is fitted on the texts of `items` alone, which for word2sense are these glosses. On the training
    data of SemEval-2014 Task 3, Pearson's r is .714, .614 and .200 for paragraph2sentence, sentence2phrase
    and phrase2word. If `items` are those of all three, it is .715, .614 and .200.

    References
    ----------
    Jurgens, Pilehvar & Navigli (2014), SemEval-2014 Task 3: Cross-Level Semantic Similarity, the baselines
    (ACL S14-2003), and the README of its data, section BASELINE.

    Examples
    --------
    >>> from scorer.files.reading import parse_items
    >>> items = parse_items(b"comply with obligations\tcomplying\tNews-1\n", "items.tsv")
    >>> print(baseline_run("lcs", items, scale=4), end="")
    1.5
    """
    low, high = scale_ends(scale)
    fit, rounding = _choose(name, digits, oov, words=words)
    has_senses = any(item.sense_key is not None for item in items.items)
    pairs = compared_texts(items, senses)
    measure = fit(chain.from_iterable((*lefts, right) for lefts, right in pairs))

    @cache
    def rounded(left: str, right: str) -> Fraction:
        return round_half_up(Fraction(measure(left, right)), rounding)

    values: list[Fraction | None] = []
    for lefts, right in pairs:
        values.append(max((rounded(left, right) for left in lefts), default=None))
        progress(1)
    oov_value = _oov_value([value for value in values if value is not None], oov, rounding)
    tails = ("\t0", "\t1") if has_senses else ("", "")
    rows = [(oov_value if value is None else value, tails[value is not None]) for value in values]
    return "".join(f"{shortest_decimal(low + value * (high - low))}{tail}\n" for value, tail in rows)


def compared_texts(items: Items, senses: SenseInventory | None = None) -> list[tuple[tuple[str, ...], str]]:
    """Return the left texts and the right text of each item; for word2sense, see `find_glosses`."""
    if all(item.sense_key is None for item in items.items):
        return [((item.left,), item.right) for item in items.items]
    return find_glosses(items, open_senses() if senses is None else senses)


def _choose(
    name: BaselineName | Baseline, digits: int | None, oov: str, *, words: bool
) -> tuple[Callable[[Iterable[str]], Measure], int | None]:
    if isinstance(name, str) and name not in BASELINES:
        raise RequestError(f'there is no baseline "{name}"; choose one of {", ".join(BASELINES)}')
    if words and name != "tfidf":
        raise RequestError(f"{name} compares characters; only tfidf can compare words")
    if oov not in ("mean", "zero"):
        raise RequestError(f'there is no rule "{oov}" for words without a sense; choose mean or zero')
    if digits is not None and not 0 <= digits <= MAX_DIGITS:
        raise RequestError(f"{digits} digits cannot be printed; give 0 to {MAX_DIGITS}")
    baseline = BASELINES[name] if isinstance(name, str) else name
    fit = partial(fit_tfidf, words=True) if words else baseline.fit
    return fit, baseline.digits if digits is None else digits


def scale_ends(scale: Scale) -> tuple[Fraction, Fraction]:
    """Return the ends of a scale as exact numbers, or raise RequestError."""
    low, high = scale if isinstance(scale, tuple) else (0, scale)
    try:
        ends = Fraction(str(low)), Fraction(str(high))
    except ValueError:
        ends = Fraction(0), Fraction(0)
    if ends[0] >= ends[1]:
        raise RequestError(f"a scale from {low} to {high} makes no sense; give two numbers, the lower first")
    return ends


def _oov_value(values: list[Fraction], oov: str, digits: int | None) -> Fraction:
    if oov == "zero" or not values:
        return Fraction(0)
    return round_half_up(sum(values, Fraction(0)) / len(values), digits)
