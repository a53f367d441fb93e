"""Reads the pairs or texts of a drafted campaign from its table."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from scorer.bundles.drafts.items_preview import IGNORED
from scorer.campaigns.config import Unit
from scorer.campaigns.drafts.draft import LINE, CampaignDraft, find_faults
from scorer.campaigns.units_reader import GENRE, GROUP, KEY, TEXTS, UnitsReader, read_table
from scorer.errors import BundleError
from scorer.files.tables import strip_rows
from scorer.files.text import BLANKS, Problems, shorten

COLUMNS = (KEY, GROUP, GENRE, *TEXTS, "context")
"""The columns of the table of units that a draft writes."""
MIN_TEXTS = 3
"""The size of the smallest tuples."""


def read_draft_units(draft: CampaignDraft, data: bytes) -> tuple[Unit, ...]:
    """Read the pairs or texts of a draft.

    Parameters
    ----------
    draft : CampaignDraft
    data : bytes
        The file that was drafted.

    Returns
    -------
    tuple of Unit
        In the order of the table. Without ids, they are numbered from 1. Line breaks in texts become spaces.

    Raises
    ------
    BundleError
        Lists every problem: answers that do not fit, bad lines, texts of a list or ids that occur twice.
    """
    problems = Problems(draft.table)
    for name, words in find_faults(draft):
        problems.add(None, "unknown_value", f"{name}: {words}")
    rows = read_table(data, problems, LINE, draft.delimiter)
    problems.raise_as(BundleError)
    body = rows[draft.header :]
    if not body:
        problems.add(None, "no_units", "the file has a header and no texts; add a line for each of them")
    widths = Counter(len(fields) for _, fields in rows[: 1 if draft.header else None])
    width = widths.most_common(1)[0][0]
    places = _find_places(draft, width, problems)
    problems.raise_as(BundleError)
    columns = [name for name in COLUMNS if name in (KEY, *TEXTS, *places)]
    reader = UnitsReader({name: at for at, name in enumerate(columns)}, TEXTS, len(columns), problems)
    units: dict[str, tuple[int, Unit]] = {}
    for position, (number, values) in enumerate(strip_rows(body, width, problems), start=1):
        fields = _read_fields(draft, places, values, position)
        unit = reader.read((number, [fields[name] for name in columns]))
        if unit is None:
            continue
        first, _unit = units.setdefault(fields["right"] if draft.kind == "bws" else unit.key, (number, unit))
        if first != number:
            message = f"{shorten(unit.texts['right'])} is on line {first} already; keep one of them"
            problems.add_line(number, "duplicate_text", message)
    if draft.kind == "bws" and len(units) < MIN_TEXTS and not problems.count:
        message = f"has {len(units)} texts, too few to compare; add some, for at least {MIN_TEXTS}"
        problems.add(None, "too_few_items", message)
    problems.raise_as(BundleError)
    return tuple(unit for _, unit in units.values())


def _find_places(draft: CampaignDraft, width: int, problems: Problems) -> dict[str, int]:
    """Return the place of each column that is read; a list has no groups."""
    unused = {IGNORED, GROUP} if draft.kind == "bws" else {IGNORED}
    places = {role: place for place, role in enumerate(draft.roles[:width]) if role not in unused}
    if {"right", "pair"}.isdisjoint(places):
        message = f"most lines have {width} columns, and the texts are in another one; add the columns"
        problems.add(None, "missing_column", message)
    return {KEY if role == "id" else role: place for role, place in places.items()}


def _read_fields(
    draft: CampaignDraft, places: Mapping[str, int], values: Sequence[str], position: int
) -> dict[str, str]:
    fields = {name: values[place] for name, place in places.items()}
    if "pair" in fields:
        fields["left"], _, fields["right"] = fields["pair"].strip(BLANKS + "\n").partition("\n")
    fields = {KEY: str(position), "left": draft.compared, **fields}
    return {name: re.sub(r"\s*[\t\n]\s*", " ", text).strip(BLANKS) for name, text in fields.items()}
