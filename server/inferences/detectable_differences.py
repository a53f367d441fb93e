"""The smallest difference between two systems that the items of a phase can show.

Organizers look at it before the task opens.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from scorer.errors import RequestError, UndefinedError
from scorer.statistics.power import detectable_difference
from server.access import tasks
from server.core.errors import Conflict
from server.phases.models import Phase
from server.tasks.models import Level, Split

ASSUMED_R, ASSUMED_R_BETWEEN, ASSUMED_PAIRS = 0.8, 0.9, 703
"""Default assumptions: correlations with the gold standard, with each other; pairs of 38 systems."""


@dataclass(frozen=True, slots=True)
class DetectableDifferences:
    """The smallest difference that is likely significant, for each number of pairs; None: there is none."""

    level: Level
    n: int
    differences: tuple[float | None, ...]


def list_detectable_differences(
    phase: Phase,
    r: float = ASSUMED_R,
    between: float = ASSUMED_R_BETWEEN,
    pairs: Sequence[int] = (1, ASSUMED_PAIRS),
) -> list[DetectableDifferences]:
    """Compute this for each level of a phase, with the items that decide its leaderboard.

    Raises:
        Conflict: no two systems can have these correlations.
    """
    sizes = [(level, _count_deciding_items(phase, split)) for level, split in tasks.splits_of(phase)]
    return [
        DetectableDifferences(level, n, tuple(_difference(n, r, between, count) for count in pairs))
        for level, n in sizes
    ]


def find_largest_difference(phase: Phase) -> float | None:
    """Return the difference that is significant at every level; None: a level has too few items."""
    differences = [row.differences[0] for row in list_detectable_differences(phase, pairs=(1,))]
    defined_differences = [difference for difference in differences if difference is not None]
    return max(defined_differences, default=None) if len(defined_differences) == len(differences) else None


def _count_deciding_items(phase: Phase, split: Split) -> int:
    """Count the items that decide the leaderboard: not the public ones whose scores teams see."""
    return split.n_items - ((split.n_public or 0) if phase.feedback == "public-part" else 0)


def _difference(n: int, r: float, between: float, pairs: int) -> float | None:
    try:
        return detectable_difference(n, r, between, pairs=pairs) if n >= 4 else None
    except UndefinedError:
        return None
    except RequestError as error:
        raise Conflict.of("Two systems cannot have these correlations: %(why)s.", why=error) from error
