import csv
from io import StringIO

from server.core.table_formats import write_table

NASTY = (
    "=1+1",
    " -2",
    "@x",
    "a|b",
    "50% & #1_x {y} \\z ~ ^ <t> $5",
    '"quoted',
    "two\nlines\tand tab",
    "[x]*",
    "\uff1dx",
)


def test_csv_contains_no_formula_and_keeps_its_cells() -> None:
    _, cells = csv.reader(StringIO(write_table("csv", ["n"] * 9, [NASTY]), newline=""))
    assert len(cells) == len(NASTY)
    assert not [cell for cell in cells if cell.lstrip()[:1] in tuple("=+-@\uff1d")]
    assert cells[5:7] == ['"quoted', "two; lines and tab"]


def test_tsv_contains_no_formula_and_keeps_text_except_tabs_and_line_ends() -> None:
    _, line = write_table("tsv", ["n"] * 9, [NASTY]).splitlines()
    assert line.split("\t") == [
        "'=1+1", "-2", "'@x", "a|b", NASTY[4], '"quoted', "two; lines and tab", "[x]*", "'\uff1dx",
    ]  # fmt: skip


def test_markdown_table_has_one_line_per_row_and_escapes_markup() -> None:
    text = write_table("markdown", ["a", "b"], [("x|y *z*", "<b>\n[l](h)")])
    assert text == "| a | b |\n| --- | --- |\n| x\\|y \\*z\\* | \\<b\\>; \\[l\\](h) |\n"


def test_latex_is_booktabs_with_every_special_character_escaped() -> None:
    text = write_table("latex", ["Team", "Words"], [("[a]", NASTY[4]), ("b", "x*y")], ["Words"])
    assert text.splitlines() == [
        r"% needs \usepackage{booktabs}",
        r"\begin{tabular}{lp{4cm}}",
        r"\toprule",
        r"Team & Words \\",
        r"\midrule",
        r"{[}a{]} & 50\% \& \#1\_x \{y\} \textbackslash{}z \textasciitilde{} \textasciicircum{} "
        r"\textless{}t\textgreater{} \$5 \\",
        r"b & x{*}y \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]
