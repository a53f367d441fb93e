"""The human ceiling in evidence: claimed without the ratings, and recomputed with them."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.cli.__main__ import cli
from tests.scorer.small_evidence import human_ceiling, write_with_ceilings

RATINGS = """\
unit,annotator,rating,genre
x-1,kim,4,x
x-1,lou,3,x
x-1,max,4,x
x-2,kim,3,x
x-2,lou,1,x
x-3,kim,0,x
x-3,max,1.5,x
x-4,lou,2,x
"""
VALUE = ((0.5 + 2 + 1.5) / 3 + (1 + 2) / 2 + (0.5 + 1.5) / 2) / 3
"""The mean distance from the mean of the others: kim .5, 2, 1.5; lou 1, 2; max .5, 1.5. x-4 has no other."""


def ceiling(metric: str = "mae", value: float = VALUE) -> dict[str, object]:
    return human_ceiling(metric, value)


def run(*arguments: object) -> Result:
    found = CliRunner().invoke(cli, [str(argument) for argument in arguments])
    assert found.exception is None or isinstance(found.exception, SystemExit), found.exception
    return found


def verify(tmp_path: Path, ratings: str, *more: str, **ceilings: Sequence[object]) -> Result:
    folder = write_with_ceilings(tmp_path / "evidence", ceilings or {"p2s": [ceiling()]})
    (tmp_path / "ratings.csv").write_text(ratings, encoding="utf-8")
    return run("verify", folder, "--ratings", f"p2s={tmp_path / 'ratings.csv'}", *more)


def test_ceiling_is_claimed_without_its_ratings(tmp_path: Path) -> None:
    found = run("verify", write_with_ceilings(tmp_path / "evidence", {"p2s": [ceiling()]}))
    assert found.exit_code == 0, found.stdout
    said = f"claimed: According to rules.json, people would reach mae {VALUE} at p2s (3 annotators, 3 items)."
    assert f"{said} The evidence does not have their ratings." in found.stdout


def test_ceiling_is_recomputed_from_its_ratings(tmp_path: Path) -> None:
    found = verify(tmp_path, RATINGS, p2s=[ceiling()], s2p=[ceiling()])
    assert found.exit_code == 0, found.stdout
    said = f"mae {VALUE} (3 annotators, 3 items). It is the same as in rules.json."
    assert "proved: The human ceiling at p2s was recomputed from " in found.stdout
    assert said in found.stdout
    assert "people would reach mae" in found.stdout  # at s2p
    assert "at p2s (3" not in found.stdout


@pytest.mark.parametrize(
    ("before", "after", "counts", "difference"),
    [
        ("x-3,max,1.5", "x-3,max,1.25", "3 annotators, 3 items", "-0.0694"),
        ("x-3,max,1.5,x\n", "", "3 annotators, 2 items", "-0.194"),
        ("x-4,lou", "x-4,lou,2,x\nx-4,max", "3 annotators, 4 items", "-0.278"),
    ],
)
def test_changed_rating_fails(tmp_path: Path, before: str, after: str, counts: str, difference: str) -> None:
    found = verify(tmp_path, RATINGS.replace(before, after))
    assert found.exit_code == 1
    said = found.stdout.partition("FAILED: The human ceiling at p2s was recomputed")[2]
    assert (
        f" ({counts}). It is different from rules.json, which has {VALUE} (3 annotators, 3 items); " in said
    )
    assert f"the difference is {difference}." in said


def test_claim_of_another_value_fails(tmp_path: Path) -> None:
    found = verify(tmp_path, RATINGS, p2s=[ceiling(), ceiling("rmse")])
    assert found.exit_code == 1
    assert "proved: The human ceiling at p2s was recomputed" in found.stdout
    assert f"It is different from rules.json, which has {VALUE}" in found.stdout


def test_data_set_has_other_names_and_perhaps_a_column_for_each_pass(tmp_path: Path) -> None:
    lines = RATINGS.replace("x-", "pair").replace("kim", "A3").replace("unit", "id").replace("rating", "free")
    found = verify(tmp_path, lines, "--rating", "free")
    assert "It is the same as in rules.json." in found.stdout


def test_items_without_gold_are_left_out(tmp_path: Path) -> None:
    found = verify(tmp_path, RATINGS + "y-1,kim,4,y\ny-1,lou,0,y\n")
    assert "It is the same as in rules.json." in found.stdout


def test_metric_that_needs_groups_is_open_without_them(tmp_path: Path) -> None:
    found = verify(tmp_path, RATINGS, p2s=[ceiling("choice_accuracy", 0.5)])
    assert found.exit_code == 0
    assert "open: The human ceiling at p2s cannot be recomputed. choice_accuracy has no value" in found.stdout


def test_ratings_are_refused_where_nothing_is_compared_with_them(tmp_path: Path) -> None:
    found = verify(tmp_path, RATINGS, s2p=[ceiling()])
    assert (found.exit_code, "no human ceiling for" in found.output) == (2, True)
    receipt = tmp_path / "evidence" / "receipts" / "1.json"
    found = run("verify", receipt, "--ratings", f"p2s={tmp_path / 'ratings.csv'}")
    assert (found.exit_code, "--ratings is for the evidence" in found.output) == (2, True)
    (tmp_path / "ratings.csv").write_text("unit,annotator,rating\nx-1,kim,high\n", encoding="utf-8")
    found = run("verify", tmp_path / "evidence", "--ratings", f"s2p={tmp_path / 'ratings.csv'}")
    assert (found.exit_code, "is not a number" in found.output) == (1, True)


@pytest.mark.parametrize("changed", [{"value": "high"}, {"annotators": None}, {"units": []}])
def test_rules_with_something_else_in_place_of_a_ceiling_are_named(
    tmp_path: Path, changed: dict[str, object]
) -> None:
    found = run("verify", write_with_ceilings(tmp_path / "evidence", {"p2s": [ceiling() | changed]}))
    assert (found.exit_code, "rules.json: is not a file of rules of a release" in found.stdout) == (1, True)
