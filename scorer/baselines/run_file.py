"""The run file of a baseline: what `scorer baseline` prints and what stands on a board."""

from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Literal

from scorer.baselines.common_substring import LCS_DIGITS, lcs_ratio
from scorer.baselines.rounding import round_half_up, shortest_decimal
from scorer.baselines.senses import SenseInventory, open_senses
from scorer.baselines.string_tiling import gst_ratio
from scorer.baselines.word2sense import Measure, best_glosses
from scorer.errors import RequestError
from scorer.files.reading import Items

BaselineName = Literal["lcs", "gst"]
OovRule = Literal["mean", "zero"]
ScaleEnd = int | float | Decimal | Fraction
Scale = ScaleEnd | tuple[ScaleEnd, ScaleEnd]
"""The scale's two ends, or its upper end where the lower one is 0."""

MAX_DIGITS = 15
"""Decimals that a float surely keeps (IEEE 754 binary64)."""


BASELINES: dict[str, tuple[Measure, int | None]] = {"lcs": (lcs_ratio, LCS_DIGITS), "gst": (gst_ratio, None)}


def baseline_run(
    name: BaselineName,
    items: Items,
    *,
    scale: Scale = 4,
    digits: int | None = None,
    senses: SenseInventory | None = None,
    oov: OovRule = "mean",
) -> str:
    r"""Run a baseline over the items of a level.

    Parameters
    ----------
    name : "lcs" or "gst"
        Longest common substring (`lcs`) or greedy string tiling (`gst`).
    items : Items
        The level's items. Items with a sense key are word2sense: ``word#pos`` against ``word#pos#n``.
    scale : number or (number, number), default 4
        Ends of the scale: 0 and 1 of the measure are mapped to them. One number: from 0 to it.
    digits : int, optional
        Decimals to round to, half up, before scaling. Default: 3 for LCS, no rounding for GST.
    senses : SenseInventory, optional
        Where the glosses of word2sense come from. Default: WordNet 3.0 (`open_senses`).
    oov : "mean" or "zero", default "mean"
        Value of a word that has no sense of its part of speech: the mean of the other items' (rounded)
        values, itself rounded, or 0. If there is no other item, it is 0.

    Returns
    -------
    str
        An aligned run file: one value a line, the shortest decimal without an exponent. For word2sense
        ``value<TAB>confidence``, with confidence 0 for such a word and 1 for all others.

    Raises
    ------
    ItemsError
        With every word2sense item that names no word or no sense that there is.
    DataError
        If word2sense needs WordNet 3.0 and it is not there.
    RequestError
        If the name, the scale, the rule or the number of digits makes no sense.

    Notes
    -----
    All arithmetic is on exact ratios, so the digits are the same on any machine. For word2sense, the
    similarity is the largest between a gloss of the word and the gloss of the sense, with the word's in the
    place of the larger text. ``oov="zero"`` is what the official LCS file of the training data has.

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
    low, high = _scale_ends(scale)
    measure, rounding = _choose(name, digits, oov)

    @cache
    def rounded(a: str, b: str) -> Fraction:
        return round_half_up(measure(a, b), rounding)

    if any(item.sense_key is not None for item in items.items):
        values = best_glosses(items, open_senses() if senses is None else senses, rounded)
        instead = _oov_value([value for value in values if value is not None], oov, rounding)
        rows = [(instead, "\t0") if value is None else (value, "\t1") for value in values]
    else:
        rows = [(rounded(item.left, item.right), "") for item in items.items]
    return "".join(f"{shortest_decimal(low + value * (high - low))}{tail}\n" for value, tail in rows)


def _choose(name: str, digits: int | None, oov: str) -> tuple[Measure, int | None]:
    if name not in BASELINES:
        raise RequestError(f'there is no baseline "{name}"; choose lcs or gst')
    if oov not in ("mean", "zero"):
        raise RequestError(f'there is no rule "{oov}" for words without a sense; choose mean or zero')
    if digits is not None and not 0 <= digits <= MAX_DIGITS:
        raise RequestError(f"{digits} digits cannot be printed; give 0 to {MAX_DIGITS}")
    measure, default = BASELINES[name]
    return measure, default if digits is None else digits


def _scale_ends(scale: Scale) -> tuple[Fraction, Fraction]:
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
