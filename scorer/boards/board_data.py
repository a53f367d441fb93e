"""What a board is made from: the gold of its levels, and the files of its systems."""

from collections.abc import Mapping
from dataclasses import dataclass

from scorer.boards.board import Kind
from scorer.files.public_items import ItemsPart
from scorer.files.reading import Gold, Run


@dataclass(frozen=True, slots=True)
class LevelData:
    """One level as it was scored.

    Parameters
    ----------
    slug : str
        As on the board.
    gold : Gold
        (n,) values; an item whose value is None is not scored. Its groups are resampled and swapped whole.
    genres : (n,) tuple of str
        The genre of each item; "" where there is none.
    part : ItemsPart, optional
        The items that decide the board, where not all do.
    """

    slug: str
    gold: Gold
    genres: tuple[str, ...]
    part: ItemsPart | None = None


@dataclass(frozen=True, slots=True)
class SystemData:
    """One row of the board and its files by level."""

    kind: Kind
    team: str
    run: str
    runs: Mapping[str, Run]
