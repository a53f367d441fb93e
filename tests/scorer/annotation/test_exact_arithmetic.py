"""Figures computed from ratings, compared with rational arithmetic: what is equal there is equal here."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from math import sqrt
from statistics import mean

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from scorer.annotation.adjudication import adjudicate, adjudication_report
from scorer.annotation.agreement import (
    Value,
    annotator_agreements,
    closeness,
    pooled_closeness,
    pooled_closeness_to_unit_mean,
)
from scorer.annotation.choice_filter import FilterRules, filter_report
from scorer.annotation.choices_reader import ChoicesLayout, parse_choices
from scorer.annotation.context_effect import context_tests, mean_increases
from scorer.annotation.context_effect_report import ContextRules, context_report
from scorer.annotation.exact_arithmetic import remove_rounding_noise, scale_to_whole_numbers
from scorer.annotation.ratings import Ratings, ratings_of
from scorer.annotation.rounds import align_rounds, calibration_curve, pair_with_round, paired_columns
from scorer.bws.answers import Answers, parse_answers
from scorer.bws.reliability import correlations_by_scope, split_half, split_scores
from scorer.bws.scores import bws_scores, count_choices
from scorer.items.word_counts import mean_sd
from scorer.scoring.evaluate import Report, Result
from scorer.scoring.spread import spread_of_runs
from scorer.values import Undefined

Row = Sequence[str | None]
STEPS = ("1", "0.5", "0.25", "0.1", "0.05", "0.01", "0.001")


@st.composite
def tables(draw: st.DrawFn, files: int = 1, k: int = 4) -> list[list[Row]]:
    """Tables of ratings in decimal steps, as they stand in files, each of the same units by k annotators."""
    step = Fraction(draw(st.sampled_from(STEPS)))
    most = draw(st.sampled_from([2, 6, 40, 1000]))
    cell = st.one_of(st.none(), st.integers(0, most), st.integers(0, most))
    row = st.lists(cell, min_size=k, max_size=k)
    n = draw(st.integers(2, 8))
    return [
        [
            [None if each is None else f"{float(each * step):.3f}" for each in draw(row)]
            for _ in range(n)
        ]
        for _ in range(files)
    ]  # fmt: skip


def read(table: list[Row]) -> Ratings:
    return ratings_of([[None if cell is None else float(cell) for cell in row] for row in table])


def known(row: Row) -> list[Fraction]:
    return [Fraction(cell) for cell in row if cell is not None]


def exact_ranks(values: Sequence[Fraction]) -> list[Fraction]:
    ordered = sorted(values)
    return [ordered.index(each) + Fraction(ordered.count(each) + 1, 2) for each in values]


def exact_pearson(a: Sequence[Fraction], b: Sequence[Fraction]) -> float | None:
    x, y = ([each - mean(side) for each in side] for side in (a, b) if side)
    xy, xx, yy = (sum(p * q for p, q in zip(*two, strict=True)) for two in ((x, y), (x, x), (y, y)))
    return None if len(a) < 2 or 0 in (xx, yy) else float(xy) / sqrt(float(xx) * float(yy))


def assert_close(found: Value, a: Sequence[Fraction], b: Sequence[Fraction], *, ranked: bool) -> None:
    """A correlation is that of the fractions, and undefined exactly where theirs is."""
    if ranked:
        a, b = exact_ranks(a), exact_ranks(b)
    wanted = exact_pearson(a, b) if a else None
    if isinstance(found, Undefined) or wanted is None:
        assert isinstance(found, Undefined)
        assert wanted is None
    else:
        assert found == pytest.approx(wanted, abs=1e-12)


def assert_equal_alike(found: Sequence[float], wanted: Sequence[Fraction]) -> None:
    """Each is the float nearest to its fraction, so that they are equal where the fractions are."""
    assert found == [float(each) for each in wanted]


@given(tables(files=2))
def test_spearman_between_rounds_uses_exact_means(both: list[list[Row]]) -> None:
    first, second = (read(table) for table in both)
    rated = [rows for rows in zip(*both, strict=True) if all(known(row) for row in rows)]
    means = [[mean(known(row)) for row in side] for side in zip(*rated, strict=True)] or [[], []]
    found = [column.tolist() for column in paired_columns([first, second])]
    for column, wanted in zip(found, means, strict=True):
        assert_equal_alike(column, wanted)
    assert_close(closeness(*found).spearman, *means, ranked=True)
    assert_close(closeness(*found).pearson, *means, ranked=False)


@given(tables(files=2))
def test_spearman_with_one_round_uses_its_exact_means(both: list[list[Row]]) -> None:
    answers, other = (read(table) for table in both)
    pairs = [
        (Fraction(cell), mean(known(theirs)))
        for row, theirs in zip(*both, strict=True)
        for cell in row
        if cell is not None and known(theirs)
    ]
    has, beside = pair_with_round(answers, other)
    assert_equal_alike(beside[has].tolist(), [other for _, other in pairs])
    spans = calibration_curve(answers, other, step=1000)
    if pairs:
        assert_close(spans[0].closeness.spearman, *map(list, zip(*pairs, strict=True)), ranked=True)


@given(tables(files=2))
@example([[["0.1", "0.2"], ["0.3", "0.3"]], [["0.3", "0.0"], ["0.3", "0.3"]]])
def test_an_increase_is_0_where_means_are_equal(both: list[list[Row]]) -> None:
    free, dependent = align_rounds([read(table) for table in both])
    rated = [rows for rows in zip(*both, strict=True) if all(known(row) for row in rows)]
    wanted = [mean(known(after)) - mean(known(before)) for before, after in rated]
    found = mean_increases(free, dependent)[1].tolist()
    assert found == pytest.approx([float(each) for each in wanted], abs=1e-12)
    assert [each == 0 for each in found] == [each == 0 for each in wanted]
    for name in ("independent", "welch", "paired"):
        tests = context_tests(free, dependent, name)  # type: ignore[arg-type]  # each of them is one
        for unit, t, p in zip(tests.place.tolist(), tests.t.tolist(), tests.p.tolist(), strict=True):
            pairs = zip(both[0][unit], both[1][unit], strict=True)
            shared = [(Fraction(a), Fraction(b)) for a, b in pairs if a is not None and b is not None]
            sides = (
                zip(*shared, strict=True) if name == "paired" else map(known, (each[unit] for each in both))
            )
            before, after = map(mean, sides)
            assert (t == 0) == (p == 1) == (before == after)


@given(tables(files=2))
@example([[["0.3"], ["0.3"], ["0.4"]], [["0.4"], ["0.4"], ["0.2"]]])
@example([[["1", "1", "2"]] * 3 + [["1", "1", "1"]], [["1", "2", "2"]] * 3 + [["0", "0", "0"]]])
def test_the_mean_increase_is_0_where_increases_cancel(both: list[list[Row]]) -> None:
    pair = align_rounds([read(table) for table in both])
    rated = [rows for rows in zip(*both, strict=True) if all(known(row) for row in rows)]
    wanted = [mean(known(after)) - mean(known(before)) for before, after in rated]
    sheet = context_report((pair[0], pair[1]), [], ContextRules(), (0, 0))
    rows = {table.name: table.rows for table in sheet.tables}
    _, n, found, sd, higher, lower = rows["increase"][0]
    assert n == len(wanted)
    assert (higher, lower) == (sum(each > 0 for each in wanted), sum(each < 0 for each in wanted))
    if len(wanted) > 1:
        assert isinstance(found, float)
        assert isinstance(sd, float)
        assert (found == 0, sd == 0) == (mean(wanted) == 0, len(set(wanted)) == 1)
        assert found == pytest.approx(float(mean(wanted)), abs=1e-12)


def others_of(table: list[Row]) -> list[list[tuple[Fraction, Fraction]]]:
    """Of each annotator, their ratings with the mean of the others' of the unit."""
    found: list[list[tuple[Fraction, Fraction]]] = [[] for _ in table[0]]
    for row in table:
        for who, cell in enumerate(row):
            others = known([*row[:who], *row[who + 1 :]])
            if cell is not None and others:
                found[who].append((Fraction(cell), mean(others)))
    return found


