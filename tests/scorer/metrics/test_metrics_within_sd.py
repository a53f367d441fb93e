"""Accuracy within the standard deviation: by hand, against a plain program, and through the commands."""

import re
from decimal import Decimal
from pathlib import Path
from statistics import mean, stdev

import pytest
from click.testing import CliRunner
from hypothesis import given, strategies as st

from scorer.boards.board import BoardLevel, BoardRules, Entry, build_board
from scorer.boards.board_data import LevelData, SystemData
from scorer.cli.__main__ import cli
from scorer.errors import RequestError, UndefinedError
from scorer.files.reading import Gold, Run
from scorer.inference.board_inference import InferenceOptions, infer_board
from scorer.metrics import within_sd, within_sd_credits
from scorer.scoring.evaluate import evaluate
from scorer.statistics.intervals import Resampling


def plain(ratings: list[int], pred: str) -> bool:
    """The rule as the task's organizers publish it, on the ratings themselves and in decimal numbers."""
    average = Decimal(sum(ratings)) / len(ratings)
    variance = sum((rating - average) ** 2 for rating in ratings) / (len(ratings) - 1)
    inside = average - variance.sqrt() < Decimal(pred) < average + variance.sqrt()
    return inside or abs(average - Decimal(pred)) < 1


# The mean of five ratings has one decimal place, and that of four has two.
RATINGS = st.lists(st.integers(1, 5), min_size=4, max_size=5)
PRED = st.integers(0, 600).map(lambda hundredths: f"{hundredths / 100:.2f}")


@given(st.lists(st.tuples(RATINGS, PRED), min_size=1, max_size=12))
def test_score_is_that_of_a_plain_program_on_the_ratings(rows: list[tuple[list[int], str]]) -> None:
    gold, sds = [mean(ratings) for ratings, _ in rows], [stdev(ratings) for ratings, _ in rows]
    found = within_sd_credits(gold, [float(pred) for _, pred in rows], sds)
    assert found == [float(plain(ratings, pred)) for ratings, pred in rows]
    assert within_sd(gold, [float(pred) for _, pred in rows], sds) == sum(found) / len(rows)


def test_score_worked_by_hand() -> None:
    # 1, 2, 3, 4, 5 have the mean 3 and the sd sqrt(10 / 4) = 1.58; 4, 4, 4, 5 the mean 4.25 and the sd .5.
    gold, sds = [3.0, 3.0, 3.0, 4.25, 4.25, 4.25], [2.5**0.5] * 3 + [0.5] * 3
    pred = [4.5, 4.6, 1.4, 5.2, 5.25, 3.2]
    assert within_sd_credits(gold, pred, sds) == [1, 0, 0, 1, 0, 0]
    assert within_sd(gold, pred, sds) == 2 / 6


@pytest.mark.parametrize(
    ("gold", "pred", "sd", "counts"),
    [
        (3.1, 4.1, 0.0, False),  # 4.1 - 3.1 is less than 1 as a float
        (0.3, 1.3, 1.0, False),
        (2.8, 1.6, 1.2, False),  # 2.8 - 1.6 is less than 1.2 as a float
        (2.8, 1.6, 1.2000001, True),
        (2.0, 2.0, 0.0, True),
        (1e308, -1e308, 1.0, False),
        (1e16, 1e16, 0.0, True),
    ],
)
def test_distance_equal_to_the_limit_does_not_count(
    gold: float, pred: float, sd: float, counts: bool
) -> None:
    assert within_sd_credits([gold], [pred], [sd]) == [counts]
    assert within_sd_credits([pred], [gold], [sd]) == [counts]


def test_what_has_no_value_is_refused() -> None:
    with pytest.raises(UndefinedError, match="at least 1"):
        within_sd([], [], [])
    with pytest.raises(RequestError, match="give gold with a column sd"):
        within_sd([1.0], [1.0], None)
    with pytest.raises(RequestError, match="1 values and there are 2 standard deviations"):
        within_sd([1.0], [1.0], [1.0, 2.0])
    for bad in (-0.1, float("nan"), float("inf")):
        with pytest.raises(RequestError, match="below 0 or not finite"):
            within_sd([1.0], [1.0], [bad])


