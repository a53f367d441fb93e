"""`scorer filter`: pairs near their expected rating, random pairs of the same number, lines as they were."""

import csv
import json
from collections import Counter
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st
from scipy import stats

from scorer.annotation.choice_filter import FilterRules, filter_report, neighbourhood, random_control
from scorer.annotation.choices_reader import ChoicesLayout, parse_choices, parse_expected_ratings
from scorer.cli.__main__ import cli
from scorer.errors import RatingsError, RequestError

TRAIN = (
    "pair,left,right,choice,rating,later\r\n"
    'p1,"a harbour,\r\nat night",a port,A,5,5.5\r\n'
    "p2,an island, the sea ,A,4,\r\n"
    "p3,a boat,a ship, B , 3.0,4\r\n"
    "p4,a boat,an oak,C,0,0.5\r\n"
    "p5,a quay,a cave,C,2,1\r\n"
    "p6,a pier,a quay,B,6,6"
)
ONE = ("--neighbourhood", "1")


@pytest.fixture
def run(tmp_path: Path) -> Any:
    def asked(*arguments: str, said: str | bytes = TRAIN) -> Result:
        (tmp_path / "train.csv").write_bytes(said if isinstance(said, bytes) else said.encode())
        return CliRunner().invoke(cli, ["filter", str(tmp_path / "train.csv"), *arguments])

    return asked


def found(result: Result) -> dict[str, Any]:
    assert result.exit_code == 0, result.stderr
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def test_kept_ratings_equal_manual_calculation(run: Any) -> None:
    answer = found(run("--format", "json", "--repeats", "3", "--seed", "4"))
    rows = {row["pairs of"]: row for row in answer["tables"]["kept"]}
    assert list(rows) == ["all", "N1", "control of N1", "N2", "control of N2"]
    assert rows["N1"] == {
        "pairs of": "N1", "pairs": 3, "share": 0.5, "A pairs": 1, "B pairs": 1, "C pairs": 1,
        "mean rating": round(8 / 3, 10), "distance": round(1 / 3, 10),
    }  # fmt: skip
    assert (rows["N2"]["pairs"], rows["N2"]["distance"]) == (5, 1)
    control = rows["control of N2"]
    assert control["pairs"] == 5
    assert sum(control[f"{name} pairs"] for name in "ABC") == pytest.approx(5)
    assert answer["signature"].startswith("filter|n:6|within:1+2|repeats:3|seed:4|v:")
    alone = found(run("--repeats", "0", "--format", "json"))["tables"]["kept"]
    assert [row["pairs of"] for row in alone] == ["all", "N1", "N2"]


def test_kept_lines_are_written_unchanged(run: Any, tmp_path: Path) -> None:
    kept, ids, control = tmp_path / "kept.csv", tmp_path / "ids.txt", tmp_path / "random-"
    asked = (*ONE, "--out", str(kept), "--id", "pair", "--ids", str(ids), "--repeats", "2")
    found(run(*asked, "--controls", str(control), "--format", "json"))
    head, body = TRAIN.encode().split(b"\r\n", 1)
    assert kept.read_bytes() == b"\r\n".join(
        [
            head,
            body[: body.index(b"\r\np2")],
            b"p3,a boat,a ship, B , 3.0,4",
            b"p4,a boat,an oak,C,0,0.5",
            b"",
        ]
    )
    assert ids.read_text() == "p1\np3\np4\n"
    drawn = [(tmp_path / f"random-{number}.csv").read_bytes() for number in (1, 2)]
    wanted = parse_choices(TRAIN.encode(), "r", ChoicesLayout(id="pair"))
    for number, each in enumerate(drawn, start=1):
        places = random_control(wanted, 1.0, 3, 0, number).tolist()
        names = [row["pair"] for row in csv.DictReader(each.decode().splitlines(keepends=True))]
        assert names == [f"p{place + 1}" for place in places]
    again = run(*asked)
    assert (again.exit_code, "already exists" in again.stderr) == (2, True)
    assert found(run(*asked, "--force", "--format", "json"))["n"] == 6


