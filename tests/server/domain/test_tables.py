import csv
from io import StringIO

from server.domain.tables import write_table

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


def test_csv_and_tsv_hold_no_formula_and_keep_their_cells() -> None:
    rows = list(csv.reader(StringIO(write_table("csv", ["n"] * 9, [NASTY]), newline="")))
    lines = [line.split("\t") for line in write_table("tsv", ["n"] * 9, [NASTY]).splitlines()]
    assert len(rows) == len(lines) == 2
    for cells in (rows[1], lines[1]):
        assert len(cells) == len(NASTY)
        assert not [cell for cell in cells if cell.lstrip()[:1] in tuple("=+-@\uff1d")]
        assert cells[6] == "two; lines and tab"
    assert (rows[1][5], lines[1][5]) == ('"quoted', "'\"quoted")


def test_markdown_has_one_line_a_row_and_no_mark_up() -> None:
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
