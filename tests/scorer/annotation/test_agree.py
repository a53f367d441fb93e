"""`scorer agree`: each annotator compared with the others, with themselves, by part, and real raters."""

import csv
import json
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from click.testing import CliRunner, Result
from hypothesis import given, strategies as st
from scipy import stats

from scorer.annotation.agreement import (
    annotator_agreements,
    average_closeness,
    intra_annotator_closeness,
    pooled_closeness,
    pooled_closeness_to_unit_mean,
    strong_agreement,
)
from scorer.annotation.ratings import ratings_of
from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings
from scorer.cli.__main__ import cli
from scorer.values import Undefined

WIDE = "pair,ada,bo,cy\nCQA-1,3,3.5,\nCQA-2,1,2,4\nNEWS-1,0,0,0.25\nNEWS-2,,2,2\n"


def run(*arguments: str, said: str = WIDE) -> Result:
    return CliRunner().invoke(cli, ["agree", "-", *arguments], input=said)


def found(*arguments: str, said: str = WIDE) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(run(*arguments, "--format", "json", said=said).stdout)
    return answer


def test_annotator_agreement_with_the_mean_of_the_others_equals_manual_calculation() -> None:
    ratings = ratings_of([[1, 2, 3], [2, 2, 5], [4, None, 0], [1, None, None]])
    # 1: 1 2 4 beside 2.5 3.5 0; 2: 2 2 beside 2 3.5; 3: 3 5 0 beside 1.5 2 4
    differences = {"1": (-1.5, -1.5, 4), "2": (0, -1.5), "3": (1.5, 3, -4)}
    found = {each.name: each for each in annotator_agreements(ratings)}
    for name, apart in differences.items():
        assert found[name].closeness.mse == pytest.approx(fmean(each**2 for each in apart))
        assert found[name].bias == pytest.approx(fmean(apart))
        assert found[name].closeness.n == len(apart)
    assert [each.name for each in annotator_agreements(ratings)] == ["3", "1", "2"]
    assert found["2"].closeness.pearson == Undefined(
        "constant_ratings", "all values in one of the two series are the same"
    )
    assert found["1"].ratings == 4
    mean = average_closeness(list(found.values()))
    assert mean.rmse == pytest.approx(fmean(found[name].closeness.rmse for name in "123"))  # type: ignore[type-var]  # all three have one
    assert mean.pearson == pytest.approx(stats.pearsonr([1, 2, 4], [2.5, 3.5, 0]).statistic / 2
                                         + stats.pearsonr([3, 5, 0], [1.5, 2, 4]).statistic / 2)  # fmt: skip
    assert pooled_closeness(ratings).mse == pytest.approx(
        fmean(each**2 for row in differences.values() for each in row)
    )
    assert pooled_closeness_to_unit_mean(ratings).n == 8


def test_strong_agreement_is_said_to_be_the_share_of_pairable_units() -> None:
    said = WIDE + "NEWS-3,1,,\n"
    row = found(said=said)["tables"]["alpha"][0]
    assert (row["units"], row["pairable"], row["strong"]) == (5, 4, 0.25)
    assert "the share of pairable units with at least 80% equal ratings (strong)" in run(said=said).stdout


def test_repeated_ratings_only_affect_intra_annotator_agreement() -> None:
    long = "u,w,s\na,ada,1\na,bo,2\nb,ada,3\na,ada,2\nb,ada,5\nb,ada,0\nc,bo,1\n"
    ratings = parse_ratings(long.encode(), "r", RatingsLayout(annotator="w", rating="s"))
    own = intra_annotator_closeness(ratings)  # ada: 1 3 and then 2 5; the third rating of b is left out
    assert (own.n, own.mse, own.pearson) == (2, 2.5, 1.0)
    assert pooled_closeness(ratings).n == 2
    assert intra_annotator_closeness(ratings_of([[1, 2]])).mse == Undefined(
        "too_few_items", "fewer than two pairs of values to correlate"
    )
    repeated = found("--annotator", "w", "--rating", "s", said=long)
    assert (repeated["ratings"], repeated["repeats"]) == (7, 3)


