"""The data from which a board is computed: the gold of its levels and the runs of its systems."""

from collections.abc import Mapping
from dataclasses import dataclass

from scorer.boards.board import Kind
from scorer.files.public_items import ItemsPart
from scorer.files.reading import Gold, Run


@dataclass(frozen=True, slots=True)
class LevelData:
    """The data of one level.

    Parameters
    ----------
    slug : str
        The slug of the level on the board.
    gold : Gold
        The gold with (n,) values. An item whose value is None is not scored. Items of one group are
        resampled and swapped together.
    genres : (n,) tuple of str
        The genre of each item; "" if it has none.
    part : ItemsPart, optional
        The items that are scored for the board, if not all items are.
    """

    slug: str
    gold: Gold
    genres: tuple[str, ...]
    part: ItemsPart | None = None


@dataclass(frozen=True, slots=True)
class SystemData:
    """A row of the board and its runs by level."""

    kind: Kind
    team: str
    run: str
    runs: Mapping[str, Run]
