"""Forms for runs."""

from flask_wtf import FlaskForm
from wtforms import TextAreaField
from wtforms.validators import Length

from server.forms.fields import name_field


class RunForm(FlaskForm):
    """A new run: one system of the team."""

    name = name_field("Run name", "As it will stand on the board, beside the team's name.")
    description = TextAreaField(
        "Description",
        description="One or two sentences on the system; optional.",
        validators=[Length(max=2000, message="Use 2000 characters at most.")],
        render_kw={"maxlength": 2000, "rows": 2},
    )