@given(tables())
def test_agreement_with_the_mean_of_the_others_is_exact(only: list[list[Row]]) -> None:
    (table,) = only
    ratings = read(table)
    pairs = others_of(table)
    for each in annotator_agreements(ratings):
        own = pairs[int(each.name) - 1]
        assert each.closeness.n == len(own)
        if own:
            assert_close(each.closeness.spearman, *map(list, zip(*own, strict=True)), ranked=True)
            assert_close(each.closeness.pearson, *map(list, zip(*own, strict=True)), ranked=False)
            assert (each.bias == 0) == (sum(a - b for a, b in own) == 0)
    every = [pair for own in pairs for pair in own]
    if every:
        assert_close(pooled_closeness(ratings).spearman, *map(list, zip(*every, strict=True)), ranked=True)
    own_means = [
        (value, mean(known(row))) for row in table if len(known(row)) > 1 for value in known(row)
    ]  # fmt: skip
    if own_means:
        assert_close(
            pooled_closeness_to_unit_mean(ratings).spearman,
            *map(list, zip(*own_means, strict=True)),
            ranked=True,
        )


@given(tables())
def test_equally_distant_annotators_are_ordered_by_name(only: list[list[Row]]) -> None:
    (table,) = only
    pairs = others_of(table)
    exact = {
        str(who + 1): -sum((a - b) ** 2 for a, b in own) / len(own) if own else Fraction(1)
        for who, own in enumerate(pairs)
    }
    names = [each.name for each in annotator_agreements(read(table))]
    assert all(exact[one] != exact[other] or one < other for one, other in pairwise(names))


