"""The form of an announcement: its audience, title and text, and whether to send or preview it."""

from typing import Any

from wtforms import HiddenField, RadioField, SelectMultipleField
from wtforms.validators import AnyOf, DataRequired, StopValidation
from wtforms.widgets import CheckboxInput

from server.core.i18n import N_
from server.web.fields import SiteForm, line_field, lines_field
from server.web.validators import TITLE, long_text

ALL_TEAMS = "*"
"""The choice of every team; the others are ids of phases, and CHOSEN_TEAMS."""
CHOSEN_TEAMS = "+"
ANNOUNCEMENT_TEXT = long_text(5000, empty=N_("Enter a text."))
STEPS = ("preview", "change", "send")


def _require_teams(form: Any, field: Any) -> None:
    if form.audience.data == CHOSEN_TEAMS and not field.data:
        raise StopValidation(N_("Choose at least one team."))


class AnnouncementForm(SiteForm):
    """An announcement that is written, previewed, and sent."""

    audience = RadioField(
        N_("To"), default=ALL_TEAMS, validators=[DataRequired(N_("Choose the recipients."))]
    )
    teams = SelectMultipleField(
        N_("Teams"), coerce=int, validators=[_require_teams], option_widget=CheckboxInput()
    )
    title = line_field(TITLE, N_("Title"))
    text = lines_field(ANNOUNCEMENT_TEXT, N_("Text"), N_("In Markdown."), rows=10)
    step = HiddenField(validators=[AnyOf(STEPS, message=N_("Press one of the buttons."))])
