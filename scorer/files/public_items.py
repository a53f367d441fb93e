"""Divides a split into public items, whose scores teams see, and the rest, which decides the ranking."""

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
        Its name in signatures.
    places : frozenset of int
        The positions of its items in item order, from 0.
    """

    name: PartName
    places: frozenset[int]


def parse_public_items(
    data: bytes, source: str, ids: Sequence[str], groups: Sequence[str | None] | None = None
) -> tuple[ItemsPart, ItemsPart]:
    """Read the ids of the public items, one per line in any order.

    Parameters
    ----------
    data : bytes
        The file.
    source : str
        The name of the file in messages.
    ids : (n,) sequence of str
        The unique id of each item of the split.
    groups : (n,) sequence of str or None, optional
        The group of each item, if items are compared within groups. A group must not be divided.

    Returns
    -------
    public, rest : ItemsPart
        Together they have all n items; both have at least two.

    Raises
    ------
    ItemsError
        Lists every problem: lines that are not an id of the split, duplicate ids, divided groups, and a part
        with fewer than two items, for which there is no correlation.

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
        message = f"names {len(lines_by_place)} of {len(ids)} items; both parts need at least two"
        problems.add(None, "part_too_small", message)
    for group in _divided_groups(groups or (), lines_by_place):
        problems.add(
            None,
            "cut_group",
            f"only a part of the group {shorten(group)} is public; name all of its items or none",
        )
    problems.raise_as(ItemsError)
    return ItemsPart("public", frozenset(lines_by_place)), ItemsPart("rest", rest)


def _divided_groups(groups: Sequence[str | None], public: Container[int]) -> list[str]:
    """Return the groups that have items in both parts, in order."""
    sides = dict.fromkeys((group, place in public) for place, group in enumerate(groups) if group is not None)
    return [group for group, is_public in sides if not is_public and (group, True) in sides]


def _read_id(
    line: str, number: int, place_of: dict[str, int], seen: dict[int, int], problems: Problems
) -> None:
    place = place_of.get(line.strip(BLANKS))
    if place is None:
        problems.add(
            number, "unknown_id", f"{shorten(line)} is not an item of this split; write one id per line", line
        )
    elif place in seen:
        problems.add(
            number,
            "duplicate_id",
            f"{shorten(line)} is already on line {seen[place]}; remove one of them",
            line,
        )
    else:
        seen[place] = number
