"""Adjudication: which units their annotators must meet over, and the gold that comes of it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from scorer._version import __version__
from scorer.annotation.exact_arithmetic import remove_rounding_noise
from scorer.annotation.ratings import Ratings
from scorer.annotation.unit_moments import unit_moments
from scorer.errors import RatingsError, RequestError
from scorer.files.text import Problems, shorten
from scorer.reports.table_report import ReportTable, TableCell, TableReport
from scorer.values import Undefined

SCHEMA = "assay.adjudicate/1"
_TOLERANCE = 1e-9
"""Differences closer to the gap than this are the gap: .3 - .2 is below .1 in binary."""

GoldSource = Literal["mean", "decision", "open", "unrated"]
GOLD_SOURCES: tuple[GoldSource, ...] = ("mean", "decision", "open", "unrated")


@dataclass(frozen=True, slots=True)
class AdjudicatedUnit:
    """A unit, what was said of it, and what its gold is.

    Parameters
    ----------
    unit : str
    ratings : tuple of (str, float)
        Each annotator with their first rating, in the order of the annotators.
    spread : float
        Highest rating less the lowest; 0 where there are fewer than two.
    gold : float, optional
        None while the case is open, or where nobody rated or decided.
    source : "mean", "decision", "open" or "unrated"
        Where the gold is from, or why there is none.
    """

    unit: str
    ratings: tuple[tuple[str, float], ...]
    spread: float
    gold: float | None
    source: GoldSource


def adjudicate(
    ratings: Ratings, gap: float, decisions: Mapping[str, float] | None = None
) -> tuple[AdjudicatedUnit, ...]:
    """Say of each unit whether its annotators must meet, and what its gold is.

    Parameters
    ----------
    ratings : Ratings
        Repeats are left out: an annotator's first rating stands.
    gap : float, above 0
        Where any two ratings differ by it or more, the annotators meet.
    decisions : mapping of str to float, optional
        What they decided, by unit. A decision stands also where nobody had to meet.

    Returns
    -------
    tuple of Case
        In the order of the units.

    Raises
    ------
    RequestError
        If the gap is not above 0.

    Notes
    -----
    Without a decision, the gold is the mean of the ratings, unless two of them differ by the gap or more.

    References
    ----------
    Jurgens, Pilehvar & Navigli (2014), SemEval-2014 Task 3: Cross-Level Semantic Similarity, section 3.3,
    doi:10.3115/v1/S14-2003. There the gap is 1 on a scale from 0 to 4.

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> cases = adjudicate(ratings_of([[3, 3.5], [1, 2]]), 1)
    >>> [(case.source, case.gold) for case in cases]
    [('mean', 3.25), ('open', None)]
    """
    if not gap > 0:
        raise RequestError(f"the gap is {gap:g}; it has to be above 0")
    by_unit: list[list[tuple[str, float]]] = [[] for _ in ratings.units]
    first = ratings.first()
    order = np.lexsort((first.annotator, first.unit))
    for unit, annotator, value in zip(
        first.unit[order].tolist(), first.annotator[order].tolist(), first.value[order].tolist(), strict=True
    ):
        by_unit[unit].append((ratings.annotators[annotator], value))
    decided = decisions or {}
    units = zip(ratings.units, by_unit, unit_moments(ratings).mean.tolist(), strict=True)
    return tuple(
        _adjudicate_unit(unit, unit_ratings, mean, gap, decided.get(unit))
        for unit, unit_ratings, mean in units
    )


def _adjudicate_unit(
    unit: str, ratings: Sequence[tuple[str, float]], mean: float, gap: float, decision: float | None
) -> AdjudicatedUnit:
    values = [value for _, value in ratings]
    spread = float(remove_rounding_noise(max(values) - min(values))) if values else 0.0
    if decision is not None:
        return AdjudicatedUnit(unit, tuple(ratings), spread, decision, "decision")
    if not values:
        return AdjudicatedUnit(unit, (), spread, None, "unrated")
    if spread > gap - _TOLERANCE:
        return AdjudicatedUnit(unit, tuple(ratings), spread, None, "open")
    return AdjudicatedUnit(unit, tuple(ratings), spread, mean, "mean")


def decisions_by_unit(decided: Ratings, ratings: Ratings) -> dict[str, float]:
    """Decisions by unit, from a file with a row a unit and one column.

    Raises
    ------
    RatingsError
        If a unit is there twice, or is none of those that were rated.
    """
    problems, rated_units, decision_lines = Problems(decided.source), set(ratings.units), dict[str, int]()
    if len(decided.annotators) != 1:
        columns = ", ".join(map(shorten, decided.annotators))
        problems.add(1, "one_column", f"decisions stand in one column beside the unit, not in {columns}")
    for place, line in zip(decided.unit.tolist(), decided.line.tolist(), strict=True):
        unit = decided.units[place]
        if unit in decision_lines:
            message = f"{shorten(unit)} is decided on line {decision_lines[unit]} already; keep one of them"
            problems.add(line, "duplicate_id", message)
        elif unit not in rated_units:
            message = f"nobody rated {shorten(unit)}; use the names of {ratings.source}"
            problems.add(line, "unknown_id", message)
        decision_lines.setdefault(unit, line)
    problems.raise_as(RatingsError)
    values = zip(decided.unit.tolist(), decided.value.tolist(), strict=True)
    return {decided.units[place]: value for place, value in values}


def adjudication_report(cases: Sequence[AdjudicatedUnit], gap: float) -> TableReport:
    """What `scorer adjudicate` prints: who must meet over what, and the gold so far."""
    still_open = [case for case in cases if case.source == "open"]
    counts = Counter(case.source for case in cases)
    meetings = Counter(tuple(name for name, _ in case.ratings) for case in still_open)
    tables = (
        ReportTable(
            "meetings",
            f"Who must meet, over how many units that differ by {gap:g} or more",
            ("annotators", "units"),
            [[", ".join(names), count] for names, count in meetings.most_common()],
            words=("annotators",),
        ),
        ReportTable(
            "open",
            "Units to decide, the widest first",
            ("unit", "spread", "ratings"),
            [
                [case.unit, case.spread, "; ".join(f"{name} {value:g}" for name, value in case.ratings)]
                for case in sorted(still_open, key=lambda case: -case.spread)
            ],
            words=("unit", "ratings"),
        ),
        ReportTable(
            "gold",
            "Gold",
            ("unit", "gold", "from", "ratings"),
            [[case.unit, _gold(case, gap), case.source, len(case.ratings)] for case in cases],
            words=("unit", "from"),
        ),
    )
    about: dict[str, TableCell] = {
        "n": len(cases),
        "gap": gap,
        **{name: counts[name] for name in GOLD_SOURCES},
    }
    single = sum(len(case.ratings) == 1 and case.source == "mean" for case in cases)
    notes = [
        f"{len(cases)} units: the gold of {counts['mean']} is the mean of their ratings, of "
        f"{counts['decision']} a decision; {counts['open']} are open, {counts['unrated']} unrated."
    ]
    notes += [f"{single} of the means are a single rating."] if single else []
    return TableReport(
        SCHEMA, f"adjudicate|n:{len(cases)}|gap:{gap!r}|v:{__version__}", tables, about, tuple(notes)
    )


def _gold(case: AdjudicatedUnit, gap: float) -> float | Undefined:
    if case.gold is not None:
        return case.gold
    if case.source == "unrated":
        return Undefined("unrated", "nobody rated the unit")
    return Undefined("open", f"two ratings differ by {gap:g} or more; its annotators have to decide")
