"""`scorer bws score --expert`: worked examples and rejected files."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.cli.__main__ import cli

ANSWERS = "dialogue,Item1,Item2,Item3,BestItem,WorstItem\n" + "".join(
    f"{dialogue},{names},{names[0]},{names[4]}\n" * 2
    for dialogue, names in (("one", "a,b,c"), ("two", "d,e,f"))
)
"""The scaled scores of a and d are 1, those of b and e are .5, and those of c and f are 0."""
RATINGS = "unit,annotator,rating,at\n"


def score(folder: Path, ratings: str, answers: str = ANSWERS, *arguments: str) -> Result:
    (folder / "answers.csv").write_text(answers, encoding="utf-8")
    (folder / "ratings.csv").write_text(ratings, encoding="utf-8")
    paths = [str(folder / "answers.csv"), "--group", "dialogue", "--expert", str(folder / "ratings.csv")]
    return CliRunner().invoke(cli, ["bws", "score", *paths, *arguments])


def test_judgments_beside_scores_as_counted_by_hand(tmp_path: Path) -> None:
    """An item without a score (g) is left out, and an item with the score .5 (b) is on neither side."""
    said = {"a": 1, "b": 1, "c": 1, "d": 0, "e": 0, "f": 0, "g": 1}
    ratings = RATINGS + "".join(f"{item},A001,{rating},\n" for item, rating in said.items())
    report = json.loads(score(tmp_path, ratings, ANSWERS, "--format", "json").stdout)
    counts = [tuple(row.values()) for row in report["tables"]["expert"]]
    assert counts == [
        ("above .5", 3, 1, 1, 1, round(1 / 3, 10)),
        ("below .5", 3, 1, 1, 1, round(1 / 3, 10)),
        ("all", 6, 2, 2, 2, round(1 / 3, 10)),
    ]
    differences = [tuple(row.values()) for row in report["tables"]["differences"]]
    assert differences == [("c", "A001", "above .5", 0.0), ("d", "A001", "below .5", 1.0)]
    assert "|judgments:6|" in report["signature"]
    assert report["notes"][-1].endswith(": 1.")


def test_expert_who_judged_one_side_alone_has_no_share_of_the_other(tmp_path: Path) -> None:
    report = json.loads(score(tmp_path, f"{RATINGS}a,A001,1,\n", ANSWERS, "--format", "json").stdout)
    below = report["tables"]["expert"][1]
    assert (below["judgments"], below["share"]["undefined"]) == (0, "no_judgment")


@pytest.mark.parametrize(
    ("ratings", "answers", "message"),
    [
        (f"{RATINGS}a,A001,3,\n", ANSWERS, 'ratings.csv:2: rating "3" is outside the scale'),
        (f"{RATINGS}a,A001,0.5,\ng,A001,1,\n", ANSWERS, "no rating above or below .5 of an item that has"),
        (
            f"{RATINGS}a,A001,1,\n",
            ANSWERS.replace("d,e,f,d,f", "a,e,f,a,f"),
            "two groups have an item of the same name",
        ),
        ("item,annotator,rating\na,A001,1\n", ANSWERS, 'the header has no column "unit"'),
    ],
)
def test_bad_ratings_are_refused_with_the_reason(
    tmp_path: Path, ratings: str, answers: str, message: str
) -> None:
    result = score(tmp_path, ratings, answers)
    assert result.exit_code != 0
    assert message in " ".join(result.stderr.split())
