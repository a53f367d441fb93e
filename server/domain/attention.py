"""Which team an organizer should look at first, and why."""

from dataclasses import dataclass
from typing import Literal

Reason = Literal["waiting", "stuck", "flagged", "missing", "nothing", "all in", "out"]
ORDER: tuple[Reason, ...] = ("waiting", "stuck", "flagged", "missing", "nothing", "all in", "out")
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


def reason_of(facts: TeamFacts) -> Reason:
    """The first reason to look at a team."""
    if facts.state == "waiting":
        return "waiting"
    if facts.state != "approved":
        return "out"
    if facts.refused_last:
        return "stuck"
    if facts.flagged:
        return "flagged"
    if not facts.scored:
        return "nothing"
    return "missing" if facts.levels_missing else "all in"
