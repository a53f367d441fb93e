"""Ratings of the same units in several rounds, given the same places."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from scorer.annotation.ratings import Floats, Places, Ratings
from scorer.errors import RatingsError
from scorer.files.text import Problems


def align(rounds: Sequence[Ratings]) -> tuple[Ratings, ...]:
    """The ratings of the units that all rounds have, with one numbering of units and of annotators.

    Parameters
    ----------
    rounds : sequence of Ratings
        At least one. Annotators with the same name are the same person.

    Returns
    -------
    tuple of Ratings
        As many, with the same `units`, in the order of the first round, the same `annotators`, and the first
        known genre of each unit.

    Raises
    ------
    RatingsError
        If no unit is in all of them.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> a, b = align([ratings_of([[1], [2]], units="xy"), ratings_of([[3], [4]], units="yz")])
    >>> a.units, a.value.tolist(), b.value.tolist()
    (('y',), [2.0], [3.0])
    """
    common = set(rounds[0].units).intersection(*(each.units for each in rounds[1:]))
    if not common:
        problems = Problems(rounds[-1].source)
        others = " and ".join(each.source for each in rounds[:-1])
        message = f"none of its units is in {others}; name the units alike in all files (--unit COLUMN)"
        problems.add(None, "no_shared_unit", message)
        problems.raise_as(RatingsError)
    units = {unit: place for place, unit in enumerate(u for u in rounds[0].units if u in common)}
    names = dict.fromkeys(name for each in rounds for name in each.annotators)
    annotators = {name: place for place, name in enumerate(names)}
    genres = _genres(rounds, units)
    return tuple(_placed(each, units, annotators, genres) for each in rounds)


def _placed(
    ratings: Ratings,
    units: Mapping[str, int],
    annotators: Mapping[str, int],
    genres: tuple[str, ...] | None,
) -> Ratings:
    unit = np.array([units.get(name, -1) for name in ratings.units], dtype=np.intp)
    annotator = np.array([annotators[name] for name in ratings.annotators], dtype=np.intp)
    kept = ratings.take(unit[ratings.unit] >= 0)
    return replace(
        kept,
        units=tuple(units),
        annotators=tuple(annotators),
        unit=unit[kept.unit],
        annotator=annotator[kept.annotator],
        genres=genres,
    )


def _genres(rounds: Sequence[Ratings], units: Mapping[str, int]) -> tuple[str, ...] | None:
    known = [each for each in rounds if each.genres is not None]
    if not known:
        return None
    genres: dict[str, str] = {}
    for each in reversed(known):
        genres |= dict(zip(each.units, each.genres or (), strict=True))
    return tuple(genres[unit] for unit in units)


def by_same_annotator(a: Ratings, b: Ratings) -> tuple[Places, Floats, Floats]:
    """First ratings of aligned rounds where one annotator rated the unit in both.

    Returns
    -------
    unit : (p,) array of int
    a, b : (p,) array of float
        Sorted by unit, then by annotator.
    """
    one, other = a.first(), b.first()
    _, here, there = np.intersect1d(one.cell, other.cell, assume_unique=True, return_indices=True)
    return one.unit[here], one.value[here], other.value[there]
