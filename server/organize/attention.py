"""Which teams need an organizer's attention, and why."""

from dataclasses import dataclass
from typing import Literal

AttentionReason = Literal["waiting", "stuck", "flagged", "missing", "nothing", "all in", "out"]
REASONS_BY_URGENCY: tuple[AttentionReason, ...] = (
    "waiting", "stuck", "flagged", "missing", "nothing", "all in", "out",
)  # fmt: skip
"""The first is on top: somebody waits for the organizers, then a team in trouble, then hints, then gaps."""


@dataclass(frozen=True, slots=True)
class TeamFacts:
    """What is known of a team in a phase."""

    state: str
    scored: int
    refused_last: bool
    """Whether the newest thing that it sent was refused."""
    flagged: int
    levels_missing: int
    """Levels at which a run of it lacks a file on time."""


def list_reasons(facts: TeamFacts) -> tuple[AttentionReason, ...]:
    """All that is to be said of a team, the gravest first; one that takes no part has that reason alone."""
    if facts.state == "waiting":
        return ("waiting",)
    if facts.state != "approved":
        return ("out",)
    reasons: dict[AttentionReason, bool] = {
        "stuck": facts.refused_last,
        "flagged": facts.flagged > 0,
        "missing": facts.scored > 0 and facts.levels_missing > 0,
        "nothing": not facts.scored,
        "all in": facts.scored > 0 and not facts.levels_missing,
    }
    return tuple(reason for reason, applies in reasons.items() if applies)
