"""The expected MSE of a system that knows each unit's population mean."""

import json
from math import isnan
from pathlib import Path
from statistics import fmean, variance

import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st
from scipy import stats

from scorer.annotation.agreement import expected_mse
from scorer.annotation.exact_arithmetic import unit_moments
from scorer.annotation.ratings import ratings_of
from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings
from scorer.cli.__main__ import cli
from scorer.values import Undefined

NINE = [0, 1, 1, 2, 2, 2, 3, 3, 4]


def test_expected_mse_of_nine_ratings_is_four_thirds_of_the_variance_over_nine() -> None:
    found = expected_mse(ratings_of([NINE, [2] * 9]))
    assert found.value == pytest.approx(4 / 3 * variance(NINE) / 9 / 2, rel=1e-15)
    assert found.unbiased == pytest.approx(variance(NINE) / 9 / 2, rel=1e-15)


def test_expected_mse_equals_variance_of_students_t_in_scipy(shared: Path) -> None:
    path = shared / "oracles" / "wordsim353" / "set1.csv"
    layout = RatingsLayout(unit=("Word 1", "Word 2"), ignore=("Human (mean)",))
    ratings = parse_ratings(path.read_bytes(), "set1.csv", layout)
    rows = [[value for value in row if not isnan(value)] for row in ratings.table().tolist()]
    wanted = fmean(stats.t(len(row) - 1).var() * variance(row) / len(row) for row in rows)
    assert expected_mse(ratings).value == pytest.approx(wanted, rel=1e-12)


def test_units_with_fewer_than_four_ratings_are_left_out_and_counted() -> None:
    found = expected_mse(ratings_of([[1, 2, 3, None], [1, 2, 3, 4]]))
    assert (found.units, found.left_out) == (1, 1)
    assert found.value == pytest.approx(3 * variance([1, 2, 3, 4]) / 4)
    none = expected_mse(ratings_of([[1, 2, 3], [None, None, 1]]))
    assert isinstance(none.value, Undefined)
    assert (none.value.code, none.units, none.left_out) == ("too_few_ratings", 0, 2)


def test_agree_command_prints_expected_mse_by_part() -> None:
    said = "pair,a,b,c,d,e\nCQA-1,0,1,2,3,4\nNEWS-1,2,2,2,2,2\nBLOG-1,1,2,,,\n"
    asked = ["agree", "-", "--genre", "id-prefix", "--by-genre", "--format", "json"]
    rows = json.loads(CliRunner().invoke(cli, asked, input=said).stdout)["tables"]["expected_mse"]
    assert [(row["units"], row["left out"]) for row in rows] == [(2, 1), (1, 0), (1, 0), (0, 1)]
    assert [row["expected mse"] for row in rows[:3]] == [0.5, 1.0, 0.0]
    assert rows[3]["s2/k"]["undefined"] == "too_few_ratings"


TABLES = st.lists(st.lists(st.integers(0, 24), min_size=4, max_size=7), min_size=1, max_size=6)


def padded(rows: list[list[int]]) -> list[list[float | None]]:
    return [[*(each / 4 for each in row), *[None] * (7 - len(row))] for row in rows]


@given(TABLES, st.integers(1, 5), st.integers(-9, 9))
def test_expected_mse_scales_quadratically_and_ignores_shift_and_order(
    rows: list[list[int]], scale: int, shift: int
) -> None:
    """Never below the unbiased one; squared with the scale; blind to shifts and to the order of units."""
    found = expected_mse(ratings_of(padded(rows)))
    moved = [[None if each is None else scale * each + shift for each in row] for row in padded(rows)]
    assert not isinstance(found.value, Undefined)
    assert not isinstance(found.unbiased, Undefined)
    assert found.value >= found.unbiased >= 0
    assert expected_mse(ratings_of(moved[::-1])).value == pytest.approx(scale**2 * found.value, abs=1e-12)
    assert (found.value == 0) == all(len(set(row)) == 1 for row in rows)


def test_equal_values_have_zero_deviation_despite_binary_rounding() -> None:
    found = unit_moments(ratings_of([[0.1] * 3, [None] * 3, [0.1, 0.2, 0.3]]))
    assert found.squares[0] == 0
    assert found.count.tolist() == [3, 0, 3]
    assert found.mean.tolist() == pytest.approx([0.1, 0, 0.2])
    assert found.squares[2] == pytest.approx(2 * variance([0.1, 0.2, 0.3]))
