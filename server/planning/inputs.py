"""Converts a phase from forms and the API to the values of the service."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from typing import Any

from server.core.errors import ConfirmationRequired
from server.core.i18n import N_, _
from server.phases.models import Phase
from server.planning import phase_editing
from server.web import context

CONFIRMATION_HINT = N_("To continue, send “sure”: true.")
PHASE_DEFAULTS: dict[str, Any] = {
    "feedback": "hidden",
    "board": "released",
    "baselines": "after",
    "closes": None,
    "grace_hours": 0,
    "reminders": (),
    "runs_per_team": 3,
    "runs_public": False,
}
"""The defaults of a phase; other fields are empty."""


def read_phase_edit(given: Mapping[str, Any]) -> phase_editing.PhaseEdit:
    """Convert the given values to an edit, without those that do not apply to the feedback."""
    phase: dict[str, Any] = {field.name: given.get(field.name) for field in fields(phase_editing.PhaseEdit)}
    if phase["feedback"] != "rounded":
        phase["feedback_places"] = None
    elif phase["feedback_places"] is None:
        phase["feedback_places"] = 2
    phase["ladder_step"] = phase["ladder_step"] or 0.01 if phase["feedback"] == "ladder" else None
    phase["reminders"] = tuple(sorted({*phase["reminders"]}, reverse=True))
    return phase_editing.PhaseEdit(**phase)


def phase_values(phase: Phase) -> dict[str, Any]:
    """Return the current dates and rules."""
    return {field.name: getattr(phase, field.name) for field in fields(phase_editing.PhaseEdit)}


@contextmanager
def explain_confirmation() -> Iterator[None]:
    """Add to a request for a confirmation how a program sends it."""
    try:
        yield
    except ConfirmationRequired as error:
        raise ConfirmationRequired(f"{error.message} {_(CONFIRMATION_HINT)}") from error


def list_phase_warnings(phase: Phase) -> list[str]:
    """Return warnings about the rules of a phase for its organizers."""
    names = [other.title for other in phase_editing.list_revealing_phases(context.session(), phase)]
    if not names:
        return []
    return [
        _(
            "%(title)s is open on the same items and at the same time as %(others)s. Scores that one "
            "phase shows reveal gold labels that the other hides. Choose dates that do not overlap.",
            title=phase.title,
            others=", ".join(names),
        )
    ]
