"""Forms for gold."""

from flask_wtf import FlaskForm
from flask_wtf.file import FileField, FileRequired
from wtforms import SelectField

from server.forms.fields import reason_field


class GoldForm(FlaskForm):
    """A new gold version of a level's split."""

    target = SelectField("Level and split")
    file = FileField(
        "Gold file",
        description="One value a line in the order of the items; an empty line: the item is not scored.",
        validators=[FileRequired("Choose a file first.")],
    )
    reason = reason_field("Reason", "Kept with the version, for organizers.")


class ReasonForm(FlaskForm):
    """Why a candidate is dropped, or an earlier version comes back."""

    reason = reason_field("Reason", "Kept with the version, for organizers.")
