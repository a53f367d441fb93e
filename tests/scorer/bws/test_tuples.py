"""`scorer bws tuples`: balance, pairs, groups, known designs, output files, and rejected lists."""

import csv
import json
from collections import Counter
from itertools import combinations
from math import comb

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, settings, strategies as st

from scorer.bws import designs
from scorer.bws.tuples import TupleRules, make_tuples, measure_balance, parse_item_list
from scorer.cli.__main__ import cli
from scorer.errors import ItemsError, RequestError
from scorer.statistics.random_streams import RandomIntegers, open_stream

PIERS = "".join(f"pier {number}\n" for number in range(1, 13))


def run(*arguments: str, said: str = PIERS) -> Result:
    return CliRunner().invoke(cli, ["bws", "tuples", "-", *arguments], input=said)


def drawn(n: int, size: int, tuples: int, seed: int = 1) -> list[list[int]]:
    return designs.make_design(n, size, tuples, RandomIntegers(open_stream(seed, [], "tuples")))


def test_tuples_are_distinct_balanced_and_meet_every_pair() -> None:
    result = run("--size", "3", "--seed", "7")
    rows = [line.split("\t") for line in result.stdout.splitlines()]
    assert rows[0] == ["Item1", "Item2", "Item3"]
    assert len({frozenset(row) for row in rows[1:]}) == 24
    assert set(Counter(item for row in rows[1:] for item in row).values()) == {6}
    assert len({pair for row in rows[1:] for pair in combinations(sorted(row), 2)}) == 66
    assert result.stderr == (
        "24 tuples of 3 items, from 12 items. Each item is in 6 tuples. "
        "66 of 66 pairs of items occur together, each at most twice.\n"
    )
    assert run("--size", "3", "--seed", "7").stdout == result.stdout
    assert run("--size", "3", "--seed", "8").stdout != result.stdout


def test_giccs_design_has_all_triples_of_each_dialogue() -> None:
    said = "dialogue,candidate\n" + "".join(f"d{d},c{c}\n" for d in range(3) for c in range(5))
    result = run("--item", "candidate", "--group", "dialogue", "--size", "3", "--format", "csv", said=said)
    rows = list(csv.DictReader(result.stdout.splitlines()))
    assert len(rows) == 30
    for dialogue in ("d0", "d1", "d2"):
        shown = [frozenset(row[f"Item{k}"] for k in (1, 2, 3)) for row in rows if row["dialogue"] == dialogue]
        assert set(shown) == {frozenset(each) for each in combinations(["c0", "c1", "c2", "c3", "c4"], 3)}
    assert result.stderr.startswith(
        "30 tuples of 3 items (all possible tuples), from 15 items in 3 groups. Each item is in 6 tuples."
    )
    report = json.loads(
        run("--item", "candidate", "--group", "dialogue", "--size", "3", "--format", "json", said=said).stdout
    )
    assert report["tables"]["balance"][0]["all"] == "yes"
    assert (report["tuples"], report["unmet"], set(report["tables"]["tuples"][0])) == (
        30, 0, {"dialogue", "Item1", "Item2", "Item3"},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("n", "size", "tuples"),
    [(7, 3, 7), (9, 3, 12), (13, 3, 26), (13, 4, 13), (25, 4, 50), (31, 6, 31)],
    ids=[
        "Fano",
        "affine of order 3",
        "Steiner triples",
        "projective of order 3",
        "two digits modulo 5",
        "of order 5",
    ],
)
def test_designs_in_which_each_pair_meets_once_are_found(n: int, size: int, tuples: int) -> None:
    found = measure_balance(drawn(n, size, tuples), n)
    assert (found.met, found.most_met, found.fewest) == (comb(n, 2), 1, found.most)


@pytest.mark.parametrize(("n", "size", "factor"), [(60, 4, 2), (300, 4, 2), (1000, 5, 1.5)])
def test_with_many_items_no_pair_occurs_twice(n: int, size: int, factor: float) -> None:
    items = parse_item_list("\n".join(map(str, range(n))).encode(), "items.txt")
    found = make_tuples(items, TupleRules(size, factor, 1)).whole
    assert (found.met, found.most_met) == (found.tuples * comb(size, 2), 1)
    assert found.most - found.fewest <= 1