@given(tables())
def test_adjudicated_means_are_exact_and_equal_spreads_keep_the_order_of_the_file(
    only: list[list[Row]],
) -> None:
    (table,) = only
    cases = adjudicate(read(table), 10**6)
    rated = [known(row) for row in table if known(row)]
    golds = [case.gold for case in cases if case.gold is not None]
    assert_equal_alike(golds, [mean(row) for row in rated])
    ratings = read(table)
    wide = adjudicate(ratings, 1e-3)
    exact = {str(unit): max(row) - min(row) for unit, row in enumerate(map(known, table), start=1) if row}
    listed = [str(row[0]) for row in adjudication_report(wide, 1e-3, ratings).tables[1].rows]
    assert listed == sorted(
        (case.unit for case in wide if case.source == "open"),
        key=lambda unit: (-exact[unit], int(unit)),
    )


ANSWERS = st.lists(st.permutations("abcde").map(lambda order: order[:4]), min_size=2, max_size=12)


def answers_of(rows: Sequence[Sequence[str]]) -> Answers:
    """Of each row the first is the best and the last the worst."""
    lines = [",".join([*sorted(row), row[0], row[-1]]) for row in rows]
    head = "Item1,Item2,Item3,Item4,BestItem,WorstItem"
    return parse_answers("\n".join([head, *lines]).encode(), "answers.csv")


@given(ANSWERS)
def test_best_worst_scores_are_exact(rows: list[list[str]]) -> None:
    answers = answers_of(rows)
    exact = {
        item: Fraction(best - worst, shown)
        for item, shown, best, worst in zip(answers.items, *count_choices(answers).tolist(), strict=True)
    }
    scores = bws_scores(answers)
    assert_equal_alike([each.score for each in scores], [exact[each.item] for each in scores])
    assert [each.item for each in scores] == sorted(exact, key=lambda item: (-exact[item], item))


@given(ANSWERS)
def test_spearman_between_halves_of_answers_is_exact(rows: list[list[str]]) -> None:
    answers = answers_of(rows + rows)
    for first, second in split_scores(answers, 2, seed=1):
        kept = ~(np.isnan(first) | np.isnan(second))
        if not kept.any():
            continue
        scope = np.zeros(int(kept.sum()), dtype=np.intp)
        r, rho = (float(each[0]) for each in correlations_by_scope(first[kept], second[kept], scope, 1))
        a, b = ([Fraction(x).limit_denominator(100) for x in side[kept]] for side in (first, second))
        for found, wanted in ((r, exact_pearson(a, b)), (rho, exact_pearson(exact_ranks(a), exact_ranks(b)))):
            assert np.isnan(found) if wanted is None else found == pytest.approx(wanted, abs=1e-12)


