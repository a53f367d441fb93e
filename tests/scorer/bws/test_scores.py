"""`scorer bws score` and `reliability`: worked examples, plain Python, laws, and rejected files."""

import json
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import combinations
from statistics import fmean, stdev
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings, strategies as st
from scipy import stats

from scorer.bws.answers import Answers, AnswersLayout, parse_answers
from scorer.bws.reliability import correlations_by_scope, spearman_brown, split_half, split_scores
from scorer.bws.report import agreement_table
from scorer.bws.scores import bws_scores
from scorer.cli.__main__ import cli
from scorer.errors import RatingsError
from scorer.statistics.random_streams import RandomIntegers, draw_halves, open_stream
from scorer.values import Undefined

Row = tuple[tuple[str, ...], str, str]
HEAD = "Item1,Item2,Item3,BestItem,WorstItem"
HAND = f"{HEAD}\nquay,reef,isle,quay,isle\nreef,isle,quay,quay,reef\nreef,isle,mole,mole,isle\n"


def _random(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311  (made-up answers, no secrets)


def answers_of(rows: Sequence[Row]) -> Answers:
    head = [f"Item{place + 1}" for place in range(len(rows[0][0]))]
    lines = [",".join([*head, "BestItem", "WorstItem"]), *(",".join([*r[0], r[1], r[2]]) for r in rows)]
    return parse_answers("\n".join(lines).encode(), "answers.csv")


def made_up(tuples: Sequence[Sequence[str]], each: int, noise: float, seed: int) -> list[Row]:
    """Answers of people who see the items' order through noise."""
    rng = _random(seed)
    rows = []
    for shown in tuples:
        for _ in range(each):
            felt = sorted(shown, key=lambda item: rng.gauss(float(item[1:]), noise))
            rows.append((tuple(shown), felt[-1], felt[0]))
    return rows


def run(command: str, *arguments: str, said: str = HAND) -> Result:
    return CliRunner().invoke(cli, ["bws", command, "-", *arguments], input=said)


def found(command: str, *arguments: str, said: str = HAND) -> Any:
    return json.loads(run(command, *arguments, "--format", "json", said=said).stdout)


ROWS = st.lists(st.permutations("abcdef").map(lambda p: (tuple(p[:3]), p[0], p[1])), min_size=1, max_size=12)


def test_scores_equal_manual_calculation() -> None:
    rows = found("score")["tables"]["scores"]
    assert [(r["item"], r["shown"], r["best"], r["worst"], r["score"], r["scaled"]) for r in rows] == [
        ("mole", 1, 1, 0, 1.0, 1.0),
        ("quay", 2, 2, 0, 1.0, 1.0),
        ("reef", 3, 0, 1, round(-1 / 3, 10), round(1 / 3, 10)),
        ("isle", 3, 0, 2, round(-2 / 3, 10), round(1 / 6, 10)),
    ]
    assert (
        "3 answers, 1 to 2 to each of 2 tuples. A tuple has 3 items, and there are 4 items."
        in run("score").stdout
    )
    assert run("score", "--format", "tsv").stdout.startswith("item\tshown\tbest\tworst\tscore\tscaled\t")


def test_giccs_design_is_scored_within_dialogues() -> None:
    """Five candidates a dialogue, all ten triples, five answers each: each candidate in six."""
    lines = ["dlg;Item1;Item2;Item3;BestItem;WorstItem"]
    for dialogue in ("d1", "d2"):
        rows = made_up(list(combinations([f"c{k}" for k in range(5)], 3)), 5, 0.01, 1)
        lines += [";".join([dialogue, *row[0], row[1], row[2]]) for row in rows]
    values = found("score", "--group", "dlg", said="\n".join(lines))
    assert (values["n"], values["tuples"], values["answers"], values["groups"]) == (10, 20, 100, 2)
    scores = [(r["group"], r["item"], r["shown"], r["score"]) for r in values["tables"]["scores"]]
    expected = [1.0, 0.5, 0.0, -0.5, -1.0]  # c4 is best of 6 of 6, c3 of 3 of 6
    assert scores == [(d, f"c{4 - k}", 30, expected[k]) for d in ("d1", "d2") for k in range(5)]
    reliability = found("reliability", "--group", "dlg", "--repeats", "3", said="\n".join(lines))
    names = [row["answers of"] for row in reliability["tables"]["reliability"]]
    assert names == ["all", "d1", "d2"]
    # halves of 2 and 3 answers weigh tuples differently, also where everybody agrees
    assert all(
        0.95 < row["pearson"] < row["spearman-brown"] < 1 for row in reliability["tables"]["reliability"]
    )
    first = reliability["tables"]["agreement"][0]
    assert (first["questions"], first["alpha"], first["alpha by item"], first["strong"]) == (40, 1, 1, 1)


def plain_halves(rows: Sequence[Row], rng: random.Random) -> list[dict[str, float]]:
    """The definition in plain Python."""
    by_tuple = defaultdict(list)
    for row in rows:
        by_tuple[frozenset(row[0])].append(row)
    halves: list[list[Row]] = [[], []]
    for given_ in by_tuple.values():
        rng.shuffle(given_)
        cut = len(given_) // 2 + (len(given_) % 2 and rng.random() < 0.5)
        halves[0] += given_[:cut]
        halves[1] += given_[cut:]
    return [plain_scores(half) for half in halves]


def plain_scores(rows: Sequence[Row]) -> dict[str, float]:
    shown = Counter(item for row in rows for item in row[0])
    best, worst = Counter(row[1] for row in rows), Counter(row[2] for row in rows)
    return {item: (best[item] - worst[item]) / shown[item] for item in shown}


def test_reliability_equals_a_plain_implementation() -> None:
    rng = _random(3)
    items = [f"w{k}" for k in range(40)]
    rows = [row for k in range(80) for row in made_up([rng.sample(items, 4)], 2 + k % 4, 9, k)]
    whole, groups = split_half(answers_of(rows), 400, 1)
    plain = []
    for _ in range(400):
        a, b = plain_halves(rows, rng)
        pair = [a[item] for item in items], [b[item] for item in items]
        plain.append((stats.pearsonr(*pair).statistic, stats.spearmanr(*pair).statistic))
    for place, (mean, sd) in enumerate(
        [(whole.pearson, whole.pearson_sd), (whole.spearman, whole.spearman_sd)]
    ):
        theirs = [pair[place] for pair in plain]
        assert mean == pytest.approx(fmean(theirs), abs=6 * stdev(theirs) / 20)
        assert sd == pytest.approx(stdev(theirs), rel=0.3)
    assert isinstance(whole.pearson, float)
    assert whole.spearman_brown == pytest.approx(2 * whole.pearson / (1 + whole.pearson))
    assert (groups, whole.items, whole.tuples, whole.single, whole.missing) == ((), 40, 80, 0, 0)


def test_each_split_divides_the_answers_and_its_correlations_equal_scipy() -> None:
    rows = made_up([("w1", "w2", "w3"), ("w2", "w3", "w4"), ("w1", "w3", "w5")], 5, 2, 1)
    every = bws_scores(answers_of(rows))
    shown = {each.item: each.shown for each in every}
    for first, second in split_scores(answers_of(rows), 5, 1):
        a, b = correlations_by_scope(first, second, np.zeros(5, dtype=np.intp), 1)
        assert a[0] == pytest.approx(stats.pearsonr(first, second).statistic)
        assert b[0] == pytest.approx(stats.spearmanr(first, second).statistic)
        for place, item in enumerate(sorted(shown)):
            low, high = sorted((first[place], second[place]))
            assert low <= next(each.score for each in every if each.item == item) <= high


def test_halves_are_equal_and_every_split_is_equally_likely() -> None:
    halves = draw_halves(open_stream(1, [], "test"), 6000, 3)
    sizes = Counter(halves.sum(axis=1).tolist())
    assert set(sizes) == {1, 2}
    kinds = Counter(map(tuple, halves.tolist()))
    assert len(kinds) == 6
    assert stats.chisquare(list(kinds.values())).pvalue > 1e-4
    assert (draw_halves(open_stream(1, [], "test"), 9, 4).sum(axis=1) == 2).all()
    picks = RandomIntegers(open_stream(1, [], "test"))
    assert stats.chisquare(list(Counter(picks.below(7) for _ in range(7000)).values())).pvalue > 1e-4


@settings(max_examples=40)
@given(ROWS, st.randoms(use_true_random=False))
def test_scores_sum_to_zero_and_ignore_order_and_names(rows: list[Row], rng: random.Random) -> None:
    scores = bws_scores(answers_of(rows))
    assert sum(each.shown * each.score for each in scores) == pytest.approx(0, abs=1e-12)
    assert all(-1 <= each.score <= 1 and 0 <= each.scaled <= 1 for each in scores)
    assert {each.item: each.score for each in scores} == pytest.approx(plain_scores(rows))
    mixed = [(tuple(rng.sample(row[0], 3)), row[1], row[2]) for row in rng.sample(rows, len(rows))]
    assert bws_scores(answers_of(mixed)) == scores
    assert split_half(answers_of(mixed), 3, 1) == split_half(answers_of(rows), 3, 1)
    swapped = bws_scores(answers_of([(row[0], row[2], row[1]) for row in rows]))
    assert {each.item: -each.score for each in swapped} == {each.item: each.score for each in scores}
    renamed = [(tuple(map(str.upper, row[0])), row[1].upper(), row[2].upper()) for row in rows]
    assert [each.score for each in bws_scores(answers_of(renamed))] == [each.score for each in scores]
    assert split_half(answers_of(renamed), 3, 1) == split_half(answers_of(rows), 3, 1)


def test_alpha_over_answers_equals_manual_calculation_and_is_low_at_random() -> None:
    rows = [(("a", "b", "c"), best, "c") for best in "aaaab"]
    table = agreement_table(answers_of(rows), 0.8)
    by_question = {row[1]: dict(zip(table.head, row, strict=True)) for row in table.rows}
    # best: 8 of 20 ordered pairs differ, of all as many; both: c too, 58 of 90 differ
    assert by_question["best"]["alpha"] == pytest.approx(0.0)
    assert by_question["both"]["alpha"] == pytest.approx(1 - (8 / 4 / 10) / (58 / 90))
    assert by_question["worst"]["alpha"] == Undefined(
        "constant", "all answers are the same, so no disagreement is expected by chance"
    )
    assert [by_question[name]["strong"] for name in ("both", "best", "worst")] == [1.0, 1.0, 1.0]
    assert [row[6] for row in agreement_table(answers_of(rows), 0.9).rows] == [0.5, 0.0, 1.0]
    rng = _random(5)
    items = [f"w{k}" for k in range(60)]
    shown = [tuple(rng.sample(items, 3)) for _ in range(600)]
    choices = [(each, rng.sample(each, 2)) for each in shown for _ in range(3)]
    guessed = [(each, best, worst) for each, (best, worst) in choices]
    both = agreement_table(answers_of(guessed), 0.8).rows[0]
    assert both[4] == pytest.approx(0, abs=0.06)
    assert both[5] == pytest.approx((1 / 3 - 1 / 60) / (1 - 1 / 60), abs=0.06)


def test_tuples_with_one_answer_cannot_be_split() -> None:
    said = "Item1,Item2,BestItem,WorstItem\na,b,a,b\na,c,a,c\nb,c,b,c\n"
    row = found("reliability", said=said)["tables"]["reliability"][0]
    assert [row[name]["undefined"] for name in ("pearson", "pearson sd", "spearman", "spearman-brown")] == [
        "no_split"
    ] * 4
    assert "– undefined: each tuple has a single answer" in run("reliability", said=said).stdout


def test_items_missing_from_a_half_are_reported_and_excluded_or_zero() -> None:
    rows = [*made_up([("w1", "w2", "w3"), ("w2", "w3", "w4")], 4, 1, 1), (("w1", "w4", "w9"), "w9", "w1")]
    answers = answers_of(rows)
    left = split_half(answers, 50, 2)[0]
    zero = split_half(answers, 50, 2, "zero")[0]
    assert (left.missing, left.single) == (1.0, 1)  # w9 was shown once
    values = []
    for first, second in split_scores(answers, 50, 2):
        kept = ~np.isnan(first)
        values.append(stats.pearsonr(first[kept], np.nan_to_num(second[kept])).statistic)
    assert zero.pearson == pytest.approx(fmean(values))
    assert zero.pearson != left.pearson
    said = "\n".join([HEAD, *(",".join([*r[0], r[1], r[2]]) for r in rows)])
    assert (
        'single answer: 1 ("w9"). On average, 1.00 of them have no answer in one half of a split. '
        "Such items are left out of the split." in run("reliability", said=said).stdout
    )


def test_constant_halves_are_counted_and_one_split_has_no_spread() -> None:
    rows: list[Row] = [(("a", "b"), "a", "b"), (("a", "b"), "b", "a")] * 2
    whole = split_half(answers_of(rows), 40, 1)[0]
    assert 0 < whole.degenerate < 40  # where each half has one of each, all scores are 0
    assert whole.pearson == -1
    assert whole.spearman_brown == Undefined(
        "negative", "the halves correlate negatively, so the formula does not apply"
    )
    assert split_half(answers_of(rows[:2]), 1, 1)[0].pearson_sd == Undefined(
        "one_split", "a standard deviation needs at least two splits with a correlation"
    )
    assert spearman_brown(0) == 0


def test_repeated_answer_by_the_same_annotator_is_excluded() -> None:
    said = "who,Item1,Item2,BestItem,WorstItem\nada,a,b,a,b\nbo,a,b,a,b\nada,b,a,b,a\n"
    values = found("score", "--annotator", "who", said=said)
    assert (values["repeats_left_out"], values["annotators"], values["answers"]) == (1, 2, 2)
    assert values["tables"]["scores"][0]["score"] == 1
    assert found("score", said=said)["answers"] == 3


def test_columns_have_any_name_and_tuples_may_have_ids() -> None:
    said = "id|first|second|most|least\nt1|a|b|a|b\nt2|b|a|a|b\nt1|b|a|b|a\n"
    names = ("--items", "first,second", "--best", "most", "--worst", "least")
    assert found("score", *names, said=said)["tuples"] == 1
    assert found("score", *names, "--tuple", "id", said=said)["tuples"] == 2
    assert run("score", *names, "--annotator", "most", said=said).exit_code == 2


BAD = f"{HEAD}\na,b,c,d,c\na,b,c,a,a\na,a,c,a,c\na,b,c,a\na,b,c,,c\na,,c,a,c\na,b,c,a,x\n"


def test_every_bad_row_is_named_with_its_line() -> None:
    result = run("score", said=BAD)
    assert result.exit_code == 1
    assert result.stderr.splitlines() == [
        '<stdin>:2: BestItem "d" is none of the items; write one of "a", "b", "c"',
        "<stdin>:3: best and worst are the same item in 1 answer (line 3); leave such answers out with "
        "--same drop, or count them with --same count",
        '<stdin>:4: an item is twice in the tuple of 1 answer (line 4): "a"; if it is a control item, leave '
        "out the 6 answers to tuples with it (--control ITEM) or count them (--control ITEM "
        "--control-answers count); else correct the tuples",
        "<stdin>:5: 4 fields, where there are 5 columns; write one field for each column",
        "<stdin>:6: BestItem or WorstItem is empty in 1 answer (line 6); leave such answers out with "
        "--incomplete drop, or count them with --incomplete count",
        "<stdin>:7: there are 1 empty items; write what was shown",
        '<stdin>:8: WorstItem "x" is none of the items; write one of "a", "b", "c"',
    ]


@pytest.mark.parametrize(
    ("said", "layout", "message"),
    [
        (b"Item1,Item3,BestItem,WorstItem\na,b,a,b\n", AnswersLayout(), 'no column "Item2"'),
        (b"a,b\nc,d\n", AnswersLayout(), "no columns Item1 and Item2"),
        (b"Item1,Item2,BestItem,WorstItem\n", AnswersLayout(), "a header and no answers"),
        (b"", AnswersLayout(), "^answers.csv: the file is empty; is it the right one.$"),
        (b"Item1,Item2,BestItem,WorstItem\n\na,b,a,c\n", AnswersLayout(), "2: empty line(.|\n)*3: WorstItem"),
        (
            b"t,Item1,Item2,BestItem,WorstItem\n1,a,b,a,b\n1,a,c,a,c\n",
            AnswersLayout(tuple_="t"),
            'answers.csv:3: the tuple "1" has other items on line 2',
        ),
        (
            b"who,Item1,Item2,BestItem,WorstItem\n,a,b,a,b\n",
            AnswersLayout(annotator="who"),
            "the row names no annotator",
        ),
    ],
)
def test_invalid_answer_files_are_rejected(said: bytes, layout: AnswersLayout, message: str) -> None:
    with pytest.raises(RatingsError, match=message):
        parse_answers(said, "answers.csv", layout)
