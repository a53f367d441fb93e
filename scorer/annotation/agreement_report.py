"""The report of `scorer agree`: alpha, closeness measures, and each annotator compared with the others."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from scorer.annotation.agreement import (
    MEASURES,
    AnnotatorAgreement,
    Closeness,
    annotator_agreements,
    average_closeness,
    expected_mse,
    intra_annotator_closeness,
    pooled_closeness,
    pooled_closeness_to_unit_mean,
    strong_agreement,
)
from scorer.annotation.krippendorff import Scaling, alpha_interval, krippendorff_alpha
from scorer.annotation.ratings import Ratings
from scorer.files.text import count_noun, shorten
from scorer.files.values import MISSING_NUMBER_MARKS
from scorer.reports.table_report import ReportTable, TableCell, TableReport
from scorer.statistics.intervals import Resampling
from scorer.statistics.resampling import Progress
from scorer.values import Undefined, value_or_undefined

SCHEMA = "assay.agree/1"
ALL = "all"
SUBSET_HEADING = {"units of": "subset"}
_TOO_FEW_ANNOTATORS = 3
_MEAN_LIKE_RATIO = 0.05
"""If a column's RMSE is below this share of the median RMSE, it is probably a mean and not an annotator."""
EXPECTED_MSE_NOTE = (
    "The true mean of a unit is the mean rating of all possible annotators. The gold label differs from "
    "the true mean, because it is the mean of only a few ratings. The expected MSE is the mean of "
    "(k - 1) / (k - 3) s^2 / k over units, where k is the number of ratings of a unit and s^2 is their "
    "variance. s2/k is the mean of s^2 / k. A single system can have a lower MSE (a copy of the gold has 0), "
    "and the expected MSE does not apply to adjudicated gold."
)
COMPARISONS = {
    "annotators": "each annotator with the others (mean over annotators)",
    "others": "all ratings with the mean of the others' ratings",
    "unit-mean": "all ratings with the mean of the unit (own rating included)",
    "repeats": "an annotator's first with their second rating",
}
"""What the rows of the table "closeness" compare, by a stable code."""
_MEASURED: tuple[Callable[[Ratings], Closeness], ...] = (
    pooled_closeness,
    pooled_closeness_to_unit_mean,
    intra_annotator_closeness,
)


@dataclass(frozen=True, slots=True)
class AgreementRules:
    """The options of `scorer agree`.

    Parameters
    ----------
    scalings : tuple of str
        The levels of measurement for alpha.
    resampling : Resampling, optional
        The options of alpha's confidence intervals. None means no intervals.
    strong : float
        The share of equal ratings that counts as strong agreement, above 0 and at most 1.
    """

    scalings: tuple[Scaling, ...] = ("interval",)
    resampling: Resampling | None = None
    strong: float = 0.8


def count_resamples(parts: Sequence[tuple[str, Ratings]], rules: AgreementRules) -> int | None:
    """Count the resamples of a report on these parts, for a progress bar; None if there are no intervals."""
    resampling = rules.resampling
    return None if resampling is None else resampling.b * len(rules.scalings) * (1 + len(parts))


def agreement_report(
    ratings: Ratings,
    parts: Sequence[tuple[str, Ratings]],
    rules: AgreementRules,
    progress: Progress = lambda _: None,
) -> TableReport:
    """Compute the agreement over all units and over each named part of them.

    Parameters
    ----------
    ratings : Ratings
        All ratings, including repeats.
    parts : sequence of (str, Ratings)
        The name and the ratings of each part, for example of a subset or a genre.
    rules : AgreementRules
        The options.
    progress : callable, optional
        A callback. It is called with the number of resamples that were completed since its last call.

    Returns
    -------
    TableReport
        The tables "alpha" and "missing" and, if ratings are numbers, "closeness", "expected_mse" and
        "annotators".
    """
    scopes = [(ALL, ratings), *parts]
    tables, annotators = [_alpha_table(scopes, rules, progress)], None
    if ratings.categories is None:
        by_scope = [annotator_agreements(part) for _name, part in scopes]
        annotators = by_scope[0]
        tables += [
            _closeness_table(scopes, by_scope),
            expected_mse_table(scopes),
            _annotator_table(annotators),
        ]
    tables.append(missing_table([(ratings.source, ratings)]))
    repeats = len(ratings) - int(ratings.is_first.sum())
    about: dict[str, TableCell] = {
        "n": len(ratings.units),
        "annotators": len(ratings.annotators),
        "ratings": len(ratings),
        "repeats": repeats,
    }
    notes = tuple(_notes(ratings, repeats, annotators))
    return TableReport(SCHEMA, _signature(ratings, rules), tuple(tables), about, notes)


