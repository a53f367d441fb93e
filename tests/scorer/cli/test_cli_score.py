"""`scorer score`: agreement with the official scorer, formats, keyed files, and what it says to bad usage."""

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer import __version__
from scorer.cli.__main__ import cli
from scorer.metrics import pearson

ROOT = Path(__file__).parents[3]
FILES = {
    "gold.tsv": "0\n1\n2\n3\n",
    "run.tsv": "0.1\n0.2\n0.4\n0.3\n",
    "confident.tsv": "0.1\t1\n0.2\t0.5\n0.4\t0.4\n0.3\t1\n",
    "constant.tsv": "1\n1\n1\n1\n",
    "items.tsv": "a\tb\tX-1\nc\td\tX-2\ne\tf\tY-1\ng\th\tY-2\n",
    "one-genre.tsv": "a\tb\tX-1\nc\td\tX-2\ne\tf\tX-3\ng\th\tX-4\n",
    "named.csv": "id,kind,left,right\nX-1,p,a,b\nX-2,q,c,d\nY-1,p,e,f\nY-2,q,g,h\n",
    "keyed.csv": "PairID,Score\nY-2,0.3\nX-1,0.1\nX-2,0.2\nY-1,0.4\n",
    "own-id.csv": "Gold,Pair\n1,X-2\n0,X-1\n3,Y-2\n2,Y-1\n",
    "gold.csv": "PairID,Gold\nX-2,1\nX-1,0\nY-2,3\nY-1,2\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def score(arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, ["score", *arguments.split()], input=stdin)


def process(*arguments: str, **options: object) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "scorer.cli", *arguments]
    return subprocess.run(command, env=environment, check=False, **options)


def test_output_equals_the_official_scorer_on_every_oracle_row(shared: Path) -> None:
    clss = shared / "data" / "clss"
    rows = (clss / "oracle.tsv").read_text(encoding="utf-8").splitlines()[1:]
    assert len(rows) >= 26
    for row in rows:
        run, gold, options, r, rho = row.split("\t")
        found = score(f"{clss / gold} {clss / run} --format semeval2014 {options}")
        assert found.stdout_bytes.decode() == (
            f"Scores for SemEval-2014 Task 3\nPearson's correlation\t{r}\tSpearman's rho\t{rho}\n"
        )
        assert (found.exit_code, found.stderr) == (0, "")


def test_the_default_is_pearson_and_spearman() -> None:
    found = score("gold.tsv run.tsv --format tsv")
    assert found.stdout.splitlines() == [
        "metric\tvalue\tn\tundefined\tsignature",
        f"pearson\t{pearson([0, 1, 2, 3], [0.1, 0.2, 0.4, 0.3])!r}\t4\t\tpearson|n:4|v:{__version__}",
        f"spearman\t0.8\t4\t\tspearman|n:4|v:{__version__}",
    ]


@pytest.mark.parametrize("option", ["--min-confidence", "-c"])
def test_items_below_the_confidence_are_left_out(option: str) -> None:
    results = json.loads(score(f"gold.tsv confident.tsv {option} 0.5 --format json").stdout)["results"]
    assert [(result["n"], result["value"]) for result in results] == [
        (3, pytest.approx(0.98198, abs=1e-5)),
        (3, 1.0),
    ]


def test_confidence_option_without_effect_is_noted_on_stderr() -> None:
    found = score("gold.tsv run.tsv --min-confidence 0.5")
    assert found.exit_code == 0
    assert found.stderr == "note: the run has no confidences, so --min-confidence leaves nothing out\n"


def test_genres_come_from_the_ids_or_a_column() -> None:
    by_id = score("gold.tsv run.tsv --items items.tsv --by-genre --format tsv --metric mse").stdout
    assert [line.split("\t")[0] for line in by_id.splitlines()] == ["genre", "X", "Y"]
    options = "--items named.csv --by-genre --header --genre kind --items-delimiter comma --format tsv"
    by_column = score(f"gold.tsv run.tsv {options} --metric mse").stdout
    assert [line.split("\t")[0] for line in by_column.splitlines()] == ["genre", "p", "q"]


def test_single_genre_is_noted() -> None:
    found = score("gold.tsv run.tsv --items one-genre.tsv --by-genre --format tsv --metric spearman")
    assert found.stderr == 'note: all items have the genre "X"\n'
    assert found.stdout.splitlines()[1].startswith("X\tspearman\t0.8\t4")


