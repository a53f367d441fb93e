"""Forms for the registration of teams."""

from flask_wtf import FlaskForm

from server.forms.fields import reason_field


class DeclineForm(FlaskForm):
    """Not letting a team compete."""

    reason = reason_field("Reason", "The team reads it on its page.")
