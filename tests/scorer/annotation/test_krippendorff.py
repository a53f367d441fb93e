"""Krippendorff's alpha: published values, four other programs, laws, and what has no value."""

import csv
from itertools import combinations, permutations
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, strategies as st

from scorer.annotation import krippendorff
from scorer.annotation.krippendorff import Scaling, alpha_interval, krippendorff_alpha
from scorer.annotation.ratings import Ratings, ratings_of
from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings
from scorer.errors import RequestError, UndefinedError
from scorer.statistics.intervals import Resampling
from scorer.statistics.random_streams import open_stream
from scorer.statistics.resampling import resample_counts
from scorer.values import Undefined

SCALINGS: tuple[Scaling, ...] = get_args(Scaling)
TABLES = st.lists(
    st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=3, max_size=3), min_size=2, max_size=8
)


def by_pairs(table: list[list[float | None]], scaling: Scaling) -> float | None:
    """The definition, pair by pair."""
    units = [[cell for cell in row if cell is not None] for row in table]
    units = [row for row in units if len(row) > 1]
    pool = [value for row in units for value in row]
    if not pool:
        return None
    n_c = {value: pool.count(value) for value in pool}

    def squared(a: float, b: float) -> float:
        low, high = min(a, b), max(a, b)
        between = sum(count for value, count in n_c.items() if low <= value <= high)
        distances = {
            "nominal": float(a != b),
            "ordinal": between - (n_c[a] + n_c[b]) / 2,
            "interval": a - b,
            "ratio": (a - b) / (a + b),
        }
        return distances[scaling] ** 2

    observed = sum(squared(a, b) / (len(row) - 1) for row in units for a, b in permutations(row, 2)) / len(
        pool
    )
    expected = sum(squared(a, b) for a, b in permutations(pool, 2)) / (len(pool) * (len(pool) - 1))
    return 1 - observed / expected if expected else None


def test_alpha_equals_published_values_and_four_other_programs(shared: Path) -> None:
    folder = shared / "oracles" / "krippendorff"
    rows = list(
        csv.DictReader((folder / "alpha.tsv").read_text(encoding="utf-8").splitlines(), delimiter="\t")
    )
    assert len(rows) == 20
    for row in rows:
        path = folder / f"{row['dataset']}.csv"
        ratings = parse_ratings(path.read_bytes(), path.name, RatingsLayout(across=True))
        scaling: Scaling = row["level"]  # type: ignore[assignment]  # the file has these four
        found = krippendorff_alpha(ratings, scaling)
        assert found == pytest.approx(float(row["py_krippendorff_0.9.0"]), abs=1e-9), row
        assert not row["published"] or found == pytest.approx(float(row["published"]), abs=6e-4), row


@given(TABLES, st.sampled_from(SCALINGS))
def test_alpha_equals_the_definition_over_pairs(table: list[list[float | None]], scaling: Scaling) -> None:
    expected = by_pairs(table, scaling)
    if expected is None:
        with pytest.raises(UndefinedError):
            krippendorff_alpha(ratings_of(table), scaling)
    else:
        assert krippendorff_alpha(ratings_of(table), scaling) == pytest.approx(expected, abs=1e-9)


@given(TABLES)
def test_alpha_ignores_the_order_of_units_and_annotators(table: list[list[float | None]]) -> None:
    turned = [list(reversed(row)) for row in reversed(table)]
    assert values(turned) == pytest.approx(values(table), abs=1e-9, nan_ok=True)


@given(TABLES, st.integers(-7, 7), st.sampled_from((0.25, 3.0)))
def test_interval_alpha_is_invariant_under_linear_transformation(
    table: list[list[float | None]], shift: int, times: float
) -> None:
    moved = [[None if cell is None else cell * times + shift for cell in row] for row in table]
    assert values(moved)[:3] == pytest.approx(values(table)[:3], abs=1e-9, nan_ok=True)


def values(table: list[list[float | None]]) -> list[float]:
    found = []
    for scaling in ("nominal", "ordinal", "interval"):
        try:
            found.append(krippendorff_alpha(ratings_of(table), scaling))  # type: ignore[arg-type]  # of the four
        except UndefinedError:
            found.append(float("nan"))
    return found


