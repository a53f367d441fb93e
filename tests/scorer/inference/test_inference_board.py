"""A whole board: its columns against single functions and plain loops, errors, and output."""

import json
from dataclasses import replace
from itertools import pairwise
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from scorer._version import __version__
from scorer.boards.board import (
    Board,
    BoardLevel,
    BoardRules,
    Entry,
    build_board,
    columns_of,
    rank_values,
)
from scorer.boards.board_data import LevelData, SystemData
from scorer.cli.__main__ import cli
from scorer.files.reading import Gold, Run
from scorer.inference.board_inference import InferenceOptions, infer_board, infer_column
from scorer.metrics import kendall
from scorer.reports.board import render_board
from scorer.scoring.evaluate import evaluate
from scorer.statistics.intervals import Resampling, bootstrap_intervals
from scorer.statistics.permutation import LevelColumn, pair_tests
from scorer.statistics.random_streams import open_stream
from scorer.statistics.resampling import resample_counts
from scorer.statistics.samples import make_sample
from tests.scorer.small_bundle import TASK, write_bundle

N = 60
QUICK = InferenceOptions(b=400, seed=3, interval="percentile")


class Task:
    """Systems at two levels; the noise of each says how bad it is, None that it did not enter the level."""

    def __init__(
        self,
        noises: list[tuple[float | None, float | None]],
        rules: BoardRules = BoardRules(),  # noqa: B008  it is frozen
        metrics: tuple[str, ...] = ("pearson", "spearman"),
        kinds: dict[int, Any] | None = None,
    ) -> None:
        rng = np.random.default_rng(11)
        self.golds = [Gold(tuple((np.round(rng.uniform(0, 4, N) * 4) / 4).tolist())) for _ in "ab"]
        self.levels = [
            LevelData(slug, gold, tuple("xy"[place % 2] for place in range(N)))
            for slug, gold in zip("ab", self.golds, strict=True)
        ]
        self.systems = []
        for place, noise in enumerate(noises):
            drawn = [rng.normal(size=N) for _ in "ab"]
            runs = {
                slug: Run(tuple((np.array(gold.values) + each * spread).tolist()), (None,) * N)
                for slug, gold, each, spread in zip("ab", self.golds, drawn, noise, strict=True)
                if spread is not None
            }
            kind = (kinds or {}).get(place, "official")
            self.systems.append(SystemData(kind, f"team{place}", "run", runs))
        self.board = self._board(rules, metrics)

    def _board(self, rules: BoardRules, metrics: tuple[str, ...]) -> Board:
        golds = dict(zip("ab", self.golds, strict=True))
        entries = [
            Entry(
                each.team,
                each.run,
                each.kind,
                {
                    slug: {result.metric: result for result in evaluate(golds[slug], run, metrics).results}
                    for slug, run in each.runs.items()
                },
            )
            for each in self.systems
        ]
        return build_board([BoardLevel(slug, slug.upper(), metrics) for slug in "ab"], rules, entries)

    def infer(self, options: InferenceOptions = QUICK) -> dict[tuple[str | None, str], dict[str, Any]]:
        """The columns, with systems by name."""
        values = infer_board(self.board, self.levels, self.systems, options)
        names = [system["team"] for system in values["systems"]]
        found = {}
        for column in values["columns"]:
            for group in ("intervals", "ranks"):
                for entry in column.get(group, []):
                    entry["team"] = names[entry["system"]]
            for pair in column.get("pairs", []):
                pair["names"] = {names[pair["a"]], names[pair["b"]]}
                pair["winner"] = None if pair["better"] is None else names[pair["better"]]
            found[column["level"], column["metric"]] = column
        return found

    def pred(self, team: str, slug: str) -> list[float]:
        return list(next(each for each in self.systems if each.team == team).runs[slug].scores)


def test_missing_confidence_weighs_as_the_highest_possible_one_in_intervals_too() -> None:
    task, intervals = Task([(0.5, 0.5), (1.0, 3.0)], metrics=("weighted_pearson",)), []
    for missing in (None, 1.0):
        confidences = tuple(missing if place % 3 == 0 else 0.1 + 0.3 * (place % 2) for place in range(N))
        for system in task.systems:
            system.runs["a"] = replace(system.runs["a"], confidences=confidences)
        intervals.append(task.infer()["a", "weighted_pearson"]["intervals"])
    assert intervals[0] == intervals[1]


