"""`scorer annotator-test`: by hand, against a plain program that follows the paper, and as a command."""

import json
import re
from math import sqrt
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings, strategies as st
from scipy import stats

from scorer.annotation.annotator_test import annotator_test
from scorer.annotation.ratings import ratings_of
from scorer.cli.__main__ import cli
from scorer.errors import RequestError
from scorer.statistics.multiple_testing import benjamini_yekutieli
from scorer.values import Undefined

N = 32


def names(n: int) -> list[str]:
    return [f"U-{unit}" for unit in range(n)]


def test_test_worked_by_hand() -> None:
    """Two annotators who always agree, and a system that is wrong on 8 of 32 units.

    d is 1 on these 8 units, else 0: its mean is .25 and its variance 32 * .25 * .75 / 31 = 6 / 31.
    """
    ratings = ratings_of([[unit % 4, unit % 4] for unit in range(N)], units=names(N))
    pred = {name: float(unit % 4 + (unit < 8)) for unit, name in enumerate(names(N))}
    found = annotator_test(ratings, pred, epsilon=0.2)
    first, second = found.annotators
    assert (first.n, first.system_share, first.annotator_share) == (32, 0.75, 1.0)
    assert first.t == pytest.approx(0.05 / sqrt(6 / 31 / 32))
    assert first.p == pytest.approx(0.7375, abs=1e-4)  # Student's t with 31 degrees of freedom at .6429
    # Of two equal p values, each is times 2 / 2 * (1 + 1 / 2).
    assert first.adjusted == second.adjusted == 1
    assert (found.winning_rate, found.advantage, found.passes) == (0, 0.75, False)
    generous = annotator_test(ratings, pred, epsilon=0.5)
    assert generous.annotators[0].adjusted == pytest.approx(1.5 * generous.annotators[0].p)
    assert (generous.winning_rate, generous.passes) == (1, True)


def plain(
    table: list[list[int | None]], pred: list[float], epsilon: float, q: float
) -> tuple[float, float, list[float]]:
    """The procedure as the paper describes it, unit by unit."""
    shares, p_values = [], []
    for place in range(len(table[0])):
        differences, wins = [], []
        for row, score in zip(table, pred, strict=True):
            others = [rating for k, rating in enumerate(row) if k != place and rating is not None]
            if row[place] is None or not others:
                continue
            system, human = (-sqrt(np.mean([(x - y) ** 2 for y in others])) for x in (score, row[place]))
            closer = abs(system - human) > 1e-9
            wins.append(1 if system > human or not closer else 0)
            differences.append((1 if human > system or not closer else 0) - wins[-1])
        if len(differences) >= 30:
            shares.append(np.mean(wins))
            p_values.append(stats.ttest_1samp(differences, epsilon, alternative="less").pvalue)
    m, harmonic = len(p_values), sum(1 / k for k in range(1, len(p_values) + 1))
    order = np.argsort(p_values)
    passing = [k for k, place in enumerate(order, start=1) if p_values[place] <= k / m * q / harmonic]
    return max(passing, default=0) / m, float(np.mean(shares)), p_values


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.0, 0.1, 0.2]), st.sampled_from([0.05, 0.2]))
def test_rates_are_those_of_a_plain_program(seed: int, epsilon: float, q: float) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 5, 70)
    noisy = np.clip(np.rint(truth[:, None] + rng.normal(size=(70, 4)) * [0.4, 0.8, 1.2, 0.8]), 0, 4)
    table = [[None if rng.random() < 0.3 else int(rating) for rating in row] for row in noisy]
    pred = np.clip(np.rint((truth + rng.normal(size=70) * 0.7) * 2) / 2, 0, 4).tolist()
    rate, advantage, p_values = plain(table, pred, epsilon, q)
    found = annotator_test(
        ratings_of(table, units=names(70)), dict(zip(names(70), pred, strict=True)), epsilon, q
    )
    assert [each.p for each in found.annotators] == pytest.approx(p_values, abs=1e-12)
    assert found.winning_rate == rate
    assert found.advantage == pytest.approx(advantage)


@given(st.lists(st.floats(0, 1), max_size=12), st.floats(0.01, 0.5))
def test_adjusted_p_values_reject_what_the_step_up_procedure_rejects(p: list[float], q: float) -> None:
    adjusted, k = benjamini_yekutieli(p), len(p)
    bound = q / sum(1 / rank for rank in range(1, k + 1)) if k else 0
    passing = [rank for rank, each in enumerate(sorted(p), start=1) if each <= rank / k * bound * (1 - 1e-12)]
    near = any(abs(each - q) < 1e-9 for each in adjusted)
    assert near or sum(each <= q for each in adjusted) == max(passing, default=0)
    assert all(raw <= each <= 1 for raw, each in zip(p, adjusted, strict=True))


