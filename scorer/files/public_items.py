"""Parts of a split: items declared public, whose scores teams see, and the rest, which decides the board."""

from collections.abc import Container, Sequence
from dataclasses import dataclass
from typing import Literal

from scorer.errors import ItemsError
from scorer.files.text import BLANKS, Problems, count_content_lines, decode_lines, shorten

PartName = Literal["public", "rest"]


@dataclass(frozen=True, slots=True)
class ItemsPart:
    """One of the two parts of a split.

    Parameters
    ----------
    name : "public" or "rest"
        What signatures call it.
    places : frozenset of int
        Which items it has, counted from 0 in item order.
    """

    name: PartName
    places: frozenset[int]


def parse_public_items(
    data: bytes, source: str, ids: Sequence[str], groups: Sequence[str | None] | None = None
) -> tuple[ItemsPart, ItemsPart]:
    """Read the ids of the items that are declared public, one a line, in any order.

    Parameters
    ----------
    data : bytes
        The file.
    source : str
        What messages call it.
    ids : (n,) sequence of str
        The id of each item of the split, all different.
    groups : (n,) sequence of str or None, optional
        Of which none may be public in part, as for a level where items are compared within groups.

    Returns
    -------
    public, rest : ItemsPart
        Together they are all n items; neither has fewer than two.

    Raises
    ------
    ItemsError
        With every problem: lines that are no id of the split, ids that stand there twice, groups that are cut
        in two, a part of fewer than two items, from which nothing can be correlated.

    Examples
    --------
    >>> public, rest = parse_public_items(b"b\\nc\\n", "public.txt", ["a", "b", "c", "d"])
    >>> sorted(public.places), sorted(rest.places)
    ([1, 2], [0, 3])
    """
    problems = Problems(source)
    lines = decode_lines(data, problems)
    place_of = {id_: place for place, id_ in enumerate(ids)}
    lines_by_place: dict[int, int] = {}
    for number, line in enumerate(lines[: count_content_lines(lines)], start=1):
        if line is not None:
            _read_id(line, number, place_of, lines_by_place, problems)
    rest = frozenset(range(len(ids))) - lines_by_place.keys()
    if not problems.count and min(len(lines_by_place), len(rest)) < 2:
        message = f"names {len(lines_by_place)} of {len(ids)} items; either part needs two at least"
        problems.add(None, "part_too_small", message)
    for group in _divided_groups(groups or (), lines_by_place):
        problems.add(
            None, "cut_group", f"the group {shorten(group)} is public in part; name all of it or nothing"
        )
    problems.raise_as(ItemsError)
    return ItemsPart("public", frozenset(lines_by_place)), ItemsPart("rest", rest)


def _divided_groups(groups: Sequence[str | None], public: Container[int]) -> list[str]:
    """The groups with items of both parts, in order."""
    sides = dict.fromkeys((group, place in public) for place, group in enumerate(groups) if group is not None)
    return [group for group, is_public in sides if not is_public and (group, True) in sides]


def _read_id(
    line: str, number: int, place_of: dict[str, int], seen: dict[int, int], problems: Problems
) -> None:
    place = place_of.get(line.strip(BLANKS))
    if place is None:
        problems.add(
            number, "unknown_id", f"{shorten(line)} is no item of this split; give one id a line", line
        )
    elif place in seen:
        problems.add(
            number, "duplicate_id", f"{shorten(line)} stands in line {seen[place]} already; remove one", line
        )
    else:
        seen[place] = number