def test_level_has_the_same_intervals_and_tests_as_the_single_functions() -> None:
    task = Task([(0.5, 0.5), (1.0, 3.0), (1.2, 1.0), (4.0, 1.0)])
    columns = task.infer(InferenceOptions(b=400, seed=3, adjust="max-t"))
    for slug, metric in (("a", "pearson"), ("b", "spearman")):
        for entry in columns[slug, metric]["intervals"]:
            gold = list(task.golds["ab".index(slug)].values)
            alone = bootstrap_intervals(gold, [task.pred(entry["team"], slug)], metric, Resampling(400, 3))[0]
            assert (entry["low"], entry["high"]) == pytest.approx((alone.low, alone.high), abs=1e-6)
    tests = columns["a", "pearson"]
    assert "tests" not in columns["a", "spearman"]
    assert tests["tests"]["permutations"] == 10_000
    made = f"permutations:10000|max-t:0.05|seed:3|v:{__version__}"
    swapped = f"test:permutation|swaps:standardized-scores|{made}"
    assert tests["tests"]["signature"] == f"pearson|n:{N}|{swapped}"
    assert columns[None, "pearson"]["tests"]["signature"] == f"sum:pearson|{swapped}"
    preds = [task.pred(f"team{place}", "a") for place in range(4)]
    column = LevelColumn("a", "pearson", make_sample(list(task.golds[0].values), preds), (0, 1, 2, 3))
    alone_tests = pair_tests([column], permutations=10_000, seed=3)[0]["a"]
    by_names = {frozenset(pair["names"]): pair for pair in tests["pairs"]}
    for test in alone_tests:
        pair = by_names[frozenset({f"team{test.first}", f"team{test.second}"})]
        assert (pair["p"], pair["adjusted"]) == (test.p, test.adjusted)
        low, high = pair["adjusted_interval"]
        assert low <= test.adjusted <= high < low + 0.021
        assert abs(pair["difference"]) == pytest.approx(abs(test.difference), abs=1e-12)
        assert pair["low"] <= pair["difference"] <= pair["high"]
        better = f"team{test.first if test.difference > 0 else test.second}"
        assert pair["winner"] == (better if test.adjusted <= 0.05 else None)


def test_without_a_total_the_table_of_each_level_has_ranges_rules_and_intervals() -> None:
    task = Task([(0.2, 4.0), (9.0, 0.2)], BoardRules(total="none"))
    inference = infer_board(task.board, task.levels, task.systems, QUICK)
    text = render_board(task.board, "text", task="t", title="T", split="test", inference=inference)
    first, second = text.split("\na\n")[1].split("\nb\n")
    for table, order in ((first, ["team0", "team1"]), (second, ["team1", "team0"])):
        head, above, rule, below = table.split("Official\n")[1].splitlines()[:4]
        assert head.split() == [
            *("Rank", "Range", "Team", "Run", "pearson", "95", "%", "interval"),
            *("spearman", "Rank", "by", "spearman"),
        ]
        assert [row.split()[:3] for row in (above, below)] == [["1", "1", order[0]], ["2", "2", order[1]]]
        assert set(rule) == {"-"}
        assert "[" in above
    assert text.count("Rank  Range") == 2, "no second table of the same level"


@pytest.mark.parametrize("metric", ["pearson", "weighted_pearson", "kendall", "mse"])
def test_level_that_no_system_entered_has_no_intervals(metric: str) -> None:
    task = Task([(1.0, None)], BoardRules(total="none"), metrics=(metric,))
    columns = task.infer()
    assert [column.get("intervals") for column in columns.values()][1:] == [[]]
    assert len(columns["a", metric]["intervals"]) == 1


@pytest.mark.parametrize("total", ["sum", "mean", "weighted"])
def test_a_total_is_resampled_within_its_levels(total: Any) -> None:
    task = Task([(0.5, 1.5), (1.0, None)], BoardRules(total=total))
    found = task.infer()[None, "pearson"]["intervals"]
    draws = []
    for gold, slug in zip(task.golds, "ab", strict=True):
        counts = np.concatenate(
            list(resample_counts(open_stream(3, list(gold.values), "bootstrap"), N, 400)), axis=1
        )
        values, pred = np.array(gold.values), np.array(task.pred("team0", slug))
        places = [np.repeat(np.arange(N), counts[:, k].astype(int)) for k in range(400)]
        draws.append(np.array([np.corrcoef(values[at], pred[at])[0, 1] for at in places]))
    sums = draws[0] + draws[1] if total == "sum" else (draws[0] + draws[1]) / 2
    entry = next(entry for entry in found if entry["team"] == "team0")
    assert (entry["low"], entry["high"]) == pytest.approx(tuple(np.quantile(sums, [0.025, 0.975])), abs=2e-6)
    assert entry["signature"].startswith(f"{total}:pearson|ci:percentile|b:400|seed:3|v:")
    other = task.infer()[None, "pearson"]
    assert [pair["names"] for pair in other["pairs"]] == []  # they did not enter the same levels
    assert [(each["low"], each["high"]) for each in other["ranks"]] == (
        [(1, 2), (1, 2)] if total == "sum" else [(1, 1)]  # a mean needs all levels
    )