def test_units_without_another_annotator_or_a_prediction_do_not_count() -> None:
    table = [[1, 2, None]] * 29 + [[1, 2, 3], [1, None, None], [None, 2, 3]]
    pred = dict.fromkeys(names(31), 2.0)
    found = annotator_test(ratings_of(table, units=names(32)), pred)
    assert [(each.name, each.n) for each in found.annotators] == [("1", 30), ("2", 30)]
    assert found.left_out == {"3": 1}
    few = annotator_test(ratings_of(table[:20], units=names(20)), pred)
    assert (few.annotators, few.left_out, few.passes) == ((), {"1": 20, "2": 20, "3": 0}, False)
    assert isinstance(few.winning_rate, Undefined)
    assert few.winning_rate.code == "too_few_units"


def test_difference_without_variance_is_decided_by_epsilon() -> None:
    ratings = ratings_of([[1, 1]] * 40, units=names(40))
    same, worse = (annotator_test(ratings, dict.fromkeys(names(40), score), 0.2) for score in (1.0, 3.0))
    assert [(each.p, isinstance(each.t, Undefined)) for each in same.annotators] == [(0, True)] * 2
    assert [each.p for each in worse.annotators] == [1, 1]
    assert [each.p for each in annotator_test(ratings, dict.fromkeys(names(40), 1.0), 0).annotators] == [1, 1]


def test_impossible_requests_are_refused() -> None:
    ratings = ratings_of([[1, 1]], units=["x"])
    for epsilon in (-0.1, 1.0, float("nan")):
        with pytest.raises(RequestError, match="epsilon is"):
            annotator_test(ratings, {"x": 1.0}, epsilon)
    with pytest.raises(RequestError, match="q is 0"):
        annotator_test(ratings, {"x": 1.0}, 0.2, 0)
    with pytest.raises(RequestError, match="no unit of ratings has a prediction"):
        annotator_test(ratings, {"y": 1.0})


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["annotator-test", *arguments])


def test_command_reads_runs_by_line_and_by_name(tmp_path: Path) -> None:
    rows = [(name, unit % 4, (unit + unit % 7 // 6) % 4, unit % 4) for unit, name in enumerate(names(40))]
    wide = "pair,ada,bo,cy\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
    long = "pair,who,said\n" + "".join(
        f"{row[0]},{who},{said}\n"
        for row in rows
        for who, said in zip(("ada", "bo", "cy"), row[1:], strict=True)
    )
    scores = [unit % 4 + (unit % 5 == 0) for unit in range(40)]
    keyed = "said,pair\n9,Z-1\n" + "".join(
        f"{s},{n}\n" for s, n in reversed(list(zip(scores, names(40), strict=True)))
    )
    for name, text in (
        ("wide.csv", wide),
        ("long.csv", long),
        ("run.tsv", "".join(f"{score}\n" for score in scores)),
        ("keyed.csv", keyed),
    ):
        (tmp_path / name).write_text(text)
    paths = {name: f"{tmp_path}/{name}" for name in ("wide.csv", "long.csv", "run.tsv", "keyed.csv")}
    by_line = json.loads(run(paths["wide.csv"], paths["run.tsv"], "--format", "json").stdout)
    asked = ("--annotator", "who", "--rating", "said", "--id", "pair", "--score", "said", "--format", "json")
    by_name = json.loads(run(paths["long.csv"], paths["keyed.csv"], *asked).stdout)
    for table in ("systems", "annotators"):
        values = [
            [{name: cell for name, cell in row.items() if name != "run"} for row in found["tables"][table]]
            for found in (by_line, by_name)
        ]
        assert values[0] == values[1]
    # The run is wrong on every fifth unit, but so is bo on unit 20, where run and annotator tie: 33 of 40.
    (system,) = by_line["tables"]["systems"]
    assert (system["tested"], system["left out"], system["advantage"]) == (3, 0, 0.825)
    few = (tmp_path / "wide.csv").read_text().splitlines()[:30]
    (tmp_path / "few.csv").write_text("\n".join(few) + "\n")
    untested = run(f"{tmp_path}/few.csv", paths["keyed.csv"], "--id", "pair", "--score", "said")
    assert re.search(r"keyed.csv +0 +3 +0 +– +– +–\n", untested.stdout), untested.output
    refused = run(paths["long.csv"], paths["run.tsv"], "--annotator", "who", "--rating", "said")
    assert (refused.exit_code, "need runs with a header" in refused.stderr) == (2, True)
    half = run(paths["wide.csv"], paths["run.tsv"], "--id", "pair")
    assert (half.exit_code, "needs both --id COLUMN and --score" in half.stderr) == (2, True)
    (tmp_path / "run.tsv").write_text("1\n2\n")
    short = run(paths["wide.csv"], paths["run.tsv"])
    assert (short.exit_code, "the file has 2 lines, but there are 40 items" in short.stderr) == (1, True)