@given(st.lists(st.sampled_from(["0.1", "0.2", "0.3", "0.7", "1.1", "12345.6"]), min_size=1, max_size=40))
def test_sums_of_decimal_fractions_are_exact(texts: list[str]) -> None:
    numbers, scale = scale_to_whole_numbers(np.array([float(text) for text in texts]))
    assert Fraction(numbers.sum()) / Fraction(scale) == sum(map(Fraction, texts))


def test_numbers_with_too_many_decimals_are_unchanged() -> None:
    for values in (np.array([1 / 3, 0.5]), np.array([1e100, 0.5])):
        numbers, scale = scale_to_whole_numbers(values)
        assert (numbers.tolist(), scale) == (values.tolist(), 1)


def test_zero_difference_is_not_negative_zero() -> None:
    assert str(float(remove_rounding_noise(-1e-17))) == "0.0"


def test_means_of_thirds_are_ranked_at_twelve_decimals() -> None:
    third = 1 / 3
    assert closeness([third, third + 1e-16, 2 * third, 1], [1, 1, 2, 3]).spearman == 1
    constant = Undefined("constant_ratings", "all values in one of the two series are the same")
    assert closeness([third, third + 1e-16], [1, 2]).pearson == constant


@pytest.mark.parametrize("k", [3, 6])
@pytest.mark.parametrize("value", [0.1, 0.7, 0.9486832980505138])
def test_equal_values_have_no_spread(value: float, k: int) -> None:
    assert mean_sd([value] * k) == (value, 0)
    reports = [Report((Result("pearson", value, 500, "pearson|n:500|v:1"),))] * k
    (found,) = spread_of_runs(reports)
    assert (found.mean, found.sd) == (value, 0)


def test_equal_splits_have_no_spread() -> None:
    found, _ = split_half(answers_of(["abcd", "abdc", "bcde", "bcde"]), repeats=7)
    assert (found.pearson, found.pearson_sd, found.spearman_sd) == (pytest.approx(0.9), 0, 0)


def test_equal_controls_have_no_spread() -> None:
    data = b"choice,rating,later\nA,5,4.3\nB,3,2.1\nC,0,0.4\nA,6,5\n"
    choices = parse_choices(data, "train.csv", ChoicesLayout(second="later"))
    rows = filter_report(choices, FilterRules((9.0,), repeats=5)).tables[1].rows
    assert {row[0]: row[3] for row in rows}["control of N9"] == 0


@pytest.mark.parametrize("unit", ["e-90", "e-14", "e-7", "e7", "e90"])
def test_no_result_depends_on_the_unit_of_the_ratings(unit: str) -> None:
    free: list[Row] = [["0.1", "0.3", "0.6"], ["0.2", "0.2", None], ["0.7", "0.4", "0.1"], ["0.3"] * 3]
    dependent: list[Row] = [["0.2", "0.4", "0.7"], ["0.2", "0.2", None], ["0.1", "0.4", "0.6"], ["0.4"] * 3]
    results = []
    for suffix in ("", unit):
        pair = align_rounds(
            [
                read([[cell and f"{cell}{suffix}" for cell in row] for row in table])
                for table in (free, dependent)
            ]
        )
        measured = [pooled_closeness(ratings) for ratings in pair]
        tests = [context_tests(*pair, name) for name in ("independent", "welch", "paired")]
        results.append(
            (
                [value for close in measured for value in (close.pearson, close.spearman)],
                [value for test in tests for value in (*test.t.tolist(), *test.p.tolist())],
                [test.reason.tolist() for test in tests],
                [case.source for case in adjudicate(pair[0], float(f"0.5{suffix}"))],
                np.sign(mean_increases(*pair)[1]).tolist(),
            )
        )
    for plain, scaled in zip(*results, strict=True):
        assert scaled == pytest.approx(plain) if isinstance(plain[0], float) else scaled == plain
    assert results[1][3] == ["open", "mean", "open", "mean"]
