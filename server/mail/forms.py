"""The form of an announcement: its audience, title and text, and whether to send or preview it."""

from wtforms import HiddenField, RadioField
from wtforms.validators import AnyOf, DataRequired

from server.core.i18n import N_
from server.web.fields import SiteForm, line_field, lines_field
from server.web.validators import TITLE, long_text

ALL_TEAMS = "*"
"""The choice of every team; the others are slugs of phases."""
ANNOUNCEMENT_TEXT = long_text(5000, empty=N_("Enter a text."))
STEPS = ("preview", "change", "send")


class AnnouncementForm(SiteForm):
    """An announcement that is written, previewed, and sent."""

    audience = RadioField(
        N_("To"), default=ALL_TEAMS, validators=[DataRequired(N_("Choose the recipients."))]
    )
    title = line_field(TITLE, N_("Title"))
    text = lines_field(ANNOUNCEMENT_TEXT, N_("Text"), N_("In Markdown."), rows=10)
    step = HiddenField(validators=[AnyOf(STEPS, message=N_("Press one of the buttons."))])
