"""Inferences as plain values: rejected input, marks, and neighbours in rank."""

import json
from typing import Any

import numpy as np
import pytest

from scorer.boards.board import (
    NOT_ENTERED,
    Board,
    BoardLevel,
    BoardRules,
    Cell,
    ColumnKey,
    Kind,
    Row,
    Total,
    TotalColumn,
    rows_of,
)
from scorer.boards.serialization import BoardFile
from scorer.errors import UndefinedError
from scorer.statistics.intervals import bca_ends
from server.boards.inference_json import (
    BoardInference,
    read_inference,
    read_inference_values,
    summarize_inference,
)
from server.boards.inference_marks import NO_MARK, BestBaseline, Mark, MarkedBoard, mark_board
from server.boards.neighbours import PAIRS_HEADER, list_column_placements, list_pairs
from server.core.table_formats import write_table


def interval(system: int, low: float | None, high: float | None) -> dict[str, Any]:
    undefined = {"code": "constant", "reason": "it is constant"} if low is None else None
    ends = {"low": low, "high": high, "degenerate": 0}
    return {"system": system, **ends, "undefined": undefined, "signature": "mse|n:9|ci:bca"}


def inference() -> dict[str, Any]:
    """Three systems by an error metric: the first beats both others, which do not differ significantly."""
    names = (("official", "a", "1"), ("official", "b", "1"), ("official", "c", "1"), ("baseline", "o", "LCS"))
    pairs = [(0, 1, -0.4, -0.6, -0.2, 0.001, 0.003, 0), (0, 2, -0.5, -0.7, -0.3, 0.002, 0.004, 0)]
    pairs += [(2, 1, 0.1, -0.1, 0.3, 0.4, 0.4, None)]
    keys = ("a", "b", "difference", "low", "high", "p", "adjusted", "better")
    column = {
        "n": 9,
        "groups": None,
        "official": True,
        "intervals": [interval(0, 0.1, 0.3), interval(1, None, None), interval(3, 1.0, 2.0)],
        "tests": {"systems": 3, "pairs": 3, "permutations": 4000, "alpha": 0.05, "refused": None},
        "ranks": [
            {"system": 0, "rank": 1, "low": 1, "high": 1, "cluster": 1},
            {"system": 1, "rank": 2, "low": 2, "high": 3, "cluster": 2},
            {"system": 2, "rank": 3, "low": 2, "high": 3, "cluster": 2},
        ],
        "pairs": [dict(zip(keys, pair, strict=True)) for pair in pairs],
    }
    return {
        "schema": "assay.inference/1",
        "scorer": "0.1.0",
        "options": {"b": 10_000, "seed": 0, "interval": "bca", "level": 0.95, "alpha": 0.05},
        "systems": [dict(zip(("kind", "team", "run"), name, strict=True)) for name in names],
        "columns": [
            {"level": "x", "metric": "mse", **column},
            {"level": None, "metric": "mse", **column},
        ],
        "stability": [{"rule": "spearman", "name": None, "tau": 1.0, "systems": 3, "undefined": None}],
    }


def parsed(values: dict[str, Any]) -> BoardInference:
    return read_inference(json.dumps(values))


def board() -> BoardFile:
    def row(team: str, run: str, value: float | None, rank: int | None, kind: Kind = "official") -> Row:
        number = NOT_ENTERED if value is None else value
        return Row(team, run, kind, {"x": {"mse": Cell(number, rank)}}, (Total(number, rank, 1, 1),))

    level, total = BoardLevel("x", "X", ("mse",)), TotalColumn("mse", {"x": "mse"}, higher_is_better=False)
    official = row("a", "1", 0.2, 1), row("b", "1", 0.6, 2), row("c", "1", 0.7, 3), row("d", "1", None, None)
    baselines = (row("o", "LCS", 1.5, None, "baseline"),)
    return BoardFile(Board((level,), BoardRules(), (total,), official, (), baselines), "t", "T", "test")


TOTAL, X = (None, "mse"), ("x", "mse")


def marks(board: MarkedBoard, column: ColumnKey = TOTAL) -> list[Mark]:
    return [board.mark(row, column) for row in rows_of(board)]


def test_inference_marks_values_ranks_and_the_last_row_of_a_cluster() -> None:
    marked = mark_board(board(), parsed(inference()))
    first, second, _, _, baseline = marks(marked)
    assert first.interval == (0.1, 0.3)
    assert (second.interval, second.range) == (None, (2, 3))
    assert second.no_interval == "it is constant"
    assert [mark.cluster for mark in marks(marked)] == [1, 2, 2, None, None]
    assert baseline.range is None
    assert marks(marked, X)[-1].interval == (1.0, 2.0)
    assert marked.inference is not None
    assert marked.inference.level_tests["x"].pairs == 3
    assert marked.inference.tests is not None
    assert marked.inference.tests.permutations == 4000
    assert rows_of(marked) == rows_of(board().board)
    unmarked = mark_board(board(), None)
    assert (unmarked.inference, set(marks(unmarked))) == (None, {NO_MARK})


def test_reason_for_no_interval_has_no_advice_that_a_page_does_not_offer() -> None:
    values = inference()
    undefined = next(
        entry["undefined"]
        for column in values["columns"]
        for entry in column["intervals"]
        if entry["undefined"]
    )
    with pytest.raises(UndefinedError) as caught:
        bca_ends(np.array([-0.1, 0.1]), [np.array([0.5, np.nan])], 0.95)
    undefined["reason"] = caught.value.reason
    assert "percentile" in undefined["reason"]
    marked = mark_board(board(), parsed(values))
    assert marks(marked)[1].no_interval == (
        "BCa is undefined, because without one of the items the metric has no value"
    )