def _signature(ratings: Ratings, rules: AgreementRules) -> str:
    interval = "" if rules.resampling is None else f"|{rules.resampling.signature()}"
    counts = f"n:{len(ratings.units)}|k:{len(ratings.annotators)}|ratings:{len(ratings)}"
    return f"agree|{counts}|alpha:{'+'.join(rules.scalings)}{interval}|strong:{rules.strong!r}"


def count_ratings(ratings: Ratings, count: int) -> str:
    """Write the numbers of units, of annotators and of ratings."""
    units, annotators = (
        count_noun(len(ratings.units), "unit"),
        count_noun(len(ratings.annotators), "annotator"),
    )
    return f"{units}, {annotators}, {count_noun(count, 'rating')}"


def missing_table(files: Sequence[tuple[str, Ratings]]) -> ReportTable:
    """Create a table with the number of cells of each named file that have no rating, by their content."""
    rows: list[list[TableCell]] = [
        [name, mark or "(empty)", count]
        for name, ratings in files
        for mark, count in sorted(ratings.missing.items())
    ]
    title = "Cells that were left out, because they mean a missing rating (see --missing)"
    return ReportTable("missing", title, ("file", "mark", "cells"), rows, ("file", "mark"))


def _notes(ratings: Ratings, repeats: int, annotators: Sequence[AnnotatorAgreement] | None) -> Iterator[str]:
    rating_count, cells = len(ratings) - repeats, len(ratings.units) * len(ratings.annotators)
    counts = count_ratings(ratings, rating_count)
    yield f"{counts} ({rating_count / cells:.1%} of all possible ratings)." if cells else f"{counts}."
    yield "Alpha is computed from the units with at least two ratings (pairable)."
    possible_marks = {mark.casefold() for mark in MISSING_NUMBER_MARKS}
    if labels := [shorten(name) for name in ratings.categories or () if name.casefold() in possible_marks]:
        listed = ", ".join(labels)
        yield f"Counted as categories: {listed}. If they mean a missing rating, name them in --missing."
    if repeats:
        more = "1 more rating is a repeat" if repeats == 1 else f"{repeats} more ratings are repeats"
        use = "only to compare first and second ratings" if annotators is not None else "in no table"
        yield f"{more}, used {use}."
    if annotators is not None:
        for name in _mean_like_annotators(annotators):
            yield (
                f'"{name}" is much closer to the mean of the others than most annotators are. If it is a '
                "column of means, leave it out with --ignore."
            )
        yield (
            "Each annotator is compared with the mean of the others who rated the same unit. shared is the "
            "number of such units, and bias is the mean of the annotator's rating minus that mean. In the "
            "mean over annotators, n is the number of annotators with an RMSE."
        )
        yield EXPECTED_MSE_NOTE


def _mean_like_annotators(annotators: Sequence[AnnotatorAgreement]) -> Iterator[str]:
    """Return the names of annotators who are so close to the mean of the others that they may be a mean."""
    errors = {
        annotator.name: annotator.closeness.rmse
        for annotator in annotators
        if isinstance(annotator.closeness.rmse, float) and annotator.closeness.n > 2
    }
    usual = median(errors.values()) if len(errors) > _TOO_FEW_ANNOTATORS else 0.0
    return (name for name, error in errors.items() if error < _MEAN_LIKE_RATIO * usual)


