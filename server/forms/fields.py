"""Fields that several forms share."""

from flask_wtf import FlaskForm
from wtforms import StringField, TextAreaField
from wtforms.validators import DataRequired, Length, Regexp


def one_line(text: str | None) -> str | None:
    """Text with its white space made single blanks."""
    return " ".join(text.split()) if text else text


def name_field(label: str, description: str) -> StringField:
    """A short name of one line, without slashes."""
    return StringField(
        label,
        description=description,
        filters=[one_line],
        validators=[
            DataRequired("Give a name."),
            Length(max=80, message="Use 80 characters at most."),
            Regexp(r"[^\x00-\x1f\x7f/\\]+\Z", message="Leave out slashes and control characters."),
        ],
        render_kw={"maxlength": 80, "autocomplete": "off"},
    )


def reason_field(label: str, description: str) -> TextAreaField:
    """A sentence or two that other people will read."""
    return TextAreaField(
        label,
        description=description,
        validators=[DataRequired("Give a reason."), Length(max=1000, message="Use 1000 characters at most.")],
        render_kw={"maxlength": 1000, "rows": 3},
    )


class ConfirmForm(FlaskForm):  # type: ignore[misc]
    """A button: nothing but the CSRF token."""
