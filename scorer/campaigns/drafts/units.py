"""Reads the units of a drafted campaign from its table, and makes the tuples of best-worst scaling."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from scorer.bundles.drafts.items_preview import IGNORED
from scorer.campaigns.config import Unit
from scorer.campaigns.drafts.draft import LINE, CampaignDraft
from scorer.campaigns.units_reader import GENRE, GROUP, KEY, TEXTS, UnitsReader
from scorer.errors import BundleError
from scorer.files.tables import read_rows, strip_rows
from scorer.files.text import BLANKS, Problems, decode_lines, shorten

CONTEXT = "context"
COLUMNS = (KEY, GROUP, GENRE, *TEXTS, CONTEXT)
"""The columns of the table of units that a draft writes."""
_LARGE = 6
"""From so many texts, tuples have four of them, and every text is in several tuples."""


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
        For best-worst scaling, pairs with the same left text are a group.

    Raises
    ------
    BundleError
        Lists every problem: missing columns, bad lines, texts or ids that occur twice.
    """
    problems = Problems(draft.table)
    lines = decode_lines(data, problems)
    rows = list(read_rows(lines, draft.layout.delimiter, problems, LINE, quotes=False))
    problems.raise_as(BundleError)
    widths = Counter(len(fields) for _, fields in rows[: 1 if draft.layout.header else None])
    width = widths.most_common(1)[0][0]
    places = _find_places(draft, width, problems)
    body = rows[draft.layout.header :]
    if not body:
        problems.add(None, "no_units", "the file has a header and no texts; add a line for each of them")
    problems.raise_as(BundleError)
    columns = [name for name in COLUMNS if name in (KEY, *TEXTS, *places)]
    reader = UnitsReader({name: at for at, name in enumerate(columns)}, TEXTS, len(columns), problems)
    units: dict[tuple[str | None, ...], tuple[int, Unit]] = {}
    for position, (number, values) in enumerate(strip_rows(body, width, problems), start=1):
        fields = _read_fields(draft, places, values, position)
        unit = reader.read((number, [fields[name] for name in columns]))
        if unit is None:
            continue
        texts = (unit.group, *unit.texts.values()) if draft.kind == "bws" else (unit.key,)
        if (first := units.setdefault(texts, (number, unit))[0]) != number:
            message = f"{shorten(unit.texts['right'])} is on line {first} already; keep one of them"
            problems.add_line(number, "duplicate_text", message)
    problems.raise_as(BundleError)
    read = tuple(unit for _, unit in units.values())
    return _group_by_left(read) if draft.kind == "bws" else read


def _find_places(draft: CampaignDraft, width: int, problems: Problems) -> dict[str, int]:
    """Return the place of each column that is read, and note one that is missing."""
    places = {role: place for place, role in enumerate(draft.layout.roles[:width]) if role != IGNORED}
    if {"right", "pair"}.isdisjoint(places):
        message = "no column is right; choose the column of the texts, or of the second text of each pair"
        problems.add(None, "missing_column", message)
    elif draft.is_list and draft.kind == "rate":
        message = "has one column of texts, and pairs need two; put a tab between both texts of a pair"
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


def _group_by_left(units: tuple[Unit, ...]) -> tuple[Unit, ...]:
    """Make groups whose texts are compared with the same left text, unless the groups are such already."""
    names: dict[tuple[str | None, str], str] = {}
    for unit in units:
        names.setdefault((unit.group, unit.texts["left"]), f"g{len(names) + 1}")
    groups = {unit.group for unit in units}
    if len(names) == len(groups) and (None not in groups or len(groups) == 1):
        return units
    return tuple(replace(unit, group=names[unit.group, unit.texts["left"]]) for unit in units)


def make_draft_tuples(draft: CampaignDraft, units: Sequence[Unit]) -> tuple[str, Counter[str | None]]:
    """Make the tuples of a best-worst round.

    Returns
    -------
    str
        The table of tuples, as `scorer bws tuples` writes it.
    Counter of str or None
        The number of tuples of each group.

    Raises
    ------
    ItemsError
        If a group has fewer than three texts.
    """
    # numpy, which draws the tuples, is not needed for ratings.
    from scorer.bws.tuples import ItemList, TupleRules, make_tuples, render_tuples  # noqa: PLC0415

    groups: dict[str | None, list[str]] = {}
    for unit in units:
        groups.setdefault(unit.group, []).append(unit.key)
    size = 4 if min(map(len, groups.values())) >= _LARGE else 3
    named = tuple((name, tuple(keys)) for name, keys in groups.items())
    items = ItemList(draft.table, named, None if None in groups else GROUP)
    tuples = make_tuples(items, TupleRules(size))
    sizes = Counter({name: len(members) for name, members, _ in tuples.groups})
    return render_tuples(tuples, "\t"), sizes