@pytest.mark.parametrize(
    "arguments",
    [
        "gold.csv keyed.csv --id PairID --score Score --gold-score Gold",
        "own-id.csv keyed.csv --id PairID --score Score --gold-id Pair --gold-score Gold",
        "own-id.csv keyed.csv --no-header --id 1 --score 2 --gold-id Pair --gold-score Gold",
        "gold.tsv keyed.csv --id PairID --score Score --items items.tsv",
        "gold.csv keyed.csv --id PairID --score Score --gold-score Gold --items items.tsv --delimiter comma",
        "gold.csv run.tsv --id PairID --gold-score Gold --items items.tsv",
    ],
)
def test_keyed_and_aligned_files_are_matched_by_id(arguments: str) -> None:
    found = score(f"{arguments} --metric spearman --format tsv")
    assert (found.exit_code, found.stderr) == (0, "")
    assert found.stdout.splitlines()[1].startswith("spearman\t0.8\t4\t")


@pytest.mark.parametrize("arguments", ["- run.tsv", "gold.tsv -"])
def test_one_file_may_be_standard_input(arguments: str) -> None:
    text = FILES["gold.tsv" if arguments.startswith("-") else "run.tsv"]
    assert score(f"{arguments} --metric pearson", stdin=text).stdout.split()[5] == "0.8000"
    refused = score(arguments, stdin="1\nx\n2\n3\n")
    assert refused.exit_code == 1
    assert refused.stderr.startswith("<stdin>:2: ")


def test_scores_outside_the_scale_are_scored_with_a_warning() -> None:
    found = score("gold.tsv run.tsv --scale -1 0.25")
    assert found.exit_code == 0
    assert found.stderr.splitlines() == [
        'warning: run.tsv:3: score "0.4" is outside the scale; scores go from -1 to 0.25; '
        '1 more line like this: 4 "0.3"',
    ]


def test_list_of_many_warnings_is_shortened(folder: Path) -> None:
    runs = [f"run{number}.tsv" for number in range(8)]
    for name in runs:
        (folder / name).write_text("9\n8\n" * 4, encoding="utf-8")
    (folder / "gold.tsv").write_text("1\n2\n" * 4, encoding="utf-8")
    lines = score(f"gold.tsv {' '.join(runs)} --spread --scale 0 4").stderr.splitlines()
    warnings = [line for line in lines if line.startswith("warning: ")]
    assert len(warnings) == 6
    assert warnings[-1] == "warning: there are more warnings; `scorer check --scale` lists them"


def test_constant_run_is_undefined_and_not_an_error() -> None:
    found = score("gold.tsv constant.tsv")
    assert found.exit_code == 0
    assert "– undefined: the run has the same score for every item" in found.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("none.tsv run.tsv", "none.tsv: there is no such file"),
        ("gold.tsv .", ".: this is a folder; name a file in it"),
        (
            "confident.tsv gold.tsv",
            "confident.tsv: has confidences like a run, and gold.tsv has none: are they sw",
        ),
        ("confident.tsv confident.tsv", "confident.tsv:1: 2 columns; gold has one value per line"),
        ("gold.tsv keyed.csv", "keyed.csv:1: looks like the header of a table"),
        ("gold.tsv items.tsv", "items.tsv:1: 3 columns; write a score"),
        (
            "gold.csv keyed.csv --id PairID --score Score",
            'gold.csv:1: the header has no column "Score"; it has',
        ),
        ("gold.tsv run.tsv --items keyed.csv", "keyed.csv:1: 1 column instead of 3; write left, right, id"),
    ],
)
def test_invalid_data_is_exit_1_with_a_message(arguments: str, sentence: str) -> None:
    found = score(arguments)
    assert (found.exit_code, found.stdout) == (1, "")
    assert found.stderr.startswith(sentence)


def test_an_unnamed_keyed_file_gets_a_hint() -> None:
    assert "name its columns with --id COLUMN and --score COLUMN" in score("gold.tsv keyed.csv").stderr


