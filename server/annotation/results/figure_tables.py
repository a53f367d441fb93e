"""The figures of a round: each is a table of a report of the scorer, and the chart that is drawn from it."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from server.annotation.results.commands import FigureName
from server.core.i18n import N_

ChartKind = Literal["dots", "bars", "scatter"]
SLUG_COLUMN = "pass"
"""The column of the pass, which a round with two passes has."""
ROUND_COLUMN = "round"
"""The column of the round with which the round is compared."""
ReportRow = Mapping[str, Any]
MAX_SECONDS = 60
"""The figure by thinking time ends here: longer times are rare, and mostly breaks."""


def _is_repeat(row: ReportRow) -> bool:
    return str(row["compared"]) == "an annotator's first with their second rating"


def _is_paired(row: ReportRow) -> bool:
    return str(row["test"]) == "paired"


def _is_short(row: ReportRow) -> bool:
    return float(row["seconds"]) < MAX_SECONDS


def _keep(_row: ReportRow) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class FigureTable:
    """A figure: columns of a table of the scorer's report, and their roles in the chart.

    `command` computes the report, and `table` is its name there; None: the site counts it. `by_pass`: there
    is a report of each pass, and the pass is a column. `by_round`: there is a report of each compared round,
    and the round is a column. `roles`: `data-as` of charts.js, by column; `other_role`: that of further
    columns, one for each pass. `unit`: what bars count. `titles`: heads of columns that are not in TITLES.
    """

    slug: str
    command: FigureName | None
    table: str
    title: str
    caption: str
    chart: ChartKind
    columns: Sequence[str]
    roles: Mapping[str, str]
    by_pass: bool = False
    by_round: bool = False
    keep: Callable[[ReportRow], bool] = field(default=_keep)
    unit: str = ""
    other_role: str = ""
    titles: Mapping[str, str] = field(default_factory=dict)

    def role(self, column: str) -> str:
        """Return the role of a column in the chart; empty: it has none."""
        return self.roles.get(column, self.other_role)

    def heading(self, column: str) -> str:
        """Return the head of a column."""
        return self.titles.get(column, TITLES.get(column, column))


_PASS_TITLE = {"answers of": N_("Pass")}
FIGURES = (
    FigureTable(
        "alpha",
        "agreement",
        "alpha",
        N_("Agreement"),
        N_("Krippendorff’s alpha, with a 95% confidence interval from resampling the units"),
        "dots",
        ("units of", "units", "ratings", "alpha", "low", "high"),
        {"units of": "label", "alpha": "value", "low": "low", "high": "high"},
        by_pass=True,
    ),
    FigureTable(
        "annotators",
        "agreement",
        "annotators",
        N_("Each annotator compared with the others"),
        N_(
            "Each annotator compared with the mean of the others who rated the same units; bias is the "
            "annotator’s mean minus that of the others"
        ),
        "scatter",
        ("annotator", "ratings", "shared", "pearson", "spearman", "rmse", "bias"),
        {SLUG_COLUMN: "group", "annotator": "label", "bias": "x", "rmse": "y"},
        by_pass=True,
    ),
    FigureTable(
        "intra",
        "intra",
        "closeness",
        N_("Agreement of annotators with themselves"),
        N_("First ratings of units compared with second ratings by the same annotator"),
        "bars",
        ("n", "pearson", "spearman", "rmse"),
        {"pearson": "series", "spearman": "series"},
        by_pass=True,
        keep=_is_repeat,
    ),
    FigureTable(
        "values",
        None,
        "values",
        N_("Distribution of ratings"),
        N_("How often each rating was given, among the answers that count"),
        "bars",
        ("rating",),
        {"rating": ""},
        unit=N_("ratings"),
        other_role="series",
    ),
    FigureTable(
        "increase",
        "increase",
        "increase",
        N_("Increase from the first pass to the second"),
        N_("Mean of the second pass minus mean of the first pass, by unit"),
        "bars",
        ("units of", "units", "mean", "sd", "higher", "lower"),
        {"mean": "series"},
    ),
    FigureTable(
        "histogram",
        "increase",
        "histogram",
        N_("Distribution of the increase"),
        N_("The number of units by increase from the first pass to the second"),
        "bars",
        ("from", "below", "units"),
        {"units": "series"},
        unit=N_("units"),
    ),
    FigureTable(
        "significance",
        "increase",
        "r",
        N_("Units whose ratings changed"),
        N_("The share of units with p <= x in the paired test"),
        "scatter",
        ("units of", "x", "tested", "p <= x", "r(x)", "expected false", "fdr <= x"),
        {"units of": "group", "x": "x", "r(x)": "y"},
        keep=_is_paired,
    ),
    FigureTable(
        "correlation",
        "passes",
        "correlation",
        N_("Correlation of the passes"),
        N_("The mean ratings of the units in the first pass and in the second"),
        "bars",
        ("units of", "n", "pearson", "spearman", "rmse"),
        {"pearson": "series", "spearman": "series"},
    ),
    FigureTable(
        "rounds",
        "rounds",
        "correlation",
        N_("Correlation with another round"),
        N_("The mean ratings of the units in an earlier round and in this one"),
        "bars",
        ("units of", "n", "pearson", "spearman", "rmse"),
        {"pearson": "series", "spearman": "series"},
        by_pass=True,
        by_round=True,
    ),
    FigureTable(
        "thinking",
        "passes",
        "thinking_time",
        N_("Error by thinking time"),
        N_("How close ratings are to the unit’s mean in the other pass, by seconds for the answer, up to 60"),
        "scatter",
        ("answers of", "seconds", "below", "n", "pearson", "rmse"),
        {"answers of": "group", "seconds": "x", "rmse": "y"},
        titles=_PASS_TITLE,
        keep=_is_short,
    ),
    FigureTable(
        "calibration",
        "passes",
        "calibration",
        N_("Error by position"),
        N_(
            "How close ratings are to the unit’s mean in the other pass, by position in the annotator’s work "
            "(1: the first rating)"
        ),
        "scatter",
        ("answers of", "t", "below", "n", "pearson", "rmse"),
        {"answers of": "group", "t": "x", "rmse": "y"},
        titles=_PASS_TITLE,
    ),
    FigureTable(
        "pauses",
        "passes",
        "pause_shares",
        N_("Time between the passes"),
        N_("The share of annotators who waited at most this many days between the passes"),
        "scatter",
        ("days", "n", "share"),
        {"days": "x", "share": "y"},
    ),
    FigureTable(
        "reliability",
        "reliability",
        "reliability",
        N_("Split-half reliability"),
        N_("Mean correlation of the scores from two random halves of the answers"),
        "bars",
        ("answers of", "items", "tuples", "answers", "pearson", "spearman", "spearman-brown"),
        {"pearson": "series", "spearman-brown": "series"},
        by_pass=True,
    ),
    FigureTable(
        "choices",
        "reliability",
        "agreement",
        N_("Agreement"),
        N_(
            "Krippendorff’s alpha of the choices, and the share of questions with two or more answers where "
            "at least 80% are equal"
        ),
        "bars",
        ("answers of", "question", "questions", "alpha", "strong"),
        {"alpha": "series", "strong": "series"},
        by_pass=True,
    ),
    FigureTable(
        "scores",
        "scores",
        "scores",
        N_("Distribution of scores"),
        N_("The number of items by score, from 0 to 1, rounded to tenths"),
        "bars",
        ("scaled", "n"),
        {"n": "series"},
        by_pass=True,
        unit=N_("items"),
    ),
    FigureTable(
        "expert",
        "expert",
        "expert",
        N_("The expert compared with the scores"),
        N_("How many items the expert puts on the same side of .5 as their score, and how many not"),
        "bars",
        ("expert says", "judgments", "agree", "differ", "score of .5", "share"),
        {"agree": "series", "differ": "series"},
        by_pass=True,
        by_round=True,
        unit=N_("items"),
    ),
)
"""In the order of the page."""
TITLES = {
    SLUG_COLUMN: N_("Pass"),
    ROUND_COLUMN: N_("Round"),
    "agree": N_("Agree"),
    "alpha": N_("Alpha"),
    "annotator": N_("Annotator"),
    "answers": N_("Answers"),
    "answers of": N_("Subset"),
    "below": N_("Below"),
    "bias": N_("Bias"),
    "days": N_("Days"),
    "differ": N_("Differ"),
    "expected false": N_("Expected by chance"),
    "expert says": N_("The expert says"),
    "fdr <= x": N_("By Benjamini-Hochberg"),
    "from": N_("From"),
    "high": N_("High"),
    "higher": N_("Higher"),
    "items": N_("Items"),
    "judgments": N_("Judgments"),
    "low": N_("Low"),
    "lower": N_("Lower"),
    "mean": N_("Mean"),
    "n": N_("Number"),
    "p <= x": N_("p <= x"),
    "pearson": N_("Pearson"),
    "question": N_("Question"),
    "questions": N_("Questions"),
    "r(x)": N_("Share"),
    "rating": N_("Rating"),
    "ratings": N_("Ratings"),
    "rmse": N_("RMSE"),
    "scaled": N_("Score"),
    "score of .5": N_("Score of .5"),
    "sd": N_("Standard deviation"),
    "seconds": N_("Seconds"),
    "share": N_("Share"),
    "shared": N_("Shared units"),
    "spearman": N_("Spearman"),
    "spearman-brown": N_("Spearman-Brown"),
    "strong": N_("Strong agreement"),
    "t": N_("Position"),
    "tested": N_("Tested"),
    "tuples": N_("Tuples"),
    "units": N_("Units"),
    "units of": N_("Subset"),
    "x": N_("x"),
}
"""The heads of columns."""
PLAIN_COLUMNS = frozenset(("below", "days", "from", "rating", "scaled", "seconds", "t", "x"))
"""Columns of round numbers, which are written without trailing zeros."""
BY_SLUG = {table.slug: table for table in FIGURES}
