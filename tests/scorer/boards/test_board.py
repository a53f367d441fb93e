import itertools
import random
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from scorer.boards.board import Board, BoardLevel, BoardRules, Entry, Kind, Row, build_board, rank_values
from scorer.errors import RequestError
from scorer.reports.board import render_board
from scorer.scoring.evaluate import Result
from scorer.values import Undefined

LEVELS = [
    BoardLevel("p2s", "Paragraph to sentence", ("pearson", "spearman")),
    BoardLevel("s2p", "Sentence to phrase", ("pearson", "spearman")),
    BoardLevel("p2w", "Phrase to word", ("pearson", "spearman")),
]
CONSTANT = Undefined("constant_run", "the run has the same score for every item")


def entry(
    run: str, *values: float | Undefined | None, kind: Kind = "official", n: tuple[int, ...] = (500,) * 3
) -> Entry:
    """A system with one value a level (both metrics alike); None: not entered."""
    results = {
        level.slug: {metric: Result(metric, value, count, f"{metric}|n:{count}") for metric in level.metrics}
        for level, value, count in zip(LEVELS, values, n, strict=False)
        if value is not None
    }
    return Entry("ash", run, kind, results)


def order(board: Board) -> list[tuple[str, int | None]]:
    return [(row.run, row.totals[0].rank) for row in board.official]


def row(board: Board, run: str) -> Row:
    return next(row for row in (*board.official, *board.late, *board.baselines) if row.run == run)


def test_ties_share_a_rank_and_the_next_one_is_skipped() -> None:
    entries = [entry("a", 0.5), entry("b", 0.9), entry("c", 0.5), entry("d", 0.1)]
    board = build_board(LEVELS[:1], BoardRules(), entries)
    assert order(board) == [("b", 1), ("a", 2), ("c", 2), ("d", 4)]


def test_scores_are_compared_at_twelve_decimals() -> None:
    assert rank_values([0.5, 0.5 + 4e-13, 0.5 + 2e-12]) == [2, 2, 1]


def test_errors_are_compared_at_twelve_digits_of_any_size() -> None:
    for unit in (1e-300, 1e-14, 1.0, 1e300):
        errors = [0.5 * unit, 0.5 * (1 + 4e-13) * unit, 0.6 * unit]
        assert rank_values(errors, higher_is_better=False) == [1, 1, 3]


def test_total_that_is_too_large_for_a_float_is_undefined() -> None:
    levels = [replace(level, metrics=("mse",)) for level in LEVELS[:2]]
    results = {level.slug: {"mse": Result("mse", 1e308, 2, "")} for level in levels}
    for rule in ("sum", "weighted"):
        board = build_board(levels, BoardRules(rule, "all"), [Entry("ash", "a", "official", results)])
        total = board.official[0].totals[0].value
        assert isinstance(total, Undefined)
        assert total.code == "overflow"


def test_missing_value_is_a_dash_sorted_after_every_number() -> None:
    entries = [entry("missing", None), entry("constant", CONSTANT), entry("negative", -0.9)]
    board = build_board(LEVELS[:1], BoardRules(), entries)
    assert order(board) == [("negative", 1), ("constant", None), ("missing", None)]
    assert row(board, "constant").cells["p2s"]["pearson"].value == CONSTANT


def test_sum_over_levels_entered_says_how_many() -> None:
    entries = [entry("all", 0.5, 0.25, 0.125), entry("two", 0.75, None, 0.25)]
    board = build_board(LEVELS, BoardRules(), entries)
    assert order(board) == [("two", 1), ("all", 2)]
    total = row(board, "two").totals[0]
    assert (total.value, total.entered, total.of) == (1.0, 2, 3)


def test_a_system_of_a_single_level_stays_out_of_the_overall_ranking() -> None:
    board = build_board(
        LEVELS, BoardRules(enter_at_least=2), [entry("one", 0.9, None, None), entry("two", 0.1, 0.1)]
    )
    assert order(board) == [("two", 1), ("one", None)]
    total = row(board, "one").totals[0]
    assert isinstance(total.value, Undefined)
    assert total.value.reason == "has values at 1 of 3 levels; the total needs at least 2"
    assert row(board, "one").cells["p2s"]["pearson"].rank == 1