def test_levels_with_the_same_gold_are_resampled_independently() -> None:
    task = Task([(0.5, 0.5), (1.0, 1.0)])
    same = [task.levels[0], LevelData("b", task.golds[0], task.levels[0].genres)]
    runs = {"a": task.systems[0].runs["a"], "b": task.systems[0].runs["a"]}
    systems = [SystemData("official", "team0", "run", runs)]
    results = {
        slug: {"pearson": evaluate(task.golds[0], runs[slug], ["pearson"]).results[0]} for slug in "ab"
    }
    levels = [BoardLevel(slug, slug, ("pearson",)) for slug in "ab"]
    board = build_board(levels, BoardRules(), [Entry("team0", "run", "official", results)])
    one, other, total = infer_board(board, same, systems, QUICK)["columns"]
    width = one["intervals"][0]["high"] - one["intervals"][0]["low"]
    assert one["intervals"][0]["low"] != other["intervals"][0]["low"]
    # of two independent equal parts the sum is as wide as sqrt(2) of one, not twice
    assert 1.1 < (total["intervals"][0]["high"] - total["intervals"][0]["low"]) / width < 1.7


def infer_by_columns(task: Task, options: InferenceOptions) -> str:
    """Join columns, each computed from the runs of its own levels alone, and passed on as JSON."""
    columns: list[Any] = []
    for key in columns_of(task.board):
        needed = (
            {slug for column in task.board.totals for slug in column.metrics} if key[0] is None else {key[0]}
        )
        systems = [
            replace(system, runs={slug: run for slug, run in system.runs.items() if slug in needed})
            for system in task.systems
        ]
        found = infer_column(task.board, task.levels, systems, options, key)
        columns.insert(0, json.loads(json.dumps(found)))
    return json.dumps(infer_board(task.board, task.levels, task.systems, options, columns=columns))


@pytest.mark.parametrize("adjust", [None, "max-t"])
@pytest.mark.parametrize(
    ("rules", "metrics"),
    [
        (BoardRules(total="sum"), ("pearson", "spearman")),
        (BoardRules(total="weighted"), ("mae", "kendall")),
        (BoardRules(total="none"), ("pearson", "weighted_pearson")),
        (BoardRules(total="mean"), ("kendall", "pearson")),
    ],
)
def test_columns_that_are_computed_apart_are_joined_to_the_same_bytes(
    rules: BoardRules, metrics: tuple[str, ...], adjust: Any
) -> None:
    noises = [(0.5, 0.5), (0.6, 1.0), (1.0, None), (None, 2.0), (0.9, 0.8), (1.2, 4.0), (3.0, 0.9)]
    task = Task(noises, rules, metrics, {4: "late", 5: "baseline", 6: "baseline"})
    groups = tuple(None if place % 3 else f"g{place % 4}" for place in range(N))
    task.levels[1] = replace(task.levels[1], gold=replace(task.golds[1], groups=groups))
    options = replace(QUICK, interval="bca", adjust=adjust)
    together = infer_board(task.board, task.levels, task.systems, options)
    assert infer_by_columns(task, options) == json.dumps(together)


def test_default_adjustment_of_one_column_is_that_of_the_whole_board() -> None:
    task = Task([(0.5, 0.5), (1.0, 1.0)], BoardRules(total="none"), ("mae",))
    short = [replace(task.levels[0], gold=Gold((*task.golds[0].values[:40], *(None,) * (N - 40))))]
    long = [LevelData("b", Gold(task.golds[1].values * 2), task.levels[1].genres * 2)]
    runs = [Run(system.runs["b"].scores * 2, (None,) * (2 * N)) for system in task.systems]
    systems = [replace(system, runs={"b": run}) for system, run in zip(task.systems, runs, strict=True)]
    column = infer_column(task.board, short + long, systems, QUICK, ("b", "mae"))
    assert "|holm:" in column["tests"]["signature"]


