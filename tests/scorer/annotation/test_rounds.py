"""`scorer rounds`: agreement between rounds, partial correlations, thinking time and calibration."""

import json
from collections import Counter, defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st
from scipy import stats

from scorer.annotation.ratings import ratings_of
from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings
from scorer.annotation.rounds import (
    align_rounds,
    calibration_curve,
    closeness_by_thinking_time,
    paired_columns,
    partial_correlation,
    turn_numbers,
)
from scorer.annotation.rounds_report import RoundsRules, rounds_report
from scorer.cli.__main__ import cli
from scorer.errors import RequestError
from scorer.values import Undefined

ONE = "pair,ada,bo,cy\nSEA-1,1,2,\nSEA-2,2,4,\nBAY-1,5,6,4\nBAY-2,0,1,\n"
TWO = "pair,bo,ada\nBAY-1,5,5\nBAY-2,1,2\nSEA-1,2,3\nSEA-2,,4\nCAPE-1,1,1\n"
THREE = "pair,dee\nSEA-1,1\nSEA-2,3\nBAY-1,3\nBAY-2,2\n"
TIMED_LAYOUT = RatingsLayout(annotator="who", rating="said", time="when", seconds="took")
TIMED = (
    "pair,who,said,when,took\n"
    "A,bo,4,40,0.5\nA,ada,1,10,1.5\nB,ada,5,20,0.25\nC,ada,3,30,\nB,bo,4,50,1.0\nA,ada,6,60,0.1\nD,bo,1,70,9\n"
)
OTHER = "pair,who,said,when,took\nB,cy,4,1,1\nA,cy,2,2,1\nC,cy,3,3,1\nA,ada,4,4,1\n"


@pytest.fixture
def run(tmp_path: Path) -> Any:
    def asked(*arguments: str, files: tuple[str, ...] = (ONE, TWO)) -> Result:
        for number, text in enumerate(files):
            (tmp_path / f"{number}.csv").write_text(text)
        paths = [str(tmp_path / f"{number}.csv") for number in range(len(files))]
        return CliRunner().invoke(cli, ["rounds", *paths, *arguments])

    return asked