def test_empty_last_gold_line_is_mentioned_if_the_run_is_too_short(folder: Path) -> None:
    (folder / "gold.tsv").write_text("0\n1\n2\n3\n\n", encoding="utf-8")
    found = score("gold.tsv run.tsv")
    assert found.exit_code == 1
    assert "run.tsv: the file has 4 lines, but there are 5 items: 1 line is missing" in found.stderr
    assert "gold.tsv:5: the last line of the gold is blank and counts as an item" in found.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ("", "Missing argument 'GOLD'"),
        ("gold.tsv", "Missing argument 'RUN_FILE...'"),
        ("- -", "only one of the files can be standard input"),
        (
            "gold.tsv run.tsv --metric kappa",
            "'kappa' is not one of 'pearson', 'spearman', 'mse', 'rmse', 'mae', 'kendall', ",
        ),
        ("gold.tsv run.tsv --by-genre", "--by-genre needs --items FILE"),
        (
            "gold.tsv run.tsv --format semeval2014 --metric mse",
            "semeval2014 shows pearson and spearman of all items",
        ),
        ("gold.tsv run.tsv constant.tsv", "if they are from one system with different seeds, add --spread"),
        ("gold.tsv run.tsv --spread", "--spread needs at least two runs of one system"),
        ("gold.tsv run.tsv run.tsv --spread", "run.tsv is given more than once"),
        ("gold.tsv run.tsv gold.tsv --spread --held-out X --items items.tsv", "--held-out is for one run"),
        ("gold.tsv run.tsv --held-out X", "--held-out needs --items FILE"),
        ("gold.tsv run.tsv --held-out Z --items items.tsv", 'no item is of the genre "Z"; there are X, Y'),
        (
            "gold.tsv run.tsv --metric choice_accuracy",
            "needs --items FILE with a column that says which items",
        ),
        ("gold.tsv run.tsv --seed 1", "an interval needs --bootstrap B, such as 10000"),
        ("gold.tsv run.tsv --bootstrap 9", "9 resamples; give 100 to 10000000"),
        ("gold.tsv run.tsv --bootstrap 100 --level 95", "the level is 95.0; it must be between 0 and 1"),
        ("gold.tsv run.tsv --interval fisher", "not for spearman; add --metric pearson"),
        (
            "gold.tsv run.tsv --metric pearson --interval fisher --bootstrap 100",
            "Fisher's interval does not resample",
        ),
        (
            "gold.tsv run.tsv --format semeval2014 --bootstrap 100",
            "semeval2014 shows pearson and spearman of all items",
        ),
        (
            "gold.tsv run.tsv --min-confidence nan",
            "--min-confidence nan is not a finite number",
        ),
        ("gold.tsv run.tsv --scale 4 0", "the first number must be below the second, not 4 0"),
        (
            "gold.tsv keyed.csv --score Score",
            "a keyed run needs --id COLUMN and --score COLUMN; --id is missing",
        ),
        ("gold.tsv keyed.csv --id PairID", "--score is missing"),
        ("gold.csv run.tsv --gold-score Gold", "keyed gold needs --id COLUMN in addition to --gold-score"),
        ("gold.tsv keyed.csv --id PairID --score Score", "add --items FILE, which gives the id of each line"),
        (
            "gold.tsv run.tsv --items items.tsv --columns left,id",
            'the column "right" is not among the columns',
        ),
        (
            "gold.tsv run.tsv --items items.tsv --columns id=pair,left",
            "--columns must be all by position, or all by name, as in id=pair_ID",
        ),
        (
            "gold.tsv run.tsv --items items.tsv --genre kind",
            'the genre column "kind" is not among the columns',
        ),
    ],
)
def test_usage_error_is_exit_2_with_a_message(arguments: str, sentence: str) -> None:
    found = score(arguments)
    assert (found.exit_code, found.stdout) == (2, "")
    assert sentence in found.stderr


def test_no_command_prints_the_usage_and_is_exit_2() -> None:
    found = CliRunner().invoke(cli, [])
    assert found.exit_code == 2
    assert all(f"\n  {name} " in found.stderr for name in ("score", "check", "baseline", "board"))


@pytest.mark.parametrize("name", ["score", "check", "baseline", "board"])
def test_each_command_has_help_that_states_its_exit_codes(name: str) -> None:
    found = CliRunner().invoke(cli, [name, "--help"])
    assert found.exit_code == 0
    assert "Exit codes:\n    0  success" in found.stdout