def test_note_says_what_repeats_are_used_for() -> None:
    twice = ("--annotator", "who", "--rating", "said")
    note = "1 more rating is a repeat, used only to compare first and second ratings."
    assert note in found(*twice, said="u,who,said\n1,a,1\n1,b,2\n1,a,2\n")["notes"]
    note = "2 more ratings are repeats, used in no table."
    assert note in found(*twice, "--words", said="u,who,said\n1,a,x\n1,b,y\n1,a,y\n1,b,x\n")["notes"]


def test_strong_agreement_counts_units_where_four_of_five_agree() -> None:
    table = [[1, 1, 1, 1, 2], [1, 1, 1, 2, 2], [3, 3, None, None, None], [1, None, None, None, None]]
    assert strong_agreement(ratings_of(table)) == 2 / 3
    assert strong_agreement(ratings_of(table), 1.0) == 1 / 3
    assert strong_agreement(ratings_of([[1, None]])) == Undefined("no_pairs", "no unit has two ratings")


def test_agreement_of_a_part_equals_that_of_its_ratings_alone(tmp_path: Path) -> None:
    (tmp_path / "calm.txt").write_text("CQA-1\nNEWS-1\nNEWS-2\n")
    asked = ("--genre", "id-prefix", "--by-genre", "--subset", str(tmp_path / "calm.txt"))
    rows = {row["units of"]: row for row in found(*asked)["tables"]["alpha"]}
    assert list(rows) == ["all", "subset", "rest", "genre CQA", "genre NEWS"]
    alone = found(said="pair,ada,bo,cy\nCQA-1,3,3.5,\nNEWS-1,0,0,0.25\nNEWS-2,,2,2\n")["tables"]
    assert rows["subset"]["alpha"] == alone["alpha"][0]["alpha"]
    (tmp_path / "calm.txt").write_text("CQA-1\nCQA-7\n")
    refused = run(*asked)
    assert refused.exit_code == 1
    assert 'calm.txt:2: nobody rated "CQA-7"; use the names of <stdin>' in refused.stderr


def test_every_format_has_the_same_values() -> None:
    alpha = found()["tables"]["alpha"][0]["alpha"]
    text = run().stdout
    assert f"interval  {alpha:.4f}" in text
    assert "subset  units  pairable" in text
    tsv = [line.split("\t") for line in run("--format", "tsv").stdout.splitlines()]
    assert tsv[0][:3] == ["table", "units of", "units"]
    assert float(tsv[1][6]) == alpha
    assert rf"interval & {alpha:.4f} &" in run("--format", "latex").stdout
    many = found("--scaling", "nominal", "--scaling", "ordinal", "--bootstrap", "200", "--seed", "1")
    assert [row["scaling"] for row in many["tables"]["alpha"]] == ["nominal", "ordinal"]
    assert many["signature"].startswith("agree|n:4|k:3|ratings:10|alpha:nominal+ordinal|ci:bca|b:200|seed:1|")


def test_missing_interval_says_what_alpha_lacks() -> None:
    (row,) = found("--bootstrap", "100", said="u,a,b\n1,1,1\n2,2,2\n")["tables"]["alpha"]
    assert row["low"]["reason"] == (
        "there is no BCa interval: alpha has no value, or changes too much, if one of the units is left out; "
        "try --interval percentile"
    )


def test_column_of_means_is_reported() -> None:
    rows = [(1, 2, 4, 2.33), (3, 1, 2, 2.0), (0, 4, 4, 2.67), (2, 2, 3, 2.33)]
    said = "u,a,b,c,mean\n" + "".join(f"{i},{','.join(map(str, row))}\n" for i, row in enumerate(rows))
    assert '"mean" is much closer to the mean of the others than most annotators are' in run(said=said).stdout
    assert "much closer" not in run("--ignore", "mean", said=said).stdout


