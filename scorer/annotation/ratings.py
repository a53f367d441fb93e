"""Ratings of units by annotators, with optional times, genres and categories."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
        The name of the file in messages.
    units : tuple of str
        The names of the n units, in the order of the file. A unit may have no rating.
    annotators : tuple of str
        The names of the k annotators, in the order of the file.
    unit, annotator : (N,) array of int
        The unit and the annotator of each rating, as indices into `units` and `annotators`.
    value : (N,) array of float
        The ratings, finite. If the file has words, they are indices into `categories`.
    line : (N,) array of int
        The line of each rating in the file, from 1.
    time : (N,) array of float, optional
        When each rating was given, in seconds since any fixed time. The ratings are sorted by it.
    seconds : (N,) array of float, optional
        The annotator's thinking time in seconds, or NaN if it is unknown.
    genres : tuple of str, optional
        The genre of each unit.
    categories : tuple of str, optional
        The words that the values represent.
    missing : mapping of str to int
        The number of cells without a rating in the file, by their content. A subset of the ratings keeps it.
    lists_all_units : bool
        Whether `units` has the units that nobody rated, too. A file with a row for each rating cannot name
        them.

    Notes
    -----
    A second rating of a unit by the same annotator is a repeat; `first` leaves repeats out. The ratings are
    not stored as a table of n by k cells, which would be far larger than the ratings if there are many
    annotators.
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
    missing: Mapping[str, int] = field(default_factory=dict)
    lists_all_units: bool = True

    def __len__(self) -> int:
        return len(self.value)

    @property
    def is_first(self) -> NDArray[np.bool_]:
        """A mask, (N,), of the ratings that are their annotator's first rating of the unit."""
        mask = np.zeros(len(self), dtype=bool)
        mask[np.unique(self.cell, return_index=True)[1]] = True
        return mask

    @property
    def pairable(self) -> int:
        """The number of units with at least two ratings, not counting repeats."""
        return int((np.bincount(self.first().unit, minlength=len(self.units)) > 1).sum())

    @property
    def cell(self) -> Indices:
        """A number, (N,), that identifies the combination of unit and annotator of each rating."""
        return self.unit * max(1, len(self.annotators)) + self.annotator

    def first(self) -> "Ratings":
        """Return the first rating of each unit by each annotator, without repeats."""
        return self.take(self.is_first)

    def take(self, kept: NDArray[Any]) -> "Ratings":
        """Return the ratings at these indices, or where a mask is true, without renumbering the units."""
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
        """Return the ratings of these units. The result has no other units."""
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

    def of_lines(self, lines: Collection[int]) -> "Ratings":
        """Return the ratings on these lines of the file, without renumbering the units."""
        return self.take(np.array([line in lines for line in self.line.tolist()], dtype=bool))

    def of_genre(self, genre: str) -> "Ratings":
        """Return the ratings of the units of one genre."""
        pairs = zip(self.units, self.genres or (), strict=True)
        return self.of_units({unit for unit, unit_genre in pairs if unit_genre == genre})

    def genre_names(self) -> tuple[str, ...]:
        """Return the genres in the order in which they appear. The result is empty if no unit has one."""
        return tuple(dict.fromkeys(filter(None, self.genres or ())))

    def table(self) -> Floats:
        """Return the first ratings as an (n, k) table of units and annotators. Missing ratings are NaN."""
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
    """Create ratings from a table in memory.

    Parameters
    ----------
    table : (n, k) sequence of sequences of float or None
        The table, with a row for each unit and a column for each annotator. None or NaN is a missing rating.
    units, annotators : sequence of str, optional
        The names of the units and annotators; by default, numbers from 1.
    source : str
        The name of the table in messages.

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