def test_filter_works_without_a_header_and_with_other_options(run: Any, tmp_path: Path) -> None:
    out = tmp_path / "kept.tsv"
    said = "\ufeffgreen\t3.3\nred\t0.3\ngreen\t2\n".encode()
    asked = ("--no-header", "--choice", "1", "--rating", "2", "--expected", "green=3.5,red=0")
    answer = found(run(*asked, "--neighbourhood", "0.3", "--out", str(out), "--format", "json", said=said))
    assert answer["tables"]["kept"][1]["pairs"] == 2  # .3 is inside .3, whatever binary makes of it
    assert out.read_bytes() == said[: said.index(b"green\t2")]


def test_closeness_to_the_other_round_equals_scipy(run: Any) -> None:
    asked = (*ONE, "--second", "later", "--repeats", "4", "--seed", "2")
    answer = found(run(*asked, "--format", "json"))
    rows = {row["pairs of"]: row for row in answer["tables"]["second"]}
    rating, later = [5, 4, 3, 0, 2, 6], [5.5, None, 4, 0.5, 1, 6]

    def by_hand(places: list[int]) -> tuple[float, float]:
        both = [(rating[place], later[place]) for place in places if later[place] is not None]
        a, b = zip(*both, strict=True)
        return float(stats.pearsonr(a, b).statistic), fmean((x - y) ** 2 for x, y in both)

    assert rows["all"]["n"] == 5
    for name, places in (("all", list(range(6))), ("N1", [0, 2, 3])):
        r, mse = by_hand(places)
        assert (rows[name]["pearson"], rows[name]["mse"]) == pytest.approx((r, mse), abs=1e-10)
    choices = parse_choices(TRAIN.encode(), "r")
    values = [by_hand(random_control(choices, 1.0, 3, 2, number).tolist()) for number in range(1, 5)]
    control = rows["control of N1"]
    assert control["pearson"] == pytest.approx(fmean(r for r, _ in values), abs=1e-10)
    assert control["sd"] == pytest.approx(stdev(r for r, _ in values), abs=1e-10)
    assert control["mse"] == pytest.approx(fmean(mse for _, mse in values), abs=1e-10)


def test_notes_name_each_neighbourhood_and_mention_controls_only_if_there_are_any(run: Any) -> None:
    widths = ("--neighbourhood", "0.5", "--neighbourhood", "2")
    notes = " ".join(found(run(*widths, "--repeats", "0", "--format", "json"))["notes"])
    assert "between rating and expected rating: 0.5 in N0.5, 2 in N2." in notes
    assert "control" not in notes
    assert "means over 5 controls." in run(*widths).stdout


def test_every_format_shows_values_and_reasons_for_undefined_ones(run: Any) -> None:
    said = "choice,rating,later\nA,0,\nB,6,1\n"
    answer = found(run(*ONE, "--second", "later", "--format", "json", said=said))
    assert answer["tables"]["kept"][1]["distance"]["undefined"] == "no_pair"
    assert answer["tables"]["second"][0]["pearson"]["undefined"].startswith("too_few")
    assert "\nN1                 0  0.0000        0        0            –" in run(*ONE, said=said).stdout
    assert (
        "N1\t0\t0.0\t0\t0\t\t\tmean rating: no pair was kept"
        in run(*ONE, "--format", "tsv", said=said).stdout
    )
    assert "N1 & 3 & 0.5000 &" in run(*ONE, "--format", "latex").stdout