GOLD = Gold((3.0, 1.0, None, 4.0, 2.0), sds=(1.5, 0.5, None, 0.0, 2.0))
RUN = Run((4.0, 2.0, 1.0, 4.5, 4.5), (None,) * 5)


def test_unscored_items_are_left_out_and_the_interval_is_that_of_a_share() -> None:
    (result,) = evaluate(GOLD, RUN, ["within_sd"], resampling=Resampling(400, 1, "percentile")).results
    assert (result.value, result.n) == (0.5, 4)
    assert result.signature.startswith("within_sd|n:4|ci:percentile|b:400|seed:1|v:")
    assert result.interval is not None
    assert (result.interval.low, result.interval.high) == (0, 1)
    for gold in (Gold(GOLD.values), Gold(GOLD.values, sds=(1.5, None, None, 0.0, 2.0))):
        with pytest.raises(RequestError, match="within_sd needs the standard deviation"):
            evaluate(gold, RUN, ["within_sd"])
        assert evaluate(gold, RUN, ["mae"]).results[0].n == 4


def test_board_has_its_intervals_tests_and_stability() -> None:
    n = 60
    gold = Gold(tuple(k % 9 / 2 for k in range(n)), sds=tuple((k % 5) / 2 for k in range(n)), groups=None)
    runs = {
        "near": Run(tuple((k % 9 / 2) + (k % 4) / 4 for k in range(n)), (None,) * n),
        "wide": Run(tuple((k % 9 / 2) + (k % 4) / 2 for k in range(n)), (None,) * n),
        "far": Run(tuple((k % 9 / 2) + 2 + (k % 4) / 2 for k in range(n)), (None,) * n),
    }
    entries = [
        Entry(name, "run", "official", {"a": {"within_sd": evaluate(gold, run, ["within_sd"]).results[0]}})
        for name, run in runs.items()
    ]
    board = build_board([BoardLevel("a", "A", ("within_sd",))], BoardRules(), entries)
    assert [(row.team, row.cells["a"]["within_sd"].rank) for row in board.official] == [
        ("near", 1), ("wide", 2), ("far", 3)
    ]  # fmt: skip
    data = [SystemData("official", name, "run", {"a": run}) for name, run in runs.items()]
    genres = tuple("xy"[k % 2] for k in range(n))
    options = InferenceOptions(b=400, seed=3, permutations=2000, adjust="max-t", significance=True)
    found = infer_board(board, [LevelData("a", gold, genres)], data, options)
    column = found["columns"][0]
    assert (
        column["intervals"][0]["low"]
        <= within_sd(gold.values, runs["near"].scores, gold.sds)
        <= column["intervals"][0]["high"]
        <= 1
    )
    assert [pair["adjusted"] < 0.05 for pair in column["pairs"]] == [True, True, True]


def test_commands_read_the_sd_beside_the_gold(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text("gold\tn\tsd\n3.1\t5\t0.8\n2\t5\t1.5\n\t\t\n4\t3\t0\n")
    (tmp_path / "one.tsv").write_text("4.1\n3.2\n1\n4\n")
    (tmp_path / "two.tsv").write_text("4.1\n3.5\n1\n4\n")
    paths = [f"{tmp_path}/{name}.tsv" for name in ("gold", "one", "two")]
    scored = CliRunner().invoke(cli, ["score", *paths[:2], "--metric", "within_sd", "--format", "tsv"])
    assert scored.stdout.splitlines()[1].split("\t")[:2] == ["within_sd", "0.6666666666666666"]
    compared = CliRunner().invoke(cli, ["compare", *paths, "--metric", "within_sd", "--bootstrap", "100"])
    assert re.search(r"one.tsv +0.6667\n.*two.tsv +0.3333\n", compared.stdout)
    (tmp_path / "gold.tsv").write_text("gold\tn\tsd\n3.1\t5\t0.8\n2\t1\t\n\t\t\n4\t3\t0\n")
    refused = CliRunner().invoke(cli, ["score", *paths[:2], "--metric", "within_sd"])
    assert (refused.exit_code, "gold.tsv:3: there is no sd" in refused.stderr) == (1, True)
    assert CliRunner().invoke(cli, ["score", *paths[:2]]).exit_code == 0
