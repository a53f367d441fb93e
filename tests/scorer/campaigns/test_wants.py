"""`scorer campaign wants`: each rating equally often by genre and over all, the same on every machine."""

from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st

from scorer.campaigns.wants import add_wanted, deal_wanted
from scorer.cli.__main__ import cli

PHRASES = "key\tgenre\tleft\n" + "".join(
    f"p{n}\t{genre}\tthe boat of quay {n}\n" for n, genre in enumerate(["news"] * 6 + ["forum"] * 5, start=1)
)


def wants(tmp_path: Path, *options: str, text: str = PHRASES) -> Result:
    (tmp_path / "phrases.tsv").write_text(text, encoding="utf-8")
    return CliRunner().invoke(cli, ["campaign", "wants", str(tmp_path / "phrases.tsv"), *options])


@given(
    genres=st.lists(st.sampled_from(["news", "forum", "slang", None]), min_size=1, max_size=60),
    ratings=st.lists(st.integers(0, 9), min_size=1, max_size=6, unique=True),
    seed=st.integers(0, 99),
)
def test_ratings_differ_by_at_most_one_in_each_genre_and_over_all(
    genres: list[str | None], ratings: list[int], seed: int
) -> None:
    wanted = deal_wanted(genres, ratings, seed)
    for chosen in (set(genres), *({genre} for genre in genres)):
        counts = Counter(rating for genre, rating in zip(genres, wanted, strict=True) if genre in chosen)
        times = [counts[rating] for rating in ratings]
        assert max(times) - min(times) <= 1
        assert counts.keys() <= {*ratings}


def test_table_is_the_same_on_every_machine(tmp_path: Path) -> None:
    done = wants(tmp_path, "--seed", "7")
    assert (done.exit_code, done.stderr) == (0, "")
    rows = [line.split("\t") for line in done.stdout.splitlines()]
    assert rows[0] == ["key", "genre", "left", "wanted"]
    assert ["\t".join(row[:3]) for row in rows] == PHRASES.splitlines()
    assert "".join(row[3] for row in rows[1:]) == "41413224132"


def test_seeds_give_different_tables() -> None:
    assert len({add_wanted(PHRASES.encode(), "p.tsv", [1, 2, 3, 4], seed) for seed in range(20)}) == 20


def test_ratings_of_a_genre_are_in_no_order_of_their_own() -> None:
    wanted = deal_wanted([None] * 400, [1, 2, 3, 4], 7)
    pairs = Counter(pairwise(wanted))
    assert min(pairs[a, b] for a in range(1, 5) for b in range(1, 5)) >= 10


def test_ratings_can_be_named_and_a_file_is_not_replaced(tmp_path: Path) -> None:
    out = tmp_path / "units.tsv"
    options = ("--ratings", "0.5", "2", "--out", str(out))
    assert wants(tmp_path, *options).exit_code == 0
    assert {line.split("\t")[3] for line in out.read_text().splitlines()[1:]} == {"0.5", "2"}
    assert "already exists" in wants(tmp_path, *options).stderr
    assert wants(tmp_path, *options, "--force").exit_code == 0
    same = wants(tmp_path, "--out", str(tmp_path / "phrases.tsv"), "--force")
    assert "is an input file" in same.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("key\tleft\twanted\np1\ta boat\t3\n", "there is a column wanted already; remove it"),
        ("left\na boat\n", "the header has no column"),
        ("key\tleft\np1\ta boat\np1\ta quay\n", "phrases.tsv:3: key .p1. is on line 2 already"),
    ],
)
def test_table_with_a_problem_is_refused(tmp_path: Path, text: str, message: str) -> None:
    done = wants(tmp_path, text=text)
    assert done.exit_code == 1
    assert message.replace(".p1.", '"p1"') in done.stderr
