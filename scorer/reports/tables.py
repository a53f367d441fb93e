"""Writes paragraphs of lines and tables as text, Markdown or LaTeX."""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from scorer.reports.escaping import latex_cell, markdown_cell, single_line

NEEDS_BOOKTABS = r"needs \usepackage{booktabs}"
"""The comment above the first LaTeX table."""
_MIDRULE = r"\midrule"
_MINUS = re.compile(r"(?:^|(?<=\{\[\})|(?<=, ))-(?=\d)")


@dataclass(frozen=True, slots=True)
class TableSection:
    """A section of a table, with a heading and rules between rows.

    Parameters
    ----------
    rows : sequence of sequence of str
        Each row is as long as the head of the table.
    name : str
        The heading of the section; empty for none.
    rules : collection of int
        The indexes of rows that have a rule above them.
    """

    rows: Sequence[Sequence[str]]
    name: str = ""
    rules: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class WordTable:
    """A table of text cells; the report has already rounded its numbers.

    Parameters
    ----------
    head : sequence of str
    sections : sequence of TableSection
        Most tables have one.
    words : collection of str
        The left-aligned columns; the others are right-aligned.
    wide : collection of str
        The columns of sentences, in which LaTeX breaks lines.
    repeat_head : bool
        Whether to repeat the head in each section in text.
    typeset_minus : bool
        Whether LaTeX typesets a hyphen before a digit as a minus sign.
    """

    head: Sequence[str]
    sections: Sequence[TableSection]
    words: Collection[str] = ()
    wide: Collection[str] = ()
    repeat_head: bool = False
    typeset_minus: bool = True


Paragraph = Sequence[str | WordTable]
"""Consecutive lines and tables. Blank lines separate paragraphs, and empty paragraphs are left out."""


def plain_table(head: Sequence[str], rows: Sequence[Sequence[str]], words: Collection[str] = ()) -> WordTable:
    """Return a table with one section without a heading."""
    return WordTable(head, (TableSection(rows),), words)


def write_text(paragraphs: Iterable[Paragraph]) -> str:
    """Write paragraphs as text: tables with padded columns, lines unchanged.

    >>> print(write_text([["Runs", plain_table(["run", "n"], [["first", "10"]], ["run"])], ["A note."]]))
    Runs
    run     n
    first  10
    <BLANKLINE>
    A note.
    <BLANKLINE>
    """
    return _write(paragraphs, _text_lines, str)


def write_markdown(paragraphs: Iterable[Paragraph]) -> str:
    """Write paragraphs as Markdown without rules and sections; lines must already be escaped.

    >>> print(write_markdown([[plain_table(["run", "n"], [["a|b", "10"]], ["run"])]]), end="")
    | run | n |
    | --- | ---: |
    | a\\|b | 10 |
    """
    return _write(paragraphs, _markdown_lines, str)


def write_latex(paragraphs: Iterable[Paragraph]) -> str:
    """Write paragraphs as LaTeX: tables with booktabs, lines as comments.

    >>> print(write_latex([[plain_table(["run", "d"], [["a_b", "-0.5"]], ["run"]), "A note."]]), end="")
    \\begin{tabular}{lr}
    \\toprule
    run & d \\\\
    \\midrule
    a\\_b & $-$0.5 \\\\
    \\bottomrule
    \\end{tabular}
    % A note.
    """
    return _write(paragraphs, _latex_lines, lambda line: f"% {single_line(line)}")


def _write(
    paragraphs: Iterable[Paragraph], table_lines: Callable[[WordTable], list[str]], line: Callable[[str], str]
) -> str:
    blocks = []
    for paragraph in paragraphs:
        lines: list[str] = []
        for part in paragraph:
            lines += table_lines(part) if isinstance(part, WordTable) else [line(part)]
        blocks += ["\n".join(lines)] if lines else []
    return "\n\n".join(blocks) + "\n"


def pad_rows(rows: Sequence[Sequence[str]], to_the_left: Sequence[bool]) -> list[str]:
    """Pad rows to lines with left-aligned or right-aligned columns.

    >>> pad_rows([["run", "n"], ["first", "10"]], [True, False])
    ['run     n', 'first  10']
    """
    flat_rows = [[single_line(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*flat_rows, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if left else cell.rjust(width)
            for cell, width, left in zip(row, widths, to_the_left, strict=True)
        ).rstrip()
        for row in flat_rows
    ]


def _text_lines(table: WordTable) -> list[str]:
    rows = [row for section in table.sections for row in section.rows]
    head, *padded_rows = pad_rows([table.head, *rows], [name in table.words for name in table.head])
    rule = "-" * max(map(len, (head, *padded_rows)))
    remaining_rows = iter(padded_rows)
    lines: list[str] = []
    for place, section in enumerate(table.sections):
        lines += [""] if place else []
        lines += [section.name] if section.name else []
        lines += [head] if table.repeat_head or not place else []
        for row in range(len(section.rows)):
            lines += [rule] if row in section.rules else []
            lines.append(next(remaining_rows))
    return lines


def _markdown_lines(table: WordTable) -> list[str]:
    rows = [table.head, *(row for section in table.sections for row in section.rows)]
    lines = [f"| {' | '.join(map(markdown_cell, row))} |" for row in rows]
    rule = ["---" if name in table.words else "---:" for name in table.head]
    return [lines[0], f"| {' | '.join(rule)} |", *lines[1:]]


def _latex_lines(table: WordTable) -> list[str]:
    cell = latex_number if table.typeset_minus else latex_cell

    def line(row: Sequence[str]) -> str:
        return " & ".join(map(cell, row)) + r" \\"

    columns = "".join(
        "p{4cm}" if name in table.wide else "l" if name in table.words else "r" for name in table.head
    )
    lines = [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", line(table.head)]
    for section in table.sections:
        lines += [_MIDRULE] if lines[-1] != _MIDRULE else []
        if section.name:
            lines.append(rf"\multicolumn{{{len(table.head)}}}{{l}}{{\emph{{{cell(section.name)}}}}} \\")
        for place, row in enumerate(section.rows):
            lines += [_MIDRULE] if place in section.rules else []
            lines.append(line(row))
    return [*lines, r"\bottomrule", r"\end{tabular}"]


def latex_number(text: str) -> str:
    """Escape a cell for LaTeX, and typeset the minus of numbers, also in intervals.

    >>> latex_number("[-0.5, -0.1]"), latex_number("run-1")
    ('{[}$-$0.5, $-$0.1{]}', 'run-1')
    """
    return _MINUS.sub("$-$", latex_cell(text))


def cluster_starts(clusters: Sequence[int | None]) -> list[int]:
    """Return the indexes of rows where a new cluster begins; None means that a row is not in a cluster.

    >>> cluster_starts([1, 1, 2, None, 3])
    [2]
    """
    pairs = enumerate(pairwise(clusters), start=1)
    return [place for place, (above, below) in pairs if None not in (above, below) and above != below]