def _alpha_table(
    scopes: Sequence[tuple[str, Ratings]], rules: AgreementRules, progress: Progress
) -> ReportTable:
    ends = () if rules.resampling is None else ("low", "high")
    head = ("units of", "units", "pairable", "ratings", "scaling", "alpha", *ends, "strong")
    rows = [
        _alpha_row(name, part, scaling, rules, progress)
        for name, part in scopes
        for scaling in rules.scalings
    ]
    share = f"the share of pairable units with at least {rules.strong:.0%} equal ratings (strong)"
    title = f"Krippendorff's alpha, and {share}"
    return ReportTable("alpha", title, head, rows, ("units of", "scaling"), headings=SUBSET_HEADING)


def _alpha_row(
    name: str, part: Ratings, scaling: Scaling, rules: AgreementRules, progress: Progress
) -> list[TableCell]:
    alpha = value_or_undefined(krippendorff_alpha, part, scaling)
    row: list[TableCell] = [name, len(part.units), part.pairable, len(part.first()), scaling, alpha]
    if rules.resampling is not None:
        interval = alpha_interval(part, scaling, rules.resampling, progress)
        reason = interval.undefined and _explain_missing_interval(interval.undefined)
        row += [reason or interval.low, reason or interval.high]
    return [*row, strong_agreement(part, rules.strong)]


_NO_INTERVAL = {
    "no_acceleration": "alpha has no value, or changes too much, if one of the units is left out",
    "infinite_bias": "alpha is higher, or lower, in all resamples of the units",
}
"""Why there is no BCa interval, by the code of the undefined value."""


def _explain_missing_interval(undefined: Undefined) -> Undefined:
    if undefined.code not in _NO_INTERVAL:
        return undefined
    reason = f"there is no BCa interval: {_NO_INTERVAL[undefined.code]}; try --interval percentile"
    return Undefined(undefined.code, reason)


def _closeness_table(
    scopes: Sequence[tuple[str, Ratings]], annotators: Sequence[Sequence[AnnotatorAgreement]]
) -> ReportTable:
    rows: list[list[TableCell]] = []
    for (name, part), of_scope in zip(scopes, annotators, strict=True):
        measured = [average_closeness(of_scope), *(measure(part) for measure in _MEASURED)]
        pairs = zip(COMPARISONS.values(), measured, strict=True)
        rows += [[name, compared, *values.cells] for compared, values in pairs]
    words = ("units of", "compared")
    title = "Agreement between and within annotators"
    head = (*words, "n", *MEASURES)
    return ReportTable("closeness", title, head, rows, words, headings=SUBSET_HEADING)


def expected_mse_table(scopes: Sequence[tuple[str, Ratings]]) -> ReportTable:
    """Create a table with the expected MSE of each named part."""
    estimates = [(name, expected_mse(part)) for name, part in scopes]
    rows: list[list[TableCell]] = [
        [name, estimate.units, estimate.left_out, estimate.value, estimate.unbiased]
        for name, estimate in estimates
    ]
    head = ("units of", "units", "left out", "expected mse", "s2/k")
    title = "Expected MSE of a system that predicts each unit's true mean (units with at least 4 ratings)"
    return ReportTable("expected_mse", title, head, rows, ("units of",), headings=SUBSET_HEADING)


def _annotator_table(annotators: Sequence[AnnotatorAgreement]) -> ReportTable:
    rows: list[list[TableCell]] = [
        [annotator.name, annotator.ratings, *annotator.closeness.cells, annotator.bias]
        for annotator in annotators
    ]
    head = ("annotator", "ratings", "shared", *MEASURES, "bias")
    title = "Each annotator compared with the others, largest difference first"
    return ReportTable("annotators", title, head, rows, words=("annotator",))
