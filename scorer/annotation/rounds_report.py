"""The report of `scorer rounds`: rounds compared with each other, also by thinking time and by position."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, combinations, pairwise, permutations
from math import ceil
from statistics import fmean, median

import numpy as np

from scorer.annotation.agreement import MEASURES, Value, closeness
from scorer.annotation.agreement_report import (
    ALL,
    EXPECTED_MSE_NOTE,
    SUBSET_HEADING,
    count_ratings,
    expected_mse_table,
    missing_table,
)
from scorer.annotation.ratings import Floats, Ratings
from scorer.annotation.rounds import (
    AnswerBucket,
    Pairing,
    align_rounds,
    calibration_curve,
    closeness_by_thinking_time,
    paired_columns,
    partial_correlation,
    pauses_between,
)
from scorer.errors import RequestError
from scorer.reports.table_report import ReportTable, TableCell, TableReport

SCHEMA = "assay.rounds/1"
_TRIPLE = 3
_HOUR, _DAY = 3600.0, 86_400.0
_ROUND_HEADINGS = {"answers of": "round", "beside": "compared with", "t": "position"}
_PAUSE_HEADINGS = {"after": "from round", "before": "to round"}
UnitSubsets = Mapping[str, Collection[str]]
"""Named subsets of the units."""


@dataclass(frozen=True, slots=True)
class RoundsRules:
    """The options of `scorer rounds`.

    Parameters
    ----------
    by : "means" or "annotator"
        Whether to compare the means of the units, or the ratings that the same annotator gave in each round.
    bucket : float
        The width of a bucket of thinking time in seconds, above 0.
    step : int, optional
        The number of positions for each point of the calibration curve. None means no curve.
    by_genre : bool
        Whether to compare within each genre too.
    pauses : bool
        Whether to show how long annotators paused between one round and the next.
    """

    by: Pairing = "means"
    bucket: float = 1.0
    step: int | None = None
    by_genre: bool = False
    pauses: bool = False


def rounds_report(rounds: Sequence[Ratings], subsets: UnitSubsets, rules: RoundsRules) -> TableReport:
    """Compare two or three rounds over all units and over each named subset of them.

    Parameters
    ----------
    rounds : sequence of Ratings
        Two or three rounds.
    subsets : mapping of str to collection of str
        The units of each subset by its name, for example the units that a filter kept.
    rules : RoundsRules
        The options.

    Returns
    -------
    TableReport
        The tables "correlation", "partial" (for three rounds), "expected_mse", "thinking_time" (if a round
        has thinking times), "calibration" (if `rules.step` is given), "pauses" and "pause_shares" (if
        `rules.pauses` is true), and "missing".

    Raises
    ------
    RequestError
        If there are not two or three rounds, if a comparison by genre is requested and no round has genres,
        or if pauses are requested and a round has no times, or no annotator rated in two consecutive rounds.
    RatingsError
        If two rounds have no unit in common.
    """
    if len(rounds) not in (2, _TRIPLE):
        raise RequestError(f"{len(rounds)} rounds cannot be compared; give two or three")
    if rules.by_genre and all(ratings.genres is None for ratings in rounds):
        raise RequestError("--by-genre needs --genre COLUMN, or --genre id-prefix")
    tables = [_correlation_table(rounds, subsets, rules)]
    if len(rounds) == _TRIPLE:
        tables.append(_partial_table(rounds, subsets, rules))
    named = [(f"round {name}", ratings) for name, ratings in enumerate(rounds, start=1)]
    tables.append(expected_mse_table(named))
    tables += _timed_tables(rounds, rules)
    if rules.pauses:
        tables += _pause_tables(rounds)
    tables.append(missing_table(named))
    about: dict[str, TableCell] = {"rounds": len(rounds), "by": rules.by}
    sizes = "+".join(str(len(ratings)) for ratings in rounds)
    curve = "" if rules.step is None else f"|step:{rules.step}"
    signature = f"rounds|ratings:{sizes}|by:{rules.by}|bucket:{rules.bucket!r}{curve}"
    return TableReport(SCHEMA, signature, tuple(tables), about, tuple(_notes(rounds, rules)))


def _notes(rounds: Sequence[Ratings], rules: RoundsRules) -> Iterator[str]:
    for name, ratings in enumerate(rounds, start=1):
        counts = count_ratings(ratings, len(ratings))
        repeats = len(ratings) - int(ratings.is_first.sum())
        not_compared = f" Repeats, which are not compared: {repeats}." if repeats else ""
        yield f"Round {name} is {ratings.source}: {counts}.{not_compared}"
    yield (
        "Between rounds, the mean ratings of units are compared; n is the number of units with a rating in "
        "each of these rounds."
        if rules.by == "means"
        else "Between rounds, ratings of the same unit by the same annotator are compared; n counts each "
        "unit once for each annotator who rated it in all of these rounds."
    )
    timed = any(ratings.seconds is not None for ratings in rounds)
    tables = [
        *(["in the table by thinking time"] if timed else []),
        *(["in the calibration curve"] if rules.step is not None else []),
    ]
    if tables:
        yield (
            f"{' and '.join(tables).capitalize()}, the ratings of one round are compared with another round, "
            "and n is the number of ratings."
        )
    for name, ratings in enumerate(rounds, start=1):
        if ratings.seconds is not None and (missing := int(np.isnan(ratings.seconds).sum())):
            yield (
                f"Without a thinking time, and not in the table by thinking time: {missing} of the "
                f"{len(ratings)} ratings of round {name}."
            )
    if rules.pauses:
        yield (
            "A pause is the time from an annotator's last rating in one round to the first one in the next. "
            "In the table of shares, n is the number of annotators who paused for at most this many days. "
            "A row of 0 days counts those who began the next round before they finished the earlier one."
        )
    yield EXPECTED_MSE_NOTE


def _subsets(
    aligned: Sequence[Ratings], subsets: UnitSubsets, rules: RoundsRules
) -> Iterator[tuple[str, list[Ratings]]]:
    yield ALL, list(aligned)
    for name, units in subsets.items():
        yield f"subset {name}", [ratings.of_units(units) for ratings in aligned]
    for genre in aligned[0].genre_names() if rules.by_genre else ():
        yield f"genre {genre}", [ratings.of_genre(genre) for ratings in aligned]


def _correlation_table(rounds: Sequence[Ratings], subsets: UnitSubsets, rules: RoundsRules) -> ReportTable:
    rows: list[list[TableCell]] = []
    for a, b in combinations(range(len(rounds)), 2):
        for name, part in _subsets(align_rounds([rounds[a], rounds[b]]), subsets, rules):
            result = closeness(*map(Floats.tolist, paired_columns(part, rules.by)))
            rows.append([f"{a + 1} and {b + 1}", name, *result.cells])
    words = ("rounds", "units of")
    title = "Agreement of two rounds"
    return ReportTable("correlation", title, (*words, "n", *MEASURES), rows, words, headings=SUBSET_HEADING)


def _partial_table(rounds: Sequence[Ratings], subsets: UnitSubsets, rules: RoundsRules) -> ReportTable:
    parts = [
        (name, [column.tolist() for column in paired_columns(part, rules.by)])
        for name, part in _subsets(align_rounds(rounds), subsets, rules)
    ]
    rows: list[list[TableCell]] = []
    for a, b, control in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
        for name, values in parts:
            cells = _partial(values[a], values[b], values[control])
            rows.append([f"{a + 1} and {b + 1}", control + 1, name, len(values[0]), *cells])
    title = "Partial correlations of two rounds given the third, over the units in all three"
    head = ("rounds", "given", "units of", "n", "pearson", "spearman")
    return ReportTable("partial", title, head, rows, ("rounds", "units of"), headings=SUBSET_HEADING)


def _partial(a: Sequence[float], b: Sequence[float], control: Sequence[float]) -> tuple[Value, Value]:
    pair, first, second = closeness(a, b), closeness(a, control), closeness(b, control)
    return (
        partial_correlation(pair.pearson, first.pearson, second.pearson),
        partial_correlation(pair.spearman, first.spearman, second.spearman),
    )


def _timed_tables(rounds: Sequence[Ratings], rules: RoundsRules) -> Iterator[ReportTable]:
    if any(ratings.seconds is not None for ratings in rounds):
        yield ReportTable(
            "thinking_time",
            "How close ratings are to the other round, by thinking time in seconds",
            ("answers of", "beside", "seconds", "below", "n", *MEASURES),
            _bucket_rows(rounds, partial(closeness_by_thinking_time, by=rules.by, width=rules.bucket)),
            decimals={"seconds": 1, "below": 1},
            headings=_ROUND_HEADINGS,
        )
    if rules.step is not None:
        yield ReportTable(
            "calibration",
            "Calibration curve: how close ratings are to the other round, by position of the rating",
            ("answers of", "beside", "t", "below", "n", *MEASURES),
            _bucket_rows(rounds, partial(calibration_curve, by=rules.by, step=rules.step)),
            headings=_ROUND_HEADINGS,
        )


def _bucket_rows(
    rounds: Sequence[Ratings], buckets: Callable[[Ratings, Ratings], list[AnswerBucket]]
) -> list[list[TableCell]]:
    return [
        [a + 1, b + 1, bucket.start, bucket.end, *bucket.closeness.cells]
        for a, b in permutations(range(len(rounds)), 2)
        if 0 in (a, b)
        for bucket in buckets(rounds[a], rounds[b])
    ]


def _pause_tables(rounds: Sequence[Ratings]) -> Iterator[ReportTable]:
    """Summarize the pauses between consecutive rounds, and give their cumulative distribution in days."""
    numbered = enumerate(pairwise(rounds), start=1)
    found = {number: sorted(pauses_between(*pair).values()) for number, pair in numbered}
    pauses = {number: seconds for number, seconds in found.items() if seconds}
    if not pauses:
        raise RequestError(
            "nobody rated in two consecutive rounds, so there is no pause; name annotators alike in all files"
        )
    yield ReportTable(
        "pauses",
        "How long annotators paused between two rounds, in hours",
        ("after", "before", "n", "min", "median", "mean", "max"),
        [
            [number, number + 1, len(seconds), *(of(seconds) / _HOUR for of in (min, median, fmean, max))]
            for number, seconds in pauses.items()
        ],
        decimals=dict.fromkeys(("min", "median", "mean", "max"), 1),
        headings=_PAUSE_HEADINGS,
    )
    yield ReportTable(
        "pause_shares",
        "Share of the annotators who paused for at most this many days",
        ("after", "before", "days", "n", "share"),
        [
            [number, number + 1, days, count, count / len(seconds)]
            for number, seconds in pauses.items()
            for days, count in _count_by_day(seconds)
        ],
        headings=_PAUSE_HEADINGS,
    )


def _count_by_day(seconds: Sequence[float]) -> list[tuple[int, int]]:
    """Return each day on which a pause ended, 0 for pauses below 0, and how many pauses had ended by then."""
    days = Counter(max(0, ceil(pause / _DAY)) for pause in seconds)
    return list(zip(sorted(days), accumulate(days[day] for day in sorted(days)), strict=True))
