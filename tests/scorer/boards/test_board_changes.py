"""Boards that differ at random, and what has to hold of their changes; the words are in test_cli_golden."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from scorer.boards.board import BoardLevel, BoardRules, Entry, Kind, build_board
from scorer.boards.changes import BoardChanges, board_changes
from scorer.boards.serialization import BoardFile, board_dict, board_json, is_board, read_board
from scorer.errors import BoardError
from scorer.reports.changes import FORMATS, render_changes
from scorer.scoring.evaluate import Result
from scorer.values import Undefined

NO_ENTRY = [Undefined("not_entered", words) for words in ("not entered", "no level with a value")]
METRICS = st.sampled_from([("pearson",), ("pearson", "spearman"), ("spearman",)])
CONSTANT = Undefined("constant_run", "the run has the same score for every item")
VALUES = st.sampled_from([0.5, 0.25, 0.25 + 1e-15, -0.125, CONSTANT, None])
SYSTEMS = st.tuples(st.sampled_from(["ash", "birch"]), st.sampled_from(["one", "two"]))


@st.composite
def boards(draw: st.DrawFn) -> BoardFile:
    """A board of up to three levels and four systems, which may be of two kinds each."""
    slugs = draw(st.lists(st.sampled_from(["p2s", "s2p", "total"]), min_size=1, unique=True))
    levels = [BoardLevel(slug, slug, draw(METRICS), draw(st.booleans())) for slug in slugs]
    rows = draw(st.lists(st.tuples(SYSTEMS, st.sampled_from(["official", "late"])), unique=True, max_size=6))
    entries = []
    for (team, run), kind in rows:
        results = {
            level.slug: {
                metric: Result(metric, value, draw(st.sampled_from([4, 5])), metric)
                for metric in level.metrics
                if (value := draw(VALUES)) is not None
            }
            for level in levels
        }
        entries.append(Entry(team, run, kind, results))
    total = draw(st.sampled_from(["sum", "weighted", "none"]))
    board = build_board(levels, BoardRules(total=total), entries)
    return BoardFile(board, "small", draw(st.sampled_from("ab")), "test")


def mirrored(changes: BoardChanges) -> list[set[Any]]:
    """As sets, with before and after changed for one another."""
    other = {"came": "left", "left": "came"}
    swapped = [
        {replace(each, before=each.after, after=each.before) for each in group}
        for group in (changes.facts, changes.systems, changes.values, changes.moves)
    ]
    return [*swapped, {replace(each, change=other[each.change]) for each in changes.columns}]


@given(boards(), boards())
def test_swapping_boards_mirrors_changes_and_a_board_has_none_to_itself(
    before: BoardFile, after: BoardFile
) -> None:
    there, back = board_changes(before, after), board_changes(after, before)
    groups = (there.facts, there.systems, there.values, there.moves, there.columns)
    assert [set(group) for group in groups] == mirrored(back)
    assert board_changes(after, replace(after)).nothing
    rows = [(file.board.official, file.board.late) for file in (before, after)]
    assert not there.nothing or rows[0] == rows[1]
    for format_ in FORMATS:
        assert render_changes(there, format_).endswith("\n")


def overall_rank(row: dict[str, Any], levels: list[dict[str, Any]]) -> int | None:
    """By the total, or by the official metric of a single level."""
    cells = list(row["total"].values())
    if not cells and len(levels) == 1:
        cells = [row["levels"][levels[0]["slug"]][levels[0]["metrics"][0]]]
    return cells[0]["rank"] if cells else None


@given(boards(), boards())
def test_changes_transform_one_board_into_the_other(earlier: BoardFile, later: BoardFile) -> None:
    """Applying the described changes to the earlier board gives each figure of the later one."""
    changes, before, after = board_changes(earlier, later), board_dict(earlier), board_dict(later)
    shared = columns(before) & columns(after)
    old, new = ({k: f for k, f in figures(b).items() if k[3:] in shared} for b in (before, after))
    by_place = {(c.kind, c.team, c.run, c.level, c.metric): c for c in changes.values}
    either = {key: (old.get(key), new.get(key)) for key in old | new}
    assert by_place.keys() == {
        key
        for key, (was, now) in either.items()
        if was != now and ((was and now) or (was or now)[0] not in NO_ENTRY)
    }
    for key, change in by_place.items():
        for figure, expected in zip((change.before, change.after), either[key], strict=True):
            assert (figure and (figure.value, figure.rank)) == (expected and expected[:2])
    ranks = [
        {(row["team"], row["run"]): overall_rank(row, board["levels"]) for row in board["official"]}
        for board in (before, after)
    ]
    moved = {s: (ranks[0].get(s), ranks[1].get(s)) for s in ranks[0] | ranks[1]}
    assert {(m.team, m.run): (m.before, m.after) for m in changes.moves} == {
        s: pair for s, pair in moved.items() if pair[0] != pair[1]
    }


def test_late_row_added_to_an_official_one_is_an_additional_row() -> None:
    def board(*kinds: Kind) -> BoardFile:
        results = {"p2s": {"pearson": Result("pearson", -1e-9, 4, "")}}
        entries = [Entry("ash", "one", kind, results) for kind in kinds]
        levels = [BoardLevel(slug, slug, ("pearson",)) for slug in ("p2s", "s2p")]
        return BoardFile(build_board(levels, BoardRules(), entries), "s", "S", "test")

    alone, both, late = board("official"), board("official", "late"), board("late")
    said = [
        each.words
        for before, after in ((alone, both), (both, alone), (alone, late), (both, board()), (board(), both))
        for each in board_changes(before, after).systems
    ]
    assert said == [
        "now also has a late row",
        "no longer has a late row",
        "was official and is now late",
        "was removed (official and late)",
        "is new (official and late)",
    ]
    came = board_changes(alone, both)
    assert [(c.kind, c.level, c.before, c.after.value) for c in came.new_values if c.after] == [
        ("late", "p2s", None, -1e-9),
        ("late", None, None, -1e-9),
    ]
    assert "late  ash  one  p2s    pearson  – -> 0.000\n" in render_changes(came, "text")
    assert '"after": null' in render_changes(board_changes(both, alone), "json")
    assert "\tp2s\tpearson\t-1e-09\t\t" in render_changes(board_changes(both, alone), "tsv")


def columns(board: dict[str, Any]) -> set[tuple[Any, str]]:
    totals = {(None, total["name"]) for total in board["totals"]}
    return totals | {(level["slug"], metric) for level in board["levels"] for metric in level["metrics"]}


def figures(board: dict[str, Any]) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    found = {}
    for kind in ("official", "late"):
        for row in board[kind]:
            columns = [*row["levels"].items(), (None, row["total"])]
            for level, by in columns:
                for metric, cell in by.items():
                    reason = cell.get("undefined")
                    value = Undefined(**reason) if reason else cell["value"]
                    rest = (cell.get("n"), cell.get("signature"), cell.get("entered"))
                    found[kind, row["team"], row["run"], level, metric] = (value, cell["rank"], *rest)
    return found


@given(boards())
def test_board_is_restored_from_its_json(file: BoardFile) -> None:
    text = board_json(file.board, **file.names)
    assert (text, read_board(text.encode(), "x")) == (json.dumps(board_dict(file), indent=1) + "\n", file)


def test_file_that_is_not_a_board_reports_every_invalid_place() -> None:
    level = BoardLevel("p2s", "P2S", ("pearson",))
    entries = [
        Entry("ash", run, "official", {"p2s": {"pearson": Result("pearson", 0.5, 4, "")}}) for run in "ab"
    ]
    board = build_board([level], BoardRules(), entries)
    values = board_dict(BoardFile(board, "small", "Small", "test"))
    values["official"][1]["run"] = "a"
    del values["official"][0]["levels"]["p2s"]
    values["official"][1]["total"]["pearson"]["value"] = None
    values["rules"]["total"] = "most"
    with pytest.raises(BoardError) as refused:
        read_board(json.dumps(values).encode(), "b.json")
    assert [str(problem) for problem in refused.value.problems] == [
        "b.json: rules.total: is not one of sum, mean, weighted, none",
        "b.json: official[0].levels.p2s: does not have the columns of the board",
        "b.json: official[1].total.pearson: has neither a value nor a reason",
        'b.json: official[1]: run "a" of team "ash" stands there twice',
    ]
    assert not any(map(is_board, (b"\xff", b"[" * 100_000, b'{"schema": NaN}', b"null")))
