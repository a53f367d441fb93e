"""Forms for teams."""

from flask_wtf import FlaskForm

from server.forms.fields import name_field


class TeamForm(FlaskForm):
    """A new team."""

    name = name_field("Team name", "As it will stand on the board.")
