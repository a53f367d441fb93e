"""The LaTeX of a leaderboard: the same tables as in a paper, and the choice of their columns."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from scorer.boards.board import BoardLevel, BoardRules, Entry, build_board
from scorer.cli.__main__ import cli
from scorer.errors import RequestError
from scorer.reports.board_tables import board_tables, choose_columns
from scorer.reports.inference import InferenceIndex
from scorer.reports.latex import STYLES, latex_table
from scorer.scoring import evaluate
from tests.scorer.small_bundle import TASK, write_bundle

ASKED = ("--significance", "--bootstrap", "200", "--permutations", "100")
TITLED = TASK.replace('slug = "p2s"', 'slug = "p2s"\ntitle = "Paragraph to sentence"')
LEVELS = [BoardLevel("p2s", "Paragraph to sentence", ("pearson",)), BoardLevel("s2p", "Other", ("mse",))]


def board(folder: Path, *options: str) -> Result:
    return CliRunner().invoke(cli, ["board", str(write_bundle(folder, TITLED)), *options])


def entry(run: str, pearson: float, mse: float, kind: str = "official") -> Entry:
    values = {"p2s": ("pearson", pearson), "s2p": ("mse", mse)}
    results = {slug: {name: evaluate.Result(name, value, 4, "")} for slug, (name, value) in values.items()}
    return Entry("ash", run, kind, results)  # type: ignore[arg-type]  # one of the kinds


def test_each_number_of_the_latex_is_in_the_json(tmp_path: Path) -> None:
    latex = board(tmp_path, *ASKED, "--format", "latex").stdout
    values = json.loads(board(tmp_path, *ASKED, "--format", "json").stdout)
    numbers = {
        f"{cell['value']:z.3f}"
        for kind in ("official", "late", "baselines")
        for row in values[kind]
        for cells in (row["total"], *row["levels"].values())
        for cell in cells.values()
        if cell["value"] is not None
    }
    ends = {
        f"{interval[end]:z.3f}"
        for column in values["inference"]["columns"]
        for interval in column["intervals"]
        for end in ("low", "high")
        if interval[end] is not None
    }
    body = "".join(re.findall(r"\\midrule(.*?)\\bottomrule", latex, re.DOTALL)).replace("$-$", "-")
    intervals = re.findall(r"\{\[\}(\S+), (\S+)\{\]\}", body)
    assert len(intervals) > 4
    assert {end for pair in intervals for end in pair} <= ends
    shown = re.findall(r"-?\d\.\d+", re.sub(r"\{\[\}.*?\{\]\}", "", body))
    assert len(shown) > 10
    assert set(shown) <= numbers


def test_latex_has_titles_intervals_ranges_caption_and_label(tmp_path: Path) -> None:
    latex = board(tmp_path, *ASKED, "--format", "latex").stdout
    first = latex.split(r"\begin{table}")[1]
    title = r"\begin{tabular}[b]{@{}r@{}}Paragraph to \\ sentence\end{tabular}"
    assert f"Rank & Range & Team & System & {title} & s2p & Total" in first
    assert first.index(r"\end{tabular}") < first.index(r"\caption{Results by level") < first.index(r"\label")
    assert r"\label{tab:results}" in first
    assert r"Intervals: 95\,\%, BCa bootstrap, 200 resamples of the items." in first
    assert r"% needs \usepackage{booktabs}" in latex


def test_best_value_is_bold_whether_higher_or_lower_is_better() -> None:
    entries = [entry("a", 0.9, 0.4), entry("b", 0.5, 0.1), entry("c", 0.95, 0.05, "baseline")]
    tables = board_tables(
        build_board(LEVELS, BoardRules(total="none"), entries), InferenceIndex(None), "small"
    )
    first, second = (latex_table(table, STYLES["plain"]) for table in tables)
    assert (r"\textbf{0.900}" in first, first.count("textbf")) == (True, 1)
    assert (r"\textbf{0.100}" in second, second.count("textbf")) == (True, 1)


def test_chosen_columns_leave_out_the_others_and_tables_without_values(tmp_path: Path) -> None:
    latex = board(tmp_path, "--format", "latex", "--columns", "total, team,rank").stdout
    assert latex.count(r"\begin{table}") == 1
    assert r"Rank & Team & Total \\" in latex
    assert r"1 & ash & \textbf{0.891} \\" in latex
    levels = board(tmp_path, "--format", "latex", "--columns", "team,spearman").stdout
    assert levels.count("Team & Spearman") == levels.count(r"\begin{table}") == 2


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (["team", "nonsense"], 'there is no column "nonsense"; there are rank, team, system, pearson, mse'),
        (["rank", "team"], "name at least one column of values: pearson, mse"),
    ],
)
def test_columns_without_values_or_with_an_unknown_name_are_refused(columns: list[str], message: str) -> None:
    board = build_board(LEVELS, BoardRules(total="none"), [entry("a", 0.9, 0.4)])
    with pytest.raises(RequestError, match=message):
        choose_columns(board_tables(board, InferenceIndex(None), "small"), columns)


def test_columns_are_for_latex_alone(tmp_path: Path) -> None:
    refused = board(tmp_path, "--columns", "total")
    assert refused.exit_code == 2
    assert "--columns is for --format latex" in refused.stderr