def test_decimal_comma_is_accepted() -> None:
    german = "u;a;b\n1;1,5;2\n2;0,25;1\n"
    points = "u,a,b\n1,1.5,2\n2,0.25,1\n"
    assert found("--decimal", ",", said=german)["tables"] == found(said=points)["tables"]


def test_categorical_ratings_have_nominal_alpha_and_no_means() -> None:
    named = found("--words", said="u,a,b\n1,yes,yes\n2,no,yes\n3,no,no\n")
    assert list(named["tables"]) == ["alpha", "missing"]
    assert named["tables"]["alpha"][0]["scaling"] == "nominal"


@pytest.mark.parametrize(
    ("labels", "alpha"),
    [
        ("+ + - - + - - - + + - +", 1 - 11 * 2 / 36),
        ("yes yes ? ? yes ? ? ? no no ? no", 1 - 11 * 2 / 45),
        (". . * * . * * * . . * .", 1 - 11 * 2 / 36),
    ],
)
def test_signs_are_categories_and_the_output_says_so(labels: str, alpha: float) -> None:
    cells = labels.split()
    said = "u,a,b\n" + "".join(f"u{place},{cells[place]},{cells[place + 1]}\n" for place in range(0, 12, 2))
    values = found("--words", said=said)
    assert values["tables"]["alpha"][0]["alpha"] == round(alpha, 10)
    assert (values["ratings"], values["tables"]["missing"]) == (12, [])
    assert sum(note.startswith('Counted as categories: "') for note in values["notes"]) == 1


WITHOUT = (
    "u,a,b,c\n1,1,1,None\n2,1,1,1\n3,2,null,2\n4,NA,2,2\n5,2,N/A,nan\n6,,NULL,1\n7,1,#N/A,2\n8,1,1,n/a\n"
)


@pytest.mark.parametrize("words", [("--words",), ("--scaling", "nominal")])
def test_cells_without_a_rating_are_counted_by_their_mark(words: tuple[str, ...]) -> None:
    values = found(*words, said=WITHOUT)
    alone = "u,a,b,c\n1,1,1,\n2,1,1,1\n3,2,,2\n4,,2,2\n5,2,,\n6,,,1\n7,1,,2\n8,1,1,\n"
    assert values["tables"]["alpha"] == found(*words, said=alone)["tables"]["alpha"]
    marks = ["(empty)", "#N/A", "N/A", "NA", "NULL", "None", "n/a", "nan", "null"]
    assert values["tables"]["missing"] == [{"file": "<stdin>", "mark": mark, "cells": 1} for mark in marks]
    assert "missing\t<stdin>\tNone\t1\t" in run(*words, "--format", "tsv", said=WITHOUT).stdout


def test_other_marks_can_mean_a_missing_rating() -> None:
    said = "u,a,b\n1,NA,NA\n2,-,x\n3,x,\n4,NONE,NONE\n5,x,NA\n"
    values = found("--words", "--missing", "-,NONE", "--missing", "x", said=said)
    assert values["ratings"] == 3
    assert {row["mark"]: row["cells"] for row in values["tables"]["missing"]} == {
        "(empty)": 1, "-": 1, "NONE": 2, "x": 3,
    }  # fmt: skip
    assert any(note.startswith('Counted as categories: "NA".') for note in values["notes"])
    assert found("--missing", "9", said="u,a,b\n1,9,1\n2,1,1\n")["ratings"] == 3
    help_ = " ".join(run("--help").stdout.split())
    assert "NULL, null, None and, unless ratings are names of categories, - . * ? too" in help_


