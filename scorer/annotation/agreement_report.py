"""What `scorer agree` prints: alpha, each annotator beside the others, and the annotators who differ most."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from scorer._version import __version__
from scorer.annotation.agreement import (
    Annotator,
    Closeness,
    averaged,
    each_annotator,
    pooled,
    pooled_with_own,
    strong_agreement,
    with_themselves,
)
from scorer.annotation.expected_error import expected_mse
from scorer.annotation.krippendorff import Scaling, alpha_interval, krippendorff_alpha
from scorer.annotation.ratings import Ratings
from scorer.annotation.sheets import AnnotationReport, Cell, ReportColumn, ReportTable
from scorer.errors import UndefinedError
from scorer.inference.intervals import Resampling
from scorer.values import Undefined

SCHEMA = "assay.agree/1"
ALL = "all"
_FEW = 3
_LIKE_A_MEAN = 0.05
"""Of the usual RMSE from the others' mean: a rounded mean is nearer than that, and hardly a person."""
EXPECTED_NOTE = (
    "The expected MSE is (k - 1) / (k - 3) s^2 / k, averaged over units. It bounds no particular system (a "
    "copy of the gold has 0), and says nothing of adjudicated gold."
)
_MEASURES = (ReportColumn("pearson"), ReportColumn("spearman"), ReportColumn("rmse"), ReportColumn("mse"))
_KINDS: tuple[tuple[str, Callable[[Ratings], Closeness]], ...] = (
    ("annotator with the others, averaged", lambda ratings: averaged(each_annotator(ratings))),
    ("ratings with the others' mean, pooled", pooled),
    ("ratings with their unit's mean, pooled", pooled_with_own),
    ("first with second rating, pooled", with_themselves),
)


@dataclass(frozen=True, slots=True)
class AgreementRules:
    """What `scorer agree` is asked.

    Parameters
    ----------
    scalings : tuple of str
        Levels of measurement for alpha.
    resampling : Resampling, optional
        How its intervals are made; None: there are none.
    strong : float
        The share of equal ratings that is called strong agreement, above 0 and at most 1.
    """

    scalings: tuple[Scaling, ...] = ("interval",)
    resampling: Resampling | None = None
    strong: float = 0.8


def agreement_sheet(
    ratings: Ratings, parts: Sequence[tuple[str, Ratings]], rules: AgreementRules
) -> AnnotationReport:
    """Agreement over all units and over each named part of them.

    Parameters
    ----------
    ratings : Ratings
        All of them, repeats too.
    parts : sequence of (str, Ratings)
        Such as a subset, or a genre, with its ratings.
    rules : AgreementRules

    Returns
    -------
    AnnotationReport
        Tables "alpha", and where ratings are numbers "closeness", "expected_mse" and "annotators".
    """
    scopes = [(ALL, ratings), *parts]
    tables, annotators = [_alpha_table(scopes, rules)], None
    if ratings.categories is None:
        annotators = each_annotator(ratings)
        tables += [_closeness_table(scopes), expected_mse_table(scopes), _annotator_table(annotators)]
    repeats = len(ratings) - int(ratings.is_first.sum())
    about: dict[str, Cell] = {
        "n": len(ratings.units),
        "annotators": len(ratings.annotators),
        "ratings": len(ratings),
        "repeats": repeats,
    }
    notes = tuple(_notes(ratings, repeats, annotators))
    return AnnotationReport(SCHEMA, _signature(ratings, rules), tuple(tables), about, notes)


def _signature(ratings: Ratings, rules: AgreementRules) -> str:
    interval = "" if rules.resampling is None else f"|{rules.resampling.signature()}"
    counts = f"n:{len(ratings.units)}|k:{len(ratings.annotators)}|ratings:{len(ratings)}"
    return (
        f"agree|{counts}|alpha:{'+'.join(rules.scalings)}{interval}|strong:{rules.strong!r}|v:{__version__}"
    )


