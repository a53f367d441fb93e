"""`scorer items`: lengths, words missing from WordNet, diversity and ratings, against worked values."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st

from scorer.cli.__main__ import cli
from scorer.errors import GoldError, RequestError
from scorer.files.reading import Gold, ItemsLayout, parse_items
from scorer.items.lexical_diversity import mtld
from scorer.items.report import ItemsLevel, ScalePoints, items_report, scale_points
from scorer.items.word_counts import WordRules, measure_items
from scorer.items.words import is_content_word, words_of
from scorer.values import Undefined

SHARED = Path(os.environ.get("ASSAY_SHARED", Path(__file__).parents[4] / "shared")) / "data/clss"
ITEMS = (
    "The old ships of the island wait\ta ship\tSEA-1\n"
    "Ships wait by the long long pier\ta ship waits\tSEA-2\n"
    "A quay in 1950\tthe\tTOWN-1\n"
)


@pytest.fixture(autouse=True)
def no_wordnet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command would read its hundred thousand words."""
    monkeypatch.setattr("scorer.baselines.wordnet.find_wordnet", lambda: None)


def run(*arguments: str, said: str = ITEMS) -> Result:
    return CliRunner().invoke(cli, ["items", *arguments], input=said)


def tables(*arguments: str, said: str = ITEMS) -> dict[str, Any]:
    result = run(*arguments, "--format", "json", said=said)
    assert (result.exit_code, result.stderr) == (0, "")
    found: dict[str, Any] = json.loads(result.stdout)["tables"]
    return found


def row(rows: list[dict[str, Any]], *key: str) -> dict[str, Any]:
    (found,) = [row for row in rows if tuple(row.values())[1 : len(key) + 1] == key]
    return found


def test_lengths_in_content_words_and_their_ratio_are_printed() -> None:
    lengths = tables("-")["lengths"]
    assert row(lengths, "SEA") == {
        "items": "<stdin>",
        "genre": "SEA",
        "n": 2,
        "left": 4.5,  # old ships island wait; ships wait long long pier
        "left sd": round(0.5**0.5, 10),
        "right": 1.5,
        "right sd": round(0.5**0.5, 10),
        "ratio": 3.0,
    }
    assert row(lengths, "TOWN")["ratio"] == {
        "undefined": "no_content_words",
        "reason": "the right side has no content words",
    }
    assert row(lengths, "TOWN")["left sd"]["undefined"] == "one_value"
    assert row(lengths, "all")["ratio"] == round(10 / 3, 10)


def test_words_missing_from_wordnet_are_counted_by_genre_and_side() -> None:
    items = parse_items(ITEMS.encode(), "items.tsv")
    sheet = items_report([ItemsLevel("l", items)], WordRules(vocabulary={"ships", "ship", "wait", "long"}))
    missing = {tuple(row[1:3]): row[3:] for row in sheet.tables[1].rows}
    # old, island; pier
    assert missing["SEA", "left"] == [9, 3, pytest.approx(1 / 3), 6, 3, pytest.approx(0.5)]
    assert missing["SEA", "right"] == [3, 1, pytest.approx(1 / 3), 2, 1, pytest.approx(0.5)]
    assert missing["TOWN", "right"][:2] == [0, 0]
    assert isinstance(missing["TOWN", "right"][2], Undefined)
    assert missing["all", "all"][:2] == [13, 5]


def test_without_wordnet_other_counts_are_printed_with_a_hint() -> None:
    result = run("-")
    assert result.exit_code == 0
    assert (
        "undefined: WordNet 3.0 is not in any of its usual places: install Debian's wordnet-base"
        in result.stdout
    )
    assert row(tables("-")["lengths"], "all")["left"] == round(10 / 3, 10)
    wrong = run("-", "--wordnet", "no/such/folder")
    assert (wrong.exit_code, "is no folder with WordNet 3.0's dictionary files" in wrong.stderr) == (1, True)