def test_late_rows_and_baselines_have_intervals_and_no_ranks() -> None:
    columns = Task([(0.3, 0.3), (5.0, 5.0), (0.2, 0.2)], kinds={1: "late", 2: "baseline"}).infer()
    for column in columns.values():
        assert {entry["team"] for entry in column["intervals"]} == {"team0", "team1", "team2"}
        assert [entry["team"] for entry in column.get("ranks", [])] == (
            ["team0"] if column["official"] else []
        )
    assert columns["a", "pearson"]["tests"] == {
        "systems": 1, "pairs": 0, "permutations": 0, "alpha": 0.05, "refused": None,
    }  # fmt: skip


BASELINES = {3: "baseline", 4: "baseline"}


def test_systems_are_tested_against_the_best_baseline_of_the_column_and_adjusted_among_themselves() -> None:
    noises: list[tuple[float | None, float | None]] = [
        (0.3, 0.3),
        (1.6, 1.6),
        (4.0, 4.0),
        (1.5, 9.0),
        (9.0, 1.0),
    ]
    task = Task(noises, kinds=BASELINES)
    options = replace(QUICK, adjust="max-t")
    columns = task.infer(options)
    values = infer_board(task.board, task.levels, task.systems, options)
    names = [system["team"] for system in values["systems"]]
    assert names[columns["a", "pearson"]["baseline"]["system"]] == "team3"
    assert names[columns["b", "pearson"]["baseline"]["system"]] == "team4"
    for slug, best in (("a", "team3"), ("b", "team4")):
        found = columns[slug, "pearson"]["baseline"]
        gold = list(task.golds["ab".index(slug)].values)
        for test in found["tests"]:
            preds = [task.pred(names[test["system"]], slug), task.pred(best, slug)]
            column = LevelColumn(slug, "pearson", make_sample(gold, preds), (0, 1))
            (alone,) = pair_tests([column], permutations=10_000, seed=3)[0][slug]
            assert test["p"] == alone.p
            assert test["difference"] == pytest.approx(alone.difference, abs=1e-12)
            assert test["better"] == (test["adjusted"] <= 0.05 and alone.difference > 0)
        with_rival = [task.pred(name, slug) for name in (*names[:3], best)]
        column = LevelColumn(slug, "pearson", make_sample(gold, with_rival), (0, 1, 2, 3), rivals=1)
        family = [
            test for test in pair_tests([column], permutations=10_000, seed=3)[0][slug] if test.second == 3
        ]
        assert [test["adjusted"] for test in found["tests"]] == [test.adjusted for test in family]
        assert found["permutations"] == 10_000
        assert found["signature"] == (
            f"pearson|n:{N}|test:permutation|swaps:standardized-scores|against:best-baseline|"
            f"permutations:10000|max-t:0.05|seed:3|v:{__version__}"
        )
    better = {names[test["system"]]: test["better"] for test in columns["a", "pearson"]["baseline"]["tests"]}
    assert better == {"team0": True, "team1": False, "team2": False}
    assert "baseline" not in columns["a", "spearman"]


def test_baselines_change_no_test_between_systems() -> None:
    noises: list[tuple[float | None, float | None]] = [
        (0.3, 0.3),
        (1.6, 1.6),
        (4.0, None),
        (1.5, 9.0),
        (9.0, 1.0),
    ]
    with_baselines, without = Task(noises, kinds=BASELINES).infer(), Task(noises[:3]).infer()
    for key, column in without.items():
        for part in ("tests", "ranks", "pairs", "intervals"):
            if part != "intervals":
                assert with_baselines[key].get(part) == column.get(part), (key, part)
        assert "baseline" not in column


def test_total_is_compared_with_a_baseline_at_the_same_levels() -> None:
    task = Task([(0.3, 0.3), (0.3, None), (4.0, 4.0)], kinds={2: "baseline"})
    found = task.infer()[None, "pearson"]
    assert [test["system"] for test in found["baseline"]["tests"]] == [0]
    assert found["baseline"]["tests"][0]["better"] is True
    assert found["baseline"]["signature"].startswith("sum:pearson|test:permutation|")
    mean = Task([(0.3, 0.3), (4.0, 4.0)], BoardRules(total="mean"), kinds={1: "baseline"})
    test = mean.infer()[None, "pearson"]["baseline"]["tests"][0]
    values = [row.totals[0].value for row in (*mean.board.official, *mean.board.baselines)]
    assert test["difference"] == values[0] - values[1]


