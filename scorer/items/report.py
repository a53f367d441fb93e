"""The tables on items that a task's paper prints: lengths, words that WordNet lacks, variety, ratings."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from scorer._version import __version__
from scorer.errors import GoldError, RequestError
from scorer.files.reading import Gold, Items
from scorer.files.text import Problems
from scorer.items.lexical_diversity import (
    TokenizedText,
    cttr,
    hdd,
    index_tokens,
    mattr,
    msttr,
    mtld,
    rttr,
    ttr,
)
from scorer.items.word_counts import ALL, SIDES, Side, TokenizedItems, WordRules, mean_sd, measure_items
from scorer.items.words import function_words_name
from scorer.reports.table_report import ReportTable, TableCell, TableReport
from scorer.values import Undefined, value_or_undefined

SCHEMA = "assay.items/1"
MAX_POINTS = 101
"""Of a rating scale: more would be columns that nobody reads."""
_TOLERANCE = 1e-9
"""Ratings closer to the middle between two points than this are the middle, and count upwards."""


@dataclass(frozen=True, slots=True)
class ItemsLevel:
    """An items file under the name that tables give it, and its gold where that is known.

    Parameters
    ----------
    name : str
    items : Items
    gold : Gold, optional
        A value a line, in the order of the items.
    gold_source : str
        What messages call its file.
    """

    name: str
    items: Items
    gold: Gold | None = None
    gold_source: str = "gold"


@dataclass(frozen=True, slots=True)
class ScalePoints:
    """The points at which ratings are counted: from low to high by step."""

    low: float
    high: float
    step: float

    @property
    def values(self) -> list[float]:
        """The points."""
        return [self.low + place * self.step for place in range(self.count)]

    @property
    def count(self) -> int:
        """How many there are."""
        return round((self.high - self.low) / self.step) + 1

    def counts(self, ratings: Sequence[float]) -> list[int]:
        """How many ratings are nearest to each point; those in the middle count upwards."""
        near = [floor((rating - self.low) / self.step + 0.5 + _TOLERANCE) for rating in ratings]
        counted = Counter(near)
        return [counted[place] for place in range(self.count)]


def scale_points(levels: Sequence[ItemsLevel], scale: tuple[float, float] | None, step: float) -> ScalePoints:
    """The points of a scale, or else those from the lowest to the highest rating that there is.

    Raises
    ------
    RequestError
        If the step is not above 0 or does not lead from end to end, the scale has no width, or there are too
        many points.
    GoldError
        With every rating outside the scale.
    """
    if not step > 0:
        raise RequestError(f"--step is {step:g}; it has to be above 0")
    if scale is not None and not scale[0] < scale[1]:
        raise RequestError(
            f"--scale goes from its lowest to its highest rating, not {scale[0]:g} {scale[1]:g}"
        )
    ratings = [rating for level in levels for rating in _ratings(level)]
    low, high = scale or (0.0, 0.0)
    if scale is None and ratings:
        low = floor(min(ratings) / step + _TOLERANCE) * step
        high = max(low, ceil(max(ratings) / step - _TOLERANCE) * step)
    for level in levels:
        _refuse_outside(level, low, high)
    steps = (high - low) / step
    if abs(steps - round(steps)) > _TOLERANCE or steps >= MAX_POINTS:
        message = f"--step {step:g} makes no scale from {low:g} to {high:g} of at most {MAX_POINTS} points"
        raise RequestError(message)
    return ScalePoints(low, high, step)


def _refuse_outside(level: ItemsLevel, low: float, high: float) -> None:
    problems = Problems(level.gold_source)
    for line, value in enumerate(level.gold.values if level.gold else (), start=1):
        if value is not None and not low - _TOLERANCE <= value <= high + _TOLERANCE:
            message = f"gold {value:g} is outside the scale from {low:g} to {high:g}; fix it, or give --scale"
            problems.add(line, "outside_scale", message)
    problems.raise_as(GoldError)


def items_report(
    levels: Sequence[ItemsLevel],
    rules: WordRules,
    scale: tuple[float, float] | None = None,
    step: float = 1.0,
) -> TableReport:
    """Make what `scorer items` prints.

    Parameters
    ----------
    levels : sequence of Level
        At least one.
    rules : WordRules
        What a word is.
    scale : (float, float), optional
        Lowest and highest rating; by default those of the gold.
    step : float, above 0
        Between the points at which ratings are counted.

    Returns
    -------
    TableReport
        Tables "lengths", "missing", "words" and, where a level has gold, "ratings".

    Raises
    ------
    RequestError, GoldError
        As `scale_points`; or if a window, a threshold or draws make no sense.

    Notes
    -----
    The ratio of a level or genre is that of the two means, not the mean of ratios. Variety is that of the
    texts of a side one after the other, in the order of the file; a text that a group has twice counts once
    there, as the turn before five candidates does.

    References
    ----------
    Jurgens, Pilehvar & Navigli (2016), Cross level semantic similarity: an evaluation framework for universal
    measures of similarity, Language Resources and Evaluation 50. Asaadi, Kolagar, Liebel & Zarcone (2022),
    GiCCS: A German in-context conversational similarity benchmark.
    """
    points = scale_points(levels, scale, step)
    lengths: list[list[TableCell]] = []
    missing: list[list[TableCell]] = []
    words: list[list[TableCell]] = []
    ratings: list[list[TableCell]] = []
    for level in levels:
        tokenized_items = measure_items(level.items, rules)
        for genre, chosen in tokenized_items.texts.subsets():
            lengths.append([level.name, genre, *_lengths(tokenized_items, chosen)])
            for side, part in _sides(tokenized_items, chosen):
                missing.append([level.name, genre, side, *_missing(tokenized_items, part, rules)])
                words.append([level.name, genre, side, *_words(tokenized_items, part, rules)])
        ratings += _rating_rows(level, points)
    lemmas = ("lemmas",) if rules.lemma else ()
    word_head = (*_PLACES, "texts", "tokens", "types", *lemmas, *_TOKEN_LENGTHS, *_MEASURES)
    tables = [
        ReportTable(
            "lengths",
            "Content words of each side, and the ratio of the means",
            ("items", "genre", "n", *_SIDE_LENGTHS),
            lengths,
            _PLACES,
            decimals=_SIDE_LENGTHS,
        ),
        ReportTable("missing", "Content words that WordNet 3.0 lacks", _MISSING, missing, _PLACES),
        ReportTable("words", "Tokens, types and their variety", word_head, words, _PLACES, _TOKEN_LENGTHS),
    ]
    if ratings:
        head = ("items", "genre", "n", "no gold", "mean", "sd", *(f"{value:g}" for value in points.values))
        title = "Ratings, and how many are nearest to each point"
        tables.append(ReportTable("ratings", title, head, ratings, _PLACES))
    total = sum(len(level.items) for level in levels)
    about: dict[str, TableCell] = {"n": total, "tokens": rules.tokens, "lemmas": rules.lemmas}
    notes = _notes(rules, points if ratings else None)
    return TableReport(SCHEMA, _signature(total, rules), tuple(tables), about, notes)


_PLACES = ("items", "genre", "side")
_SIDE_LENGTHS = dict.fromkeys(("left", "left sd", "right", "right sd", "ratio"), 2)
_TOKEN_LENGTHS = dict.fromkeys(("length", "sd"), 2)
"""Columns with their decimals."""
_MISSING = (*_PLACES, "words", "missing", "share", "types", "missing types", "share of types")
_MEASURES: dict[str, Callable[[TokenizedText, WordRules], float]] = {
    "TTR": lambda text, _: ttr(text),
    "RTTR": lambda text, _: rttr(text),
    "CTTR": lambda text, _: cttr(text),
    "MSTTR": lambda text, rules: msttr(text, rules.window),
    "MATTR": lambda text, rules: mattr(text, rules.window),
    "MTLD": lambda text, rules: mtld(text, rules.threshold),
    "HD-D": lambda text, rules: hdd(text, rules.draws),
}


def _sides(items: TokenizedItems, chosen: NDArray[np.bool_]) -> list[tuple[str, NDArray[np.bool_]]]:
    """The texts of each side that there is, and those of all sides."""
    present: list[Side] = [side for side in SIDES if items.texts.of_side(side).any()]
    return [*((side, chosen & items.texts.of_side(side)) for side in present), (ALL, chosen)]


def _lengths(items: TokenizedItems, chosen: NDArray[np.bool_]) -> list[TableCell]:
    left, right = (items.content[chosen & items.texts.of_side(side)] for side in ("left", "right"))
    total = int(right.sum())
    ratio: TableCell = Undefined("no_content_words", "the right side has no content words")
    if total:
        ratio = int(left.sum()) / total
    return [len(left), *mean_sd(left), *mean_sd(right), ratio]


def _missing(items: TokenizedItems, chosen: NDArray[np.bool_], rules: WordRules) -> list[TableCell]:
    words, missing = int(items.content[chosen].sum()), int(items.missing[chosen].sum())
    types, missing_types = items.vocabulary_of(chosen)
    if isinstance(rules.vocabulary, Undefined):
        none = rules.vocabulary
        return [words, none, none, types, none, none]
    if not words:
        none = Undefined("no_content_words", "there are no content words")
        return [0, 0, none, 0, 0, none]
    return [words, missing, missing / words, types, missing_types, missing_types / types]


def _words(items: TokenizedItems, chosen: NDArray[np.bool_], rules: WordRules) -> list[TableCell]:
    text = index_tokens(items.tokens_of(chosen))
    lengths = items.lengths[chosen & ~items.texts.repeats]
    lemmas = [items.lemmas_of(chosen)] if rules.lemma else []
    values = [value_or_undefined(measure, text, rules) for measure in _MEASURES.values()]
    return [len(lengths), len(text), len(text.counts), *lemmas, *mean_sd(lengths), *values]


def _ratings(level: ItemsLevel) -> list[float]:
    return [value for value in level.gold.values if value is not None] if level.gold else []


def _rating_rows(level: ItemsLevel, points: ScalePoints) -> list[list[TableCell]]:
    if level.gold is None:
        return []
    rows: list[list[TableCell]] = []
    names = level.items.genre_names if len(level.items.genre_names) > 1 else ()
    for genre in (*names, ALL):
        pairs = zip(level.items.genres, level.gold.values, strict=True)
        golds = [value for item_genre, value in pairs if genre in (item_genre, ALL)]
        values = [value for value in golds if value is not None]
        mean, sd = mean_sd(values)
        unrated = len(golds) - len(values)
        rows.append([level.name, genre, len(golds), unrated, mean, sd, *points.counts(values)])
    return rows


def _signature(n: int, rules: WordRules) -> str:
    wordnet = "none" if isinstance(rules.vocabulary, Undefined) else "3.0"
    words = f"tokens:{rules.tokens}|function-words:{function_words_name(rules.function_words)}"
    lemmas = f"|lemmas:{rules.lemmas}" if rules.lemmas else ""
    turns = f"|turns:{rules.turns}" if rules.turns else ""
    measures = f"window:{rules.window}|mtld:{rules.threshold!r}|hdd:{rules.draws}"
    return f"items|n:{n}|{words}|wordnet:{wordnet}{lemmas}{turns}|{measures}|v:{__version__}"


def _notes(rules: WordRules, points: ScalePoints | None) -> tuple[str, ...]:
    tokens = "words in lower case, without numbers" if rules.tokens == "words" else "what blanks part"
    notes = [
        "Content words are those that no list of function words has; numbers are none.",
        f"Tokens are {tokens}; length is the mean of tokens by text. MTLD at {rules.threshold:g}, HD-D of "
        f"{rules.draws} draws, MSTTR and MATTR over {rules.window} tokens.",
    ]
    if points is not None and points.count > 1:
        notes.append("A rating in the middle between two points counts at the higher one.")
    return tuple(notes)