def test_an_unknown_command_is_exit_2() -> None:
    found = CliRunner().invoke(cli, ["scor"])
    assert found.exit_code == 2
    assert "No such command 'scor'" in found.stderr


def test_closed_output_pipe_is_not_an_error(folder: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        found = process("score", "gold.tsv", "run.tsv", cwd=folder, stdout=pipe, stderr=subprocess.PIPE)
    assert found.stderr == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="missed: a full disk; there is no /dev/full")
def test_full_disk_is_reported_in_one_line(folder: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        found = process("score", "gold.tsv", "run.tsv", cwd=folder, stdout=full, stderr=subprocess.PIPE)
    assert found.returncode == 1
    assert found.stderr.decode() == f"Error: the results cannot be written: {os.strerror(errno.ENOSPC)}\n"


def test_scoring_loads_neither_numpy_nor_the_site(folder: Path) -> None:
    code = (
        "import sys; from scorer.cli.__main__ import cli\n"
        "metrics = ['--metric', 'pearson', '--metric', 'spearman', '--metric', 'kendall']\n"
        "cli.main(['score', 'gold.tsv', 'run.tsv', '--format', 'tsv', *metrics], standalone_mode=False)\n"
        "heavy = {'numpy', 'scipy', 'server', 'flask', 'sqlalchemy', 'rich', 'json', 'csv', 'decimal',\n"
        "         'tomllib', 'importlib.metadata', 'scorer.boards.board', 'scorer.baselines'}\n"
        "sys.exit(', '.join(sorted(heavy & set(sys.modules))))\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    assert found.stderr.decode() == "\n"  # sys.exit prints the names it was given: none


def test_swapped_looking_gold_and_run_cause_a_question(tmp_path: Path) -> None:
    (tmp_path / "run.tsv").write_text("0.13\n1.41\n2.77\n3.02\n", encoding="utf-8")
    (tmp_path / "gold.tsv").write_text("0.25\n1.50\n2.75\n3.00\n", encoding="utf-8")
    swapped = CliRunner().invoke(cli, ["score", str(tmp_path / "run.tsv"), str(tmp_path / "gold.tsv")])
    assert (swapped.exit_code, "are they swapped? GOLD comes first" in swapped.stderr) == (0, True)
    right = CliRunner().invoke(cli, ["score", str(tmp_path / "gold.tsv"), str(tmp_path / "run.tsv")])
    assert (right.exit_code, right.stderr) == (0, "")


def test_first_lines_are_enough_for_the_question_whether_gold_and_run_are_swapped(tmp_path: Path) -> None:
    fine, coarse = "0.13\n1.41\n2.77\n3.02\n" * 2_500, "0.25\n1.50\n2.75\n3.00\n" * 2_500
    (tmp_path / "gold.tsv").write_text(fine + coarse * 2, encoding="utf-8")
    (tmp_path / "run.tsv").write_text(coarse + fine * 2, encoding="utf-8")
    found = CliRunner().invoke(cli, ["score", str(tmp_path / "gold.tsv"), str(tmp_path / "run.tsv")])
    assert (found.exit_code, "are they swapped?" in found.stderr) == (0, True)


@pytest.mark.parametrize(
    ("gold", "run"),
    [
        ("1.2\n2.4\n3.8\n4.6\n2\n", "1\n2\n4\n5\n3\n"),  # means of five ratings
        ("1.2\n2.4\n3.8\n4.6\n2\n", "1\n2.5\n4\n4.5\n3\n"),
        ("2.33\n1.67\n3\n4.33\n2.67\n", "2.5\n1.5\n3\n4\n2.75\n"),  # of three
        ("0.2083\n0.4417\n0.1219\n0.3071\n", "1\n3\n1\n2\n"),
        ("1e308\n-1.2e308\n5e307\n", "-3e307\n1.1e308\n2e307\n"),
    ],
)
def test_coarse_systems_beside_means_and_whole_scores_are_not_said_to_be_swapped(
    tmp_path: Path, gold: str, run: str
) -> None:
    paths = tmp_path / "gold.tsv", tmp_path / "run.tsv"
    for path, text in zip(paths, (gold, run), strict=True):
        path.write_text(text, encoding="utf-8")
    found = CliRunner().invoke(cli, ["score", *map(str, paths)])
    assert (found.exit_code, found.stderr) == (0, "")
