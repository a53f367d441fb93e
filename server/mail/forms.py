"""The form of an announcement: whom it is for, its title and text, and whether it is to be sent yet."""

from wtforms import HiddenField, RadioField
from wtforms.validators import AnyOf, DataRequired

from server.core.i18n import N_
from server.web.fields import SiteForm, text_field, title_field

ALL_TEAMS = "*"
"""The choice of every team; the others are slugs of phases."""
MAX_TEXT_LENGTH = 5000
STEPS = ("preview", "change", "send")


class AnnouncementForm(SiteForm):
    """An announcement that is written, looked at, and sent."""

    audience = RadioField(N_("To"), default=ALL_TEAMS, validators=[DataRequired(N_("Say whom it is for."))])
    title = title_field()
    text = text_field(
        N_("Text"), N_("In Markdown."), 10, MAX_TEXT_LENGTH, [DataRequired(N_("Write what you have to say."))]
    )
    step = HiddenField(validators=[AnyOf(STEPS, message=N_("Press one of the buttons."))])