def test_lower_error_is_better_than_a_baseline() -> None:
    task = Task(
        [(0.2, 0.2), (3.0, 3.0), (1.0, 1.0)], BoardRules(total_needs="all"), ("rmse",), {2: "baseline"}
    )
    for key in (("a", "rmse"), (None, "rmse")):
        tests = task.infer()[key]["baseline"]["tests"]
        assert [(test["difference"] < 0, test["better"]) for test in tests] == [(True, True), (False, False)]


def test_column_without_tests_has_no_comparison_with_a_baseline() -> None:
    columns = Task([(0.2, 0.2), (3.0, 3.0)], metrics=("kendall",), kinds={1: "baseline"}).infer()
    assert all("baseline" not in column for column in columns.values())


def test_errors_rank_ascending_and_missing_tests_have_a_reason() -> None:
    rules = BoardRules(total_needs="all")
    errors = Task([(0.2, 0.2), (3.0, 3.0)], rules, ("rmse",)).infer()
    (pair,) = errors["a", "rmse"]["pairs"]
    assert pair["winner"] == "team0"
    assert errors[None, "rmse"]["pairs"][0]["winner"] == "team0"
    assert "|test:permutation|swaps:raw-scores|" in errors["a", "rmse"]["tests"]["signature"]
    assert [each["cluster"] for each in errors["a", "rmse"]["ranks"]] == [1, 2]
    untested = Task([(0.2, 0.2), (3.0, 3.0)], metrics=("kendall",)).infer()
    for key in (("a", "kendall"), (None, "kendall")):
        assert (
            untested[key]["tests"]["refused"] == "kendall has no permutation test; there are intervals only"
        )
        assert untested[key]["ranks"] == untested[key]["pairs"] == []


def test_above_120_systems_all_pairs_are_tested_and_those_of_neighbors_reported() -> None:
    noises: list[tuple[float | None, float | None]] = [(1.0, None)] * 118 + [(1.0, 1.0)] * 3
    options = InferenceOptions(b=100, permutations=99, adjust="max-t")
    columns = Task(noises, BoardRules(enter_at_least=2), ("pearson",)).infer(options)
    large = columns["a", "pearson"]
    assert (large["tests"]["refused"], large["tests"]["pairs"]) == (None, comb(121, 2))
    assert len(large["intervals"]) == len(large["ranks"]) == 121
    order = [entry["system"] for entry in large["ranks"]]
    assert {frozenset((pair["a"], pair["b"])) for pair in large["pairs"]} == {
        *map(frozenset, pairwise(order))
    }
    assert all(pair["low"] <= pair["difference"] <= pair["high"] for pair in large["pairs"])
    assert [len(columns[key, "pearson"]["pairs"]) for key in ("b", None)] == [3, 3]


def by_level_of(task: Task, level: str) -> list[float]:
    return [row.cells[level]["pearson"].value for row in task.board.official]


def test_rank_stability_equals_manual_calculation_and_is_undefined_without_comparison() -> None:
    task = Task([(0.3, 4.0), (1.0, 1.0), (3.0, 0.3)])
    values = infer_board(task.board, task.levels, task.systems, QUICK)
    found = {(each["rule"], each["name"]): each for each in values["stability"]}
    totals = [row.totals[0].value for row in task.board.official]
    for left_out, kept in (("a", "b"), ("b", "a")):
        assert found["without_level", left_out]["tau"] == kendall(totals, by_level_of(task, kept))
    spearman = [row.totals[1].value for row in task.board.official]
    assert found["spearman", None]["tau"] == kendall(totals, spearman)
    assert {name for rule, name in found if rule == "without_genre"} == {"x", "y"}
    for (rule, name), shown in (
        (("without_level", "a"), by_level_of(task, "b")),
        (("spearman", None), spearman),
    ):
        ranks = rank_values(shown)
        assert found[rule, name]["ranks"] == [{"system": k, "rank": rank} for k, rank in enumerate(ranks)]
    task.levels[1] = replace(task.levels[1], genres=("z",) * N)
    stability = infer_board(task.board, task.levels, task.systems, QUICK)["stability"]
    assert {one["name"] for one in stability if one["rule"] == "without_genre"} == {"x", "y"}, "z is a level"
    alone = Task([(1.0, 1.0)])
    assert {
        each["undefined"]["reason"]
        for each in infer_board(alone.board, alone.levels, alone.systems, QUICK)["stability"]
    } == {"fewer than two systems"}