def test_tokens_types_and_lexical_diversity_are_printed() -> None:
    words = tables("-", "--window", "5", "--draws", "5")["words"]
    found = row(words, "SEA", "left")
    tokens = words_of("The old ships of the island wait; ships wait by the long long pier")
    assert (found["texts"], found["tokens"], found["types"], found["length"]) == (2, 14, 9, 7.0)
    assert found["RTTR"] == round(9 / 14**0.5, 10)
    assert found["MTLD"] == round(mtld(tokens), 10)
    assert row(words, "TOWN", "right")["MATTR"]["undefined"] == "too_few_words"
    spaces = row(tables("-", "--tokens", "spaces")["words"], "SEA", "left")
    assert (spaces["tokens"], spaces["types"]) == (14, 11)  # The and the, ships and Ships are two


def test_a_text_that_a_group_repeats_counts_once_among_tokens() -> None:
    said = "g1\tHow is the sea?\tCalm.\tno\nx\tHow is the sea?\tRough.\tno\ny\tHow is the sea?\tWet.\tmore\n"
    found = tables("-", "--columns", "id,left,right,group", said=said)
    assert row(found["words"], "all", "left")["texts"] == 2
    assert row(found["words"], "all", "all")["tokens"] == 2 * 4 + 3
    assert row(found["lengths"], "all")["left"] == 1.0


def test_context_is_counted_as_a_separate_side() -> None:
    said = "Hello there\tthe sea\tsea\n\tthe pier\tpier\n"
    found = tables("-", "--columns", "context,left,right", said=said)["words"]
    assert [(row["side"], row["texts"], row["tokens"]) for row in found] == [
        ("context", 2, 2),
        ("left", 2, 4),
        ("right", 2, 2),
        ("all", 6, 8),
    ]


def test_turns_of_a_context_are_separate_texts() -> None:
    row = "Yes. | Which pier? | Yes.\tthe old one\tthe {}\tdialogue\n"
    said = row.format("quay") + row.format("ship") + row.format("sea").replace("dialogue", "other")
    columns = ("--columns", "context,left,right,group")
    found = tables("-", *columns, "--turns", "|", said=said)["words"]
    assert [(row["side"], row["texts"], row["tokens"]) for row in found] == [
        ("context", 6, 8),  # a dialogue that occurs in several items of its group counts once
        ("left", 2, 6),
        ("right", 3, 6),
        ("all", 11, 20),
    ]
    assert tables("-", *columns, said=said)["words"][0]["texts"] == 2


def test_sides_without_words_have_no_values() -> None:
    found = tables("-", "--columns", "left,right", said="12\t…\n")
    (lengths,), words = found["lengths"], found["words"]
    assert (lengths["left"], lengths["ratio"]["undefined"]) == (0.0, "no_content_words")
    assert [words[0][name]["undefined"] for name in ("TTR", "RTTR", "CTTR", "MTLD")] == ["no_words"] * 4


def test_ratings_are_counted_by_scale_point(tmp_path: Path) -> None:
    (tmp_path / "gold.tsv").write_text("0.5\n\n3.25\n")
    found = tables("-", "--gold", f"{tmp_path}/gold.tsv", "--scale", "0", "4")["ratings"]
    assert row(found, "all") == {
        "items": "<stdin>",
        "genre": "all",
        "n": 3,
        "no gold": 1,
        "mean": 1.875,
        "sd": round((2 * 1.375**2) ** 0.5, 10),
        "0": 0,
        "1": 1,
        "2": 0,
        "3": 1,
        "4": 0,
    }
    finer = tables("-", "--gold", f"{tmp_path}/gold.tsv", "--scale", "0", "4", "--step", "0.25")["ratings"]
    assert (row(finer, "all")["0.5"], row(finer, "all")["3.25"], len(row(finer, "all"))) == (1, 1, 6 + 17)


def test_keyed_gold_is_matched_by_its_ids(tmp_path: Path) -> None:
    (tmp_path / "gold.csv").write_text("pair,gold\nTOWN-1,4\nSEA-2,2\nSEA-1,1\n")
    found = tables("-", "--gold", f"{tmp_path}/gold.csv", "--id", "pair", "--gold-score", "gold")["ratings"]
    assert (row(found, "SEA")["mean"], row(found, "TOWN")["mean"]) == (1.5, 4.0)


