"""Quotation marks in tables: text between tabs, CSV between other signs, and an option for the rest."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from scorer.cli.__main__ import cli
from scorer.files.tables import read_annotations
from scorer.files.text import Problems

ROUND = (
    '"quay", said he, by the sea, "at last\t1\t2\n'
    'an "old" man, grey, tall\t3\t4\n'
    '"no" and "yes"\t0\t1\n'
    'a " b\t2\t2\n'
)
"""No header, and more commas than tabs in the first line."""
ANSWERS = (
    "Item1\tItem2\tItem3\tBestItem\tWorstItem\tnote, of, the, person, who, answered\n"
    'quay\treef\tisle\treef\tquay\t"quay" is, well\n'
    'quay\treef\tisle\treef\tisle\t"reef\n'
)


def rows_of(text: str, delimiter: str | None = None, quotes: str | None = None) -> list[list[str]]:
    problems = Problems("file")
    rows = read_annotations(text.splitlines(), problems, "write it", delimiter, quotes)  # type: ignore[arg-type]
    found = [fields for _, fields in rows]
    assert [problem.message for problem in problems.kept] == []
    return found


@pytest.mark.parametrize(
    "args",
    [
        ("agree", "round.tsv", "--no-header", "--unit", "1"),
        ("rounds", "round.tsv", "again.tsv", "--no-header", "--unit", "1"),
        ("context", "round.tsv", "again.tsv", "--no-header", "--unit", "1"),
        ("filter", "round.tsv", "--no-header", "--choice", "3", "--rating", "2", "--expected", "1=0,2=1,4=2"),
        ("bws", "score", "answers.tsv"),
        ("bws", "reliability", "answers.tsv"),
        ("bws", "tuples", "answers.tsv", "--item", "note, of, the, person, who, answered", "--size", "2"),
    ],
)
def test_bare_quotes_in_a_tab_separated_file_are_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("round.tsv").write_text(ROUND)
    Path("again.tsv").write_text(ROUND)
    Path("answers.tsv").write_text(ANSWERS)
    result = CliRunner().invoke(cli, args)
    assert result.exit_code == 0, result.output


def test_in_tsv_only_quotes_around_a_whole_field_are_removed() -> None:
    assert rows_of('"pair"\t"the ""old"" man"\t"no" and "yes"\t"\t""') == [
        ["pair", 'the "old" man', '"no" and "yes"', '"', ""]
    ]


def test_csv_quotes_between_tabs_hide_tabs_and_line_ends() -> None:
    assert rows_of('"a\tb\nc"\td', quotes="csv") == [["a\tb\nc", "d"]]


def test_plain_quotes_between_commas_do_not_protect_commas() -> None:
    assert rows_of('"a,b"\n"c" d,e', delimiter=",", quotes="plain") == [['"a', 'b"'], ['"c" d', "e"]]


def test_the_default_between_commas_is_csv() -> None:
    assert rows_of('"a,b",c') == [["a,b", "c"]]


def test_a_broken_quote_names_the_option(tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text('text,kim,lou\n"no" and "yes",1,2\nquay,2,3\nreef,2,2\n')
    refused = CliRunner().invoke(cli, ["agree", str(path)])
    assert refused.exit_code == 1
    assert "or read quotes as plain text (--quotes plain)" in refused.output
    accepted = CliRunner().invoke(cli, ["agree", str(path), "--quotes", "plain"])
    assert accepted.exit_code == 0, accepted.output