def _notes(ratings: Ratings, repeats: int, annotators: Sequence[Annotator] | None) -> Iterator[str]:
    given, cells = len(ratings) - repeats, len(ratings.units) * len(ratings.annotators)
    counts = f"{len(ratings.units)} units, {len(ratings.annotators)} annotators, {given} ratings"
    yield f"{counts} ({given / cells:.1%} of all cells)." if cells else f"{counts}."
    if repeats:
        yield f"{repeats} further ratings are repeats: they count where first and second are compared, alone."
    if annotators is not None:
        for name in _means(annotators):
            fact = f'"{name}" is close to the mean of the others everywhere'
            yield f"{fact}: a column of means? Leave it out (--ignore)."
        yield (
            "An annotator is held against the mean of the others who rated the same unit; n of the average "
            "is how many annotators have a value."
        )
        yield EXPECTED_NOTE


def _means(annotators: Sequence[Annotator]) -> Iterator[str]:
    """Those who are so near the mean of the others, three or more, that they look like it."""
    errors = {
        each.name: each.closeness.rmse
        for each in annotators
        if isinstance(each.closeness.rmse, float) and each.closeness.n > 2
    }
    usual = median(errors.values()) if len(errors) > _FEW else 0.0
    return (name for name, error in errors.items() if error < _LIKE_A_MEAN * usual)


def _alpha_table(scopes: Sequence[tuple[str, Ratings]], rules: AgreementRules) -> ReportTable:
    ends = () if rules.resampling is None else (ReportColumn("low"), ReportColumn("high"))
    columns = (
        ReportColumn("units of", words=True), ReportColumn("units"), ReportColumn("pairable"),
        ReportColumn("ratings"),
        ReportColumn("scaling", words=True), ReportColumn("alpha"), *ends, ReportColumn("strong"),
    )  # fmt: skip
    rows = [_alpha_row(name, part, scaling, rules) for name, part in scopes for scaling in rules.scalings]
    title = f"Krippendorff's alpha, and the share of units with {rules.strong:.0%} equal ratings or more"
    return ReportTable("alpha", title, columns, rows)


def _alpha_row(name: str, part: Ratings, scaling: Scaling, rules: AgreementRules) -> list[Cell]:
    try:
        alpha: Cell = krippendorff_alpha(part, scaling)
    except UndefinedError as error:
        alpha = Undefined(error.code, error.reason)
    row: list[Cell] = [name, len(part.units), part.pairable, len(part.first()), scaling, alpha]
    if rules.resampling is not None:
        found = alpha_interval(part, scaling, rules.resampling)
        row += [found.undefined or found.low, found.undefined or found.high]
    return [*row, strong_agreement(part, rules.strong)]


def _closeness_table(scopes: Sequence[tuple[str, Ratings]]) -> ReportTable:
    rows = [[name, kind, *_cells(measure(part))] for name, part in scopes for kind, measure in _KINDS]
    columns = (
        ReportColumn("units of", words=True),
        ReportColumn("compared", words=True),
        ReportColumn("n"),
        *_MEASURES,
    )
    return ReportTable("closeness", "How close ratings are", columns, rows)


def _cells(found: Closeness) -> list[Cell]:
    return [found.n, found.pearson, found.spearman, found.rmse, found.mse]


def expected_mse_table(scopes: Sequence[tuple[str, Ratings]]) -> ReportTable:
    """A row for each named part: what a system that knows each unit's population mean must expect."""
    found = [(name, expected_mse(part)) for name, part in scopes]
    rows: list[list[Cell]] = [
        [name, each.units, each.left_out, each.value, each.unbiased] for name, each in found
    ]
    columns = (
        ReportColumn("units of", words=True),
        ReportColumn("units"),
        ReportColumn("left out"),
        ReportColumn("expected mse"),
        ReportColumn("s2/k"),
    )
    title = "Expected MSE of a system that knows each unit's population mean (units with 4 ratings or more)"
    return ReportTable("expected_mse", title, columns, rows)


def _annotator_table(annotators: Sequence[Annotator]) -> ReportTable:
    rows: list[list[Cell]] = [
        [each.name, each.ratings, *_cells(each.closeness), each.bias] for each in annotators
    ]
    columns = (
        ReportColumn("annotator", words=True),
        ReportColumn("ratings"),
        ReportColumn("shared"),
        *_MEASURES,
        ReportColumn("bias"),
    )
    return ReportTable("annotators", "Annotators beside the others, by how they differ", columns, rows)
