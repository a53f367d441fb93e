"""What a form about a phase says, as the values that the service takes."""

from typing import Any

from server.core.i18n import _
from server.organize import phase_editing
from server.organize.phase_editing import PhaseEdit
from server.phases.forms import PhaseForm
from server.phases.models import Phase
from server.web import context

PHASE_DEFAULTS: dict[str, Any] = {
    "feedback": "hidden",
    "board": "released",
    "grace_hours": 0,
    "runs_per_team": 3,
}
"""What a phase has unless the form says otherwise."""


def read_phase_edit(form: PhaseForm) -> PhaseEdit:
    """The form as an edit: what does not go with the feedback is left out."""
    kind = form.feedback.data
    return PhaseEdit(
        title=form.title.data or "",
        opens=form.opens.moment,
        closes=form.closes.moment,
        grace_hours=form.grace_hours.data or 0,
        runs_per_team=form.runs_per_team.data or 1,
        files_per_level=form.files_per_level.data,
        files_per_day=form.files_per_day.data,
        feedback=kind,
        feedback_places=(2 if form.feedback_places.data is None else form.feedback_places.data)
        if kind == "rounded"
        else None,
        ladder_step=form.ladder_step.data or 0.01 if kind == "ladder" else None,
        board=form.board.data,
        runs_public=form.runs_public.data,
        baselines=form.baselines.data,
        reminders=form.reminders.hours,
    )


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
