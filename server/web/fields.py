"""Fields that several forms share."""

from collections.abc import Callable
from typing import Any

import marshmallow
from flask_wtf import FlaskForm
from wtforms import Field, IntegerField, SelectMultipleField, StringField, TextAreaField
from wtforms.i18n import DummyTranslations, get_translations
from wtforms.meta import DefaultMeta
from wtforms.validators import InputRequired, Optional, StopValidation
from wtforms.widgets import CheckboxInput, ListWidget

from server.core.i18n import get_language
from server.web.validators import REASON, RangeValidator, TextValidator


class TranslatedForm:
    """A form whose messages from WTForms are in the site's language, if WTForms has a translation."""

    class Meta(DefaultMeta):
        """The options of WTForms."""

        def get_translations(self, _form: object) -> Any:
            """Return WTForms' catalog of the language; none if there is none, or the language is English."""
            try:
                return get_translations([get_language()])
            except FileNotFoundError:
                return DummyTranslations()


class SiteForm(TranslatedForm, FlaskForm):
    """A form of the site."""


class ValidatedBy:
    """Checks a form's field with a validator of the API, so that both give the same messages."""

    def __init__(self, validator: Callable[[Any], Any], *, required: bool = False) -> None:
        self.validator = validator
        self.field_flags = {"required": True} if required else {}

    def __call__(self, _form: object, field: Field) -> None:
        """Show the validator's error in place of the field type's own, which says the same in other words."""
        try:
            self.validator(field.data)
        except marshmallow.ValidationError as error:
            *field.errors, last = error.messages
            raise StopValidation(last) from error


def line_field(text: TextValidator, label: str, description: str = "", **attributes: Any) -> StringField:
    """Create a field for a text of one line; `attributes`: additional HTML attributes."""
    return StringField(
        label,
        description=description,
        filters=[text.clean_input],
        validators=[ValidatedBy(text, required=text.empty is not None)],
        render_kw={"maxlength": text.max, "autocomplete": "off", **attributes},
    )


def lines_field(
    text: TextValidator, label: str, description: str, rows: int = 3, **attributes: Any
) -> TextAreaField:
    """Create a field for several lines; without `maxlength`, a text that is too long can be shortened."""
    return TextAreaField(
        label,
        description=description,
        filters=[text.clean_input],
        validators=[ValidatedBy(text, required=text.empty is not None)],
        render_kw={"rows": rows, **attributes},
    )


def reason_field(label: str, description: str) -> TextAreaField:
    """Create a field for a sentence or two that other people will read."""
    return lines_field(REASON, label, description, maxlength=REASON.max)


def number_field(
    numbers: RangeValidator,
    label: str,
    description: str = "",
    *,
    empty: str | None = None,
    default: int | None = None,
) -> IntegerField:
    """Create a field for a whole number; it may be empty unless there is a message for that."""
    first = InputRequired(empty) if empty else Optional()
    return IntegerField(
        label, description=description, validators=[first, ValidatedBy(numbers)], default=default
    )


class CheckboxesField(SelectMultipleField):
    """Several choices, each with a checkbox."""

    widget = ListWidget(prefix_label=False)
    option_widget = CheckboxInput()


class ConfirmForm(SiteForm):
    """A form with only a button, and the CSRF token."""
