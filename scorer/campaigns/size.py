"""How large a campaign can be, so that a site plans and stores it within seconds."""

from collections.abc import Sequence

from scorer.campaigns.config import Unit

MAX_UNITS = 50_000
"""What annotators answer; the sentences of reports, among which they choose, are counted by their cells."""
MAX_CELLS = 750_000
MAX_ANSWERS_IN_ALL = 200_000
MAX_TEXT = 32 * 2**20
"""Bytes of the tables, with the names of columns for each line, as they are stored, and texts of tuples."""


class CampaignSize:
    """Counts what the rounds of a campaign have together. A table is counted before its rows are made."""

    def __init__(self) -> None:
        self._units = self._cells = self._text = self._answers = 0
        self.is_exceeded = False

    def add_table(self, data: bytes, *, of_units: bool = True) -> str | None:
        """Count a table, of units or of reports; return what the campaign has too much of, or None."""
        header = data[: data.find(b"\n") + 1] or data.partition(b"\r")[0]
        line_ends = max(data.count(b"\n"), data.count(b"\r"))
        rows = line_ends - data.endswith((b"\n", b"\r"))
        self._units += rows * of_units
        self._cells += rows * ((header.count(b"\t") or header.count(b",")) + 1)
        self._text += len(data) + rows * len(header)
        return self._find_excess()

    def add_plan(self, units: Sequence[Unit], answers: int) -> str | None:
        """Count what a round has beside its tables; return what the campaign has too much of, or None.

        A plan has the key of a unit for each answer, and a tuple has copies of the texts of its items.
        """
        self._answers += len(units) * answers
        for unit in units:
            self._text += len(unit.key) * answers
            if unit.candidates:
                texts = (*unit.texts.values(), *(candidate.text for candidate in unit.candidates))
                self._text += sum(map(len, texts))
        return self._find_excess()

    def _find_excess(self) -> str | None:
        """Return what is too much, once."""
        if self.is_exceeded:
            return None
        leave_out = "Leave out columns and texts that nobody needs, or make several campaigns"
        for count, maximum, noun, advice in (
            (self._units, MAX_UNITS, "units", "Make several campaigns"),
            (self._cells, MAX_CELLS, "cells (rows times columns)", leave_out),
            (self._text, MAX_TEXT, "bytes of text", leave_out),
            (self._answers, MAX_ANSWERS_IN_ALL, "answers", "Use fewer answers, or make several campaigns"),
        ):
            if count > maximum:
                self.is_exceeded = True
                return f"the campaign has {count} {noun} up to here; the maximum is {maximum}. {advice}"
        return None
