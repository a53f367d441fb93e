"""Tables and figures of a paper, before they are written in a format."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from scorer.reports.records import write_csv
from scorer.reports.table_report import ReportTable, round_table
from scorer.reports.tables import Paragraph, TableSection, WordTable, write_markdown

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Rows = Sequence[Mapping[str, Any]]
"""The rows of a figure's data, by the names of the columns."""


@dataclass(frozen=True, slots=True)
class PaperElement:
    """A table or a figure of a paper.

    Parameters
    ----------
    table : ReportTable
        Its name, which labels it in LaTeX and names its files; its caption; and its values, which are rounded
        only for people.
    command : str
        What prints the same values.
    """

    kind: ClassVar[str]
    table: ReportTable
    command: str

    @property
    def name(self) -> str:
        """The name of its label and of its files."""
        return self.table.name

    @property
    def caption(self) -> str:
        """What it shows, and how its values were computed."""
        return self.table.title


@dataclass(frozen=True, slots=True)
class PaperTable(PaperElement):
    """A table of a paper.

    Parameters
    ----------
    sections : mapping of int to str
        Headings by the index of the row that they stand above.
    rules : collection of int
        The rows with a rule above them, between clusters of systems.
    best : collection of (int, int)
        The row and column of each value that is printed in bold.
    wide : collection of str
        Columns of sentences, in which lines are broken.
    """

    kind = "table"
    sections: Mapping[int, str] = field(default_factory=dict)
    rules: Collection[int] = ()
    best: Collection[tuple[int, int]] = ()
    wide: Collection[str] = ()

    def choose_columns(self, names: Collection[str]) -> "PaperTable":
        """Return the table with only some of its columns, in their order."""
        places = [place for place, name in enumerate(self.table.head) if name in names]
        head = [self.table.head[place] for place in places]
        rows = [[row[place] for place in places] for row in self.table.rows]
        best = {(row, places.index(place)) for row, place in self.best if place in places}
        return replace(self, table=replace(self.table, head=head, rows=rows), best=best)

    def csv(self) -> str:
        """Write all digits, with the section of each row in the first column if there are sections.

        An interval has two columns, low and high, whose numbers are rounded as in the table.
        """
        head, rows = _split_intervals(self.table.head, self.table.rows)
        if not self.sections:
            return write_csv(head, rows)
        section, sectioned = "", list[Sequence[Any]]()
        for place, row in enumerate(rows):
            section = self.sections.get(place, section)
            sectioned.append([section, *row])
        return write_csv(["section", *head], sectioned)

    def markdown(self) -> str:
        """Write rounded values, with the caption below."""
        whole = round_table(self.table)
        rows = whole.sections[0].rows
        starts = sorted({0, *self.sections})
        paragraphs = list[Paragraph]()
        for start, end in zip(starts, [*starts[1:], len(rows)], strict=True):
            heading = self.sections.get(start)
            part = WordTable(whole.head, (TableSection(rows[start:end]),), whole.words)
            paragraphs += [[f"**{heading}**"] if heading else [], [part]]
        return write_markdown([*paragraphs, [self.caption]])


def _split_intervals(head: Sequence[str], rows: Sequence[Sequence[Any]]) -> tuple[list[str], list[list[Any]]]:
    """Split the column "interval" into the columns "low" and "high"."""
    if "interval" not in head:
        return list(head), [list(row) for row in rows]
    place, split = head.index("interval"), list[list[Any]]()
    for row in rows:
        ends = str(row[place] or "").strip("[]").split(", ")
        low, high = ends if len(ends) > 1 else ("", "")
        split.append([*row[:place], low, high, *row[place + 1 :]])
    return [*head[:place], "low", "high", *head[place + 1 :]], split


@dataclass(frozen=True, slots=True)
class PaperFigure(PaperElement):
    """A figure of a paper, which is drawn from its table alone.

    Parameters
    ----------
    draw : callable
        Draws the rows of the data into a figure of matplotlib, whose width is that of a column.
    is_wide : bool
        Whether it needs the width of the page.
    """

    kind = "figure"
    draw: Callable[["Figure", Rows], None]
    is_wide: bool = False
