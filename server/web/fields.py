"""Fields that several forms share."""

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from types import MappingProxyType
from typing import Any

import marshmallow
from flask import flash
from flask_wtf import FlaskForm
from wtforms import (
    Field,
    FloatField,
    HiddenField,
    IntegerField,
    SelectMultipleField,
    StringField,
    TextAreaField,
)
from wtforms.i18n import DummyTranslations, get_translations
from wtforms.meta import DefaultMeta
from wtforms.validators import InputRequired, Optional, StopValidation
from wtforms.widgets import CheckboxInput, ListWidget

from server.core.errors import ChangedMeanwhile
from server.core.i18n import _, get_language, translate
from server.core.storage import text_sha256
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

    def validate(self, extra_validators: Mapping[str, Sequence[Any]] | None = None) -> bool:
        """Validate each field, and then all of them together."""
        valid = bool(super().validate(extra_validators))
        for name, words in self.find_contradictions():
            if not self[name].errors:
                self[name].errors, valid = [words], False
        return valid

    def find_contradictions(self) -> Iterable[tuple[str, str]]:
        """Return errors of fields that do not fit the others; a field that has its own error keeps that."""
        return ()


class EditForm(SiteForm):
    """A form that edits what exists, and knows the values from which its page was made."""

    made_from = HiddenField()
    """A hash of each of these values: `title:1f2e3d4c licence:5b6a7988`."""

    def __init__(self, *args: Any, shown: Mapping[str, Any] = MappingProxyType({}), **options: Any) -> None:
        super().__init__(*args, data={**shown, "made_from": " ".join(_hash_each(shown))}, **options)

    def merge_saved(self, now: Mapping[str, Any], labels: Mapping[str, str] = MappingProxyType({})) -> None:
        """Give fields that were left as the page had them what was saved since; read the form after this.

        Raise if the form would replace another value that was saved since; sent again, it is accepted. A
        value that the form has as well is accepted, too: a form may arrive twice. `labels`: of values that no
        field has. The value `id` tells a row from another one that got its short name.

        Raises:
            ChangedMeanwhile: with the labels of the values.
        """
        known = _read_hashes((self.made_from.data or "").split())
        new = _read_hashes(_hash_each(now))
        changed = [name for name in new if known.get(name, new[name]) != new[name]]
        changed = [name for name in changed if name not in self or self[name].data != now[name]]
        sent = _read_hashes(_hash_each({name: self[name].data for name in changed if name in self}))
        left = [name for name in changed if sent.get(name) == known[name]]
        for name in left:
            self[name].data = now[name]
        if not left or self.validate():
            changed = [name for name in changed if name not in left]
        if changed:
            self.made_from.data = self.made_from.object_data
            labels = {"id": _("all of it, which was removed and added again"), **labels}
            names = [labels[name] if name in labels else self._label(name) for name in changed]
            raise ChangedMeanwhile.of(
                "Nothing was saved, because this was changed after you opened the page, in another tab "
                "or by someone else: %(names)s. Save again to replace it with what you entered.",
                names=", ".join(names),
            )

    def flash_saved(self, changed: Sequence[str], *, confirmed: bool = False) -> None:
        """Say which fields were changed, if any."""
        fields = ", ".join(map(self._label, changed))
        flash_saved(changed, _("Saved: %(fields)s.", fields=fields), confirmed=confirmed)

    def _label(self, name: str) -> str:
        return translate(self[name].label.text)


def flash_saved(changed: Sized | bool, words: str = "", *, confirmed: bool = False) -> None:
    """Say whether a form changed something (in `words`), or confirmed what the site had guessed."""
    if not changed:
        guessed = _("You confirmed what the site had guessed. Nothing else was changed.")
        words = guessed if confirmed else _("Nothing was changed.")
    flash(words or _("Saved."), "success" if changed or confirmed else "info")


def _hash_each(values: Mapping[str, Any]) -> list[str]:
    return [f"{name}:{text_sha256(repr(value))[:8]}" for name, value in values.items()]


def _read_hashes(pairs: Sequence[str]) -> dict[str, str]:
    return dict(pair.partition(":")[::2] for pair in pairs)


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
    text: TextValidator,
    label: str,
    description: str,
    rows: int = 3,
    kind: type[TextAreaField] = TextAreaField,
    **attributes: Any,
) -> TextAreaField:
    """Create a field for several lines; without `maxlength`, a text that is too long can be shortened."""
    return kind(
        label,
        description=description,
        filters=[text.clean_input],
        validators=[ValidatedBy(text, required=text.empty is not None)],
        render_kw={"rows": rows, **attributes},
    )


class MarkdownField(TextAreaField):
    """A text in Markdown: pages show below it how it is written, and a preview."""


def markdown_field(
    text: TextValidator, label: str, description: str = "", rows: int = 8, **attributes: Any
) -> TextAreaField:
    """Create a field for a text in Markdown, as `lines_field` does."""
    return lines_field(text, label, description, rows, kind=MarkdownField, **attributes)


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


class ShortFloatField(FloatField):
    """A number, shown without decimal places if it is whole."""

    def _value(self) -> str:
        """Return the submitted text, or the number."""
        if self.raw_data:
            return str(self.raw_data[0])
        return "" if self.data is None else str(self.data).removesuffix(".0")


class CheckboxesField(SelectMultipleField):
    """Several choices, each with a checkbox."""

    widget = ListWidget(prefix_label=False)
    option_widget = CheckboxInput()


class ConfirmForm(SiteForm):
    """A form with only a button, and the CSRF token."""
