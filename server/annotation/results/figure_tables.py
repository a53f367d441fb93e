"""The figures of a round, which are in `figures.toml`, with the chart that is drawn from each."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

_FILE = tomllib.loads(Path(__file__).with_name("figures.toml").read_text(encoding="utf-8"))
TITLES: Mapping[str, str] = {column["name"]: column["title"] for column in _FILE["column"]}
"""The heads of columns."""
PLAIN_COLUMNS = frozenset(column["name"] for column in _FILE["column"] if column.get("plain"))
"""Columns of round numbers, which are written without trailing zeros."""


@dataclass(frozen=True, slots=True)
class FigureTable:
    """A figure: columns of a table of `scorer figures`, and their roles in the chart; see `figures.toml`."""

    slug: str
    title: str
    caption: str
    chart: str
    roles: Mapping[str, str]
    columns: Sequence[str] = ()
    other_role: str = ""
    unit: str = ""
    zero: bool = False
    codes: str = ""
    under: Mapping[str, float] = field(default_factory=dict)

    def shows(self, row: Mapping[str, Any]) -> bool:
        """Whether the figure has a row of the table."""
        is_small = all(row[name] < number for name, number in self.under.items())
        return is_small and row["code"].startswith(self.codes)

    def role(self, column: str) -> str:
        """Return the role of a column in the chart; empty: it has none."""
        return self.roles.get(column, self.other_role)

    def heading(self, column: str) -> str:
        """Return the head of a column; one about a pass or a choice has its name."""
        return TITLES.get(column) or re.sub("^(ratings|units|pairs) ", "", column)


FIGURES = tuple(FigureTable(**entry) for entry in _FILE["figure"])
"""In the order of the page."""
