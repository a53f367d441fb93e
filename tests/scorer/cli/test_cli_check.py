"""`scorer check`: good, or every bad line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.cli.__main__ import cli

FILES = {
    "items.tsv": "a\tb\tX-1\nc\td\tX-2\ne\tf\tY-1\n",
    "items.csv": 'id,left,right\nX-1,"a, b",c\nX-2,d,e\nY-1,f,g\n',
    "run.tsv": "1\t0.5\n4.5\n3\n",
    "bad.tsv": "1\nx\ty\n3\n\n",
    "keyed.csv": "id,score,sure\nY-1,1,1\nX-1,2,0\nX-2,3,0.5\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["check", *arguments.split()], input=stdin)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("items.tsv run.tsv", "run.tsv: good; 3 scores, 1 with a confidence\n"),
        (
            "items.csv run.tsv --header --items-delimiter comma",
            "run.tsv: good; 3 scores, 1 with a confidence\n",
        ),
        ("items.tsv keyed.csv --id id --score score", "keyed.csv: good; 3 scores, no confidences\n"),
        (
            "items.tsv keyed.csv --id id --score score --confidence sure",
            "keyed.csv: good; 3 scores, each with a confidence\n",
        ),
        (
            "items.tsv run.tsv --scale 0 4",
            "run.tsv: good; 3 scores, 1 with a confidence\n"
            'warning: run.tsv:2: score "4.5" is outside the scale; scores go from 0 to 4\n',
        ),
    ],
)
def test_valid_run_is_reported_as_valid(arguments: str, sentence: str) -> None:
    found = check(arguments)
    assert (found.exit_code, found.stdout, found.stderr) == (0, sentence, "")


def test_every_bad_line_is_listed_and_the_exit_code_is_1() -> None:
    found = check("items.tsv bad.tsv --scale 0 4")
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr.splitlines() == [
        'bad.tsv:2: score "x" is not a number; write one number from 0 to 4',
        'bad.tsv:2: confidence "y" is not a number; write one number from 0 to 1',
    ]


def test_json_says_whether_the_run_is_valid() -> None:
    good = json.loads(check("items.tsv run.tsv --format json").stdout)
    assert good == {"schema": "assay.check/1", "good": True, "n": 3, "confidences": 1, "warnings": []}
    found = check("items.tsv bad.tsv --format json")
    bad = json.loads(found.stdout)
    assert (found.exit_code, bad["good"], bad["count"], len(bad["problems"])) == (1, False, 2, 2)
    assert bad["problems"][0]["text"] == "x\ty"


def test_tsv_has_one_row_per_problem_with_tabs_escaped() -> None:
    found = check("items.tsv bad.tsv --format tsv")
    assert found.exit_code == 1
    rows = [line.split("\t") for line in found.stdout.splitlines()]
    assert rows[0] == ["severity", "file", "line", "code", "message", "text", "count", "lines"]
    assert rows[1][:4] == ["error", "bad.tsv", "2", "not_a_number"]
    assert rows[1][5] == r"x\ty"
    assert rows[1][6:] == ["1", "2"]


def test_tsv_says_how_many_problems_it_does_not_list(folder: Path) -> None:
    (folder / "items.tsv").write_text("".join(f"a\tb\tX-{i}\n" for i in range(150)), encoding="utf-8")
    (folder / "bad.tsv").write_text("x\n" * 10_050, encoding="utf-8")
    lines = check("items.tsv bad.tsv --format tsv").stdout.splitlines()
    assert lines[1].split("\t")[5:] == ["x", "9999", "1,2,3,4,5"]
    assert lines[-1] == "error\tbad.tsv\t\tmore_problems\tand 51 more problems\t\t51\t"


def test_json_has_equal_problems_once_with_their_number_and_the_first_few_lines(folder: Path) -> None:
    (folder / "items.tsv").write_text("".join(f"a\tb\tX-{i}\n" for i in range(150)), encoding="utf-8")
    (folder / "bad.tsv").write_text("".join(f"0,{i}\n" for i in range(150)), encoding="utf-8")
    found = json.loads(check("items.tsv bad.tsv --format json").stdout)
    (problem,) = found["problems"]
    assert (found["count"], problem["count"], problem["line"], problem["text"]) == (150, 150, 1, "0,0")
    assert problem["others"][-1] == {
        "line": 5,
        "message": 'score "0,4" has a decimal comma; write 0.4',
        "text": "0,4",
    }
    assert check("items.tsv bad.tsv").stderr == (
        'bad.tsv:1: score "0,0" has a decimal comma; write 0.0; 149 more lines like this: '
        '2 "0,1", 3 "0,2", 4 "0,3", 5 "0,4", …\n'
    )


def test_confidences_up_to_a_hundred_name_their_option_once(folder: Path) -> None:
    (folder / "items.tsv").write_text("".join(f"a\tb\tX-{i}\n" for i in range(643)), encoding="utf-8")
    (folder / "run.tsv").write_text(
        "".join(f"{i % 5}\t{50 + i % 50}\n" for i in range(643)), encoding="utf-8"
    )
    found = check("items.tsv run.tsv")
    assert found.stderr == (
        'run.tsv:1: confidence "50" is out of range; write one number from 0 to 1; 642 more lines like this: '
        '2 "51", 3 "52", 4 "53", 5 "54", …\n'
        "note: to read confidences from 0 to 100, add --confidence-max 100\n"
    )
    assert check("items.tsv run.tsv --confidence-max 100").exit_code == 0
    assert "note" not in check("items.tsv run.tsv --confidence-max 60").stderr


@pytest.mark.parametrize("format_", ["text", "tsv", "json"])
def test_invalid_items_are_invalid_data_in_every_format(format_: str) -> None:
    found = check(f"run.tsv run.tsv --format {format_}")
    assert found.exit_code == 1
    assert "instead of 3; write left, right, id" in found.output


def test_the_run_may_be_standard_input() -> None:
    assert check("items.tsv -", stdin="1\n2\n3\n").stdout == "<stdin>: good; 3 scores, no confidences\n"
    assert check("items.tsv -", stdin="").stderr == "<stdin>: the file is empty; is it the right one?\n"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("- -", "only one of ITEMS and RUN_FILE can be standard input"),
        ("items.tsv", "Missing argument 'RUN_FILE'"),
        ("items.tsv keyed.csv --score score", "--id is missing"),
        ("items.tsv run.tsv --columns left,id", 'the column "right" is not among the columns left, id'),
        ("items.tsv run.tsv --format xml", "'xml' is not one of"),
    ],
)
def test_usage_error_is_exit_2(arguments: str, sentence: str) -> None:
    found = check(arguments)
    assert (found.exit_code, found.stdout) == (2, "")
    assert sentence in found.stderr


def test_official_runs_are_valid(shared: Path) -> None:
    clss = shared / "data" / "clss"
    for run in (clss / "runs").glob("*/*.tsv"):
        items = clss / "data" / "training" / f"{run.name.removesuffix('.tsv')}.input.tsv"
        assert check(f"{items} {run}").exit_code == 0


def test_hostile_file_name_is_escaped_for_the_terminal(tmp_path: Path) -> None:
    name = tmp_path / "run\x1b[31m\n.tsv"
    name.write_text("x\n", encoding="utf-8")
    (tmp_path / "items.tsv").write_text("a\tb\tx-1\n", encoding="utf-8")
    result = CliRunner().invoke(cli, ["check", str(tmp_path / "items.tsv"), str(name)])
    assert result.exit_code == 1
    assert "\x1b" not in result.output
    assert "run�[31m�.tsv:1: score" in result.output
