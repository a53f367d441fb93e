"""`scorer figures` on rounds in which annotators choose or write, and on ratings of what was written."""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from scorer.campaigns.drafts.next_stage import NextOptions, draft_next
from scorer.campaigns.exported_round import read_export_table
from scorer.campaigns.reader import read_campaign
from scorer.cli.__main__ import cli
from tests.scorer.small_stages import (
    chosen_rows,
    write_answers,
    write_choices,
    write_senses,
    write_texts,
)

COLUMNS = ("id", "rating")
Row = Mapping[str, Any]


def read_rows(export: Path, *options: str) -> dict[str, Row]:
    """The rows of the figures of an export, by code."""
    result = CliRunner().invoke(cli, ["figures", str(export), "--format", "json", *options])
    assert result.exit_code == 0, result.output
    return {row["code"]: row for table in json.loads(result.stdout)["tables"].values() for row in table}


def name_tables(rows: Mapping[str, Row]) -> set[str]:
    return {code.partition(".")[0] for code in rows}


@pytest.fixture
def choices(tmp_path: Path) -> Path:
    """Three annotators chose for four sentences each; two of their ratings are not as expected."""
    rows = chosen_rows()
    for row in rows:
        if row["id"] in ("s1-1-B", "s1-1-C"):
            row["rating"] = "3"
    export = write_choices(tmp_path / "export", rows)
    units = list(dict.fromkeys((row["unit"], row["annotator"]) for row in rows))
    answers = [
        {"unit": unit, "annotator": name, "turn": n % 4 + 1, "elapsed": 10.0 * n, "picks": {}}
        for n, (unit, name) in enumerate(units, 1)
    ]
    answers[-1] |= {"turn": 11, "visible": 100.0}
    answers += [answers[0] | {"outcome": outcome} for outcome in ("superseded", "no value")]
    write_answers(export, answers)
    return export


def test_chosen_pairs_are_counted_by_rating_and_choice(choices: Path) -> None:
    rows = read_rows(choices)
    counts = [[rows[f"sorted.choices.{n}"][f"pairs {choice}"] for choice in "ABC"] for n in range(5)]
    assert counts == [[0, 0, 11], [0, 0, 0], [0, 11, 0], [0, 1, 1], [12, 0, 0]]


def test_pairs_near_the_expected_rating_are_counted_on_the_scale_of_the_round(choices: Path) -> None:
    def count(*options: str) -> list[int]:
        rows = read_rows(choices, *options)
        return [rows[f"kept.choices{name}"]["pairs"] for name in ("", ".N1", ".N2")]

    assert count() == [36, 35, 35]
    assert count("--expected", "A=6,B=3,C=0") == [36, 23, 35]


def test_seconds_of_choices_have_quantiles_by_position(choices: Path) -> None:
    rows = read_rows(choices)
    row = rows["seconds"]
    assert [row[name] for name in ("n", "min", "25%", "median", "75%", "max")] == [
        12,
        10,
        37.5,
        65,
        92.5,
        110,
    ]
    assert (rows["seconds.1-10"]["n"], rows["seconds.1-10"]["max"]) == (11, 110)
    assert [rows["seconds.11-20"][name] for name in ("n", "min", "95%")] == [1, 100, 100]


def test_choices_are_counted_by_annotator(choices: Path) -> None:
    rows = read_rows(choices)
    assert [(rows[f"answers.A00{n}"]["n"], rows[f"answers.A00{n}"]["median"]) for n in (1, 2, 3)] == [
        (4, 25), (4, 65), (4, 100)
    ]  # fmt: skip
    assert "pasted" not in rows["answers.A001"]
    assert name_tables(rows) == {"kept", "sorted", "seconds", "answers"}


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    """Two annotators wrote eight texts, of which one has two words and one was pasted, and left one blank."""
    export = write_texts(tmp_path / "export", n=8)
    answers = [
        {"unit": f"u{n}", "annotator": f"A00{n // 2 % 2 + 1}", "turn": 1, "elapsed": 9, "written": f"boat{n}"}
        for n in range(8)
    ]
    answers[5] |= {"written": "two words", "input": "paste"}
    answers += [{**answers[0], "annotator": "A002", "written": None, "outcome": "no value"}]
    answers += [{**answers[1], "outcome": "superseded", "written": "three words here"}]
    write_answers(export, answers)
    return export


@pytest.mark.parametrize(
    ("code", "counts"),
    [
        ("written", (8, 1, 1, 9 / 8)),
        ("written.1", (2, 1, 0, 1)),
        ("written.2", (2, 0, 1, 1.5)),
        ("written.genre.news", (4, 1, 0, 1)),
        ("written.genre.slang", (4, 0, 1, 1.25)),
        ("written.genre.slang.4", (2, 0, 0, 1)),
        ("written.genre.slang.1", (0, 0, 0, None)),
    ],
)
def test_texts_blanks_and_words_are_counted_by_genre_and_wanted_rating(
    texts: Path, code: str, counts: tuple[float | None, ...]
) -> None:
    row = read_rows(texts)[code]
    assert tuple(row[name] for name in ("n", "blank", "pasted", "words")) == counts


def test_blanks_and_pasted_texts_are_counted_by_annotator(texts: Path) -> None:
    rows = read_rows(texts)
    counts = [tuple(rows[f"answers.A00{n}"][name] for name in ("n", "blank", "pasted")) for n in (1, 2)]
    assert counts == [(4, 0, 1), (4, 1, 0)]
    assert name_tables(rows) == {"seconds", "answers", "written"}


