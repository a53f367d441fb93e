"""Fields that several forms share."""

import re
from collections.abc import Sequence
from typing import Any

from flask_wtf import FlaskForm
from wtforms import Field, StringField, TextAreaField
from wtforms.i18n import DummyTranslations, get_translations
from wtforms.meta import DefaultMeta
from wtforms.validators import DataRequired, Regexp, StopValidation, ValidationError

from server.core.i18n import N_, _, get_language

MAX_TEXT = 100_000


def one_line(text: str | None) -> str | None:
    """Text with its white space made single blanks."""
    return " ".join(text.split()) if text else text


class TranslatedForm:
    """For a form: what WTForms itself says of it is in the site's language, if WTForms speaks it."""

    class Meta(DefaultMeta):
        """Of WTForms."""

        def get_translations(self, _form: object) -> Any:
            """WTForms' catalog of the language; none where it has none, or the language is English."""
            try:
                return get_translations([get_language()])
            except FileNotFoundError:
                return DummyTranslations()


class SiteForm(TranslatedForm, FlaskForm):
    """A form of the site."""


class MaxLength:
    """No more characters than so many, in words that are said as they are read."""

    def __init__(self, most: int) -> None:
        self.most = most

    def __call__(self, _form: object, field: Field) -> None:
        """Refuse what is longer."""
        if len(field.data or "") > self.most:
            raise ValidationError(_("Use %(most)d characters at most.", most=self.most))


class NumberBounds:
    """A number from one to another; what is empty passes unless a number is required before."""

    def __init__(self, low: float, high: float, message: str = N_("Give a number from %(low)s to %(high)s.")):
        self.low, self.high, self.message = low, high, message

    def __call__(self, _form: object, field: Field) -> None:
        """Refuse what is no number, or another one."""
        if field.data is None or not self.low <= field.data <= self.high:
            field.errors = []  # what the type says of it is the same in other words
            raise StopValidation(_(self.message, low=self.low, high=self.high))


def require_visible(_form: object, field: Field) -> None:
    """Refuse what cannot be seen, or turns the text around it: two joiners aside, which some scripts need."""
    if not all(char.isprintable() or char in "\u200c\u200d" for char in field.data or ""):
        raise ValidationError(_("Leave out characters that cannot be seen."))


def _require_letter(_form: object, field: Field) -> None:
    """Refuse names of dots and dashes alone."""
    if not any(char.isalnum() for char in field.data or ""):
        raise ValidationError(_("A name needs a letter or a digit."))


def require_visible_lines(_form: object, field: Field) -> None:
    """Refuse in each line what cannot be seen, or turns the text around it."""
    for line in (field.data or "").splitlines():
        if not all(char.isprintable() or char in "\u200c\u200d\t" for char in line):
            raise ValidationError(_("Leave out characters that cannot be seen."))


def name_field(label: str, description: str) -> StringField:
    """A short name of one line, without slashes."""
    return StringField(
        label,
        description=description,
        filters=[one_line],
        validators=[
            DataRequired(N_("Give a name.")),
            MaxLength(80),
            Regexp(r"[^/\\]+\Z", message=N_("Leave out slashes.")),
            require_visible,
            _require_letter,
        ],
        render_kw={"maxlength": 80, "autocomplete": "off"},
    )


def title_field() -> StringField:
    """A title of one line."""
    return StringField(
        N_("Title"),
        filters=[one_line],
        validators=[
            DataRequired(N_("Give a title.")),
            MaxLength(200),
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
            DataRequired(N_("Give a reason.")),
            MaxLength(1000),
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
        validators=[MaxLength(most), require_visible],
        render_kw={"maxlength": most, "rows": 3},
    )


def _normalize_line_ends(text: str | None) -> str | None:
    """Text whose lines end as they do everywhere but in browsers."""
    return text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff") if text else text


_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def _require_no_controls(_form: object, field: Field) -> None:
    """Refuse control characters, which no text needs, line ends and tabs aside; some turn what follows."""
    match = _CONTROL_CHARACTERS.search(field.data or "")
    if match:
        code = f"{ord(match[0]):04X}"
        raise ValidationError(_("Leave out the control character U+%(code)s.", code=code))


def text_field(
    label: str, description: str, rows: int, most: int = MAX_TEXT, first: Sequence[Any] = ()
) -> TextAreaField:
    """A text of several lines."""
    return TextAreaField(
        label,
        description=description,
        filters=[_normalize_line_ends],
        validators=[*first, MaxLength(most), _require_no_controls],
        render_kw={"rows": rows},
    )


class ConfirmForm(SiteForm):
    """A button: nothing but the CSRF token."""
