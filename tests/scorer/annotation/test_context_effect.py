"""`scorer context`: a t test a unit, what chance would find, and how much means rise."""

import json
from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings, strategies as st
from scipy import stats

from scorer.annotation.context_effect import TestName, context_tests, histogram
from scorer.annotation.ratings import Ratings, ratings_of
from scorer.annotation.rounds import align_rounds
from scorer.cli.__main__ import cli
from scorer.errors import RequestError
from scorer.statistics.multiple_testing import benjamini_hochberg

FREE = "pair,ada,bo,cy,dee\nSEA-1,1,2,3,2\nSEA-2,2,2,2,2\nBAY-1,0,1,1,2\nBAY-2,5,,,\nBAY-9,1,1,1,1\n"
WITH = "pair,dee,cy,bo,ada\nBAY-1,5,5,4,3\nSEA-2,2,2,2,2\nSEA-1,3,3,2,1\nBAY-2,5,,,\nSEA-9,1,1,1,1\n"
TESTS: tuple[TestName, ...] = get_args(TestName)
Table = list[list[float | None]]


@pytest.fixture
def run(tmp_path: Path) -> Any:
    def asked(*arguments: str, free: str = FREE, dependent: str = WITH) -> Result:
        for name, text in (("free.csv", free), ("dependent.csv", dependent)):
            (tmp_path / name).write_text(text)
        files = [str(tmp_path / "free.csv"), str(tmp_path / "dependent.csv")]
        return CliRunner().invoke(cli, ["context", *files, *arguments])

    return asked


