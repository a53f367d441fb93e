"""What forms and programs say about a phase, as the values that the service takes."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from server.core.i18n import _
from server.organize import phase_editing
from server.organize.phase_editing import PhaseEdit
from server.phases.forms import find_contradictions
from server.phases.models import Phase
from server.web import context
from server.web.rest.fields import invalid_fields

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
"""What a phase has unless somebody says otherwise; the rest is empty."""


def read_phase_edit(given: Mapping[str, Any]) -> PhaseEdit:
    """What is given as an edit: what does not go with the feedback is left out."""
    phase: dict[str, Any] = {field.name: given.get(field.name) for field in fields(PhaseEdit)}
    if phase["feedback"] != "rounded":
        phase["feedback_places"] = None
    elif phase["feedback_places"] is None:
        phase["feedback_places"] = 2
    phase["ladder_step"] = phase["ladder_step"] or 0.01 if phase["feedback"] == "ladder" else None
    phase["reminders"] = tuple(sorted({*phase["reminders"]}, reverse=True))
    return PhaseEdit(**phase)


def read_phase_change(phase: Phase | None, given: Mapping[str, Any]) -> PhaseEdit:
    """What a program gives as an edit; the rest is as it was, or as a new phase has it.

    Raises:
        HTTPError: dates and rules that do not go together.
    """
    before = PHASE_DEFAULTS
    if phase is not None:
        before = {field.name: getattr(phase, field.name) for field in fields(PhaseEdit)}
    after = {**before, **given}
    if found := find_contradictions(after):
        raise invalid_fields({name: [words] for name, words in found.items()})
    return read_phase_edit(after)


def list_phase_warnings(phase: Phase) -> list[str]:
    """What its organizers should know of the rules of a phase."""
    names = [other.title for other in phase_editing.list_revealing_phases(context.session(), phase)]
    if not names:
        return []
    return [
        _(
            "%(title)s takes files on the same items as %(others)s, at the same time. What one shows of "
            "scores tells about the gold that the other hides; let them not overlap.",
            title=phase.title,
            others=", ".join(names),
        )
    ]
