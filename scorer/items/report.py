"""The report of `scorer items`, with the tables of a task's paper.

The tables have the lengths of texts, the words that are not in WordNet, lexical diversity and ratings.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

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
"""The maximum number of points of a rating scale. Each point has a column in the report."""
_TOLERANCE = 1e-9
"""A rating this share of a step below the middle between two points counts as the middle: rounded up."""


@dataclass(frozen=True, slots=True)
class ItemsLevel:
    """The items of a level, and their gold if it is known.

    Parameters
    ----------
    name : str
        The name of the level in tables.
    items : Items
        The items.
    gold : Gold, optional
        The gold values, in the order of the items.
    gold_source : str
        The name of the gold file in messages.
    """

    name: str
    items: Items
    gold: Gold | None = None
    gold_source: str = "gold"


@dataclass(frozen=True, slots=True)
class ScalePoints:
    """The points of a rating scale, from low to high by step, for which ratings are counted."""

    low: float
    high: float
    step: float

    @property
    def values(self) -> list[float]:
        """The points."""
        return [self.low + place * self.step for place in range(self.count)]

    @property
    def count(self) -> int:
        """The number of points."""
        return round((self.high - self.low) / self.step) + 1

    def counts(self, ratings: Sequence[float]) -> list[int]:
        """Count the ratings nearest to each point. A rating in the middle counts at the higher point."""
        near = [floor((rating - self.low) / self.step + 0.5 + _TOLERANCE) for rating in ratings]
        counted = Counter(near)
        return [counted[place] for place in range(self.count)]


def scale_points(levels: Sequence[ItemsLevel], scale: tuple[float, float] | None, step: float) -> ScalePoints:
    """Return the points of a scale. Without a scale, they range from the lowest to the highest rating.

    Raises
    ------
    RequestError
        If the step is not above 0 or does not divide the scale evenly, or there are too many points.
    GoldError
        If ratings are outside the scale. The error lists all of them.
    """
    if not step > 0:
        raise RequestError(f"--step is {step:g}; it has to be above 0")
    ratings = [rating for level in levels for rating in _ratings(level)]
    low, high = scale or (0.0, 0.0)
    if scale is None and ratings:
        low = floor(min(ratings) / step + _TOLERANCE) * step
        high = max(low, ceil(max(ratings) / step - _TOLERANCE) * step)
    for level in levels:
        _refuse_outside(level, low, high, slack=_TOLERANCE * step)
    steps = (high - low) / step
    if abs(steps - round(steps)) > _TOLERANCE or steps >= MAX_POINTS:
        raise RequestError(
            f"a scale from {low:g} to {high:g} with --step {step:g} does not have a whole number of steps, "
            f"or has more than {MAX_POINTS} points"
        )
    return ScalePoints(low, high, step)


def _refuse_outside(level: ItemsLevel, low: float, high: float, slack: float) -> None:
    problems = Problems(level.gold_source)
    for line, value in enumerate(level.gold.values if level.gold else (), start=1):
        if value is not None and not low - slack <= value <= high + slack:
            message = (
                f"gold {value:g} is outside the scale from {low:g} to {high:g}; fix it, or change --scale"
            )
            problems.add(line, "outside_scale", message)
    problems.raise_as(GoldError)


def items_report(
    levels: Sequence[ItemsLevel],
    rules: WordRules,
    scale: tuple[float, float] | None = None,
    step: float = 1.0,
) -> TableReport:
    """Create the report of `scorer items`.

    Parameters
    ----------
    levels : sequence of ItemsLevel
        At least one level.
    rules : WordRules
        The rules for counting words.
    scale : (float, float), optional
        The lowest and the highest rating; by default those of the gold.
    step : float, above 0
        The distance between the points for which ratings are counted.

    Returns
    -------
    TableReport
        The tables "lengths", "missing", "words" and, if a level has gold, "ratings".

    Raises
    ------
    RequestError, GoldError
        In the same cases as `scale_points`, or if a window, the threshold or the draws are out of range.

    Notes
    -----
    The ratio of a level or genre is the ratio of the two means, not the mean of the ratios. Lexical diversity
    is computed over the concatenated texts of a side, in the order of the file. A text that is repeated in a
    group, such as the dialogue turn before five candidates, counts only once.

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
            "Content words of each side: means, standard deviations, and the ratio of the means",
            ("items", "genre", "n", *_SIDE_LENGTHS),
            lengths,
            _PLACES,
            decimals=_SIDE_LENGTHS,
        ),
        ReportTable("missing", "Content words that are not in WordNet 3.0", _MISSING, missing, _PLACES),
        ReportTable(
            "words", "Tokens, types and lexical diversity", word_head, words, _PLACES, _TOKEN_LENGTHS
        ),
    ]
    if ratings:
        head = ("items", "genre", "n", "no gold", "mean", "sd", *(f"{value:g}" for value in points.values))
        title = "Ratings, and how many are nearest to each point of the scale"
        tables.append(ReportTable("ratings", title, head, ratings, _PLACES))
    total = sum(len(level.items) for level in levels)
    about: dict[str, TableCell] = {"n": total, "tokens": rules.tokens, "lemmas": rules.lemmas}
    notes = _notes(rules, points if ratings else None)
    return TableReport(SCHEMA, _signature(total, rules), tuple(tables), about, notes)


_PLACES = ("items", "genre", "side")
_SIDE_LENGTHS = dict.fromkeys(("left", "left sd", "right", "right sd", "ratio"), 2)
_TOKEN_LENGTHS = dict.fromkeys(("length", "sd"), 2)
"""The columns and their decimal places."""
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
    """Return the texts of each side that has texts, and the texts of all sides."""
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
        undefined = rules.vocabulary
        return [words, undefined, undefined, types, undefined, undefined]
    if not words:
        undefined = Undefined("no_content_words", "there are no content words")
        return [0, 0, undefined, 0, 0, undefined]
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
    return f"items|n:{n}|{words}|wordnet:{wordnet}{lemmas}{turns}|{measures}"


def _notes(rules: WordRules, points: ScalePoints | None) -> tuple[str, ...]:
    words = rules.tokens == "words"
    tokens = "words in lower case, without numbers" if words else "everything between spaces, unchanged"
    notes = [
        "Content words are all words that are not in the list of function words. Numbers and single letters "
        "do not count as content words.",
        f"Tokens are {tokens}; length is the mean number of tokens of a text. The threshold of MTLD is "
        f"{rules.threshold:g}, the sample of HD-D has {rules.draws} tokens, and the windows of MSTTR and "
        f"MATTR have {rules.window}.",
    ]
    if points is not None and points.count > 1:
        notes.append("A rating halfway between two points is counted at the higher point.")
    return tuple(notes)
