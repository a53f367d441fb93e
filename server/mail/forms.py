"""The forms of an announcement that is written, previewed and sent, or edited afterwards."""

from typing import Any

from wtforms import BooleanField, HiddenField, RadioField, SelectMultipleField
from wtforms.validators import AnyOf, DataRequired, StopValidation
from wtforms.widgets import CheckboxInput

from server.core.i18n import N_
from server.web.fields import EditForm, SiteForm, line_field, markdown_field
from server.web.validators import TITLE, long_text

ALL_TEAMS = "*"
"""The choice of every team; the others are ids of phases, and CHOSEN_TEAMS."""
CHOSEN_TEAMS = "+"
ANNOUNCEMENT_TEXT = long_text(5000, empty=N_("Enter a text."))
STEPS = ("preview", "change", "send")


_TITLE = line_field(TITLE, N_("Title"))
_TEXT = markdown_field(ANNOUNCEMENT_TEXT, N_("Text"), rows=10)


def _require_teams_or_none(form: Any, field: Any) -> None:
    if form.audience.data == CHOSEN_TEAMS and not field.data:
        raise StopValidation(N_("Choose at least one team."))
    if form.audience.data != CHOSEN_TEAMS and field.data:
        raise StopValidation(N_("You chose teams. Choose “Some teams” above, too, or choose no team here."))


class AnnouncementForm(SiteForm):
    """An announcement that is written, previewed, and sent."""

    audience = RadioField(
        N_("To"), default=ALL_TEAMS, validators=[DataRequired(N_("Choose the recipients."))]
    )
    teams = SelectMultipleField(
        N_("Teams"), coerce=int, validators=[_require_teams_or_none], option_widget=CheckboxInput()
    )
    title, text = _TITLE, _TEXT
    step = HiddenField(validators=[AnyOf(STEPS, message=N_("Press one of the buttons."))])


class AnnouncementEditForm(EditForm):
    """An announcement that was sent."""

    title, text = _TITLE, _TEXT
    pinned = BooleanField(N_("Pin it above the other announcements on the task’s page"))
