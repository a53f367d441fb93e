"""Adjudication: find the units that their annotators have to discuss, and compute the resulting gold."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from scorer.annotation.agreement_report import missing_table
from scorer.annotation.exact_arithmetic import remove_rounding_noise, unit_moments
from scorer.annotation.ratings import Ratings
from scorer.errors import RatingsError, RequestError
from scorer.files.text import Problems, shorten
from scorer.reports.table_report import ReportTable, TableCell, TableReport
from scorer.values import Undefined

SCHEMA = "assay.adjudicate/1"

GoldSource = Literal["mean", "decision", "open", "unrated"]
GOLD_SOURCES: tuple[GoldSource, ...] = ("mean", "decision", "open", "unrated")


@dataclass(frozen=True, slots=True)
class AdjudicatedUnit:
    """A unit with its ratings and its gold value.

    Parameters
    ----------
    unit : str
        The name of the unit.
    ratings : tuple of (str, float)
        The name and first rating of each annotator who rated the unit, in the order of the annotators.
    spread : float
        The highest rating minus the lowest rating, or 0 if there are fewer than two.
    gold : float, optional
        The gold value, or None if the unit is not decided yet or has no rating.
    source : "mean", "decision", "open" or "unrated"
        How the gold value was obtained, or why there is none.
    """

    unit: str
    ratings: tuple[tuple[str, float], ...]
    spread: float
    gold: float | None
    source: GoldSource


def adjudicate(
    ratings: Ratings, gap: float, decisions: Mapping[str, float] | None = None
) -> tuple[AdjudicatedUnit, ...]:
    """Compute the gold of each unit, or find that its annotators have to meet and decide.

    Parameters
    ----------
    ratings : Ratings
        The ratings. Repeats are left out, so that only an annotator's first rating counts.
    gap : float, above 0
        If any two ratings of a unit differ by at least this, the annotators have to meet.
    decisions : mapping of str to float, optional
        The decisions of the annotators, by unit. A decision is used even if the annotators did not have to
        meet, or nobody rated the unit.

    Returns
    -------
    tuple of AdjudicatedUnit
        The units in the order of `ratings.units`, then other units with a decision.

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
    cases = [_adjudicate_unit(*rated, gap, decided.get(rated[0])) for rated in units]
    listed = set(ratings.units)
    others = [(unit, value) for unit, value in decided.items() if unit not in listed]
    return (*cases, *(AdjudicatedUnit(unit, (), 0.0, value, "decision") for unit, value in others))


def _adjudicate_unit(
    unit: str, ratings: Sequence[tuple[str, float]], mean: float, gap: float, decision: float | None
) -> AdjudicatedUnit:
    values = [value for _, value in ratings]
    spread = float(remove_rounding_noise(max(values) - min(values), values)) if values else 0.0
    if decision is not None:
        return AdjudicatedUnit(unit, tuple(ratings), spread, decision, "decision")
    if not values:
        return AdjudicatedUnit(unit, (), spread, None, "unrated")
    if spread >= gap:
        return AdjudicatedUnit(unit, tuple(ratings), spread, None, "open")
    return AdjudicatedUnit(unit, tuple(ratings), spread, mean, "mean")


def decisions_by_unit(decided: Ratings, ratings: Ratings) -> dict[str, float]:
    """Return the decision of each unit from a file with a row for each unit and one column of decisions.

    Raises
    ------
    RatingsError
        If a unit is repeated or unknown, or if there is more than one column of decisions. Any unit is known
        if the file of ratings cannot list all.
    """
    problems, rated_units, decision_lines = Problems(decided.source), set(ratings.units), dict[str, int]()
    if len(decided.annotators) != 1:
        columns = ", ".join(map(shorten, decided.annotators))
        problems.add(
            1, "one_column", f"there are several columns of decisions ({columns}); write one, beside the unit"
        )
    for place, line in zip(decided.unit.tolist(), decided.line.tolist(), strict=True):
        unit = decided.units[place]
        if unit in decision_lines:
            message = f"{shorten(unit)} is decided on line {decision_lines[unit]} already; keep one of them"
            problems.add(line, "duplicate_id", message)
        elif ratings.lists_all_units and unit not in rated_units:
            message = f"nobody rated {shorten(unit)}; use the names of {ratings.source}"
            problems.add(line, "unknown_id", message)
        decision_lines.setdefault(unit, line)
    problems.raise_as(RatingsError)
    values = zip(decided.unit.tolist(), decided.value.tolist(), strict=True)
    return {decided.units[place]: value for place, value in values}


def adjudication_report(cases: Sequence[AdjudicatedUnit], gap: float, ratings: Ratings) -> TableReport:
    """Create the report of `scorer adjudicate`: the undecided units, who decides them, and the gold."""
    still_open = [case for case in cases if case.source == "open"]
    counts = Counter(case.source for case in cases)
    meetings = Counter(tuple(name for name, _ in case.ratings) for case in still_open)
    tables = (
        ReportTable(
            "meetings",
            "Annotators who have to decide together, and the number of their undecided units",
            ("annotators", "units"),
            [[", ".join(names), count] for names, count in meetings.most_common()],
            words=("annotators",),
        ),
        ReportTable(
            "open",
            f"Undecided units, whose ratings differ by {gap:g} or more, largest difference first",
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
        missing_table([(ratings.source, ratings)]),
    )
    about: dict[str, TableCell] = {
        "n": len(cases),
        "gap": gap,
        **{name: counts[name] for name in GOLD_SOURCES},
    }
    single = sum(len(case.ratings) == 1 and case.source == "mean" for case in cases)
    notes = [
        f"{len(cases)} units. Gold is the mean of the ratings: {counts['mean']}. Gold is a decision: "
        f"{counts['decision']}. Undecided (open): {counts['open']}. Without ratings: {counts['unrated']}."
    ]
    notes += [f"Units with a single rating, which is their gold value: {single}."] if single else []
    unrated = sum(not case.ratings and case.source == "decision" for case in cases)
    notes += [f"Units without a rating, whose gold value is a decision: {unrated}."] if unrated else []
    return TableReport(SCHEMA, f"adjudicate|n:{len(cases)}|gap:{gap!r}", tables, about, tuple(notes))


def _gold(case: AdjudicatedUnit, gap: float) -> float | Undefined:
    if case.gold is not None:
        return case.gold
    if case.source == "unrated":
        return Undefined("unrated", "nobody rated the unit")
    return Undefined(
        "open", f"two of the unit's ratings differ by {gap:g} or more; its annotators have to decide"
    )
