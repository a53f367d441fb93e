"""`scorer board` with every file of `deploy/tasks/`, on an invented package of the official layout."""

import json
from math import fsum
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from scorer.baselines import open_senses
from scorer.cli.__main__ import cli
from scorer.errors import DataError
from scorer.metrics import METRICS
from tests.field_formats import TASKS
from tests.official_layouts import TEAMS, OfficialPackage, write_official

NAMES = sorted(path.stem for path in TASKS.glob("*.toml"))


def board(package: OfficialPackage, name: str, *arguments: object) -> Result:
    config = ("--config", TASKS / f"{name}.toml", "--format", "json")
    words = ["board", package.folder, *config, *arguments]
    return CliRunner().invoke(cli, [str(word) for word in words])


@pytest.fixture(params=NAMES)
def name(request: pytest.FixtureRequest) -> str:
    if request.param == "clss-2014":
        try:
            open_senses(None)
        except DataError:
            pytest.skip("missed: the word2sense baselines; WordNet 3.0 is missing (wordnet-base)")
    return str(request.param)


def test_board_of_an_official_package_without_runs_has_its_baselines_and_says_so(
    tmp_path: Path, name: str
) -> None:
    package = write_official(tmp_path, name)
    result = board(package, name)
    assert result.exit_code == 0, result.stderr
    values = json.loads(result.stdout)
    assert (values["official"], values["late"]) == ([], [])
    assert "LCS" in [row["run"] for row in values["baselines"]]
    assert [level["slug"] for level in values["levels"] if level["slug"] not in package.gold] == []
    assert result.stderr.endswith("the leaderboard has baselines only. Add runs with --runs FOLDER.\n")


def expected_values(package: OfficialPackage, team: str, level: str, metric: str) -> tuple[float, int]:
    """The kernel's value on the scored items, and how many these are."""
    places = [k for k, value in enumerate(package.gold[level]) if value is not None]
    gold, pred = ([values[k] for k in places] for values in (package.gold[level], package.preds[team][level]))
    return METRICS[metric].function(gold, pred), len(places)


def expected_total(values: dict[str, Any], package: OfficialPackage, team: str, metric: str) -> float | None:
    found = [expected_values(package, team, level, metric) for level in package.gold]
    total = fsum(value for value, _ in found)
    return {
        "sum": total,
        "mean": total / len(found),
        "weighted": fsum(value * n for value, n in found) / sum(n for _, n in found),
        "none": None,
    }[values["rules"]["total"]]


def test_board_of_an_official_package_with_runs_has_the_figures_of_the_kernel(
    tmp_path: Path, name: str
) -> None:
    package = write_official(tmp_path, name)
    result = board(package, name, "--without-baselines", "--runs", package.runs)
    assert (result.exit_code, result.stderr) == (0, "")
    values = json.loads(result.stdout)
    assert [(row["team"], row["run"]) for row in values["official"]] in (
        [("birch", "first"), ("elm", "run1")],
        [("elm", "run1"), ("birch", "first")],
    )
    for row in values["official"]:
        assert row["levels"].keys() == package.gold.keys()
        for level, cells in row["levels"].items():
            for metric, cell in cells.items():
                expected, n = expected_values(package, row["team"], level, metric)
                assert (cell["value"], cell["n"]) == (pytest.approx(expected, abs=1e-12), n)
        for metric, cell in row["total"].items():
            expected_cell = expected_total(values, package, row["team"], metric)
            assert cell["value"] == (
                None if expected_cell is None else pytest.approx(expected_cell, abs=1e-12)
            )
    assert {row["team"] for row in values["official"]} == set(TEAMS)
