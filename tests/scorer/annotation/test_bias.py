"""`scorer bias`: deviations of ratings from gold as box plots, with an interval over annotators and units."""

import json
from pathlib import Path
from statistics import NormalDist, fmean, quantiles

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st

from scorer.annotation.bias import deviations_from_gold, make_box, mean_interval
from scorer.annotation.ratings import ratings_of
from scorer.cli.__main__ import cli
from scorer.errors import RequestError
from scorer.statistics.intervals import Resampling

WIDE = """pair,level,genre,w1,w2,w3
A-1,p2s,A,1,2,1.5
A-2,p2s,A,4,3,3
B-1,s2p,B,0,1,
B-2,s2p,B,2,2.5,4
C-1,s2p,A,1,1,1
"""
GOLD = "pair,gold\nA-1,1\nA-2,3.1\nB-1,0.5\nB-2,1\nZ,\n"


def write(folder: Path) -> tuple[str, str, str]:
    head, *rows = [line.split(",") for line in WIDE.split()]
    long = [
        ",".join([*row[:3], who, said]) for row in rows for who, said in zip(head[3:], row[3:], strict=True)
    ]
    for name, text in (
        ("wide.csv", WIDE),
        ("long.csv", "\n".join(["pair,level,genre,who,said", *long])),
        ("gold.csv", GOLD),
    ):
        (folder / name).write_text(text)
    return f"{folder}/wide.csv", f"{folder}/long.csv", f"{folder}/gold.csv"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["bias", *arguments])


VALUES = st.lists(st.integers(-16, 16).map(lambda quarters: quarters / 4), min_size=2, max_size=40)


@given(VALUES)
def test_box_has_the_quartiles_and_no_value_beyond_its_whiskers_is_inside(values: list[float]) -> None:
    box = make_box(values)
    assert [box.q1, box.median, box.q3] == pytest.approx(quantiles(values, n=4, method="inclusive"))
    reach = 1.5 * (box.q3 - box.q1)
    inside = [value for value in values if box.q1 - reach <= value <= box.q3 + reach]
    assert (box.low, box.high) == (min(*inside, box.q1), max(*inside, box.q3))
    assert (box.n, box.outside) == (len(values), len(values) - len(inside))
    assert box.mean == pytest.approx(fmean(values), abs=1e-12)
    assert box.above == sum(value > 0 for value in values) / len(values)


def test_box_worked_by_hand() -> None:
    # The quartiles of 11 values are the 3rd and the 8th and a half: positions 2.5, 5 and 7.5 from 0.
    box = make_box([-3, -1, -0.5, 0, 0, 0.25, 0.5, 0.5, 1, 1.25, 4])
    assert (box.q1, box.median, box.q3) == (-0.25, 0.25, 0.75)
    # The whiskers reach to -.25 - 1.5 = -1.75 and .75 + 1.5 = 2.25, so that -3 and 4 are outside.
    assert (box.low, box.high, box.outside, box.above) == (-1, 1.25, 2, 6 / 11)
    with pytest.raises(RequestError, match="no value to make a box of"):
        make_box([])


def test_rating_equal_to_gold_in_decimals_is_not_above_it() -> None:
    table = ratings_of([[0.3, 0.2], [1.1, 4]], units=["x", "y"])
    deviations = deviations_from_gold(table, {"x": 0.1 + 0.2, "y": 1.1})
    assert deviations.value.tolist() == [0.0, -0.1, 0.0, 2.9]
    assert make_box(deviations.value.tolist()).above == 0.25
    with pytest.raises(RequestError, match="no rated unit of ratings has gold"):
        deviations_from_gold(table, {"z": 1.0})


@pytest.mark.parametrize("shape", [(40, 12), (15, 30)])
def test_interval_has_the_width_of_the_crossed_bootstrap(shape: tuple[int, int]) -> None:
    """Against the exact variance of the resampled mean of a complete table with n units and k annotators.

    A resample has the weights w_i v_j, where w and v are independent and multinomial with covariance I - 1/n
    and I - 1/k. So the variance is the sum of the squared effects of units, of annotators, and of the rest,
    over n^2, k^2 and n^2 k^2.
    """
    rng = np.random.default_rng(11)
    n, k = shape
    table = rng.normal(size=(n, 1)) + rng.normal(size=(1, k)) + rng.normal(size=shape)
    centred = table - table.mean()
    unit, annotator = centred.mean(axis=1), centred.mean(axis=0)
    rest = centred - unit[:, None] - annotator[None]
    variance = (unit**2).sum() / n**2 + (annotator**2).sum() / k**2 + (rest**2).sum() / (n * k) ** 2
    found = mean_interval(ratings_of(table.tolist()), Resampling(4000, 3, "percentile"))
    expected = 2 * NormalDist().inv_cdf(0.975) * variance**0.5
    assert (found.high or 0) - (found.low or 0) == pytest.approx(expected, rel=0.06)
    assert (found.low or 0) < table.mean() < (found.high or 0)
    of_ratings = 2 * NormalDist().inv_cdf(0.975) * table.std() / (n * k) ** 0.5
    assert expected > 3 * of_ratings


