"""Rows of words as a table: for people, for programs, for a paper."""

import re
from collections.abc import Sequence

from scorer.reports.escaping import latex_cell, single_line

_MINUS = re.compile(r"(?:^|(?<=\{\[\})|(?<=, ))-(?=\d)")


def text_table(head: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[str]) -> list[str]:
    """Lines of padded columns; the columns named in `words` to the left, all others to the right.

    >>> text_table(["run", "n"], [["first", "10"]], ["run"])
    ['run     n', 'first  10']
    """
    every = [[single_line(cell) for cell in row] for row in (head, *rows)]
    widths = [max(map(len, column)) for column in zip(*every, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if name in words else cell.rjust(width)
            for name, cell, width in zip(head, row, widths, strict=True)
        ).rstrip()
        for row in every
    ]


def tsv_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Lines of tab-separated cells, which keep names as they are but for tabs and line ends.

    >>> tsv_table(["run", "d"], [["@first\\trun", "-0.5"]])
    ['run\\td', '@first run\\t-0.5']
    """
    return ["\t".join(single_line(cell) for cell in row) for row in (head, *rows)]


def latex_table(head: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[str]) -> list[str]:
    """Lines of a booktabs table; the columns named in `words` to the left, all others to the right.

    >>> latex_table(["run", "d"], [["a_b", "-0.5"]], ["run"])[-3:]
    ['a\\\\_b & $-$0.5 \\\\\\\\', '\\\\bottomrule', '\\\\end{tabular}']
    """
    columns = "".join("l" if name in words else "r" for name in head)
    body = [" & ".join(map(latex_number, row)) + r" \\" for row in rows]
    return [
        r"% needs \usepackage{booktabs}",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        " & ".join(map(latex_number, head)) + r" \\",
        r"\midrule",
        *body,
        r"\bottomrule",
        r"\end{tabular}",
    ]


def latex_number(text: str) -> str:
    """A cell for LaTeX; a number's minus is set as one, also behind the bracket of an interval.

    >>> latex_number("[-0.5, -0.1]"), latex_number("run-1")
    ('{[}$-$0.5, $-$0.1{]}', 'run-1')
    """
    return _MINUS.sub("$-$", latex_cell(text))