@settings(max_examples=20)
@given(
    st.integers(2, 6).flatmap(lambda n: st.tuples(st.just(n), st.integers(2, n))),
    st.floats(0.0, 1.0),
    st.integers(0, 9),
)
def test_tuples_are_distinct_balanced_and_reproducible(
    sizes: tuple[int, int], share: float, seed: int
) -> None:
    n, size = sizes
    least = -(-n // size)
    tuples = least + round(share * (comb(n, size) - least))
    found = drawn(n, size, tuples, seed)
    assert len({frozenset(each) for each in found}) == tuples
    assert all(len(set(each)) == size for each in found)
    balance = measure_balance(found, n)
    assert balance.most - balance.fewest <= 1
    assert balance.every == (tuples == comb(n, size))
    assert found == drawn(n, size, tuples, seed)


@pytest.mark.parametrize(("n", "size", "tuples"), [(14, 12, 46), (13, 11, 37)])
def test_tuples_of_nearly_all_items_are_distinct_too(
    n: int, size: int, tuples: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(designs, "MAX_EXCHANGES", 0)  # what is left out is chosen where tuples stay alike
    found = drawn(n, size, tuples)
    balance = measure_balance(found, n)
    assert {len(each) for each in map(frozenset, found)} == {size}
    assert len({frozenset(each) for each in found}) == tuples
    assert balance.most - balance.fewest <= 1


@pytest.mark.parametrize(
    ("n", "size", "factor", "tuples"),
    [
        (5, 3, 2, 10),
        (5, 3, 1, 5),
        (4, 3, 1, 4),
        (6, 5, 1, 6),
        (6, 3, 9, 20),
        (8, 4, 1.5, 12),
        (5, 4, 1, 5),
        (9, 3, 0.5, 5),
    ],
)
def test_all_tuples_are_used_if_there_are_few(n: int, size: int, factor: float, tuples: int) -> None:
    assert TupleRules(size, factor).count(n) == tuples


def test_groups_of_one_size_share_a_design_with_items_shuffled() -> None:
    said = "g;i\n" + "".join(f"{g};{i}\n" for g in "ab" for i in range(9))
    items = parse_item_list(said.encode(), "items.csv", "i", "g")
    (_, a, first), (_, b, second) = make_tuples(items, TupleRules(3, 2, 1)).groups
    assert first == second
    assert {frozenset(each) for each in a} != {frozenset(each) for each in b}


def test_tuple_files_contain_the_original_items() -> None:
    said = 'item\n"a, b"\n=1+1\nc\n"d\te"\n'
    asked = ("--item", "item", "--delimiter", ",", "--size", "3")
    rows = list(csv.reader(run(*asked, "--format", "csv", said=said).stdout.splitlines()))
    assert {cell for row in rows[1:] for cell in row} == {"a, b", "=1+1", "c", "d\te"}
    refused = run(*asked, said=said)
    assert (refused.exit_code, "use --format csv" in refused.stderr) == (2, True)
    assert r"\toprule" in run("--format", "latex").stdout
    assert "24 tuples of 4 items, from 12 items" in run("--format", "text").stdout


@pytest.mark.parametrize(
    ("said", "asked", "message"),
    [
        ("a\nb\n\na\nc\n", (), '<stdin>:3: there is no item; write one, or remove the line\n<stdin>:4: "a"'),
        ("a\nb\n", ("--size", "3"), "<stdin>: there are 2 items, too few for a tuple of 3"),
        ("g,i\nx,a\nx,b\ny,a\n", ("--item", "i", "--group", "g", "--size", "2"), 'the group "y" has 1 item'),
        ("g,i\nx,a,b\n", ("--item", "i"), "<stdin>:2: 3 fields, where there are 2 columns"),
        ("g,i\n", ("--item", "j"), 'the header has no column "j"'),
        ("i\n", ("--item", "i"), "a header and no items"),
    ],
)  # fmt: skip
def test_invalid_item_lists_are_rejected(said: str, asked: tuple[str, ...], message: str) -> None:
    result = run(*asked, said=said)
    assert result.exit_code == 1
    assert message in result.stderr


def test_invalid_tuple_requests_are_rejected() -> None:
    items = parse_item_list(PIERS.encode(), "items.txt")
    with pytest.raises(RequestError, match="leaves items out"):
        make_tuples(items, TupleRules(4, 0.2))
    with pytest.raises(RequestError, match="a factor above 0"):
        make_tuples(items, TupleRules(4, float("inf")))
    with pytest.raises(RequestError, match="name its column of items"):
        parse_item_list(b"a\n", "items.txt", group="g")
    with pytest.raises(ItemsError, match="empty"):
        parse_item_list(b"", "items.txt")