def test_undefined_counts_as_not_entered() -> None:
    board = build_board(LEVELS, BoardRules(enter_at_least=2), [entry("a", 0.9, CONSTANT, 0.5)])
    assert row(board, "a").totals[0].entered == 2
    strict = build_board(LEVELS, BoardRules(total_needs="all"), [entry("a", 0.9, CONSTANT, 0.5)])
    assert isinstance(row(strict, "a").totals[0].value, Undefined)


def test_mean_and_weighted_totals() -> None:
    entries = [entry("a", 0.5, 0.75, n=(100, 300, 1)), entry("easy", 0.9, n=(100, 300, 1))]
    mean = build_board(LEVELS[:2], BoardRules(total="mean"), entries)
    weighted = build_board(LEVELS[:2], BoardRules(total="weighted"), entries)
    assert row(mean, "a").totals[0].value == 0.625
    assert row(weighted, "a").totals[0].value == 0.6875
    for board in (mean, weighted):
        assert row(board, "a").totals[0].rank == 1
        assert isinstance(row(board, "easy").totals[0].value, Undefined)  # a level left out is no advantage


def test_without_totals_the_first_level_orders_and_each_level_ranks() -> None:
    board = build_board(LEVELS[:2], BoardRules(total="none"), [entry("a", 0.1, 0.9), entry("b", 0.2, 0.8)])
    assert [row.run for row in board.official] == ["b", "a"]
    assert board.official[1].cells["s2p"]["pearson"].rank == 1
    assert board.totals == ()


def shown(board: Board, format_: str) -> str:
    return render_board(board, format_, task="small", title="Small", split="test")


def test_a_single_level_is_ranked_by_its_official_metric_in_every_format() -> None:
    board = build_board(LEVELS[:1], BoardRules(total="none"), [entry("a", 0.25), entry("b", 0.75)])
    assert shown(board, "text").splitlines()[3:6] == [
        "Rank  Team  Run  pearson  spearman  Rank by spearman",
        "   1  ash   b      0.750     0.750                 1",
        "   2  ash   a      0.250     0.250                 2",
    ]
    assert "| 2 | ash | a | 0.250 | 0.250 | 2 |" in shown(board, "markdown")
    assert r"2 & ash & a & 0.250 & 0.250 \\" in shown(board, "latex")
    assert [line.split(",")[1] for line in shown(board, "csv").splitlines()] == ["rank", "1", "2"]
    assert "Systems are ranked by pearson." in shown(board, "text")


def test_levels_without_a_total_have_a_table_each_in_the_order_of_their_own_ranks() -> None:
    entries = [
        entry("a", 0.1, 0.9),
        entry("b", 0.2, 0.8),
        entry("c", None, 0.85),
        entry("L", 0, 0, kind="baseline"),
    ]
    board = build_board(LEVELS[:2], BoardRules(total="none"), entries)
    first, second = shown(board, "text").split("\ns2p\n")
    assert [line.split()[:3] for line in first.split("Official")[1].splitlines()[2:5]] == [
        ["1", "ash", "b"],
        ["2", "ash", "a"],
        ["–", "ash", "c"],
    ]
    assert [line.split()[:3] for line in second.split("Official")[1].splitlines()[2:5]] == [
        ["1", "ash", "a"],
        ["2", "ash", "c"],
        ["3", "ash", "b"],
    ]
    assert "There is no total: each level ranks the systems by its first metric." in second
    assert shown(board, "markdown").count("### ") == 4
    assert shown(board, "latex").count(r"\begin{tabular}") == 2


def test_uncounted_level_is_shown_and_excluded_from_the_total() -> None:
    levels = [LEVELS[0], BoardLevel("s2p", "Extra", ("pearson", "spearman"), counts=False)]
    board = build_board(levels, BoardRules(), [entry("a", 0.5, 0.75)])
    assert row(board, "a").totals[0].value == 0.5
    assert row(board, "a").cells["s2p"]["pearson"].value == 0.75


def test_late_and_baseline_rows_are_separate_and_never_ranked() -> None:
    entries = [
        entry("a", 0.5),
        entry("a", 0.9, kind="late"),
        entry("LCS", 0.7, kind="baseline"),
    ]
    board = build_board(LEVELS[:1], BoardRules(), entries)
    assert order(board) == [("a", 1)]
    for other in (*board.late, *board.baselines):
        assert other.cells["p2s"]["pearson"].rank is None
        assert other.totals[0].rank is None


