"""Create the run file of a baseline, for `scorer baseline` and for leaderboards."""

from collections.abc import Callable
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
"""The two ends of a scale, or only its upper end if the lower end is 0."""

MAX_DIGITS = 15
"""The number of decimal digits that a float (IEEE 754 binary64) always preserves."""


BASELINES: dict[str, tuple[Measure, int | None]] = {"lcs": (lcs_ratio, LCS_DIGITS), "gst": (gst_ratio, None)}


def baseline_run(
    name: BaselineName,
    items: Items,
    *,
    scale: Scale = 4,
    digits: int | None = None,
    senses: SenseInventory | None = None,
    oov: OovRule = "mean",
    progress: Callable[[int], None] = lambda _: None,
) -> str:
    r"""Run a baseline on the items of a level.

    Parameters
    ----------
    name : "lcs" or "gst"
        Longest common substring (`lcs`) or greedy string tiling (`gst`).
    items : Items
        The items of the level. Items with a sense key are word2sense items: ``word#pos`` and ``word#pos#n``.
    scale : number or (number, number), default 4
        The ends of the scale, to which the values 0 and 1 of the measure are mapped. A single number is the
        upper end, with the lower end 0.
    digits : int, optional
        The number of decimal places to which values are rounded, half up, before scaling. By default it is 3
        for LCS, and GST is not rounded.
    senses : SenseInventory, optional
        The source of the glosses for word2sense; by default WordNet 3.0 (`open_senses`).
    oov : "mean" or "zero", default "mean"
        The value of a word that has no sense with its part of speech: the rounded mean of the other items'
        rounded values, or 0. If there is no other item, it is 0.
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
        If the name, the scale, the rule or the number of digits is not valid.

    Notes
    -----
    All arithmetic uses exact ratios, so the digits are the same on every machine. For word2sense, the value
    is the largest similarity between a gloss of the word, as the larger text, and the gloss of the sense. The
    official LCS file of the training data corresponds to ``oov="zero"``.

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

    rows: list[tuple[Fraction, str]] = []
    if any(item.sense_key is not None for item in items.items):
        values = best_glosses(items, open_senses() if senses is None else senses, rounded)
        oov_value = _oov_value([value for value in values if value is not None], oov, rounding)
        rows = [(oov_value, "\t0") if value is None else (value, "\t1") for value in values]
    else:
        for item in items.items:
            rows.append((rounded(item.left, item.right), ""))
            progress(1)
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
