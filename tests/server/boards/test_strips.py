"""Axes fit the middle of a column: a system that failed leaves the others their intervals."""

import pytest

from server.boards.inference_marks import Mark
from server.boards.interval_bars import fit_axis, render_interval_bar, round_axis

GOOD = (0.84, 0.81, 0.8, 0.77, 0.74, 0.71)


def test_an_axis_ends_at_round_numbers() -> None:
    assert round_axis([0.21, 0.94]) == (0.2, 1.0)
    assert round_axis([-0.031, 0.2]) == (-0.05, 0.2)
    assert round_axis([1.2, 3.4]) == (1.0, 3.5)
    assert round_axis([0.5, 0.5]) == (0.49, 0.51)


@pytest.mark.parametrize(
    ("values", "axis"),
    [
        (GOOD, (0.68, 0.88)),
        ((*GOOD, -0.12), (0.68, 0.88)),
        ((*GOOD, 0.02, -0.3), (0.68, 0.88)),
        ((*GOOD, 0.6), (0.55, 0.9)),  # an outlier that makes it wider by less than half
        ((*[9 - value for value in GOOD], 41.0), (8.12, 8.32)),  # of errors, lower is better
        ((0.9, 0.5, 0.5, 0.5, 0.5, 0.1), (0.0, 1.0)),  # half are the same, and no value is far from them
        ((0.9, 0.8, -0.5), (-0.6, 1.0)),  # three have no middle
    ],
)
def test_axis_excludes_an_outlier_only_if_the_rest_becomes_clearly_wider(
    values: tuple[float, ...], axis: tuple[float, float]
) -> None:
    assert fit_axis([(value, (value - 0.025, value + 0.025)) for value in values]) == axis


def test_values_beyond_the_axis_are_marked_at_its_edge() -> None:
    def drawn(value: float, low: float, high: float) -> str:
        return str(render_interval_bar(value, Mark((low, high)), (0.65, 0.9)))

    interval, stroke = (
        '<rect x="20%" width="60%" height="5" class="i"/>',
        '<rect x="50%" width="2" height="8"/>',
    )
    assert interval + stroke in drawn(0.775, 0.7, 0.85)
    low, high = drawn(-0.1, -0.2, 0.7), drawn(1.4, 1.2, 1.6)
    assert "<title>Below the axis</title>" in low
    assert "<i>, below the axis, interval </i>−0.200 to 0.700" in low
    assert 'x="0%" width="20%" height="5" class="i"' in low, (
        "what reaches into the axis is drawn from its edge"
    )
    assert 'height="8"' not in low + high, "no stroke where the value is not"
    assert "Above the axis" in high
    assert "<rect" not in high