def test_problems_of_several_files_are_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "one.tsv").write_text("a\tb\tA-1\nc\t\tA-1\n")
    (tmp_path / "two.tsv").write_text(ITEMS)
    (tmp_path / "gold.tsv").write_text("1\n2\nthree\n")
    files = (f"{tmp_path}/one.tsv", f"{tmp_path}/two.tsv")
    found = run(*files, "--gold", f"{tmp_path}/gold.tsv", "--gold", f"{tmp_path}/gold.tsv")
    assert found.exit_code == 1
    assert [line.rpartition("/")[2][:9] for line in found.stderr.splitlines()] == ["one.tsv:2", "gold.tsv:"]


def test_invalid_gold_and_scales_are_reported() -> None:
    items = parse_items(ITEMS.encode(), "items.tsv")
    level = ItemsLevel("items.tsv", items, Gold((1.0, 5.0, -1.0)), "gold.tsv")
    with pytest.raises(GoldError) as caught:
        scale_points([level], (0, 4), 1)
    assert str(caught.value).splitlines() == [
        "gold.tsv:2: gold 5 is outside the scale from 0 to 4; fix it, or change --scale; "
        "1 more line like this: 3",
    ]
    tiny = ItemsLevel("items.tsv", items, Gold((1e-14, 5e-14, -1e-14)), "gold.tsv")
    with pytest.raises(GoldError, match="gold 5e-14 is outside the scale from 0 to 4e-14"):
        scale_points([tiny], (0, 4e-14), 1e-14)
    good = ItemsLevel("items.tsv", items, Gold((0.0, 4.0, None)))
    for scale, step in (((0, 4), 0.0), ((0, 4), 0.3), ((0, 4), 0.001), ((0, 4), float("nan"))):
        with pytest.raises(RequestError, match="--step"):
            scale_points([good], scale, step)
    assert scale_points([level], None, 1) == ScalePoints(-1, 5, 1)
    one = run("-", "--gold", "a", "--gold", "b")
    assert (one.exit_code, "1 files of items and 2 gold files" in one.stderr) == (2, True)


@given(st.lists(st.integers(0, 16), min_size=1, max_size=30))
def test_each_rating_counts_at_the_nearest_scale_point(quarters: list[int]) -> None:
    counts = ScalePoints(0, 4, 1).counts([quarter / 4 for quarter in quarters])
    near = [sum(abs(quarter / 4 - point) <= 0.5 for quarter in quarters) for point in range(5)]
    assert sum(counts) == len(quarters)
    assert all(count <= bound for count, bound in zip(counts, near, strict=True))


@given(
    st.lists(
        st.lists(st.sampled_from(["the", "Pier", "pier", "old", "7"]), min_size=1), min_size=1, max_size=6
    )
)
def test_counts_equal_a_plain_loop(texts: list[list[str]]) -> None:
    said = "\n".join(f"{' '.join(text)}\tquay" for text in texts)
    items = parse_items(said.encode(), "items.tsv", ItemsLayout(("left", "right")))
    found = measure_items(items, WordRules(vocabulary={"pier"}))
    left = found.texts.of_side("left")
    content = [[word for word in words_of(" ".join(text)) if is_content_word(word)] for text in texts]
    assert found.content[left].tolist() == list(map(len, content))
    assert found.missing[left].tolist() == [words.count("old") for words in content]
    assert len(found.tokens_of(left)) == sum(len(words_of(" ".join(text))) for text in texts)
    assert len(np.unique(found.tokens_of(left))) == len(
        {word for text in texts for word in words_of(" ".join(text))}
    )


def test_ratios_of_clss_equal_the_published_ones() -> None:
    if not SHARED.exists():
        pytest.skip("ASSAY_SHARED names no folder with data/clss: its ratios are not computed")
    levels = ("paragraph2sentence", "sentence2phrase", "phrase2word")
    files = [str(SHARED / f"data/training/{level}.train.input.tsv") for level in levels]
    lengths = tables(*files)["lengths"]
    ratios = [row["ratio"] for row in lengths if row["genre"] == "all"]
    assert all(2.7 <= ratio <= 4.1 for ratio in ratios)
    assert [row["n"] for row in lengths if row["genre"] == "all"] == [500, 500, 500]
    latex = run(*files, "--format", "latex").stdout
    assert latex.count(r"\begin{tabular}") == 3
