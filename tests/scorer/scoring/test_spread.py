"""Mean and spread over runs of one system: against the standard library, at the edges, as written."""

import json
from statistics import mean, stdev

import pytest
from hypothesis import given, strategies as st

from scorer.errors import RequestError
from scorer.reports.spread import FORMATS, render_spread
from scorer.scoring.evaluate import Report, Result
from scorer.scoring.spread import spread_of_runs
from scorer.values import Undefined

NONE = Undefined("constant_run", "the run has the same score for every item")


def report(r: float | Undefined, n: int = 500, genre: str | None = None) -> Report:
    return Report((Result("pearson", r, n, f"pearson|n:{n}|v:1", genre),))


@given(st.lists(st.floats(-1, 1), min_size=2, max_size=9))
def test_mean_and_sd_equal_the_standard_library(values: list[float]) -> None:
    (found,) = spread_of_runs([report(value) for value in values])
    assert (found.low, found.high, found.k) == (min(values), max(values), len(values))
    assert found.mean == pytest.approx(mean(values), abs=1e-15)
    assert found.sd == pytest.approx(stdev(values), abs=1e-12)
    assert found == spread_of_runs([report(value) for value in reversed(values)])[0]


def test_run_without_a_value_makes_the_mean_undefined() -> None:
    (found,) = spread_of_runs([report(0.5), report(NONE), report(0.7)])
    reason = "1 of 3 runs have no pearson, so there is no mean"
    assert found.mean == found.sd == found.low == found.high == Undefined("not_all_runs", reason)
    text = render_spread({"a": report(0.5), "b": report(NONE)}, "text")
    assert text.splitlines()[1].split() == ["pearson", "2", "–", "–", "–", "–"]
    assert f"– undefined: {NONE.reason}" in text


def test_mismatched_reports_are_rejected() -> None:
    with pytest.raises(RequestError, match="1 run has no spread; give two or more"):
        spread_of_runs([report(0.5)])
    with pytest.raises(RequestError, match="not of the same metrics and genres"):
        spread_of_runs([report(0.5), report(0.5, genre="web")])


def test_every_format_has_mean_sd_and_each_run() -> None:
    reports = {"=one\t.tsv": report(0.5, genre="a&b"), "two.tsv": report(0.75, 400, "a&b")}
    text, tsv, in_json, latex = (render_spread(reports, name) for name in FORMATS)
    assert text.splitlines()[1].split() == ["a&b", "pearson", "2", "0.6250", "0.1768", "0.5000", "0.7500"]
    assert tsv.splitlines()[:2] == [
        "statistic\trun\tgenre\tmetric\tvalue\tn\tundefined\tsignature",
        "run\t=one .tsv\ta&b\tpearson\t0.5\t500\t\tpearson|n:500|v:1",
    ]
    assert tsv.splitlines()[3] == "mean\t\ta&b\tpearson\t0.625\t\t\tmean|pearson|n:400-500|runs:2|v:1"
    values = json.loads(in_json)
    assert values["schema"] == "assay.spread/1"
    assert (values["spread"][0]["sd"], values["runs"][1]["results"][0]["n"]) == (stdev([0.5, 0.75]), 400)
    assert r"a\&b & pearson & 2 & 0.6250 & 0.1768 & 0.5000 & 0.7500 \\" in latex
