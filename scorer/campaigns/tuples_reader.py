"""Reads the tuples of a round of best-worst scaling, as `scorer bws tuples` writes them."""

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.campaigns.config import Candidate, Unit
from scorer.campaigns.units_reader import GROUP
from scorer.files.tables import choose_delimiter, find_columns, note_header_mismatch, read_rows
from scorer.files.text import BLANKS, Problems, decode_lines, shorten

MIN_SIZE, MAX_SIZE = 3, 4
"""The possible numbers of items of a tuple."""


@dataclass(frozen=True, slots=True)
class TupleRow:
    """A line of the table of tuples: its number, its group if the table has groups, and the items' keys."""

    line: int
    group: str | None
    keys: tuple[str, ...]


def read_tuples(data: bytes, problems: Problems) -> tuple[TupleRow, ...]:
    """Read a table with the columns Item1, Item2, Item3, perhaps Item4, and perhaps group.

    Parameters
    ----------
    data : bytes
        The file, in UTF-8, with columns separated by tabs or commas.
    problems : Problems
        Receives the problems of the file.

    Returns
    -------
    tuple of TupleRow
        The rows without a problem, in the order of the file.
    """
    lines = decode_lines(data, problems)
    rows = list(
        read_rows(lines, choose_delimiter(lines, None), problems, "every line is one tuple", quotes=False)
    )
    if not rows:
        return ()
    header, *body = rows
    names = [name.strip(BLANKS) for name in header[1]]
    n_items = MAX_SIZE if f"Item{MAX_SIZE}" in names else MIN_SIZE
    if f"Item{MAX_SIZE + 1}" in names:
        problems.add_line(header[0], "too_many", f"a tuple can have at most {MAX_SIZE} items")
        return ()
    if not body:
        problems.add(None, "no_units", "the file has a header and no tuples")
    wanted = [f"Item{number}" for number in range(1, n_items + 1)]
    before = problems.count
    places = find_columns((header[0], names), [*wanted, *([GROUP] if GROUP in names else [])], problems)
    if problems.count > before or note_header_mismatch(header, body, problems):
        return ()
    found = []
    for number, values in body:
        if len(values) != len(names):
            message = f"{len(values)} columns instead of {len(names)}; write {', '.join(names)}"
            problems.add_line(number, "wrong_columns", message)
            continue
        fields = {name: values[place].strip(BLANKS) for name, place in places.items()}
        found.append(TupleRow(number, fields.get(GROUP), tuple(fields[name] for name in wanted)))
    return tuple(found)


def make_tuples(
    rows: Sequence[TupleRow], items: Sequence[Unit], show: Sequence[str], problems: Problems
) -> tuple[Unit, ...]:
    """Make units of tuples, and note tuples that cannot be asked about.

    Parameters
    ----------
    rows : sequence of TupleRow
    items : sequence of Unit
        The items of the round; the texts of candidates are in their column right.
    show : sequence of str
        The columns that annotators see beside the candidates: the items of a tuple have the same texts there.
    problems : Problems

    Returns
    -------
    tuple of Unit
        Named t1, t2 and so on in the order of the table. A tuple has the group, the genre and the shown texts
        of its items.
    """
    known = {item.key: item for item in items}
    width = len(str(len(rows)))
    seen: dict[frozenset[str], int] = {}
    units = []
    for number, row in enumerate(rows, start=1):
        members = [known[key] for key in row.keys if key in known]
        fault = _find_fault(row, members, show, seen)
        if fault is not None:
            problems.add_line(row.line, *fault)
            continue
        candidates = tuple(Candidate(item.key, item.texts["right"]) for item in members)
        texts = {name: members[0].texts[name] for name in show}
        units.append(Unit(f"t{number:0{width}}", members[0].group, members[0].genre, texts, candidates))
    return tuple(units)


def _find_fault(
    row: TupleRow, members: Sequence[Unit], show: Sequence[str], seen: dict[frozenset[str], int]
) -> tuple[str, str] | None:
    """Return the code and the message of the first problem of a tuple; None: it has none."""
    if len(members) < len(row.keys):
        unknown = next(key for key in row.keys if key not in {item.key for item in members})
        return "unknown_item", f"{shorten(unknown)} is not a key of the table of units; use its keys"
    if len(set(row.keys)) < len(row.keys):
        return "duplicate_item", "the tuple has an item twice; its items must be different"
    earlier = seen.setdefault(frozenset(row.keys), row.line)
    if earlier != row.line:
        return "duplicate_tuple", f"the tuple of these items is on line {earlier} already; keep one of them"
    if len({item.group for item in members}) > 1 or (row.group and row.group != members[0].group):
        return (
            "wrong_group",
            "the items are of different groups in the table of units; use items of one group",
        )
    for name in show:
        if len({item.texts[name] for item in members}) > 1:
            message = f"the items differ in the column {name}, which annotators see once; make it the same"
            return "different_texts", message
    return None
