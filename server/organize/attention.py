"""Which teams need an organizer's attention, and why."""

from dataclasses import dataclass
from typing import Literal

AttentionReason = Literal["waiting", "stuck", "flagged", "missing", "nothing", "all in", "out"]
REASONS_BY_URGENCY: tuple[AttentionReason, ...] = (
    "waiting", "stuck", "flagged", "missing", "nothing", "all in", "out",
)  # fmt: skip
"""From the most urgent: organizers have to act, a team has problems, hints, missing files."""


@dataclass(frozen=True, slots=True)
class TeamFacts:
    """The facts about a team in a phase."""

    state: str
    scored: int
    refused_last: bool
    """Whether its newest upload was rejected."""
    flagged: int
    levels_missing: int
    """The number of levels at which one of its runs lacks a file on time."""


def list_reasons(facts: TeamFacts) -> tuple[AttentionReason, ...]:
    """List the reasons for a team, the most urgent first; a team that takes no part has only that reason."""
    if facts.state == "waiting":
        return ("waiting",)
    if facts.state != "approved":
        return ("out",)
    complete = facts.scored > 0 and not facts.levels_missing
    reasons: dict[AttentionReason, bool] = {
        "stuck": facts.refused_last and not complete,
        "flagged": facts.flagged > 0,
        "missing": facts.scored > 0 and facts.levels_missing > 0,
        "nothing": not facts.scored,
        "all in": complete,
    }
    return tuple(reason for reason, applies in reasons.items() if applies)
