"""The report of `scorer bias`: how ratings deviate from gold, by genre and by level."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from scorer.annotation.agreement_report import ALL, SUBSET_HEADING, count_ratings, missing_table
from scorer.annotation.bias import deviations_from_gold, make_box, mean_interval
from scorer.annotation.ratings import Ratings
from scorer.files.text import count_noun
from scorer.reports.table_report import ReportTable, TableCell, TableReport
from scorer.statistics.intervals import Interval, Resampling

SCHEMA = "assay.bias/1"
_HEAD = (
    "units of", "units", "annotators", "n", "mean", "low", "high", "whisker low", "q1", "median", "q3",
    "whisker high", "outside", "above",
)  # fmt: skip
_NOTES = (
    "A deviation is a rating minus the gold of its unit. above is the share of ratings above the gold; those "
    "equal to it are not above.",
    "low and high are the ends of a bootstrap interval of the mean: annotators and units are drawn with "
    "replacement, independently of each other (Owen 2007, The pigeonhole bootstrap).",
    "q1 and q3 are the quartiles. A whisker ends at the most distant deviation that is at most 1.5 "
    "interquartile ranges from them; outside is the number of deviations beyond the whiskers.",
)


def bias_report(
    ratings: Ratings,
    gold: Mapping[str, float],
    resampling: Resampling,
    levels: Mapping[str, str] | None = None,
) -> TableReport:
    """Compute how ratings deviate from gold, over all units and by genre and level.

    Parameters
    ----------
    ratings : Ratings
        The ratings, perhaps with genres. Repeats are left out.
    gold : mapping of str to float
        The gold by the name of the unit. Units without gold are left out and counted.
    resampling : Resampling
        The options of the interval of the mean, whose type must be "percentile".
    levels : mapping of str to str, optional
        The level of each unit. If it is given, there are rows for each level, and for each genre of a level.

    Returns
    -------
    TableReport
        The tables "bias" and "missing".

    Raises
    ------
    RequestError
        If no rated unit has gold, or an option of the resampling is not valid.

    References
    ----------
    Jurgens, Pilehvar & Navigli (2016), Cross level semantic similarity: an evaluation framework for universal
    measures of similarity, Language Resources and Evaluation 50, doi:10.1007/s10579-015-9318-3, figure 2.
    """
    deviations = deviations_from_gold(ratings, gold)
    scopes = list(_scopes(deviations, levels or {}))
    intervals = [mean_interval(part, resampling) for _, part in scopes]
    rows = [_row(name, part, each) for (name, part), each in zip(scopes, intervals, strict=True)]
    title, headings = "Deviation of ratings from gold", {**SUBSET_HEADING, "n": "ratings"}
    tables = (
        ReportTable("bias", title, _HEAD, rows, ("units of",), headings=headings),
        missing_table([(ratings.source, ratings)]),
    )
    n, rated = len(deviations.units), len(set(ratings.unit.tolist()))
    about: dict[str, TableCell] = {"n": n, "ratings": len(deviations), "without_gold": rated - n}
    counts = count_ratings(deviations, len(deviations))
    left_out = f"; {count_noun(rated - n, 'rated unit')} without gold" if rated > n else ""
    notes = [f"{counts}{left_out}.", *_NOTES]
    if empty := max(interval.degenerate for interval in intervals):
        notes.append(
            f"Up to {empty} of {resampling.b} resamples of a row are left out, because no drawn annotator "
            "rated a drawn unit."
        )
    signature = f"bias|n:{n}|ratings:{len(deviations)}|{resampling.signature()}|resampled:annotators+units"
    return TableReport(SCHEMA, signature, tables, about, tuple(notes))


def _scopes(deviations: Ratings, levels: Mapping[str, str]) -> Iterator[tuple[str, Ratings]]:
    """Yield all deviations, and those of each genre, of each level, and of each genre of a level."""
    yield ALL, deviations
    genres = {genre: deviations.of_genre(genre) for genre in deviations.genre_names()}
    yield from ((f"genre {genre}", part) for genre, part in genres.items())
    names = dict.fromkeys(filter(None, (levels.get(unit) for unit in deviations.units)))
    units = {name: {unit for unit in deviations.units if levels.get(unit) == name} for name in names}
    yield from ((f"level {name}", deviations.of_units(units[name])) for name in names)
    for name, genre in product(names, genres):
        part = genres[genre].of_units(units[name])
        if len(part):
            yield f"level {name}, genre {genre}", part


def _row(name: str, part: Ratings, interval: Interval) -> Sequence[TableCell]:
    box, annotators = make_box(part.value.tolist()), len(set(part.annotator.tolist()))
    ends = interval.undefined or interval.low, interval.undefined or interval.high
    parts = (box.low, box.q1, box.median, box.q3, box.high, box.outside, box.above)
    return [name, len(part.units), annotators, box.n, box.mean, *ends, *parts]