def test_interval_needs_two_annotators_and_two_units_and_counts_empty_resamples() -> None:
    options = Resampling(400, 1, "percentile")
    for table in ([[1.0, 2.0]], [[1.0], [2.0]]):
        found = mean_interval(ratings_of(table), options)
        assert (found.low, found.undefined and found.undefined.code) == (None, "one_unit")
    # Of two annotators with a unit each, a resample is empty if it draws one unit twice and the other person
    # twice: 2 of 16 chances.
    apart = mean_interval(ratings_of([[1, None], [None, 2]]), options)
    assert (apart.low, apart.high) == (1, 2)
    assert 30 < apart.degenerate < 70


def test_rows_are_by_genre_and_level_in_both_kinds_of_files(tmp_path: Path) -> None:
    wide, long, gold = write(tmp_path)
    asked = ("--gold", gold, "--id", "pair", "--gold-score", "gold", "--genre", "genre")
    asked += ("--level-column", "level", "--format", "json")
    found = json.loads(run(wide, *asked).stdout)
    rows = {row["units of"]: row for row in found["tables"]["bias"]}
    assert list(rows) == [
        "all", "genre A", "genre B", "level p2s", "level s2p", "level p2s, genre A", "level s2p, genre B"
    ]  # fmt: skip
    # 0, 1, .5, .9, -.1, -.1 and -.5, .5, 1, 1.5, 3; C-1 has no gold
    sizes = {name: (row["units"], row["n"]) for name, row in rows.items()}
    assert (sizes["all"], sizes["genre A"], sizes["genre B"]) == ((4, 11), (2, 6), (2, 5))
    assert rows["genre A"]["mean"] == round(2.2 / 6, 10)
    assert (rows["genre A"]["above"], rows["genre B"]["above"]) == (0.5, 0.8)
    assert (rows["genre B"]["q1"], rows["genre B"]["whisker high"], rows["genre B"]["outside"]) == (0.5, 3, 0)
    assert (found["n"], found["without_gold"]) == (4, 1)
    assert "4 units, 3 annotators, 11 ratings; 1 rated unit without gold." in found["notes"]
    other = json.loads(run(long, *asked, "--annotator", "who", "--rating", "said").stdout)
    assert other["tables"]["bias"] == found["tables"]["bias"]


def test_gold_of_one_value_per_line_is_for_the_units_in_their_order(tmp_path: Path) -> None:
    wide, long, _ = write(tmp_path)
    (tmp_path / "gold.txt").write_text("1\n3.1\n.5\n1\n\n")
    asked = ("--gold", f"{tmp_path}/gold.txt", "--ignore", "level", "--genre", "genre")
    assert "4 units, 3 annotators, 11 ratings; 1 rated unit without gold." in run(wide, *asked).stdout
    refused = run(long, *asked[:2], "--annotator", "who", "--rating", "said")
    assert (refused.exit_code, "need keyed gold; add --id and --gold-score" in refused.stderr) == (2, True)
    (tmp_path / "gold.txt").write_text("1\n3.1\n")
    short = run(wide, *asked)
    assert (short.exit_code, "gold has 2 lines, but there are 5 items" in short.stderr) == (1, True)


def test_unit_with_two_levels_is_refused(tmp_path: Path) -> None:
    _, long, gold = write(tmp_path)
    text = Path(long).read_text().replace("A-1,p2s,A,w3", "A-1,s2p,A,w3")
    Path(long).write_text(text)
    asked = ("--gold", gold, "--id", "pair", "--gold-score", "gold", "--annotator", "who", "--rating", "said")
    refused = run(long, *asked, "--level-column", "level")
    assert refused.exit_code == 1
    assert 'long.csv:4: "A-1" has the level "s2p" here and "p2s" before' in refused.stderr