@pytest.mark.parametrize(
    ("arguments", "said", "code", "message"),
    [
        (("--neighbourhood", "-1"), TRAIN, 2, "neighbourhood -1 has to be 0 or more"),
        (("--repeats", "-1"), TRAIN, 2, "have to be 0 or more"),
        (("--expected", "A"), TRAIN, 2, '"A" is not CHOICE=NUMBER'),
        (("--expected", "A=6,A=3"), TRAIN, 2, '"A" has two expected ratings'),
        (("--delimiter", ";;"), TRAIN, 2, "one character"),
        (("--out", "kept.csv"), TRAIN, 2, "choose it with --neighbourhood N"),
        ((*ONE, "--ids", "ids.txt"), TRAIN, 2, "--id COLUMN"),
        ((*ONE, "--controls", "c", "--repeats", "0"), TRAIN, 2, "no controls to write"),
        (("--choice", "colour"), TRAIN, 1, 'train.csv:1: the header has no column "colour"'),
        ((), "choice,rating\n", 1, "has a header and no pairs"),
        ((), "choice,rating\nA,1\nD,x\nA\n", 1, 'train.csv:3: the choice "D" is not one of A, B, C'),
        ((), "choice,rating\nA,1\nD,x\nA\n", 1, 'train.csv:3: rating "x" is not a number'),
        ((), "choice,rating\nA,1\nD,x\nA\n", 1, "train.csv:4: 1 columns where the first line has 2"),
        ((), "choice,rating\nA,\n", 1, "train.csv:2: "),
        (("--id", "p"), "p,choice,rating\n,A,1\n", 1, "the pair has no name"),
        (("--second", "later"), "choice,rating,later\nA,1,NA\nA,1,high\n", 1, 'train.csv:3: rating "high"'),
    ],
)
def test_invalid_filter_requests_are_rejected(
    run: Any, arguments: tuple[str, ...], said: str, code: int, message: str
) -> None:
    refused = run(*arguments, said=said)
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert message in refused.stderr


def test_controls_are_the_same_on_every_machine() -> None:
    choices = parse_choices(TRAIN.encode(), "r")
    assert [random_control(choices, 1.0, 3, 7, number).tolist() for number in (1, 2, 3)] == [
        [0, 1, 2], [0, 2, 4], [1, 2, 5],
    ]  # fmt: skip


def test_controls_are_drawn_uniformly() -> None:
    choices = parse_choices(TRAIN.encode(), "r")
    drawn = Counter(tuple(random_control(choices, 1.0, 3, 5, number).tolist()) for number in range(1, 2001))
    assert len(drawn) == 20
    assert stats.chisquare(list(drawn.values())).pvalue > 0.01


PAIRS = st.lists(st.tuples(st.sampled_from("ABC"), st.integers(0, 24)), min_size=1, max_size=20)


@given(PAIRS, st.integers(0, 12), st.integers(0, 12), st.integers(0, 99))
def test_filter_keeps_near_pairs_and_controls_have_the_same_size_for_any_table(
    pairs: list[tuple[str, int]], width: int, wider: int, seed: int
) -> None:
    """What is kept is near, wider keeps more, and controls are as many different pairs."""
    text = "choice,rating\n" + "".join(f"{choice},{rating / 4}\n" for choice, rating in pairs)
    choices = parse_choices(text.encode(), "r")
    kept = set(neighbourhood(choices, width / 2).tolist())
    expected = {"A": 24, "B": 12, "C": 0}
    assert kept == {
        place for place, (choice, rating) in enumerate(pairs) if abs(rating - expected[choice]) <= 2 * width
    }
    assert kept <= set(neighbourhood(choices, (width + wider) / 2).tolist())
    control = random_control(choices, width / 2, len(kept), seed, 1)
    assert len(set(control.tolist())) == len(kept)
    assert np.all(np.diff(control) > 0)


def test_invalid_table_and_invalid_number_of_controls_are_rejected() -> None:
    with pytest.raises(RatingsError, match="empty"):
        parse_choices(b"", "r")
    with pytest.raises(RequestError, match="0 or more"):
        filter_report(parse_choices(TRAIN.encode(), "r"), FilterRules(seed=-1))
    assert parse_expected_ratings("a=b=1") == {"a=b": 1.0}
