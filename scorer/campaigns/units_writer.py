"""Writes units as a table that `scorer.campaigns.units_reader` reads."""

from collections.abc import Sequence

from scorer.campaigns.config import Unit
from scorer.campaigns.units_reader import GENRE, GROUP, KEY


def write_units(units: Sequence[Unit]) -> str:
    """Write a table of units, without columns that are empty.

    Examples
    --------
    >>> write_units([Unit("b1", None, "news", {"left": "A boat.", "note": ""})])
    'key\\tgenre\\tleft\\nb1\\tnews\\tA boat.\\n'
    """
    fields = [{KEY: unit.key, GROUP: unit.group, GENRE: unit.genre, **unit.texts} for unit in units]
    named = dict.fromkeys(name for values in fields for name in values)
    columns = [name for name in named if any(values.get(name) for values in fields)]
    rows = [columns, *([values.get(name) or "" for name in columns] for values in fields)]
    return "".join("\t".join(row) + "\n" for row in rows)