def against_baseline() -> dict[str, Any]:
    """The same with tests against the baseline; one system has values at other levels than it."""
    values, keys = inference(), ("system", "difference", "p", "adjusted", "better")
    tests = [(0, -1.3, 0.001, 0.002, True), (1, -0.9, 0.2, 0.2, False)]
    for column in values["columns"]:
        column["baseline"] = {
            "system": 3,
            "permutations": 4000,
            "tests": [dict(zip(keys, test, strict=True)) for test in tests],
            "signature": "mse|n:9|against:best-baseline",
        }
    return values


def test_inference_marks_whether_systems_are_better_than_the_best_baseline() -> None:
    marked = mark_board(board(), parsed(against_baseline()))
    for column in (X, TOTAL):
        assert [mark.beats_baseline for mark in marks(marked, column)] == [True, False, None, None, None]
    facts = BestBaseline("o LCS", tested=2, untested=1, not_better=1, permutations=4000, alpha=0.05)
    assert marked.inference is not None
    assert marked.inference.baselines == {None: facts, "x": facts}
    without = mark_board(board(), parsed(inference())).inference
    assert without is not None
    assert without.baselines == {}


def test_summary_has_the_marks_of_the_whole_inference() -> None:
    text = json.dumps(against_baseline())
    summary = read_inference_values(summarize_inference(text))
    marked, whole = (mark_board(board(), values) for values in (summary, read_inference(text)))
    assert (marked.marks, marked.inference) == (whole.marks, whole.inference)


def test_pairs_are_not_loaded_for_a_page() -> None:
    text = json.dumps(summarize_inference(json.dumps(inference())))
    assert "adjusted" not in text
    assert "ci:bca" not in text


def test_neighbours_are_adjacent_in_rank_and_the_upper_one_is_ahead_also_for_errors() -> None:
    total, level = list_column_placements(parsed(inference()), "b", "1")
    assert (total.level, level.level) == (None, "x")
    assert (total.rank, total.low, total.high, total.of) == (2, 2, 3, 3)
    above, below = total.neighbours
    assert (above.team, above.ahead, above.low, above.high, above.told_apart) == ("a", 0.4, 0.2, 0.6, True)
    assert (below.team, below.ahead, below.low, below.high, below.told_apart) == ("c", 0.1, -0.1, 0.3, False)
    assert list_column_placements(parsed(inference()), "o", "LCS") == []


def test_systems_of_other_levels_are_neighbours_that_were_not_compared() -> None:
    values = inference()
    values["columns"][1]["pairs"] = values["columns"][1]["pairs"][:2]
    _, below = list_column_placements(parsed(values), "b", "1")[0].neighbours
    assert (below.ahead, below.told_apart) == (None, False)


def test_pairs_are_lines_of_text() -> None:
    rows = list_pairs(parsed(inference()))
    assert len(rows) == 6
    assert dict(zip(PAIRS_HEADER, rows[0], strict=True)) == {
        "level": "x", "metric": "mse", "team": "a", "run": "1", "other_team": "b", "other_run": "1",
        "difference": "-0.4", "low": "-0.6", "high": "-0.2", "p": "0.001", "adjusted": "0.003",
        "better": "first",
    }  # fmt: skip
    assert rows[-1][-1] == "neither"
    line = write_table("tsv", PAIRS_HEADER, rows[:1]).splitlines()[1].split("\t")
    assert [float(cell) for cell in line[6:9]] == [-0.4, -0.6, -0.2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda values: values.pop("systems"), "systems is missing"),
        (lambda values: values.update(schema="assay.inference/2"), 'schema is not "assay.inference/1"'),
        (lambda values: values["systems"].pop(), "intervals.2..system is not one of the systems"),
        (lambda values: values["systems"][0].update(team="\ud800"), "systems.0..team is not a text"),
        (lambda values: values["columns"][0].update(ranks={}), "ranks is not a list"),
        (lambda values: values["columns"][0]["ranks"][0].update(rank=1.5), "rank is not a whole number"),
        (lambda values: values["columns"][0]["intervals"][0].update(low=float("nan")), "low is not a number"),
        (lambda values: values["options"].update(level=True), "options.level is not a number"),
        (lambda values: values["stability"].append([]), "stability.1. is not an object"),
        (lambda values: values["columns"][0].update(tests="none"), "tests is not an object"),
        (lambda values: values["columns"][0].update(baseline=None), "baseline is not an object"),
        (lambda values: values["columns"][0]["baseline"].update(system=4), "is not one of the systems"),
        (lambda values: values["columns"][0]["baseline"]["tests"][0].pop("better"), "better is missing"),
    ],
)  # fmt: skip
def test_inference_that_pages_cannot_show_is_rejected_with_the_place(change: Any, message: str) -> None:
    values = against_baseline()
    assert parsed(values).keys[0] == ("official", "a", "1")
    change(values)
    with pytest.raises(ValueError, match=message):
        read_inference(json.dumps(values))


@pytest.mark.parametrize("text", ["", "[]", "null", "[" * 100_000, "1e400"])
def test_file_that_is_not_an_inference_is_rejected(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (each is another fault)
        read_inference(text)
