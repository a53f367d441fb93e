"""The run file of a baseline: digits, scale, word2sense, bad items."""

from decimal import Decimal
from fractions import Fraction
from typing import get_args

import pytest
from hypothesis import given, strategies as st

from scorer.baselines import SenseTable, baseline_run, fit_tfidf, lcs, parse_senses
from scorer.baselines.run_file import BASELINES, Baseline, BaselineName
from scorer.errors import ItemsError, RequestError
from scorer.files.reading import Item, Items

SENSES = parse_senses(
    b"bank#n#1\tsloping land beside water\n"
    b"bank#n#2\ta financial institution\n"
    b"shore#n#1\tthe land beside water\n"
    b"calm#a#1\tnot agitated\n"
    b"quiet#a#1\tnot loud\n",
    "senses.tsv",
)


def texts(*pairs: tuple[str, str]) -> Items:
    items = [Item(f"A-{n}", a, b, "A", n) for n, (a, b) in enumerate(pairs, start=1)]
    return Items("items.tsv", tuple(items))


def senses(*pairs: tuple[str, str], key: str = "lemma%1:00:00::") -> Items:
    items = [Item(f"w2s-{n}", a, b, "w2s", n, sense_key=key) for n, (a, b) in enumerate(pairs, start=1)]
    return Items("w2s.tsv", tuple(items))


def test_lcs_is_rounded_before_it_is_scaled() -> None:
    items = texts(("a" * 16, "b" * 15 + "a"), ("ab", "ab"), ("a", "b"), ("ab", "abc"))
    assert baseline_run("lcs", items) == "0.252\n4\n0\n3.2\n"


def test_gst_is_not_rounded_unless_asked() -> None:
    items = texts(("abcdef|", "abcdef"), ("abcdef", "abcdef"), ("", ""))
    assert baseline_run("gst", items, scale=1) == "0.8571428571428571\n1\n0\n"
    assert baseline_run("gst", items, scale=4, digits=3) == "3.428\n4\n0\n"


@pytest.mark.parametrize(
    ("scale", "value"),
    [
        (1, "0.857"),
        (4, "3.428"),
        (4.0, "3.428"),
        ((0, 6), "5.142"),
        ((1, 5), "4.428"),
        ((-1, 1), "0.714"),
        (0.1, "0.0857"),  # as it is written, not as it is stored
        (Decimal("0.1"), "0.0857"),
        ((Fraction(1, 2), 1), "0.9285"),
    ],
)
def test_values_are_mapped_to_the_ends_of_the_scale(scale: float, value: str) -> None:
    assert baseline_run("lcs", texts(("abcd", "abc")), scale=scale) == f"{value}\n"


@given(st.lists(st.tuples(st.text("ab ", max_size=12), st.text("ab ", max_size=12)), max_size=8))
def test_each_line_is_four_times_the_measure(pairs: list[tuple[str, str]]) -> None:
    lines = baseline_run("lcs", texts(*pairs)).splitlines()
    assert lines == [repr(round(4 * lcs(a, b), 9)).removesuffix(".0") for a, b in pairs]


@given(st.permutations([("abcdef gh", "abcdef"), ("x", "y"), ("abcdef", "abcdef"), ("abcdefgh", "bcdefghi")]))
def test_lines_follow_the_items(pairs: list[tuple[str, str]]) -> None:
    alone = "".join(baseline_run("gst", texts(pair)) for pair in pairs)
    assert baseline_run("gst", texts(*pairs)) == alone


def test_no_items_give_no_lines() -> None:
    assert baseline_run("lcs", texts()) == ""


def test_word2sense_takes_the_best_sense_of_the_word() -> None:
    # "land beside water", 17 characters of 25 and 21 -> " land beside water", 18: 36 / 46
    items = senses(("bank#n", "shore#n#1"), ("BANK#n", "bank#n#2"))
    assert baseline_run("lcs", items, scale=1, senses=SENSES) == "0.783\t1\n1\t1\n"


def test_word2sense_covers_the_gloss_of_the_word() -> None:
    items = senses(("bank#n", "shore#n#1"), ("shore#n", "bank#n#1"))
    run = baseline_run("gst", items, scale=1, digits=3, senses=SENSES)
    assert run == "0.72\t1\n0.857\t1\n"  # 18 / 25 and 18 / 21


OOV = senses(("bank#n", "shore#n#1"), ("bank#v", "shore#n#1"), ("bank#n", "bank#n#1"), ("sea#n", "bank#n#1"))


def test_a_word_without_a_sense_gets_the_mean_of_the_others_and_no_confidence() -> None:
    # (.783 + 1) / 2 = .8915, half up
    run = baseline_run("lcs", OOV, scale=1, senses=SENSES)
    assert run == "0.783\t1\n0.892\t0\n1\t1\n0.892\t0\n"


def test_a_word_without_a_sense_gets_nothing_under_the_other_rule() -> None:
    run = baseline_run("lcs", OOV, scale=(1, 5), senses=SENSES, oov="zero")
    assert run == "4.132\t1\n1\t0\n5\t1\n1\t0\n"


