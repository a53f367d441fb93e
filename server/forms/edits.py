"""The form for a task's texts."""

from flask_wtf import FlaskForm
from wtforms import Field, TextAreaField
from wtforms.validators import Length, ValidationError

from server.forms.fields import title_field

MAX_TEXT = 100_000


def _lines(text: str | None) -> str | None:
    """Text whose lines end as they do everywhere but in browsers."""
    return text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff") if text else text


def _require_text(_form: object, field: Field) -> None:
    """Refuse control characters, which no text needs: line ends and tabs aside."""
    for char in field.data or "":
        if (char < " " and char not in "\n\t") or char == "\x7f" or "\ud800" <= char <= "\udfff":
            raise ValidationError(f"Leave out the control character U+{ord(char):04X}.")


def _text_field(label: str, description: str, rows: int, most: int = MAX_TEXT) -> TextAreaField:
    return TextAreaField(
        label,
        description=description,
        filters=[_lines],
        validators=[Length(max=most, message=f"Use {most} characters at most."), _require_text],
        render_kw={"rows": rows},
    )


class TaskForm(FlaskForm):
    """The texts of a task."""

    title = title_field()
    description = _text_field("Description", "What the task is about, in Markdown.", 16)
    licence = _text_field("Licence of the data", "In one line, under the list of data files.", 2, 2000)
    terms = _text_field(
        "Terms",
        "In Markdown; empty: none. Changed terms are a new version, which everybody is asked to accept "
        "before they download data or upload files.",
        10,
    )
