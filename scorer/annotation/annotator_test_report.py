"""The report of `scorer annotator-test`: which annotators each system may replace."""

from collections.abc import Mapping, Sequence

from scorer.annotation.agreement_report import count_ratings, missing_table
from scorer.annotation.annotator_test import MIN_UNITS, AnnotatorTest, annotator_test
from scorer.annotation.ratings import Ratings
from scorer.reports.table_report import ReportTable, TableCell, TableReport
from scorer.values import Undefined

SCHEMA = "assay.annotator-test/1"
_SYSTEM_HEAD = ("run", "tested", "left out", "replaced", "winning rate", "advantage", "passes")
_ANNOTATOR_HEAD = (
    "run",
    "annotator",
    "units",
    "run as close",
    "annotator as close",
    "t",
    "p",
    "adjusted p",
    "replaced",
)
_NOTES = (
    "On a unit, the closer of run and annotator is the one with the smaller root mean squared difference "
    "from the other annotators' ratings. as close: the share of units on which one is at least as close as "
    "the other.",
    "An annotator is replaced if a one-sided t test shows that the share of units on which the annotator is "
    "closer, minus the share on which the run is closer, is less than epsilon. p is adjusted by Benjamini "
    "and Yekutieli's method over the tested annotators of the run.",
    "winning rate: the share of tested annotators who are replaced (omega); a run passes from 0.5 up. "
    "advantage: the mean over annotators of the share of units on which the run is as close (rho).",
)


def annotator_test_report(
    ratings: Ratings, runs: Mapping[str, Mapping[str, float]], epsilon: float, q: float
) -> TableReport:
    """Test each run, and create the tables "systems", "annotators", "left_out" and "missing".

    Parameters
    ----------
    ratings : Ratings
    runs : mapping of str to mapping of str to float
        The predictions of each run by the name of the unit.
    epsilon, q : float
        As for `annotator_test`.

    Returns
    -------
    TableReport

    Raises
    ------
    RequestError
        As for `annotator_test`.
    """
    tests = {name: annotator_test(ratings, predictions, epsilon, q) for name, predictions in runs.items()}
    rows = [row for name, test in tests.items() for row in _annotator_rows(name, test, q)]
    left_out: list[list[TableCell]] = [
        [name, annotator, n] for name, test in tests.items() for annotator, n in test.left_out.items()
    ]
    tables = (
        ReportTable(
            "systems",
            "May the run replace the annotators?",
            _SYSTEM_HEAD,
            [_system_row(name, test, q) for name, test in tests.items()],
            ("run", "passes"),
        ),
        ReportTable(
            "annotators", "Each annotator and run", _ANNOTATOR_HEAD, rows, ("run", "annotator", "replaced")
        ),
        ReportTable(
            "left_out",
            f"Annotators who are left out, because they have fewer than {MIN_UNITS} units",
            ("run", "annotator", "units"),
            left_out,
            ("run", "annotator"),
        ),
        missing_table([(ratings.source, ratings)]),
    )
    counts = count_ratings(ratings, len(ratings.first()))
    about: dict[str, TableCell] = {"n": len(ratings.units), "epsilon": epsilon, "q": q}
    computed = f"annotator-test|n:{len(ratings.units)}|score:neg-rmse|epsilon:{epsilon!r}|q:{q!r}"
    return TableReport(SCHEMA, computed, tables, about, (f"{counts}.", *_NOTES))


def _system_row(name: str, test: AnnotatorTest, q: float) -> list[TableCell]:
    won = sum(each.is_won(q) for each in test.annotators)
    rate, verdict = test.winning_rate, "yes" if test.passes else "no"
    passes = rate if isinstance(rate, Undefined) else verdict
    return [name, len(test.annotators), len(test.left_out), won, rate, test.advantage, passes]


def _annotator_rows(name: str, test: AnnotatorTest, q: float) -> Sequence[list[TableCell]]:
    return [[name, *each.cells, "yes" if each.is_won(q) else "no"] for each in test.annotators]