@pytest.mark.parametrize("oov", ["mean", "zero"])
def test_a_mean_of_nothing_is_zero(oov: str) -> None:
    items = senses(("sea#n", "shore#n#1"))
    assert baseline_run("lcs", items, senses=SENSES, oov=oov) == "0\t0\n"  # type: ignore[arg-type]  # a word


def test_part_of_speech_may_be_given_only_in_the_sense_key() -> None:
    items = senses(("quiet#a", "calm#1"), key="calm%5:00:00:quiet:00")
    assert baseline_run("lcs", items, senses=SENSES) == baseline_run(
        "lcs", senses(("quiet#a", "calm#a#1")), senses=SENSES
    )


def test_every_bad_item_is_reported_at_once() -> None:
    items = senses(
        ("bank", "shore#n#1"),
        ("bank#n", "shore#n#1"),
        ("bank#q", "shore"),
        ("bank#n", "bank#n#3"),
        ("sea#n", "sea#n#1"),
        key="",
    )
    with pytest.raises(ItemsError) as caught:
        baseline_run("lcs", items, senses=SENSES)
    assert str(caught.value).splitlines() == [
        'w2s.tsv:1: "bank" names no word; write word#pos, with pos one of n, v, a, r; '
        '1 more line like this: 3 "bank#q"',
        'w2s.tsv:3: "shore" names no sense; write word#pos#n, with pos one of n, v, a, r',
        'w2s.tsv:4: sense "bank#n#3" is not in senses.tsv, which has 2 senses of "bank#n"; '
        "correct its word or number; "
        '1 more line like this: 5 "sea#n#1"',
    ]


def test_a_repeated_pair_is_measured_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(a: str, b: str) -> Fraction:
        calls.append((a, b))
        return Fraction(1, 2)

    monkeypatch.setattr(
        "scorer.baselines.run_file.BASELINES", {"lcs": Baseline("", "", lambda _: counted, 3)}
    )
    assert baseline_run("lcs", texts(("a", "b"), ("a", "b"), ("b", "a"))) == "2\n2\n2\n"
    assert calls == [("a", "b"), ("b", "a")]
    baseline_run("lcs", senses(*[("bank#n", "shore#n#1")] * 3), senses=SENSES)
    assert len(calls) == 4


@pytest.mark.parametrize("scale", [0, -4, (4, 4), (5, 1), float("nan"), float("inf")])
def test_scale_of_zero_width_is_rejected(scale: float) -> None:
    with pytest.raises(RequestError, match="makes no sense; give two numbers, the lower first"):
        baseline_run("lcs", texts(("a", "b")), scale=scale)


@pytest.mark.parametrize("digits", [-1, 16])
def test_invalid_number_of_digits_is_rejected(digits: int) -> None:
    with pytest.raises(RequestError, match=f"{digits} digits cannot be printed; give 0 to 15"):
        baseline_run("lcs", texts(("a", "b")), digits=digits)


def test_all_names_have_a_baseline() -> None:
    assert tuple(BASELINES) == get_args(BaselineName)


def test_tfidf_is_fitted_on_both_sides_of_all_items() -> None:
    items = texts(("the old mill", "the mill"), ("the old mill", "the new pier"))
    similarity = fit_tfidf(["the old mill", "the mill", "the old mill", "the new pier"])
    values = [4 * similarity(item.left, item.right) for item in items.items]
    assert baseline_run("tfidf", items) == "".join(f"{value}\n" for value in values)
    assert baseline_run("tfidf", texts(("the old mill", "the mill"))) != f"{values[0]}\n"
    assert baseline_run("tfidf", texts(("a", "b"), ("b", "b")), scale=(1, 5)) == "1\n5\n"


def test_tfidf_of_words() -> None:
    items = texts(("an old mill", "the mills"), ("an old mill", "mill an old"))
    assert baseline_run("tfidf", items, words=True) == "0\n4\n"
    assert baseline_run("tfidf", items, scale=1, digits=2) == "0.17\n1\n"
    with pytest.raises(RequestError, match="gst compares characters; only tfidf can compare words"):
        baseline_run("gst", items, words=True)


def test_tfidf_of_word2sense_is_fitted_on_the_glosses_that_are_compared() -> None:
    items = senses(("bank#n", "shore#n#1"), ("sea#n", "quiet#a#1"), ("calm#a", "calm#a#1"))
    glosses = [
        *("sloping land beside water", "a financial institution", "the land beside water"),
        *("not loud", "not agitated", "not agitated"),
    ]
    value = fit_tfidf(glosses)(glosses[0], glosses[2])
    run = baseline_run("tfidf", items, scale=1, senses=SENSES, oov="zero")
    assert run == f"{value}\t1\n0\t0\n1\t1\n"


def test_unknown_names_are_rejected() -> None:
    with pytest.raises(RequestError, match='no baseline "bleu"; choose one of lcs, gst, tfidf'):
        baseline_run("bleu", texts())  # type: ignore[arg-type]  # that is the fault
    with pytest.raises(RequestError, match='no rule "median"'):
        baseline_run("lcs", texts(), oov="median")  # type: ignore[arg-type]  # that is the fault


def test_sense_table_can_replace_wordnet() -> None:
    table = SenseTable("mine", {("calm", "a"): {1: "not agitated"}})
    assert baseline_run("lcs", senses(("calm#a", "calm#a#1")), senses=table) == "4\t1\n"
