"""Fields that several forms share."""

import re
from collections.abc import Sequence
from typing import Any

from flask_wtf import FlaskForm
from wtforms import Field, StringField, TextAreaField
from wtforms.validators import DataRequired, Length, Regexp, ValidationError

MAX_TEXT = 100_000


def one_line(text: str | None) -> str | None:
    """Text with its white space made single blanks."""
    return " ".join(text.split()) if text else text


def require_visible(_form: object, field: Field) -> None:
    """Refuse what cannot be seen, or turns the text around it: two joiners aside, which some scripts need."""
    if not all(char.isprintable() or char in "\u200c\u200d" for char in field.data or ""):
        raise ValidationError("Leave out characters that cannot be seen.")


def _require_letter(_form: object, field: Field) -> None:
    """Refuse names of dots and dashes alone."""
    if not any(char.isalnum() for char in field.data or ""):
        raise ValidationError("A name needs a letter or a digit.")


def require_visible_lines(_form: object, field: Field) -> None:
    """Refuse in each line what cannot be seen, or turns the text around it."""
    for line in (field.data or "").splitlines():
        if not all(char.isprintable() or char in "\u200c\u200d\t" for char in line):
            raise ValidationError("Leave out characters that cannot be seen.")


def name_field(label: str, description: str) -> StringField:
    """A short name of one line, without slashes."""
    return StringField(
        label,
        description=description,
        filters=[one_line],
        validators=[
            DataRequired("Give a name."),
            Length(max=80, message="Use 80 characters at most."),
            Regexp(r"[^/\\]+\Z", message="Leave out slashes."),
            require_visible,
            _require_letter,
        ],
        render_kw={"maxlength": 80, "autocomplete": "off"},
    )


def title_field() -> StringField:
    """A title of one line."""
    return StringField(
        "Title",
        filters=[one_line],
        validators=[
            DataRequired("Give a title."),
            Length(max=200, message="Use 200 characters at most."),
            require_visible,
        ],
        render_kw={"maxlength": 200, "autocomplete": "off"},
    )


def reason_field(label: str, description: str) -> TextAreaField:
    """A sentence or two that other people will read."""
    return TextAreaField(
        label,
        description=description,
        validators=[
            DataRequired("Give a reason."),
            Length(max=1000, message="Use 1000 characters at most."),
            require_visible_lines,
        ],
        render_kw={"maxlength": 1000, "rows": 3},
    )


def note_field(label: str, description: str, most: int) -> TextAreaField:
    """A paragraph that other people will read, if there is one."""
    return TextAreaField(
        label,
        description=description,
        filters=[one_line],
        validators=[Length(max=most, message=f"Use {most} characters at most."), require_visible],
        render_kw={"maxlength": most, "rows": 3},
    )


def _lines(text: str | None) -> str | None:
    """Text whose lines end as they do everywhere but in browsers."""
    return text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff") if text else text


_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def _require_text(_form: object, field: Field) -> None:
    """Refuse control characters, which no text needs, line ends and tabs aside; some turn what follows."""
    found = _CONTROLS.search(field.data or "")
    if found:
        raise ValidationError(f"Leave out the control character U+{ord(found[0]):04X}.")


def text_field(
    label: str, description: str, rows: int, most: int = MAX_TEXT, first: Sequence[Any] = ()
) -> TextAreaField:
    """A text of several lines."""
    return TextAreaField(
        label,
        description=description,
        filters=[_lines],
        validators=[*first, Length(max=most, message=f"Use {most} characters at most."), _require_text],
        render_kw={"rows": rows},
    )


class ConfirmForm(FlaskForm):
    """A button: nothing but the CSRF token."""