def test_chosen_senses_have_no_words(tmp_path: Path) -> None:
    export = write_senses(tmp_path / "export")
    sense = {"sense": "ferry0#n#1"}
    write_answers(export, [{"unit": "w0", "annotator": "A001", "turn": 1, "elapsed": 9, "picks": sense}])
    row = read_rows(export)["written"]
    assert (row["n"], row["words"]) == (1, None)


def test_round_without_an_answer_says_so(tmp_path: Path) -> None:
    export = write_choices(tmp_path / "export", chosen_rows())
    (export / "choices.tsv").write_text((export / "choices.tsv").read_text().partition("\n")[0] + "\n")
    write_answers(export, [])
    assert [*read_rows(export)] == ["empty.answers.jsonl", "empty.choices.tsv"]


def test_answer_to_an_unknown_unit_is_refused(texts: Path) -> None:
    write_answers(texts, [{"unit": "u99", "annotator": "A001", "turn": 1, "elapsed": 9, "written": "boat"}])
    result = CliRunner().invoke(cli, ["figures", str(texts)])
    assert (result.exit_code, result.stdout) == (1, "")
    assert 'answers.jsonl: "u99" is not in the campaign of the export' in result.stderr


def test_choices_are_compared_with_the_ratings_of_the_next_campaign(choices: Path, tmp_path: Path) -> None:
    after = tmp_path / "after"
    (after / "campaign").mkdir(parents=True)
    for name, data in draft_next(choices, NextOptions(first=3)).files.items():
        (after / "campaign" / name).write_bytes(data)
    (after / "units.tsv").write_bytes((after / "campaign" / "pairs.tsv").read_bytes())
    (after / "choices.tsv").write_bytes((choices / "choices.tsv").read_bytes())
    first = {row["id"]: int(row["rating"]) for row in read_export_table(choices / "choices.tsv", COLUMNS)}
    for slug, less in (("free", 0), ("dependent", 1)):
        lines = ["unit,annotator,rating,at,seconds,since,visible,genre"]
        ratings = {
            unit.key: max(first[unit.key] - less, 0)
            for unit in read_campaign(after / "campaign").rounds[0].units
        }
        lines += [f"{key},E1,{rating},2026-03-02,9,9,9,news" for key, rating in ratings.items()]
        (after / f"ratings-{slug}.csv").write_text("\n".join([*lines, ""]))
    rows = read_rows(after)
    assert [rows["first.free"][name] for name in ("n", "pearson", "mse")] == [27, 1, 0]
    assert rows["first.dependent"]["mse"] == pytest.approx(19 / 27, abs=1e-9)
    assert rows["first_thinking.free.since.9"]["n"] == 27


def rate_written(tmp_path: Path) -> tuple[Path, Path]:
    """The exports of a write round and of the next one, whose experts rate as wanted, and a point less."""
    before, after = write_texts(tmp_path / "before"), tmp_path / "after"
    (after / "campaign").mkdir(parents=True)
    for name, data in draft_next(before, NextOptions()).files.items():
        (after / "campaign" / name).write_bytes(data)
    lines = ["unit,annotator,rating,at,seconds,genre"]
    for unit in read_campaign(after / "campaign").rounds[0].units:
        left, right = (int(re.sub(r"\D", "", unit.texts[side])) for side in ("left", "right"))
        wanted = left % 4 + 1 if left == right else 0
        ratings = {"E1": wanted, "E2": max(wanted - 1, 0)}
        lines += [f"{unit.key},{name},{rating},2026-03-02,9,{unit.genre}" for name, rating in ratings.items()]
    (after / "ratings.csv").write_text("\n".join([*lines, ""]))
    return before, after


def test_ratings_are_described_by_the_wanted_rating_of_written_texts(tmp_path: Path) -> None:
    before, after = rate_written(tmp_path)
    assert not {"wanted", "wanted_means"} & name_tables(read_rows(after))
    (after / "written.tsv").write_bytes((before / "written.tsv").read_bytes())
    rows = read_rows(after)
    found = [[rows[f"wanted.{n}"][name] for name in ("n", "mean", "sd", "median")] for n in range(5)]
    assert found == [
        [10, 0, 0, 0],
        [10, 0.5, 0, 0.5],
        [10, 1.5, 0, 1.5],
        [10, 2.5, 0, 2.5],
        [10, 3.5, 0, 3.5],
    ]
    assert [rows["wanted_means.2"][f"pairs {n}"] for n in range(5)] == [0, 0, 0, 10, 0]
    assert {"alpha.genre.news", "alpha.genre.slang"} < set(rows)


def test_pair_that_was_written_for_two_ratings_has_none(tmp_path: Path) -> None:
    before, after = rate_written(tmp_path)
    text = (before / "written.tsv").read_text()
    again = text.splitlines()[1].replace("\t1\t", "\t3\t")
    (after / "written.tsv").write_text(f"{text}{again}\n")
    rows = read_rows(after)
    assert [rows[f"wanted.{n}"]["n"] for n in range(5)] == [10, 9, 10, 10, 10]


def test_written_texts_of_another_round_are_said_not_to_fit(tmp_path: Path) -> None:
    before, after = rate_written(tmp_path)
    text = (before / "written.tsv").read_text()
    (after / "written.tsv").write_text(text.replace("dinghy", "yacht"))
    assert "use the export of the round before" in read_rows(after)["missing.wanted"]["reason"]
    (after / "written.tsv").write_text(text.replace("\t1\t", "\tone\t"))
    result = CliRunner().invoke(cli, ["figures", str(after)])
    assert (result.exit_code, result.stdout) == (1, "")
    assert 'written.tsv: the wanted rating "one" is not a number' in result.stderr
