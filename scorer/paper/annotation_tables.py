"""The tables of annotation: agreement, rounds, context, best-worst scaling. All are figures of the export."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from scorer.annotation.agreement_report import ALL, COMPARISONS
from scorer.paper.sources import CampaignSource
from scorer.reports.paper_elements import PaperTable
from scorer.reports.scores import DASH
from scorer.reports.table_report import ReportTable, TableCell
from scorer.values import Undefined

Row = dict[str, TableCell]
_ROUND = "round"
_HEADINGS = {
    "interval": "95 % interval",
    "rmse": "RMSE",
    "mse": "MSE",
    "sd": "SD",
    "x": "x",
    "r(x)": "r(x)",
    "p <= x": "p ≤ x",
    "fdr <= x": "FDR ≤ x",
}
"""The headings of columns that are not just their names."""
_WORDS = (
    _ROUND,
    "pass",
    "subset",
    "compared",
    "interval",
    "file",
    "pairs",
    "question",
    "test",
    "expert says",
    "wanted",
)
_COMPARED = {
    COMPARISONS["annotators"]: "each annotator with the others (mean)",
    COMPARISONS["others"]: "all ratings with the others' means",
    COMPARISONS["unit-mean"]: "all ratings with the unit's mean (own included)",
    COMPARISONS["repeats"]: "first with second rating",
}
_SUBSETS = ("units of", "answers of", "pairs of", "texts of")
"""The columns that name the part of the data that a row is about."""


@dataclass(frozen=True, slots=True)
class AnnotationTable:
    """How a paper's table is made from a figure of `scorer figures`.

    Parameters
    ----------
    name : str
        The name of the table.
    columns : tuple of str
        Its columns; "interval" has the columns "low" and "high".
    caption : str
    lacks : str
        What an export without the figure lacks.
    keep : callable
        Which rows it has.
    compared : mapping of str to str
        What the rows of a figure compare, if the figure does not say so itself.
    figures : tuple of str
        The figures whose rows it has, if that is not the one with its name.
    """

    name: str
    columns: tuple[str, ...]
    caption: str
    lacks: str
    keep: Callable[[Row], bool] = lambda _: True
    compared: Mapping[str, str] = field(default_factory=dict)
    figures: tuple[str, ...] = ()


def _is_whole(row: Row) -> bool:
    return all(row.get(name, ALL) in (ALL, None) for name in _SUBSETS)


TABLES = (
    AnnotationTable(
        "agreement",
        ("pass", "subset", "units", "ratings", "alpha", "interval", "strong"),
        "Krippendorff's alpha (interval) with 95 % intervals (BCa bootstrap, 1,000 resamples of the "
        "units, seed 0), and the share of units with at least 80 % equal ratings (strong). Without a "
        "decision: the units that needed none, which agree more for that reason.",
        "ratings of two annotators or more",
        lambda row: not isinstance(row["alpha"], Undefined),
        figures=("alpha",),
    ),
    AnnotationTable(
        "closeness",
        ("pass", "compared", "n", "pearson", "spearman", "rmse", "mse"),
        "Agreement between annotators and within annotators. N: annotators where each is compared, else "
        "ratings.",
        "ratings",
        lambda row: _is_whole(row) and bool(row["n"]),
        {"intra": "first with second rating", "intra_joined": "first with second rating, both passes"},
        figures=("closeness", "intra", "intra_joined"),
    ),
    AnnotationTable(
        "rounds",
        ("compared", "pass", "n", "pearson", "spearman"),
        "Correlation of mean ratings: of the two passes, of a pass with another round and with the "
        "ratings from before the campaign, and of two of these, given the third one.",
        "a second pass, another round in rounds/, or choices.tsv",
        _is_whole,
        {
            "rounds": "with the round {round}",
            "first": "with earlier ratings",
            "correlation": "both passes",
            "partial": "the other two of three, given {given}",
        },
        figures=("rounds", "first", "correlation", "partial"),
    ),
    AnnotationTable(
        "kept",
        ("file", "subset", "pairs", "share", "n", "pearson", "spearman"),
        "Pairs whose rating is close to the one expected for their choice (N1: within 1; N2: within 2), "
        "with random controls of the same number.",
        "sentences that its annotators chose, and no source is a data set made from it",
        figures=("kept", "second"),
    ),
    AnnotationTable(
        "increase",
        ("subset", "units", "mean", "sd", "higher", "lower"),
        "Increase of the mean rating of a unit from the first pass to the second. Significant: p ≤ .05 "
        "in a paired t test, without regard to the number of units.",
        "two passes",
    ),
    AnnotationTable(
        "significance",
        ("test", "x", "tested", "p <= x", "r(x)", "expected false", "fdr <= x"),
        "Units whose ratings differ between the passes: number and share with p ≤ x in t tests of the "
        "unit's ratings, how many are expected by chance, and how many are left at a false discovery "
        "rate of x.",
        "two passes",
        _is_whole,
    ),
    AnnotationTable(
        "bias",
        ("pass", "subset", "n", "mean", "interval", "above"),
        "Ratings minus the gold that was known before, by genre and level, with intervals from "
        "resampling annotators and units.",
        "gold from before the campaign (known-gold.tsv)",
    ),
    AnnotationTable(
        "written",
        ("subset", "wanted", "n", "blank", "words"),
        "Written texts by genre and wanted rating, blanks, and mean number of words.",
        "written texts",
    ),
    AnnotationTable(
        "wanted",
        ("wanted", "n", "mean", "sd", "min", "median", "max"),
        "Mean ratings of pairs by the rating for which their text was written; random pairs count as 0.",
        "written.tsv of the round before",
    ),
    AnnotationTable(
        "choices",
        ("subset", "question", "questions", "alpha", "strong"),
        "Agreement of best-worst answers: Krippendorff's alpha and the share of questions with at least "
        "80 % equal answers (strong).",
        "best-worst answers",
    ),
    AnnotationTable(
        "reliability",
        ("subset", "items", "tuples", "answers", "spearman", "pearson"),
        "Split-half reliability of best-worst scores, the mean of 100 random splits of the answers.",
        "best-worst answers",
    ),
    AnnotationTable(
        "expert",
        ("expert says", "items", "same", "different"),
        "An expert's judgment, above or below the middle, compared with best-worst scores.",
        "judgments of an expert about best-worst items",
    ),
)


def make_table(plan: AnnotationTable, sources: Sequence[CampaignSource]) -> list[PaperTable] | Undefined:
    """Make a table from all exports that have its figures, with a column of the round if they are several."""
    found = [(source, [row for row in _rows(plan, source) if plan.keep(row)]) for source in sources]
    found = [(source, rows) for source, rows in found if rows]
    if not found:
        return Undefined("no_figure", f"no export has {plan.lacks}")
    named: list[Row] = [
        {**row, _ROUND: source.title if len(found) > 1 else None} for source, rows in found for row in rows
    ]
    columns = [
        name for name in (_ROUND, *plan.columns) if any(row.get(name) not in (None, "") for row in named)
    ]
    body = [
        [DASH if column == "pass" and not row.get(column) else row.get(column) for column in columns]
        for row in named
    ]
    headings = {column: _HEADINGS.get(column, column.capitalize()) for column in columns}
    words = [column for column in columns if column in _WORDS]
    decimals = dict.fromkeys(columns, 3)
    table = ReportTable(plan.name, plan.caption, columns, body, words, decimals, headings)
    return [PaperTable(table, "; ".join(f"scorer figures {source.name}" for source, _ in found))]


def _rows(plan: AnnotationTable, source: CampaignSource) -> Iterator[Row]:
    """Yield the rows of the figures with the columns that a paper adds: subset, compared, interval."""
    for figure in plan.figures or (plan.name,):
        for row in source.report.records(figure):
            if figure in plan.compared:
                row["compared"] = plan.compared[figure].format(**row)
            yield row | _added(row)


def _added(row: Row) -> Row:
    subset = next((row[name] for name in _SUBSETS if name in row), None)
    compared, low, high = row.get("compared"), row.get("low"), row.get("high")
    added: dict[str, TableCell] = {"subset": str(subset).removeprefix("genre ") if subset else None}
    if isinstance(low, float) and isinstance(high, float):
        added["interval"] = f"[{low:z.3f}, {high:z.3f}]"
    elif isinstance(low, Undefined):
        added["interval"] = DASH
    if compared in _COMPARED:
        added["compared"] = _COMPARED[str(compared)]
    return added
