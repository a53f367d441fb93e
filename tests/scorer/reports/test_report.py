"""How a report is written."""

import json

import pytest

from scorer.reports.scores import render_report
from scorer.scoring.evaluate import Report, Result
from scorer.values import Undefined

CONSTANT = Undefined(
    "constant_run", "the run has the same score for every item, so it correlates with nothing"
)
PLAIN = Report(
    (Result("pearson", 0.1 + 0.2, 500, "pearson|n:500|v:1"), Result("mse", CONSTANT, 0, "mse|n:0|v:1"))
)
GENRES = Report((Result("pearson", -1.0, 7, "p", "web\tlog"), Result("pearson", 1e-7, 12, "q", "news")))


def both(r: float | Undefined, rho: float | Undefined) -> str:
    report = Report((Result("pearson", r, 3, ""), Result("spearman", rho, 3, "")))
    return render_report(report, "semeval2014")


def test_tsv_has_full_precision_and_the_reason_for_an_empty_value() -> None:
    assert render_report(PLAIN, "tsv") == (
        "metric\tvalue\tn\tundefined\tsignature\n"
        "pearson\t0.30000000000000004\t500\t\tpearson|n:500|v:1\n"
        f"mse\t\t0\t{CONSTANT.reason}\tmse|n:0|v:1\n"
    )


def test_tsv_by_genre_has_the_genre_first_and_no_stray_tab() -> None:
    assert render_report(GENRES, "tsv") == (
        "genre\tmetric\tvalue\tn\tundefined\tsignature\n"
        "web log\tpearson\t-1.0\t7\t\tp\n"
        "news\tpearson\t1e-07\t12\t\tq\n"
    )


def test_json_has_a_schema_and_null_for_undefined() -> None:
    values = json.loads(render_report(PLAIN, "json"))
    assert values["schema"] == "assay.score/1"
    assert values["results"][0] == {
        "metric": "pearson",
        "value": 0.1 + 0.2,
        "n": 500,
        "undefined": None,
        "signature": "pearson|n:500|v:1",
    }
    assert values["results"][1]["value"] is None
    assert values["results"][1]["undefined"] == {"code": "constant_run", "reason": CONSTANT.reason}
    assert json.loads(render_report(GENRES, "json"))["results"][1]["genre"] == "news"


def test_text_is_aligned_and_explains_dashes() -> None:
    assert render_report(PLAIN, "text") == (
        "metric    value    n  signature\n"
        "pearson  0.3000  500  pearson|n:500|v:1\n"
        "mse           –    0  mse|n:0|v:1\n"
        "\n"
        "– undefined: the run has the same score for every item, so it correlates with nothing\n"
    )


@pytest.mark.parametrize(
    ("value", "shown"), [(0.0, "0.0000"), (-0.0, "0.0000"), (1e-7, "1e-07"), (1.5e300, "1.5e+300")]
)
def test_text_shows_tiny_and_huge_values_in_scientific_notation(value: float, shown: str) -> None:
    assert f" {shown} " in render_report(Report((Result("mse", value, 3, "s"),)), "text")


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (0.5, "0.500000"),
        (1.0, "1.000000"),
        (0.1234565, "0.123457"),  # the nearest float is below the half: Java rounds the shortest decimal
        (-0.1234565, "-0.123457"),
        (0.0000005, "0.000001"),
        (-1e-9, "-0.000000"),
        (0.0, "0.000000"),
        (CONSTANT, "NaN"),
    ],
)
def test_semeval2014_rounds_as_java_does(value: float | Undefined, printed: str) -> None:
    assert both(value, 1.0) == (
        f"Scores for SemEval-2014 Task 3\nPearson's correlation\t{printed}\tSpearman's rho\t1.000000\n"
    )
    assert both(1.0, value).endswith(f"\t1.000000\tSpearman's rho\t{printed}\n")