def test_errors_rank_ascending() -> None:
    level = BoardLevel("p2s", "Paragraph to sentence", ("mse",))

    def of(run: str, value: float) -> Entry:
        return Entry("ash", run, "official", {"p2s": {"mse": Result("mse", value, 5, "")}})

    board = build_board(
        [level],
        BoardRules(total_needs="all"),
        [of("a", 0.4), of("b", 0.2), Entry("ash", "c", "official", {})],
    )
    assert order(board) == [("b", 1), ("a", 2), ("c", None)]


def test_ranks_by_each_other_metric_are_shown_beside_the_official_one() -> None:
    def of(run: str, pearson: float, spearman: float) -> Entry:
        results = {
            "pearson": Result("pearson", pearson, 5, ""),
            "spearman": Result("spearman", spearman, 5, ""),
        }
        return Entry("ash", run, "official", {"p2s": results})

    board = build_board(LEVELS[:1], BoardRules(), [of("a", 0.9, 0.1), of("b", 0.8, 0.2)])
    assert [(row.run, row.totals[0].rank, row.totals[1].rank) for row in board.official] == [
        ("a", 1, 2),
        ("b", 2, 1),
    ]


@pytest.mark.parametrize(
    ("levels", "rules", "message"),
    [
        (
            [BoardLevel("a", "A", ("mse",)), BoardLevel("b", "B", ("pearson",))],
            BoardRules(),
            'use total = "none"',
        ),
        ([BoardLevel("a", "A", ("mse",))], BoardRules(), 'use total_needs = "all"'),
        (LEVELS[:2], BoardRules("mean", "entered"), 'use total_needs = "all", or total = "sum"'),
        (LEVELS[:2], BoardRules("weighted", "entered"), 'use total_needs = "all", or total = "sum"'),
        ([BoardLevel("a", "A", ("mse",))], BoardRules("mean", "entered"), 'or total = "none"'),
        ([BoardLevel("a", "A", ("mse",))], BoardRules(total_needs="all", enter_at_least=2), "1 levels count"),
    ],
)
def test_invalid_rules_are_rejected(levels: list[BoardLevel], rules: BoardRules, message: str) -> None:
    with pytest.raises(RequestError, match=message):
        build_board(levels, rules, [])


def test_system_appears_once() -> None:
    with pytest.raises(RequestError, match='run "a" of team "ash" stands there twice'):
        build_board(LEVELS[:1], BoardRules(), [entry("a", 0.1), entry("a", 0.2)])


VALUES = st.one_of(st.none(), st.just(CONSTANT), st.floats(-1, 1).map(lambda value: round(value, 3)))


@given(st.lists(st.tuples(VALUES, VALUES, VALUES), max_size=8), st.randoms(use_true_random=False))
def test_order_of_arrival_changes_nothing(
    values: list[tuple[float | None, float | None, float | None]], shuffle: random.Random
) -> None:
    entries = [entry(f"run{k}", *three) for k, three in enumerate(values)]
    board = build_board(LEVELS, BoardRules(enter_at_least=2), entries)
    mixed = entries.copy()
    shuffle.shuffle(mixed)
    assert build_board(LEVELS, BoardRules(enter_at_least=2), mixed) == board


@given(st.lists(st.tuples(VALUES, VALUES, VALUES), max_size=8), st.sampled_from(["entered", "all"]))
def test_no_number_is_sorted_below_a_dash(
    values: list[tuple[float | None, float | None, float | None]], needs: str
) -> None:
    rules = BoardRules(total_needs=needs)  # type: ignore[arg-type]  # a parameter
    board = build_board(LEVELS, rules, [entry(f"run{k}", *three) for k, three in enumerate(values)])
    totals = [row.totals[0] for row in board.official]
    for above, below in itertools.pairwise(totals):
        if isinstance(above.value, Undefined):
            assert isinstance(below.value, Undefined)
            assert above.rank is None
        elif not isinstance(below.value, Undefined):
            assert above.value > below.value - 1e-12
            assert above.rank is not None
            assert below.rank is not None
            assert above.rank <= below.rank


@given(st.lists(st.one_of(st.none(), st.integers(-5, 5).map(float)), max_size=10), st.booleans())
def test_rank_is_one_more_than_the_number_of_better_values(
    values: list[float | None], higher_is_better: bool
) -> None:
    ranks = rank_values(values, higher_is_better=higher_is_better)
    sign = 1 if higher_is_better else -1
    for value, rank in zip(values, ranks, strict=True):
        if value is None:
            assert rank is None
        else:
            better = sum(other is not None and sign * other > sign * value for other in values)
            assert rank == 1 + better
