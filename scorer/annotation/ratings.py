"""Ratings that people gave: who gave which unit how much, and perhaps when."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Ratings:
    """N ratings of n units by k annotators, in the order in which they were given.

    Parameters
    ----------
    source : str
        What messages call the file.
    units : tuple of str
        The n units, in the order of the file; some may have no rating.
    annotators : tuple of str
        The k annotators, in the order of the file.
    unit, annotator : (N,) array of int
        Which unit, and whose rating: places in `units` and `annotators`.
    value : (N,) array of float
        The ratings; finite. Places in `categories` where the file has words.
    line : (N,) array of int
        Where each stands in the file, from 1.
    time : (N,) array of float, optional
        When it was given, in seconds from a point that all share; the ratings are sorted by it.
    seconds : (N,) array of float, optional
        How long the annotator thought; NaN where that is not known.
    genres : tuple of str, optional
        The genre of each unit.
    categories : tuple of str, optional
        The words that the values stand for.

    Notes
    -----
    A second rating of a unit by the same annotator is a repeat: `first` leaves repeats out. There is no table
    of n by k cells here, for with many annotators it would be far larger than the ratings.
    """

    source: str
    units: tuple[str, ...]
    annotators: tuple[str, ...]
    unit: Indices
    annotator: Indices
    value: Floats
    line: Indices
    time: Floats | None = None
    seconds: Floats | None = None
    genres: tuple[str, ...] | None = None
    categories: tuple[str, ...] | None = None

    def __len__(self) -> int:
        return len(self.value)

    @property
    def is_first(self) -> NDArray[np.bool_]:
        """Of each rating, whether it is its annotator's first of the unit; (N,)."""
        mask = np.zeros(len(self), dtype=bool)
        mask[np.unique(self.cell, return_index=True)[1]] = True
        return mask

    @property
    def pairable(self) -> int:
        """How many units have two ratings or more, repeats left out."""
        return int((np.bincount(self.first().unit, minlength=len(self.units)) > 1).sum())

    @property
    def cell(self) -> Indices:
        """Of each rating, one number for its unit and annotator; (N,)."""
        return self.unit * max(1, len(self.annotators)) + self.annotator

    def first(self) -> "Ratings":
        """The first rating of each unit by each annotator, without repeats."""
        return self.take(self.is_first)

    def take(self, kept: NDArray[Any]) -> "Ratings":
        """The ratings at these places, or where a mask is true; units and annotators stay."""
        return replace(
            self,
            unit=self.unit[kept],
            annotator=self.annotator[kept],
            value=self.value[kept],
            line=self.line[kept],
            time=None if self.time is None else self.time[kept],
            seconds=None if self.seconds is None else self.seconds[kept],
        )

    def of_units(self, wanted: Collection[str]) -> "Ratings":
        """The ratings of these units, which are the only ones then."""
        places = [place for place, unit in enumerate(self.units) if unit in wanted]
        new = np.full(len(self.units), -1, dtype=np.intp)
        new[places] = np.arange(len(places))
        subset = self.take(new[self.unit] >= 0)
        return replace(
            subset,
            units=tuple(self.units[place] for place in places),
            unit=new[subset.unit],
            genres=None if self.genres is None else tuple(self.genres[place] for place in places),
        )

    def of_genre(self, genre: str) -> "Ratings":
        """The ratings of the units of one genre."""
        pairs = zip(self.units, self.genres or (), strict=True)
        return self.of_units({unit for unit, its in pairs if its == genre})

    def genre_names(self) -> tuple[str, ...]:
        """The genres in the order in which they appear; none where the file has none."""
        return tuple(dict.fromkeys(self.genres or ()))

    def table(self) -> Floats:
        """First ratings, a row a unit, a column an annotator, NaN where there is none; (n, k)."""
        cells = np.full((len(self.units), len(self.annotators)), np.nan)
        first = self.first()
        cells[first.unit, first.annotator] = first.value
        return cells


def ratings_of(
    table: Sequence[Sequence[float | None]],
    *,
    units: Sequence[str] | None = None,
    annotators: Sequence[str] | None = None,
    source: str = "ratings",
) -> Ratings:
    """Ratings from a table in memory.

    Parameters
    ----------
    table : (n, k) sequence of sequences of float or None
        A row a unit, a column an annotator; None or NaN where there is no rating.
    units, annotators : sequence of str, optional
        Their names; by default numbers from 1.
    source : str
        What messages call it.

    Returns
    -------
    Ratings

    Examples
    --------
    >>> len(ratings_of([[1, 2], [None, 3]]))
    3
    """
    cells = np.array([[np.nan if cell is None else cell for cell in row] for row in table], dtype=float)
    n, k = cells.shape if cells.ndim == 2 else (0, 0)
    unit, annotator = np.nonzero(~np.isnan(cells)) if n else (np.zeros(0, np.intp), np.zeros(0, np.intp))
    return Ratings(
        source=source,
        units=tuple(units or map(str, range(1, n + 1))),
        annotators=tuple(annotators or map(str, range(1, k + 1))),
        unit=unit,
        annotator=annotator,
        value=cells[unit, annotator] if n else np.zeros(0),
        line=unit + 1,
    )
