"""Forms for teams."""

from flask_wtf import FlaskForm
from wtforms import TextAreaField
from wtforms.validators import Length

from server.forms.fields import name_field, require_visible_lines


class TeamForm(FlaskForm):
    """A new team."""

    name = name_field("Team name", "As it will stand on the board.")


class EditTeamForm(FlaskForm):
    """What stands for the team in tables."""

    name = name_field("Team name", "As it will stand on the board; it stays once a file is scored.")
    affiliations = TextAreaField(
        "Affiliations",
        description="Where its members work, one a line, as the overview paper should have it; optional.",
        validators=[Length(max=1000, message="Use 1000 characters at most."), require_visible_lines],
        render_kw={"maxlength": 1000, "rows": 3},
    )
