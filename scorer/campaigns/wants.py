"""Adds wanted ratings to a table of units, for which annotators then write texts."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from scorer.campaigns.dealing import shuffled
from scorer.campaigns.units_reader import WANTED, read_units
from scorer.campaigns.units_writer import write_units
from scorer.errors import BundleError
from scorer.files.text import Problems


def add_wanted(data: bytes, source: str, ratings: Sequence[float], seed: int) -> str:
    """Add a column of wanted ratings to a table of units.

    Parameters
    ----------
    data : bytes
        The table, in UTF-8, with a column key, and perhaps genre.
    source : str
        The name of the file in messages.
    ratings : sequence of float
        The ratings to choose from.
    seed : int

    Returns
    -------
    str
        The table with tabs between the columns. It is the same on every machine.

    Raises
    ------
    BundleError
        Lists every problem of the table.
    """
    problems = Problems(source)
    units = read_units(data, problems, (), ())
    if units and WANTED in units[0].texts:
        problems.add(
            1, "duplicate_column", f"there is a column {WANTED} already; remove it to deal new ratings"
        )
    problems.raise_as(BundleError)
    dealt = deal_wanted([unit.genre for unit in units], ratings, seed)
    return write_units(
        [
            replace(unit, texts=unit.texts | {WANTED: f"{rating:.12g}"})
            for unit, rating in zip(units, dealt, strict=True)
        ]
    )


def deal_wanted(genres: Sequence[str | None], ratings: Sequence[float], seed: int) -> list[float]:
    """Deal ratings such that their numbers differ by at most one, in each genre and in all of them.

    Parameters
    ----------
    genres : sequence of str or None
        The genre of each unit.
    ratings : sequence of float
    seed : int

    Returns
    -------
    list of float
        The wanted rating of each unit.

    Examples
    --------
    >>> deal_wanted(["news", "forum", "news"], [1.0, 2.0], 7)
    [2.0, 1.0, 1.0]
    """
    rng = Random(f"{seed}/wanted")  # noqa: S311  (who knows the seed shall get the same table)
    cycle = shuffled(ratings, rng)
    members: dict[str | None, list[int]] = {}
    for place, genre in enumerate(genres):
        members.setdefault(genre, []).append(place)
    wanted = [0.0] * len(genres)
    dealt = 0
    for places in members.values():
        # A stretch of the cycle has each rating equally often or once more, and so have all together.
        hand = [cycle[number % len(cycle)] for number in range(dealt, dealt + len(places))]
        dealt += len(places)
        for place, rating in zip(places, shuffled(hand, rng), strict=True):
            wanted[place] = rating
    return wanted
