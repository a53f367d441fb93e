"""How well people would do on a leaderboard, as the rules of a release store it: a row without a rank."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from scorer.boards.board import ColumnKey

PEOPLE = "People"
"""The name of the row."""


@dataclass(frozen=True, slots=True)
class PeopleScore:
    """The human ceiling of a level by one metric; `units` is the number of items that people rated.

    `scorer.annotation.human_ceiling` computes it.
    """

    value: float
    annotators: int
    units: int
    signature: str


@dataclass(frozen=True, slots=True)
class PeopleRow:
    """The human ceilings of a leaderboard, by level and metric."""

    scores: Mapping[ColumnKey, PeopleScore]

    @property
    def records(self) -> list[dict[str, Any]]:
        """The scores as the API sends them, each with its level and metric."""
        return [
            {"level": level, "metric": metric, **asdict(score)}
            for (level, metric), score in self.scores.items()
        ]

    def count_annotators(self, keys: Iterable[ColumnKey]) -> tuple[int, int]:
        """Return the smallest and the largest number of annotators of these scores."""
        counts = [self.scores[key].annotators for key in keys if key in self.scores]
        return min(counts), max(counts)


def read_records(records: Iterable[Mapping[str, Any]]) -> PeopleRow | None:
    """Read the scores that the API sends; None: there are none."""
    scores = {(each["level"], each["metric"]): _read_score(each) for each in records}
    return PeopleRow(scores) if scores else None


def read_people(rules: Mapping[str, Any]) -> PeopleRow | None:
    """Read the human ceilings in the rules of a release.

    Parameters
    ----------
    rules : mapping
        The content of rules.json.

    Returns
    -------
    PeopleRow or None
        None if the rules have no human ceiling.

    Raises
    ------
    AttributeError, LookupError, TypeError, ValueError
        If they are not the rules of a release.

    Examples
    --------
    >>> stored = {"metric": "mae", "value": 0.5, "annotators": 3, "units": 40, "signature": "human-mae|n:40"}
    >>> row = read_people({"levels": [{"slug": "p2s", "gold": {"version": 1, "human_ceiling": [stored]}}]})
    >>> row.scores["p2s", "mae"].value, row.count_annotators([("p2s", "mae")])
    (0.5, (3, 3))
    """
    return read_records(
        {"level": level["slug"], **each}
        for level in rules["levels"]
        if level["gold"]
        for each in level["gold"].get("human_ceiling", ())
    )


def _read_score(stored: Mapping[str, Any]) -> PeopleScore:
    counts = int(stored["annotators"]), int(stored["units"])
    return PeopleScore(float(stored["value"]), *counts, str(stored["signature"]))