@pytest.mark.parametrize(
    ("arguments", "said", "code", "message"),
    [
        (("--by-genre",), WIDE, 2, "--by-genre needs --genre"),
        (("--strong", "0"), WIDE, 2, "--strong"),
        (("--bootstrap", "5"), WIDE, 2, "5 resamples; give 100"),
        (("--scaling", "ratio"), "u,a,b\n1,-1,1\n", 2, "one sign"),
        ((), "u,a,b\n1,high,low\n2,1,1\n", 1, "reads other marks with --missing, and names of categories"),
        (
            (),
            "u,a,k\n1,1,+\n2,2,-\n",
            1,
            '<stdin>:1: column "k" holds words, such as "+"; say that it is the unit, the genre or to be '
            "left out (--unit, --genre, --ignore); scorer agree reads names of categories with --words\n",
        ),
        ((), "u,a\n1,1e200\n", 1, 'rating "1e200" is beyond 1e+100; write a number'),
        ((), 'u,a,b\n1,"1,5",2\n', 1, "write 1.5, or say that decimals follow a comma (--decimal ,)"),
        (("--strong", "nan"), WIDE, 2, "share of strong agreement is nan"),
        (("--words", "--scaling", "ratio"), WIDE, 2, "leave out --scaling"),
        (("--scale", "4", "0"), WIDE, 2, "the first number must be below the second"),
        (("--subset", "-"), WIDE, 2, "only one of the files can be standard input"),
        (("--rating", "s"), WIDE, 2, "--annotator is missing"),
    ],
)
def test_invalid_agree_requests_are_rejected(
    arguments: tuple[str, ...], said: str, code: int, message: str
) -> None:
    refused = run(*arguments, said=said)
    assert (refused.exit_code, refused.stdout) == (code, "")
    assert message in refused.stderr


def test_wordsim353_agreement_equals_published_means_and_scipy(shared: Path) -> None:
    """Compare with the means in the data set, and each rater with the others by a plain loop and scipy."""
    for name, k in (("set1.csv", 13), ("set2.csv", 16)):
        path = shared / "oracles" / "wordsim353" / name
        layout = RatingsLayout(unit=("Word 1", "Word 2"), ignore=("Human (mean)",))
        ratings = parse_ratings(path.read_bytes(), name, layout)
        assert len(ratings.annotators) == k
        rows = list(csv.DictReader(path.read_text(encoding="utf-8").splitlines()))
        table = {row["Word 1"] + " / " + row["Word 2"]: row for row in reversed(rows)}
        for unit, cells in zip(ratings.units, ratings.table(), strict=True):
            assert fmean(cells) == pytest.approx(float(table[unit]["Human (mean)"]), abs=0.0051), unit
        by_name = {each.name: each.closeness for each in annotator_agreements(ratings)}
        columns = defaultdict(list)
        for row in table.values():
            for rater in map(str, range(1, k + 1)):
                columns[rater].append(float(row[rater]))
        for rater, own in columns.items():
            others = [
                fmean(values) for values in zip(*(columns[o] for o in columns if o != rater), strict=True)
            ]
            assert by_name[rater].pearson == pytest.approx(stats.pearsonr(own, others).statistic, abs=1e-12)
            assert by_name[rater].spearman == pytest.approx(stats.spearmanr(own, others).statistic, abs=1e-12)


@given(
    st.lists(
        st.lists(st.one_of(st.none(), st.integers(0, 6)), min_size=3, max_size=3), min_size=1, max_size=6
    )
)
def test_annotator_is_closer_to_a_mean_that_includes_their_own_ratings(
    table: list[list[float | None]],
) -> None:
    """With k ratings a unit, a rating is k / (k - 1) further from the others' mean than from the unit's."""
    ratings = ratings_of(table)
    apart, near = pooled_closeness(ratings), pooled_closeness_to_unit_mean(ratings)
    assert apart.n == near.n
    if not isinstance(apart.mse, Undefined) and not isinstance(near.mse, Undefined):
        assert near.mse <= apart.mse + 1e-12
