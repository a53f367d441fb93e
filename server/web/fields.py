"""Fields that several forms share."""

from collections.abc import Callable
from typing import Any

import marshmallow
from flask_wtf import FlaskForm
from wtforms import Field, IntegerField, StringField, TextAreaField
from wtforms.i18n import DummyTranslations, get_translations
from wtforms.meta import DefaultMeta
from wtforms.validators import InputRequired, Optional, StopValidation

from server.core.i18n import get_language
from server.web.validators import REASON, RangeValidator, TextValidator


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


class Holds:
    """Holds a field of a form to a validator of the API, which says what is wrong in the same words."""

    def __init__(self, validator: Callable[[Any], Any], *, required: bool = False) -> None:
        self.validator = validator
        self.field_flags = {"required": True} if required else {}

    def __call__(self, _form: object, field: Field) -> None:
        """Refuse what it refuses; what the field's type says of it is the same in other words."""
        try:
            self.validator(field.data)
        except marshmallow.ValidationError as error:
            *field.errors, last = error.messages
            raise StopValidation(last) from error


def line_field(text: TextValidator, label: str, description: str = "", **attributes: Any) -> StringField:
    """A text of one line; `attributes`: of its HTML, beside those that most lines have."""
    return StringField(
        label,
        description=description,
        filters=[text.clean_input],
        validators=[Holds(text, required=text.empty is not None)],
        render_kw={"maxlength": text.max, "autocomplete": "off", **attributes},
    )


def lines_field(
    text: TextValidator, label: str, description: str, rows: int = 3, **attributes: Any
) -> TextAreaField:
    """A text of several lines; one that has no `maxlength` can be mended when it is too long."""
    return TextAreaField(
        label,
        description=description,
        filters=[text.clean_input],
        validators=[Holds(text, required=text.empty is not None)],
        render_kw={"rows": rows, **attributes},
    )


def reason_field(label: str, description: str) -> TextAreaField:
    """A sentence or two that other people will read."""
    return lines_field(REASON, label, description, maxlength=REASON.max)


def number_field(
    numbers: RangeValidator,
    label: str,
    description: str = "",
    *,
    empty: str | None = None,
    default: int | None = None,
) -> IntegerField:
    """A whole number; an empty field may stand unless there are words for that."""
    first = InputRequired(empty) if empty else Optional()
    return IntegerField(label, description=description, validators=[first, Holds(numbers)], default=default)


class ConfirmForm(SiteForm):
    """A button: nothing but the CSRF token."""
