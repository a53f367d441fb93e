"""Keyed files without a header: `score`, `check`, `compare` and `agree` call their columns by number."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer import GoldError, NumberedFormat, parse_gold, parse_run
from scorer.cli.__main__ import cli

FILES = {
    "items.tsv": "a\tb\tX-1\nc\td\tX-2\ne\tf\tY-1\n",
    "gold.tsv": "X-1\ta\tb\t1\nX-2\tc\td\t2.5\nY-1\te\tf\t4\n",
    "gold.txt": "1\n2.5\n4\n",
    "run.tsv": "Y-1\t-\t0.9\t3\nX-1\t-\t0.5\t1\nX-2\t-\t1\t2\n",
    "other.tsv": "Y-1\t-\t0.9\t1\nX-1\t-\t0.5\t3\nX-2\t-\t1\t2\n",
    "run.csv": "Y-1,3\nX-1,1\nX-2,2\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)


def run(arguments: str) -> Result:
    return CliRunner().invoke(cli, arguments.split())


def test_score_reads_tables_without_a_header() -> None:
    found = run("score gold.tsv run.tsv --no-header --id 1 --score 4 --format tsv")
    assert found.exit_code == 0, found.output
    assert [line.split("\t")[:3] for line in found.stdout.splitlines()[1:]] == [
        ["pearson", "1.0", "3"],
        ["spearman", "1.0", "3"],
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        "score gold.tsv run.csv --no-header --id 1 --score 2 --gold-score 4",
        "score gold.txt run.tsv --items items.tsv --no-header --id 1 --score 4",
        "score gold.tsv run.tsv --no-header --id 1 --score 4 --confidence 3 --min-confidence 0.1",
        "compare gold.tsv run.tsv other.tsv --no-header --id 1 --score 4 --permutations 1000",
        "agree run.tsv --no-header --unit 1 --ignore 2",
        "check items.tsv run.csv --no-header --id 1 --score 2",
    ],
)
def test_columns_are_named_by_number(arguments: str) -> None:
    found = run(arguments)
    assert found.exit_code == 0, found.output


def test_check_counts_all_lines_of_a_table_without_a_header() -> None:
    found = run("check items.tsv run.tsv --no-header --id 1 --score 4 --confidence 3")
    assert (found.exit_code, found.output) == (0, "run.tsv: good; 3 scores, each with a confidence\n")


@pytest.mark.parametrize(
    "arguments",
    [
        "check items.tsv run.tsv --no-header --id 1 --score 5",
        "score gold.txt run.tsv --items items.tsv --no-header --id 1 --score 5",
        "agree run.tsv --no-header --unit 1 --annotators 5",
        "filter run.tsv --no-header --choice 5 --rating 4",
    ],
)
def test_a_number_beyond_the_columns_is_one_problem_in_every_command(arguments: str) -> None:
    found = run(arguments)
    assert found.exit_code == 1
    assert (
        found.stderr
        == 'run.tsv:1: there is no column "5"; without a header there are 4 columns, called 1 to 4\n'
    )


def test_row_with_another_number_of_fields_is_compared_with_the_first_line() -> None:
    Path("run.csv").write_text("Y-1,3\nX-1\nX-2,2\n")
    found = run("check items.tsv run.csv --no-header --id 1 --score 2")
    assert "run.csv:2: 1 column and the first line has 2; write one field for each column" in found.stderr


def test_no_header_option_needs_columns() -> None:
    found = run("check items.tsv run.tsv --no-header")
    assert found.exit_code == 2
    assert (
        "--no-header is for keyed files: give their columns by number, as in --id 1 --score 4" in found.output
    )


@pytest.mark.parametrize("column", ["4", "complexity"])
def test_gold_with_a_header_is_scored_with_a_run_without_one(column: str) -> None:
    Path("headed.tsv").write_text("id\tleft\tright\tcomplexity\n" + FILES["gold.tsv"])
    wanted = run("score gold.tsv run.csv --no-header --id 1 --score 2 --gold-score 4")
    assert (
        run(f"score headed.tsv run.csv --no-header --id 1 --score 2 --gold-score {column}").output
        == wanted.output
    )


def test_gold_without_a_header_is_scored_with_a_run_with_one() -> None:
    Path("headed.csv").write_text("item,score\n" + FILES["run.csv"])
    found = run("score gold.tsv headed.csv --id item --score score")
    assert (
        'does not name the column "item"; to read a table without a header, add --no-header' in found.stderr
    )
    found = run("score gold.tsv headed.csv --no-header --id 1 --score 2")
    assert "name it with --gold-score COLUMN" in found.stderr
    found = run("score gold.tsv headed.csv --no-header --id 1 --score 2 --gold-score 4")
    assert (found.exit_code, found.output.split()[4:6]) == (0, ["pearson", "1.0000"])


def test_the_messages_lead_from_the_names_of_a_header_to_numbers() -> None:
    Path("headed.tsv").write_text("id\tleft\tright\tcomplexity\n" + FILES["gold.tsv"])
    found = run("score headed.tsv run.csv --id id --score complexity")
    assert found.stderr == (
        "run.csv:1: the first line has data; write a header above it that names the columns "
        '"id", "complexity"\n'
        "note: to read a table without a header, add --no-header and give its columns by number, as in "
        "--id 1 --score 2; name the column of the gold with --gold-score\n"
    )
    found = run("score headed.tsv run.csv --no-header --id 1 --score 2")
    assert "name it with --gold-score COLUMN" in found.stderr


def test_library_reads_columns_by_number() -> None:
    keyed = NumberedFormat("1", "4", "3")
    read = parse_run(FILES["run.tsv"].encode(), "run.tsv", ids=["X-1", "X-2", "Y-1"], keyed=keyed)
    assert (read.scores, read.confidences) == ((1.0, 2.0, 3.0), (0.5, 1.0, 0.9))
    assert parse_gold(FILES["gold.tsv"].encode(), "gold.tsv", keyed=keyed).values == (1.0, 2.5, 4.0)
    with pytest.raises(GoldError, match='there is no column "4"'):
        parse_gold(b"X-1\t1\n", "gold.tsv", keyed=keyed)
