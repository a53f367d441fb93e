"""`scorer adjudicate`: who must meet, the mean for the rest, gold from decisions."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st

from scorer.annotation.adjudication import adjudicate
from scorer.annotation.ratings import ratings_of
from scorer.cli.__main__ import cli
from scorer.errors import RequestError

RATINGS = "pair,ada,bo,cy\nCQA-1,3,3.5,\nCQA-2,1,2,4\nNEWS-1,0,0,0.25\nNEWS-2,,,\n"


def run(*arguments: str, said: str = RATINGS) -> Result:
    return CliRunner().invoke(cli, ["adjudicate", *arguments], input=said)


def test_adjudication_lists_meetings_open_units_and_gold() -> None:
    found = json.loads(run("-", "--format", "json").stdout)
    assert found["tables"]["meetings"] == [{"annotators": "ada, bo, cy", "units": 1}]
    assert found["tables"]["open"] == [{"unit": "CQA-2", "spread": 3.0, "ratings": "ada 1; bo 2; cy 4"}]
    golds = {row["unit"]: row["gold"] for row in found["tables"]["gold"]}
    assert (golds["CQA-1"], golds["NEWS-1"]) == (3.25, round(0.25 / 3, 10))
    assert (golds["CQA-2"]["undefined"], golds["NEWS-2"]["undefined"]) == ("open", "unrated")
    assert (found["open"], found["mean"], found["unrated"]) == (1, 2, 1)
    text = run("-").stdout
    assert "CQA-2        –  open           3" in text
    assert "– undefined: nobody rated the unit" in text


def test_decisions_make_the_gold_and_the_file(tmp_path: Path) -> None:
    (tmp_path / "decided.csv").write_text("pair;gold\nCQA-2;2.5\nNEWS-2;4\nNEWS-1;1\n")
    gold = tmp_path / "gold.tsv"
    asked = ("-", "--decisions", str(tmp_path / "decided.csv"), "--gold", str(gold))
    assert run(*asked).exit_code == 0
    assert gold.read_text() == "3.25\n2.5\n1.0\n4.0\n"  # a decision also counts where no meeting was needed
    again = run(*asked)
    assert again.exit_code == 2
    assert "already exists" in again.stderr
    assert run(*asked, "--force").exit_code == 0
    own = tmp_path / "own.csv"
    own.write_text(RATINGS)
    refused = CliRunner().invoke(cli, ["adjudicate", str(own), "--gap", "9", "--gold", str(own), "--force"])
    assert (refused.exit_code, own.read_text()) == (2, RATINGS)
    assert "is an input file, so it cannot be an output file" in refused.stderr
    unfinished = run("-", "--gold", str(tmp_path / "other.tsv"))
    assert (unfinished.exit_code, (tmp_path / "other.tsv").exists()) == (2, False)
    assert "2 of 4 units have no gold yet" in unfinished.stderr


@pytest.mark.parametrize(
    ("decided", "message"),
    [
        ("p,g\nCQA-9,1\n", 'decided.csv:2: nobody rated "CQA-9"; use the names of <stdin>'),
        ("p,g\nCQA-2,1\nCQA-2,2\n", 'decided.csv:3: "CQA-2" is decided on line 2 already; keep one of them'),
        ("p,g,h\nCQA-2,1,2\n", "there are several columns of decisions"),
        ("p,g\nCQA-2,two\nNEWS-1,1\n", 'rating "two" is not a number'),
    ],
)
def test_bad_decisions_are_named(tmp_path: Path, decided: str, message: str) -> None:
    (tmp_path / "decided.csv").write_text(decided)
    found = run("-", "--decisions", str(tmp_path / "decided.csv"))
    assert found.exit_code == 1
    assert message in found.stderr


def test_decision_on_a_unit_that_nobody_rated_is_its_gold_if_ratings_are_by_row(tmp_path: Path) -> None:
    (tmp_path / "decided.csv").write_text("unit,gold\nCQA-9,1\nCQA-1,2\n")
    columns = ("--unit", "unit", "--annotator", "who", "--rating", "r", "--format", "json")
    found = json.loads(
        run(
            "-",
            "--decisions",
            str(tmp_path / "decided.csv"),
            *columns,
            said="unit,who,r\nCQA-1,ada,3\nA,bo,4\n",
        ).stdout
    )
    golds = [(row["unit"], row["gold"], row["ratings"]) for row in found["tables"]["gold"]]
    assert golds == [("CQA-1", 2.0, 1), ("A", 4.0, 1), ("CQA-9", 1.0, 0)]
    assert "Units without a rating, whose gold value is a decision: 1." in found["notes"]


@pytest.mark.parametrize("gap", [0, -1, float("nan")])
def test_gap_must_be_positive(gap: float) -> None:
    with pytest.raises(RequestError, match="above 0"):
        adjudicate(ratings_of([[1, 2]]), gap)


def test_difference_equal_to_the_gap_counts_despite_binary_rounding() -> None:
    assert adjudicate(ratings_of([[0.3, 0.2]]), 0.1)[0].source == "open"


@given(
    st.lists(st.lists(st.integers(0, 16), min_size=1, max_size=4), min_size=1, max_size=8), st.integers(1, 16)
)
def test_unit_is_open_or_its_gold_lies_within_the_ratings(rows: list[list[int]], gap: int) -> None:
    width = max(map(len, rows))
    cases = adjudicate(ratings_of([[*row, *[None] * (width - len(row))] for row in rows]), gap / 4)
    for row, case in zip(rows, cases, strict=True):
        assert (case.source == "open") == ((max(row) - min(row)) * 4 >= gap)
        assert case.gold is None or min(row) <= case.gold <= max(row)