def found(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.stderr
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def test_context_effect_equals_manual_calculation_in_any_order_of_files(run: Any) -> None:
    answer = found(run("--every", "--format", "json"))
    assert (answer["n"], answer["only_free"], answer["only_dependent"]) == (4, 1, 1)
    rows = {row["unit"]: row for row in answer["tables"]["units"]}
    # BAY-1: 0 1 1 2 and 3 4 5 5, means 1 and 4.25, squares 2 and 2.75: t = 3.25 / sqrt(4.75 / 6 / 2)
    assert rows["BAY-1"]["independent t"] == pytest.approx(3.25 / (4.75 / 12) ** 0.5, abs=1e-9)
    # SEA-1, the same people: 1 2 3 2 and then 1 2 3 3; one difference of 1 among four
    assert rows["SEA-1"]["paired t"] == pytest.approx(1)
    assert rows["SEA-2"]["paired p"]["undefined"] == "no_difference"
    assert rows["SEA-2"]["independent p"]["undefined"] == "no_difference"
    assert rows["BAY-2"]["independent p"]["undefined"] == "too_few_ratings"
    assert rows["BAY-2"]["paired p"]["undefined"] == "too_few_shared"
    assert rows["BAY-2"]["increase"] == 0
    share = answer["tables"]["r"][0]
    assert (share["tested"], share["p <= x"], share["r(x)"], share["expected false"]) == (2, 1, 0.5, 0.1)
    left = {(row["test"], row["code"]): row["units"] for row in answer["tables"]["left_out"]}
    assert left == {
        ("independent", "too_few_ratings"): 1,
        ("independent", "no_difference"): 1,
        ("paired", "too_few_shared"): 1,
        ("paired", "no_difference"): 1,
    }


UNANIMOUS = "unit,a,b,c\nu1,0,0,0\nu2,1,2,3\nu3,3,3,4\nu4,2,2,2\n"
CHANGED = "unit,a,b,c\nu1,6,6,6\nu2,2,3,4\nu3,4,3,4\nu4,2,2,2\n"


@pytest.mark.parametrize(
    ("test", "rule", "tested", "significant", "without_variance"),
    [
        ("independent", "count", 3, ["u1"], 1),
        ("welch", "count", 3, ["u1"], 1),
        ("paired", "count", 3, ["u1", "u2"], 2),
        ("independent", "drop", 2, [], 1),
        ("paired", "drop", 1, [], 2),
    ],
)
def test_change_that_is_the_same_for_everybody_counts_with_p_0_or_is_left_out(
    run: Any, tmp_path: Path, test: str, rule: str, tested: int, significant: list[str], without_variance: int
) -> None:
    ids, files = tmp_path / "ids.txt", {"free": UNANIMOUS, "dependent": CHANGED}
    options = ("--test", test, "--no-variance", rule, "--every", "--fdr", "--ids", str(ids))
    answer = found(run(*options, "--format", "json", **files))
    assert ids.read_text().split() == significant
    share = next(row for row in answer["tables"]["r"] if (row["test"], row["x"]) == (test, 0.001))
    assert (share["tested"], share["p <= x"]) == (tested, len(significant))
    reasons = {row["code"]: row["units"] for row in answer["tables"]["left_out"] if row["test"] == test}
    assert reasons == {"no_difference": 1, "no_variance": without_variance}
    unit = answer["tables"]["units"][0]
    assert unit[f"{test} t"]["undefined"] == "no_variance"
    assert unit[f"{test} p"] == 0 if rule == "count" else unit[f"{test} p"]["undefined"] == "no_variance"
    assert f"|no-variance:{rule}|" in answer["signature"]


def test_significant_units_are_listed_and_their_ids_written_to_a_file(run: Any, tmp_path: Path) -> None:
    ids = tmp_path / "changed.txt"
    answer = found(run("--ids", str(ids), "--format", "json"))
    assert ids.read_text() == "BAY-1\n"
    assert [row["unit"] for row in answer["tables"]["units"]] == ["BAY-1"]
    again = run("--ids", str(ids))
    assert (again.exit_code, "already exists" in again.stderr) == (2, True)
    found(run("--ids", str(ids), "--force", "--alpha", "0.0001", "--format", "json"))
    assert ids.read_text() == ""


def test_increase_has_quantiles_and_a_histogram(run: Any) -> None:
    tables = found(run("--genre", "id-prefix", "--by-genre", "--bin", "1", "--format", "json"))["tables"]
    rise = [0.25, 0, 3.25, 0]  # SEA-1, SEA-2, BAY-1, BAY-2
    assert tables["increase"][0] == {
        "units of": "all",
        "units": 4,
        "mean": np.mean(rise),
        "sd": round(np.std(rise, ddof=1), 10),
        "higher": 2,
        "lower": 0,
    }
    assert [row["units of"] for row in tables["increase"]] == ["all", "genre SEA", "genre BAY", "significant"]
    assert tables["increase"][3]["sd"]["undefined"] == "too_few_units"
    assert tables["quantiles"][0]["0.5"] == 0.125
    assert [(row["from"], row["units"]) for row in tables["histogram"]] == [(0, 3), (1, 0), (2, 0), (3, 1)]


def test_every_format_has_the_same_values_and_welch_can_be_chosen(run: Any) -> None:
    answer = found(run("--test", "welch", "--fdr", "--at", "0.2", "--format", "json"))
    assert [row["test"] for row in answer["tables"]["r"]] == ["independent", "welch", "paired"]
    assert answer["signature"].startswith(
        "context|n:4|test:welch|alpha:0.05|fdr:bh|no-variance:count|at:0.2|"
    )
    p = answer["tables"]["units"][0]["welch p"]
    assert p == pytest.approx(stats.ttest_ind([3, 4, 5, 5], [0, 1, 1, 2], equal_var=False).pvalue, abs=1e-10)
    assert "r\tall\tindependent\t0.05\t2\t1\t0.5\t0.1\t" in run("--format", "tsv").stdout
    assert "expected false: the number of units" in run().stdout
    assert "assumes equal variances. " in run().stdout
    assert "assumes equal variances; the welch test does not. " in run("--test", "welch").stdout
    assert "all & independent & 0.0500 &" in run("--format", "latex").stdout


def test_one_file_can_contain_both_rounds(run: Any) -> None:
    one = "pair,f1,f2,f3,mean,d1,d2,d3\nSEA-1,1,2,3,9,2,2,4\nSEA-2,0,0,1,9,0,5,5\n"
    columns = ("--columns", "f1,f2,f3", "--columns", "d1,d2,d3", "--every", "--format", "json")
    rows = found(run(*columns, "--same-people", free=one, dependent=one))["tables"]["units"]
    for row, (free, dependent) in zip(rows, [([1, 2, 3], [2, 2, 4]), ([0, 0, 1], [0, 5, 5])], strict=True):
        assert row["independent p"] == round(stats.ttest_ind(dependent, free).pvalue, 10)
        assert row["paired p"] == round(stats.ttest_rel(dependent, free).pvalue, 10)
    rows = found(run(*columns, free=one, dependent=one))["tables"]["units"]
    assert rows[0]["paired p"]["undefined"] == "too_few_shared"


@pytest.mark.parametrize(
    ("arguments", "dependent", "code", "message"),
    [
        (("--alpha", "0"), WITH, 2, "level 0 has to be above 0"),
        (("--at", "nan"), WITH, 2, "level nan"),
        (("--bin", "0"), WITH, 2, "width of a bin is 0"),
        (("--bin", "1e-9"), WITH, 2, "make them wider"),
        (("--by-genre",), WITH, 2, "--by-genre needs --genre"),
        (("--columns", "ada"), WITH, 2, "1 times for 2 files"),
        (("--columns", "ada", "--columns", "bo,cy", "--same-people"), WITH, 2, "the same number of names"),
        (("--same-people",), WITH, 2, "needs --columns for each file"),
        ((), "pair,ada\nX,1\n", 1, "none of its units is in"),
        ((), "pair,ada\nSEA-1,much\nSEA-2,more\n", 1, 'dependent.csv:1: column "ada" holds words'),
    ],
)
def test_invalid_context_effect_requests_are_rejected(
    run: Any, arguments: tuple[str, ...], dependent: str, code: int, message: str
) -> None:
    refused = run(*arguments, dependent=dependent)
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert message in refused.stderr


def test_differences_equal_up_to_binary_rounding_have_no_variance() -> None:
    free, dependent = align_rounds([ratings_of([[0.2, 0.1]]), ratings_of([[0.3, 0.2]])])
    tests = context_tests(free, dependent, "paired")
    assert (tests.reason.tolist(), tests.t.tolist(), tests.p.tolist()) == ([4], [np.inf], [0])
    assert histogram(np.array([0.1 * 3 - 1e-17]), 0.1) == [(pytest.approx(0.3), pytest.approx(0.4), 1)]


def test_increases_that_cancel_have_a_mean_of_0(run: Any) -> None:
    free = "pair,ada,bo,cy\nA,1,1,2\nB,1,1,2\nC,1,1,2\nD,1,1,1\n"
    dependent = "pair,ada,bo,cy\nA,1,2,2\nB,1,2,2\nC,1,2,2\nD,0,0,0\n"
    printed = run(free=free, dependent=dependent).stdout
    assert "all 4 0.0000 0.6667 3 1" in " ".join(printed.split())


CELLS = st.one_of(st.none(), st.integers(0, 6))
TABLES = st.lists(
    st.tuples(st.lists(CELLS, min_size=5, max_size=5), st.lists(CELLS, min_size=5, max_size=5)),
    min_size=1,
    max_size=5,
)


def both(table: list[tuple[list[int | None], list[int | None]]]) -> tuple[Ratings, Ratings]:
    free, dependent = align_rounds([ratings_of([row[side] for row in table]) for side in (0, 1)])
    return free, dependent


@settings(max_examples=30)
@given(TABLES)
@pytest.mark.filterwarnings("ignore:Precision loss")  # scipy's, of a side whose ratings are all the same
def test_each_test_equals_scipy(table: list[tuple[list[int | None], list[int | None]]]) -> None:
    pair = both(table)
    for name in TESTS:
        tests = context_tests(*pair, name, "drop")
        columns = np.stack([tests.t, tests.df, tests.p], axis=1).tolist()
        rows = dict(zip(tests.place.tolist(), columns, strict=True))
        for unit, (free, dependent) in enumerate(table):
            a, b = ([each for each in row if each is not None] for row in (free, dependent))
            same = [(x, y) for x, y in zip(free, dependent, strict=True) if x is not None and y is not None]
            if name == "paired":
                possible = len(same) > 1 and len({y - x for x, y in same}) > 1
            else:
                possible = min(len(a), len(b)) > 1 and len(set(a)) + len(set(b)) > 2
            assert (unit in rows) == possible == (tests.reason[unit] == 0)
            if possible:
                oracle = (
                    stats.ttest_rel([y for _, y in same], [x for x, _ in same])
                    if name == "paired"
                    else stats.ttest_ind(b, a, equal_var=name == "independent")
                )
                assert rows[unit] == pytest.approx((oracle.statistic, oracle.df, oracle.pvalue), abs=1e-12)


@settings(max_examples=30)
@given(TABLES, st.integers(1, 4), st.integers(-9, 9))
def test_swapping_files_changes_the_sign_and_rescaling_changes_nothing(
    table: list[tuple[list[int | None], list[int | None]]], scale: int, shift: int
) -> None:
    """Swapping the files turns the sign; a change of scale changes nothing."""
    free, dependent = both(table)
    moved = both(
        [tuple([None if x is None else scale * x + shift for x in row] for row in rows) for rows in table]
    )  # type: ignore[misc]  # the tuples are of two
    for name in TESTS:
        tests, back, other = (
            context_tests(*pair, name) for pair in ((free, dependent), (dependent, free), moved)
        )
        assert back.t == pytest.approx(-tests.t)
        assert back.p == pytest.approx(tests.p)
        assert other.p == pytest.approx(tests.p)
        assert other.reason.tolist() == tests.reason.tolist()


@given(st.lists(st.floats(0, 1), max_size=12))
def test_benjamini_hochberg_equals_scipy(p: list[float]) -> None:
    wanted = stats.false_discovery_control(p).tolist() if p else []
    assert benjamini_hochberg(p) == pytest.approx(wanted, abs=1e-15)


def test_p_values_above_one_are_rejected() -> None:
    with pytest.raises(RequestError, match=r"p\[1\] is 1.5"):
        benjamini_hochberg([0.5, 1.5])
    assert benjamini_hochberg([1, 1]) == [1, 1]


def test_false_positive_rate_is_as_expected() -> None:
    """2,000 units whose context changes nothing: about .05 of them, and none by FDR."""
    values = np.random.default_rng(5).normal(size=(2, 2000, 6))
    pair = align_rounds([ratings_of(side.tolist()) for side in values])
    for name in TESTS:
        p = context_tests(pair[0], pair[1], name).p
        assert 0.035 < float((p <= 0.05).mean()) < 0.065
        assert min(benjamini_hochberg(p.tolist())) > 0.05