@pytest.mark.parametrize("scaling", SCALINGS)
@pytest.mark.parametrize(
    ("table", "code"),
    [([[1, None], [None, 2]], "no_pairs"), ([[3, 3], [3, 3]], "constant"), ([], "no_pairs")],
)
def test_alpha_is_undefined_without_pairs_or_variation(
    table: list[list[float | None]], code: str, scaling: Scaling
) -> None:
    with pytest.raises(UndefinedError) as refused:
        krippendorff_alpha(ratings_of(table), scaling)
    assert refused.value.code == code
    found = alpha_interval(ratings_of(table), scaling, Resampling(100))
    assert isinstance(found.undefined, Undefined)


def test_perfect_agreement_is_one_and_opposition_is_below_zero() -> None:
    assert krippendorff_alpha(ratings_of([[1, 1], [2, 2], [5, 5]])) == 1.0
    assert krippendorff_alpha(ratings_of([[1, 5], [5, 1], [1, 5]])) < 0


def test_ratio_alpha_needs_values_of_one_sign() -> None:
    with pytest.raises(RequestError, match="one sign"):
        krippendorff_alpha(ratings_of([[-1, 1], [2, 2]]), "ratio")
    assert krippendorff_alpha(ratings_of([[0, 0], [2, 2]]), "ratio") == 1.0


@pytest.mark.parametrize("scaling", SCALINGS)
def test_alpha_interval_resamples_units(scaling: Scaling) -> None:
    """Against alpha of each resample, written out as a table with the drawn units."""
    table: list[list[float | None]] = [[1, 2, 1], [2, 2, None], [4, 5, 4], [3, 3, 1], [5, None, 4]]
    ratings = ratings_of(table)
    found = alpha_interval(ratings, scaling, Resampling(200, seed=3, interval="percentile", level=0.9))
    stream = open_stream(3, ratings.value.tolist(), f"alpha-{scaling}")
    drawn = []
    for counts in resample_counts(stream, 5, 200):
        for column in counts.T:
            rows = [table[place] for place, times in enumerate(column) for _ in range(int(times))]
            value = by_pairs(rows, scaling)
            drawn += [] if value is None else [value]
    low, high = np.quantile(drawn, [0.05, 0.95])
    assert found.degenerate == 200 - len(drawn)
    assert (found.low, found.high) == (pytest.approx(low, abs=0.05), pytest.approx(high, abs=0.05))


def test_alpha_is_the_same_in_batches_and_by_single_values(monkeypatch: pytest.MonkeyPatch) -> None:
    ratings = ratings_of([[a, b, (a * b) % 5 + 1] for a, b in combinations(range(1, 7), 2)])
    at_once = [alpha_interval(ratings, scaling, Resampling(150, 1)) for scaling in SCALINGS]
    whole = [krippendorff_alpha(ratings, scaling) for scaling in SCALINGS]
    monkeypatch.setattr(krippendorff, "MAX_CELLS", 8)
    parts = [alpha_interval(ratings, scaling, Resampling(150, 1)) for scaling in SCALINGS]
    for one, other in zip(at_once, parts, strict=True):
        assert (one.low, one.high) == pytest.approx((other.low, other.high), abs=1e-9)
    monkeypatch.setattr(krippendorff, "MAX_RATIO_VALUES", 2)
    assert [krippendorff_alpha(ratings, scaling) for scaling in SCALINGS] == pytest.approx(whole, abs=1e-12)
    with pytest.raises(RequestError, match="too many for an interval of ratio alpha"):
        alpha_interval(ratings, "ratio", Resampling(150, 1))


def test_a_hundred_thousand_ratings_need_no_table_of_all_cells() -> None:
    def pattern(n: int, k: int) -> Ratings:
        unit = np.repeat(np.arange(n), 5)
        value = (unit % 5 + np.arange(5 * n) % 2).astype(float)
        names = tuple(map(str, range(n))), tuple(map(str, range(k)))
        return Ratings("r", *names, unit, np.arange(5 * n) % k, value, unit + 1)

    small, large = krippendorff_alpha(pattern(10, 50)), krippendorff_alpha(pattern(20_000, 100_000))
    # the same shares of the same pairs: only N - 1 over N differs
    assert 1 - large == pytest.approx((1 - small) * (99_999 / 100_000) / (49 / 50), abs=1e-12)