def found(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.stderr
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def test_agreement_of_round_means_equals_manual_calculation_and_scipy(run: Any, tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("SEA-1\nBAY-1\nCAPE-1\n")
    asked = ("--genre", "id-prefix", "--by-genre", "--subset", str(tmp_path / "kept.txt"), "--format", "json")
    rows = found(run(*asked))["tables"]["correlation"]
    one, two = [1.5, 3, 5, 0.5], [2.5, 4, 5, 1.5]
    assert [(row["rounds"], row["units of"], row["n"]) for row in rows] == [
        ("1 and 2", "all", 4), ("1 and 2", "subset kept.txt", 2),
        ("1 and 2", "genre SEA", 2), ("1 and 2", "genre BAY", 2),
    ]  # fmt: skip
    assert rows[0]["pearson"] == round(stats.pearsonr(one, two).statistic, 10)
    assert rows[0]["spearman"] == round(stats.spearmanr(one, two).statistic, 10)
    assert rows[0]["mse"] == 0.75
    assert rows[1]["mse"] == 0.5


def test_empty_list_of_units_is_an_empty_subset(run: Any, tmp_path: Path) -> None:
    (tmp_path / "changed.txt").touch()
    asked = run("--subset", str(tmp_path / "changed.txt"), "--format", "json")
    row = found(asked)["tables"]["correlation"][1]
    assert (row["units of"], row["n"], row["mse"]["undefined"]) == ("subset changed.txt", 0, "too_few_items")


def test_equal_means_share_a_rank(run: Any) -> None:
    first = "u0,0,2,5\nu1,4,3,2\nu2,2,4,1\nu3,2,5,0\nu4,4,3,0\nu5,5,2,0\n"
    second = "u0,0,0,0\nu1,2,2,2\nu2,1,1,1\nu3,1,1,1\nu4,2,2,2\nu5,1,1,1\n"
    printed = run("--no-header", "--unit", "1", files=(first, second)).stdout
    assert "1 and 2  all     6   0.5423    0.5657" in printed


def test_by_annotator_each_is_compared_with_their_own_earlier_ratings(run: Any) -> None:
    answer = found(run("--by", "annotator", "--format", "json"))
    one, two = [1, 2, 2, 5, 6, 0, 1], [3, 2, 4, 5, 5, 2, 1]  # ada and bo by unit; bo's SEA-2 is missing
    row = answer["tables"]["correlation"][0]
    assert (row["n"], row["mse"]) == (
        7,
        round(fmean((a - b) ** 2 for a, b in zip(one, two, strict=True)), 10),
    )
    assert row["pearson"] == round(stats.pearsonr(one, two).statistic, 10)
    assert answer["signature"].startswith("rounds|ratings:9+9|by:annotator|bucket:1.0|v:")


def test_columns_of_one_file_can_be_compared_as_rounds(run: Any) -> None:
    asked = ("--columns", "cy", "--columns", "ada,bo", "--format", "json")
    row = found(run(*asked, files=(ONE, ONE)))["tables"]["correlation"][0]
    assert (row["n"], row["mse"]) == (1, 2.25)  # BAY-1 alone: 4 beside 5.5


def test_partial_correlations_given_the_third_round_equal_scipy(run: Any) -> None:
    answer = found(run("--format", "json", files=(ONE, TWO, THREE)))
    rows = answer["tables"]["partial"]
    assert [(row["rounds"], row["given"]) for row in rows] == [("1 and 2", 3), ("1 and 3", 2), ("2 and 3", 1)]
    values = np.array([[1.5, 3, 5, 0.5], [2.5, 4, 5, 1.5], [1, 3, 3, 2]])
    for row, (a, b, given_) in zip(rows, ((0, 1, 2), (0, 2, 1), (1, 2, 0)), strict=True):
        line = np.stack([np.ones(4), values[given_]], axis=1)
        left = [values[each] - line @ np.linalg.lstsq(line, values[each], rcond=None)[0] for each in (a, b)]
        assert row["pearson"] == pytest.approx(stats.pearsonr(*left).statistic, abs=1e-9)
    same = found(run("--format", "json", files=(ONE, TWO, TWO)))["tables"]["partial"]
    assert same[0]["pearson"]["undefined"] == "nothing_left"
    assert same[2]["pearson"] == 1
    alone = found(run("--format", "json", files=(ONE, TWO, "pair,dee\nSEA-1,1\n")))["tables"]["partial"]
    assert alone[0]["pearson"]["undefined"].startswith("too_few")


def test_expected_mse_of_each_round(run: Any) -> None:
    wide = "pair,a,b,c,d,e\nSEA-1,0,1,2,3,4\n"
    rows = found(run("--format", "json", files=(wide, TWO)))["tables"]["expected_mse"]
    assert rows[0]["expected mse"] == 1
    assert rows[1]["expected mse"]["undefined"] == "too_few_ratings"


def test_thinking_time_equals_manual_calculation() -> None:
    answers, other = (parse_ratings(text.encode(), "r", TIMED_LAYOUT) for text in (TIMED, OTHER))
    # A is compared with 3, B with 4; C took an unknown time, D is absent, and ada's second A is a repeat
    spans = closeness_by_thinking_time(answers, other, "means", 1)
    assert [(span.start, span.end, span.closeness.n, span.closeness.mse) for span in spans] == [
        (0, 1, 2, 1.0),  # bo's A 4, ada's B 5
        (1, 2, 2, 2.0),  # ada's A 1, bo's B 4
    ]
    (only,) = closeness_by_thinking_time(answers, other, "annotator", 2)
    assert (only.start, only.end, only.closeness.n, only.closeness.mse) == (0, 2, 1, 9.0)
    assert isinstance(only.closeness.pearson, Undefined)
    assert closeness_by_thinking_time(ratings_of([[1]]), ratings_of([[1]])) == []
    with pytest.raises(RequestError, match="above 0"):
        closeness_by_thinking_time(answers, other, "means", 0)


def test_agreement_curve_follows_time_and_counts_every_answer() -> None:
    answers, other = (parse_ratings(text.encode(), "r", TIMED_LAYOUT) for text in (TIMED, OTHER))
    assert turn_numbers(answers).tolist() == [1, 2, 3, 1, 2, 4, 3]  # ada ada ada bo bo ada bo
    curve = calibration_curve(answers, other)
    # 1: ada's A 1 and bo's A 4 beside 3; 2: ada's B 5 and bo's B 4 beside 4; 3: ada's C 3 beside 3
    assert [(span.start, span.closeness.n, span.closeness.mse) for span in curve] == [
        (1, 2, 2.5), (2, 2, 0.5), (3, 1, 0.0),
    ]  # fmt: skip
    curve = calibration_curve(answers, other, step=2)
    assert [(span.start, span.end, span.closeness.n) for span in curve] == [(1, 3, 4), (3, 5, 1)]
    with pytest.raises(RequestError, match="--step is 0; it has to be at least 1"):
        calibration_curve(answers, other, step=0)


def test_time_tables_are_printed_only_if_there_are_times(run: Any) -> None:
    asked = ("--annotator", "who", "--rating", "said", "--time", "when", "--seconds", "took", "--curve")
    tables = found(run(*asked, "--format", "json", files=(TIMED, OTHER)))["tables"]
    rows = tables["thinking_time"]
    assert [(row["answers of"], row["beside"], row["seconds"], row["n"]) for row in rows] == [
        (1, 2, 0, 2), (1, 2, 1, 2), (2, 1, 1, 4),
    ]  # fmt: skip
    assert [row["t"] for row in tables["calibration"] if row["answers of"] == 1] == [1, 2, 3]
    assert "thinking_time" not in found(run("--format", "json"))["tables"]
    assert "1 and 2  all     4   0.9857   " in run().stdout
    assert "correlation\t1 and 2\tall\t4\t0." in run("--format", "tsv").stdout
    assert "1 and 2 & all & 4 &" in run("--format", "latex").stdout


@pytest.mark.parametrize(
    ("arguments", "second", "code", "message"),
    [
        (("--by-genre",), TWO, 2, "--by-genre needs --genre"),
        (("--curve", "--step", "0"), TWO, 2, "--step is 0; it has to be at least 1"),
        (("--bucket", "0", "--seconds", "x"), TWO, 2, "one row per rating has times"),
        ((), "pair,ada\nX,1\n", 1, "none of its units is in"),
        ((), "pair,ada\nSEA-1,1\nSEA-2,lots\n", 1, '1.csv:3: rating "lots" is not a number'),
        (("--subset", "{here}"), TWO, 1, 'names.txt:2: nobody rated "SEA-7"'),
    ],
)
def test_invalid_rounds_requests_are_rejected(
    run: Any, tmp_path: Path, arguments: tuple[str, ...], second: str, code: int, message: str
) -> None:
    (tmp_path / "names.txt").write_text("CAPE-1\nSEA-7\n" if second == TWO else "SEA-1\n")
    asked = [each.format(here=tmp_path / "names.txt") for each in arguments]
    refused = run(*asked, files=(ONE, second))
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert message in refused.stderr


def test_comparing_rounds_needs_two_or_three() -> None:
    with pytest.raises(RequestError, match="give two or three"):
        rounds_report([ratings_of([[1]])], {}, RoundsRules())


ANSWERS = st.lists(
    st.tuples(
        st.sampled_from("ABCD"), st.sampled_from(["ada", "bo", "cy"]), st.integers(0, 6), st.integers(0, 3)
    ),
    min_size=1,
    max_size=14,
)


def as_file(rows: list[tuple[str, str, int, int]]) -> bytes:
    lines = [f"{unit},{who},{said},{place},{took}" for place, (unit, who, said, took) in enumerate(rows)]
    return "\n".join(["pair,who,said,when,took", *lines]).encode()


@given(ANSWERS, ANSWERS)
def test_thinking_time_and_curve_equal_a_plain_loop(
    one: list[tuple[str, str, int, int]], two: list[tuple[str, str, int, int]]
) -> None:
    answers, other = (parse_ratings(as_file(rows), "r", TIMED_LAYOUT) for rows in (one, two))
    theirs: dict[tuple[str, str], int] = {}
    for unit, who, said, _ in two:
        theirs.setdefault((unit, who), said)
    means = {unit: fmean(v for (u, _), v in theirs.items() if u == unit) for unit, _ in theirs}
    for by in ("means", "annotator"):
        times, curve = defaultdict(list), defaultdict(list)
        seen, count = set(), Counter[str]()
        for unit, who, said, took in one:
            count[who] += 1
            beside = means.get(unit) if by == "means" else theirs.get((unit, who))
            if (unit, who) not in seen and beside is not None:
                times[took].append((said - beside) ** 2)
                curve[count[who]].append((said - beside) ** 2)
            seen.add((unit, who))
        for spans, wanted in (
            (closeness_by_thinking_time(answers, other, by), times),  # type: ignore[arg-type]  # by is one of the two
            (calibration_curve(answers, other, by), curve),  # type: ignore[arg-type]  # the same
        ):
            assert {span.start: span.closeness.n for span in spans} == {
                key: len(v) for key, v in wanted.items()
            }
            for span in spans:
                assert span.closeness.mse == pytest.approx(fmean(wanted[int(span.start)]))


@given(st.lists(st.tuples(*[st.integers(0, 6)] * 3), min_size=4, max_size=12))
def test_partial_correlation_equals_correlation_of_residuals(rows: list[tuple[int, int, int]]) -> None:
    x, y, z = np.array(rows, dtype=float).T
    if min(np.ptp(each) for each in (x, y, z)) == 0:
        return
    r = [float(np.corrcoef(a, b)[0, 1]) for a, b in ((x, y), (x, z), (y, z))]
    found = partial_correlation(*r)
    if isinstance(found, Undefined):
        assert max(r[1] ** 2, r[2] ** 2) == pytest.approx(1)
        return
    line = np.stack([np.ones(len(z)), z], axis=1)
    left = [each - line @ np.linalg.lstsq(line, each, rcond=None)[0] for each in (x, y)]
    wanted = float(left[0] @ left[1] / np.sqrt((left[0] @ left[0]) * (left[1] @ left[1])))
    assert found == pytest.approx(wanted, abs=1e-7)
    assert -1 <= found <= 1
    assert partial_correlation(r[0], r[2], r[1]) == pytest.approx(found)


def test_undefined_correlation_stays_undefined() -> None:
    why = Undefined("constant_ratings", "all values in one of the two series are the same")
    assert partial_correlation(0.5, why, 0.5) == why
    first, second = align_rounds([ratings_of([[1], [None]]), ratings_of([[None], [2]])])
    assert [column.tolist() for column in paired_columns([first, second])] == [[], []]


def test_pauses_are_a_cumulative_distribution_over_days(run: Any) -> None:
    head = "pair,who,said,when,took\n"
    first = (
        head
        + "A,ada,1,2026-03-01T10:00:00Z,3\nB,ada,2,2026-03-01T11:00:00Z,\nA,bo,2,2026-03-01T11:00:00Z,2\n"
    )
    first += "A,cy,3,2026-03-09T11:00:00Z,2\nB,dee,3,2026-03-01T11:00:00Z,1\n"
    second = (
        head
        + "B,ada,1,2026-03-05T12:00:00Z,1\nA,ada,1,2026-03-04T11:00:00Z,1\nA,bo,1,2026-03-04T12:00:00Z,1\n"
    )
    second += "A,cy,1,2026-03-09T10:00:00Z,1\n"
    columns = ("--annotator", "who", "--rating", "said", "--time", "when", "--seconds", "took")
    answer = found(run(*columns, "--pauses", "--format", "json", files=(first, second)))
    assert answer["tables"]["pauses"] == [
        {"after": 1, "before": 2, "n": 3, "min": -1, "median": 72, "mean": 48, "max": 73}
    ]
    shares = [(row["days"], row["n"], row["share"]) for row in answer["tables"]["pause_shares"]]
    assert shares == [(0, 1, round(1 / 3, 10)), (3, 2, round(2 / 3, 10)), (4, 3, 1)]
    assert "not in the table by thinking time: 1 of the 5 ratings of round 1." in " ".join(answer["notes"])


def test_pauses_need_times_and_annotators_of_both_rounds(run: Any) -> None:
    assert "--pauses needs --time COLUMN" in run("--pauses").stderr
    columns = ("--annotator", "who", "--rating", "said", "--time", "when", "--pauses")
    strangers = "pair,who,said,when\nA,eve,1,90\n"
    assert "nobody rated in two consecutive rounds" in run(*columns, files=(TIMED, strangers)).stderr


def test_rounds_can_be_columns_of_one_file_with_a_row_per_rating(run: Any) -> None:
    long = "pair,who,free,dep\nA,ada,1,2\nA,bo,3,\nB,ada,5,4\nB,cy,,6\n"
    columns = ("--annotator", "who", "--columns", "free", "--columns", "dep", "--by", "annotator")
    (row,) = found(run(*columns, "--format", "json", files=(long, long)))["tables"]["correlation"]
    assert (row["n"], row["mse"]) == (2, 1)