def board(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["board", *arguments])


def test_command_prints_the_function_results_in_every_format(tmp_path: Path) -> None:
    gold = "".join(f"{value % 5}\n" for value in range(30))
    folder = write_bundle(
        tmp_path, TASK + '\n[[run]]\nteam = "cy"\nname = "two"\nfiles = { p2s = "cy.tsv" }\n'
    )
    items = "".join(f"the boat {k}\ta boat {k % 7}\t{'xy'[k % 2]}-{k}\n" for k in range(30))
    files = {
        "items.tsv": items, "gold.tsv": gold, "cy.tsv": "".join(f"{(k * 7) % 5}\n" for k in range(30)),
        "runs/ash/a_b/p2s.tsv": gold, "runs/ash/a_b/s2p.tsv": gold, "elsewhere/birch.tsv": "2\n" * 29 + "1\n",
    }  # fmt: skip
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    asked = ("--bootstrap", "200", "--significance", "--seed", "5")
    values = json.loads(board(str(folder), *asked, "--format", "json").stdout)
    assert values["inference"]["options"] == {
        "b": 200, "seed": 5, "interval": "bca", "level": 0.95, "test": "permutation", "alpha": 0.05,
        "adjust": "holm",
    }  # fmt: skip
    plain = json.loads(board(str(folder), "--format", "json").stdout)
    assert {key: value for key, value in values.items() if key != "inference"} == plain
    tsv = board(str(folder), *asked, "--format", "tsv").stdout.splitlines()
    assert tsv[0].endswith("\tsignature\tlow\thigh\tdegenerate\trank_low\trank_high\tcluster")
    assert {line.count("\t") for line in tsv} == {15}
    csv = board(str(folder), *asked, "--format", "csv").stdout.splitlines()
    assert "total pearson rank_low" in csv[0]
    text = board(str(folder), *asked).stdout
    ash = next(line for line in text.splitlines() if "ash" in line and "Rank" not in line)
    assert ash.split()[:2] == ["1", "1"]
    assert "[1.000, 1.000]" in ash
    assert "p2s, pearson, birch one: no interval" in text
    assert "-----" in text
    assert "| Cluster |" in board(str(folder), *asked, "--format", "markdown").stdout
    assert board(str(folder), *asked, "--format", "latex").stdout.count(r"\caption{") == 3
    only = board(str(folder), "--bootstrap", "200").stdout
    assert "95 % interval" in only
    assert "Range" not in only
    assert "p2s, pearson: not significantly better than the best baseline, organizers LCS: birch one" in text
    assert "with Holm's method over these tests of the column alone" in text
    swapped = "Scores are standardized (mean 0, variance 1) before they are swapped"
    assert (text.count(swapped), swapped in only) == (1, False)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (("--bootstrap", "5"), "5 resamples; give 100 to"),
        (("--significance", "--permutations", "18", "--adjust", "max-t"), "give at least 19, better 10000"),
        (("--significance", "--permutations", "18"), "give at least 39, better 1000"),
        (("--bootstrap", "100", "--adjust", "holm"), "--adjust applies to tests only; add --significance"),
        (("--significance", "--alpha", "1"), "alpha is 1; it must be from 1e-06 up and below 1"),
        (("--bootstrap", "100", "--seed", "-1"), "the seed is -1"),
        (("--bootstrap", "100", "--level", "95"), "the level is 95.0"),
        (("--significance", "--alpha", "0"), "alpha is 0; it must be from 1e-06 up and below 1"),
        (("--significance", "--permutations", "1000000000"), "give at most 10000000"),
        (("--permutations", "100"), "--permutations applies to tests only; add --significance"),
        (("--bootstrap", "100", "--alpha", "0.1"), "--alpha applies to tests only; add --significance"),
        (("--seed", "3"), "--seed needs --bootstrap B or --significance"),
    ],
)
def test_invalid_options_are_usage_errors(tmp_path: Path, asked: tuple[str, ...], words: str) -> None:
    result = board(str(write_bundle(tmp_path)), *asked)
    assert result.exit_code == 2
    assert words in result.stderr
