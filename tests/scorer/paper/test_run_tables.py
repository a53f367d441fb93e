"""Tables that need more than the values of a leaderboard: spread over seeds, and accuracy of choices."""

from math import sqrt
from pathlib import Path
from statistics import mean, stdev

import pytest

from scorer.paper.catalog import Catalog
from scorer.paper.sources import SourceOptions, open_sources
from scorer.reports.paper_elements import PaperTable
from scorer.values import Undefined

TASK = """\
[task]
slug = "turns"
title = "Turns"
scale = { min = 0, max = 1 }
metrics = ["pearson", "choice_accuracy"]

[[level]]
slug = "turns"
title = "Next turn"
columns = ["left", "right", "group"]
header = true
test = { items = "items.tsv", gold = "gold.tsv" }

"""
GOLD = [0.9, 0.1, 0.8, 0.2, 0.7, 0.3]
RUNS = {
    "net-seed1": [0.9, 0.0, 0.7, 0.3, 0.1, 0.2],
    "net-seed2": [0.5, 0.1, 0.9, 0.1, 0.9, 0.0],
    "other": [0.1, 0.9, 0.1, 0.9, 0.1, 0.9],
}


@pytest.fixture
def tables(tmp_path: Path) -> dict[str, PaperTable | Undefined]:
    """The tables of three runs on three groups of two candidates, by name."""
    rows = "".join(f"a turn {n // 2}\tan answer {n}\tg{n // 2}\n" for n in range(6))
    files = {
        "items.tsv": f"left\tright\tgroup\n{rows}",
        "gold.tsv": "\n".join(map(str, GOLD)) + "\n",
        "task.toml": TASK,
    }
    for name, scores in RUNS.items():
        files[f"{name}.tsv"] = "\n".join(map(str, scores)) + "\n"
        files["task.toml"] += f'[[run]]\nteam = "ash"\nname = "{name}"\nfiles = {{ turns = "{name}.tsv" }}\n'
    for path, text in files.items():
        (tmp_path / path).write_text(text)
    with open_sources([tmp_path], SourceOptions()) as sources:
        made = {entry.name: entry.make() for entry in Catalog(sources).chosen()}
    return {name: found if isinstance(found, Undefined) else found[0] for name, found in made.items()}  # type: ignore[misc]


def test_runs_that_differ_in_their_seed_have_a_mean_and_a_spread(tables: dict[str, PaperTable]) -> None:
    values = [row[4] for row in tables["results"].table.rows if str(row[3]).startswith("net")]
    (pearson, choices) = tables["seeds"].table.rows
    assert pearson[:5] == ["ash", "net", "Next turn", "Pearson", 2]
    assert pearson[5:] == pytest.approx([mean(values), stdev(values), min(values), max(values)])  # type: ignore[type-var]
    assert choices[5] == pytest.approx((2 / 3 + 1) / 2)


def test_accuracy_of_choices_has_its_standard_error(tables: dict[str, PaperTable]) -> None:
    rows = {row[2]: row[3:] for row in tables["accuracy"].table.rows}
    assert rows["net-seed1"] == pytest.approx([2 / 3, sqrt(2 / 9 / 2)])
    assert rows["net-seed2"] == [1, 0]
    assert rows["other"] == [0, 0]
