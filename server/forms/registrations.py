"""Forms for the registration of teams."""

from flask_wtf import FlaskForm

from server.forms.fields import reason_field
from server.language import N_


class DeclineForm(FlaskForm):
    """Not letting a team compete."""

    reason = reason_field(N_("Reason"), N_("The team reads it on its page."))
