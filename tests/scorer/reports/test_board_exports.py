"""What other programs read of a board whose teams chose their names with malice."""

import csv
import re
from io import StringIO

from scorer.boards.board import Board, BoardLevel, BoardRules, Entry, build_board
from scorer.boards.serialization import read_board
from scorer.reports.board import FORMATS, TSV_COLUMNS, render_board
from scorer.reports.escaping import latex_cell, markdown_cell
from scorer.scoring.evaluate import Result
from scorer.values import Undefined

NASTY = (
    "=1+1", " -2+3", "@SUM(A1)", "+cmd|' /C calc'!A0", "\uff1dx", "\t=x", "\r=x", "a|b", '"quoted', "a,b;c",
    r"50% & #1_x {y} \z ~ ^ <t> $5", "two\nlines\tand tab", "[x]*", "-0.5", "\\\\", "Żółw–Ω",
)  # fmt: skip
WHY = Undefined("constant_run", "=HYPERLINK(1) the run is constant")


def nasty_board() -> Board:
    """Each name as a team's and as a run's; every third lacks a value, every one below zero."""
    level = BoardLevel("p2s", "P2S", ("pearson", "spearman"))
    results = [
        {m: Result(m, WHY if k % 3 == 0 else -0.25 - k / 7, 4, f"{m}|n:4") for m in level.metrics}
        for k in range(len(NASTY))
    ]
    rows = zip(NASTY, reversed(NASTY), results, strict=True)
    entries = [Entry(team, run, "official", {"p2s": result}) for team, run, result in rows]
    return build_board([level], BoardRules(), entries)


TEXTS = {
    name: render_board(nasty_board(), name, task="small", title=NASTY[10], split="test") for name in FORMATS
}
N = len(NASTY)
RUN_BY_SPREADSHEETS = re.compile(r"\s*[=+\-@\uff1d\uff0b\uff0d\uff20]")


def one_line(text: str) -> str:
    return re.sub(r"[\r\n]", "; ", text.strip()).replace("\t", " ")


def test_tsv_keeps_names_except_tabs_and_line_ends() -> None:
    long = [dict(zip(TSV_COLUMNS, line.split("\t"), strict=True)) for line in TEXTS["tsv"].split("\n")[1:-1]]
    named = [(one_line(row.team), one_line(row.run)) for row in nasty_board().official for _ in range(4)]
    assert [(found["team"], found["run"]) for found in long] == named
    assert {found["undefined"] for found in long} >= {WHY.reason}


def test_csv_contains_no_formula_and_numbers_stay_numbers() -> None:
    wide = list(csv.DictReader(StringIO(TEXTS["csv"], newline="")))
    long = [dict(zip(TSV_COLUMNS, line.split("\t"), strict=True)) for line in TEXTS["tsv"].split("\n")[1:-1]]
    assert (len(wide), len(long)) == (N, 4 * N)
    for row in wide:
        assert not [row[name] for name in ("team", "run") if RUN_BY_SPREADSHEETS.match(row[name])]
        assert not RUN_BY_SPREADSHEETS.match(row["notes"])
    board = nasty_board()
    for found, row in zip(wide, board.official, strict=True):
        cell = row.cells["p2s"]["spearman"]
        assert found["p2s spearman"] == ("" if isinstance(cell.value, Undefined) else repr(cell.value))
        assert found["p2s spearman rank"] == ("" if cell.rank is None else str(cell.rank))
        assert found["total (pearson)"] == found["p2s pearson"]
        assert found["team"].lstrip("'") == one_line(row.team)
    assert [found["p2s spearman"] for found in wide] == [
        line["value"] for line in long if (line["level"], line["metric"]) == ("p2s", "spearman")
    ]


def test_names_cannot_break_the_markdown_table() -> None:
    lines = [line for line in TEXTS["markdown"].split("\n") if line.startswith("|")]
    columns = {len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)) for line in lines}
    assert (len(lines), columns) == (N + 2, {8 - 1})
    assert not re.search(r"(?<!\\)[<>]", TEXTS["markdown"])


def test_dollar_signs_and_unsupported_characters_in_names_cannot_break_markdown_or_latex() -> None:
    assert markdown_cell("$a$ and $b$") == r"\$a\$ and \$b\$"
    family = "\U0001f469\u200d\U0001f467 \u2728\ufe0f"
    assert latex_cell(f"owl {family} \u202ecba\u202c \u0627\u200f \ud800 \ue000") == "owl ?? ? cba \u0627 ? ?"
    assert latex_cell("Żółw–Ω 東") == "Żółw--Ω 東"


def test_a_value_that_rounds_to_zero_has_no_sign() -> None:
    level = BoardLevel("p2s", "P2S", ("pearson",))
    entries = [
        Entry(run, run, "official", {"p2s": {"pearson": Result("pearson", value, 4, "")}})
        for run, value in (("a", -7e-18), ("b", -0.0006))
    ]
    board = build_board([level], BoardRules(), entries)
    for name in ("text", "markdown"):
        text = render_board(board, name, task="s", title="S", split="test")
        assert "-0.000" not in text
        assert "-0.001" in text


def test_names_cannot_break_latex_braces_or_rows() -> None:
    body = TEXTS["latex"].split(r"\toprule")[1].split(r"\bottomrule")[0]
    assert not [
        line for line in TEXTS["latex"].split(r"\begin{table}")[0].split("\n") if line and line[0] != "%"
    ]
    rows = [line for line in body.split("\n") if line.endswith(r" \\")]
    bare = [re.sub(r"\\(textbackslash|textasciitilde|textasciicircum|text\w+)\{\}", "", row) for row in rows]
    bare = [re.sub(r"\\textbf\{([$\d.-]+)\}", r"\1", row) for row in bare]
    bare = [re.sub(r"\\[&%$#_{}]", "", row).replace("$-$", "").removesuffix(r" \\") for row in bare]
    assert len(rows) == N + 1  # with the head
    for row in bare[1:]:
        assert row.count("&") == 5
        assert row.count("{") == row.count("}") == row.count("{[}") + row.count("{]}") + row.count("{*}")
        assert not re.search(r"[\\%$#_^~]", row)


def test_text_has_a_line_per_row_and_reason_and_json_is_restored() -> None:
    assert (
        len(TEXTS["text"].splitlines()) == 6 + N + 2 * 6
    )  # six without a value: why, there and in the total
    again = read_board(TEXTS["json"].encode(), "board.json")
    assert again.board == nasty_board()
    assert render_board(again.board, "json", **again.names) == TEXTS["json"]
