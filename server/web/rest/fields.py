"""What is sent: fields and bounds that say, in the site's language, what is wrong and how to mend it.

Numbers, yes or no, and times are taken as JSON has them: 2.7 and "2" are no whole numbers, and 1 is no yes.
"""

import re
from abc import abstractmethod
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from apiflask import Schema
from apiflask.fields import AwareDateTime, Boolean, Field, File, Float, Integer, List, String
from apiflask.validators import Length, OneOf, Range, Regexp
from marshmallow import ValidationError
from marshmallow.validate import Validator

from server.core.dates import ALLOWED_YEARS, YEAR_MESSAGE
from server.core.i18n import N_, _, translate

RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII | re.IGNORECASE)


class RequestSchema(Schema):
    """What is sent; a field that is not known here is refused with the names of those that are."""

    def handle_error(self, error: ValidationError, data: object, *, many: bool, **kwargs: Any) -> None:  # noqa: ARG002  (the library's way)
        """Say what the library has only English words for: a field too many, or a body that is no object."""
        names = [field.data_key or name for name, field in self.load_fields.items()]
        name_list, messages_by_field = ", ".join(names), dict(error.messages_dict)
        for name in set(messages_by_field) - {*names}:
            if name == "_schema":
                said = _("Send a JSON object with these fields: %(there)s.", there=name_list)
            else:
                said = _(
                    "There is no field “%(name)s” here; there are: %(there)s.", name=name, there=name_list
                )
            messages_by_field[name] = [said]
        error.messages = messages_by_field


class SiteField(Field[Any]):
    """Says what is wrong in the site's words."""

    default_error_messages = {  # noqa: RUF012  (the library's way)
        "required": N_("This is required; send it."),
        "null": N_("Send a value, or leave it out: it cannot be null."),
    }

    def make_error(self, key: str, **_values: Any) -> ValidationError:
        """The words for one of the reasons above."""
        return ValidationError(translate(str(self.error_messages[key])))


class TextField(SiteField, String):
    """A text."""

    default_error_messages = dict.fromkeys(("invalid", "invalid_utf8"), N_("Send a text."))


class _StrictField(SiteField):
    """Takes values of its kind, and makes none of another.

    To override `_deserialize` is marshmallow's documented way to a field of one's own.
    """

    def _fits(self, value: object) -> bool:
        raise NotImplementedError

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if not self._fits(value):
            raise self.make_error("invalid")
        return super()._deserialize(value, attr, data, **kwargs)


class CountField(_StrictField, Integer):
    """A whole number of an address, where everything is text."""

    default_error_messages = dict.fromkeys(("invalid", "too_large"), N_("Send a whole number."))

    def _fits(self, value: object) -> bool:
        return isinstance(value, str) and value.isascii() and value.isdecimal()


class WholeNumberField(_StrictField, Integer):
    """A whole number, in digits; nothing is cut off."""

    default_error_messages = {"invalid": N_("Send a whole number, without quotes.")}  # noqa: RUF012  (as above)

    def _fits(self, value: object) -> bool:
        return type(value) is int or (type(value) is float and value.is_integer())


class NumberField(_StrictField, Float):
    """A number, in digits."""

    default_error_messages = dict.fromkeys(
        ("invalid", "special", "too_large"), N_("Send a number, without quotes.")
    )

    def _fits(self, value: object) -> bool:
        return type(value) in (int, float)


class YesNoField(_StrictField, Boolean):
    """`true` or `false`."""

    default_error_messages = {"invalid": N_("Send true or false, without quotes.")}  # noqa: RUF012  (as above)

    def _fits(self, value: object) -> bool:
        return type(value) is bool


class MomentField(_StrictField, AwareDateTime):
    """A date and time with its zone, as RFC 3339 has it, in large or small letters."""

    default_error_messages = {  # noqa: RUF012  (as above)
        "year": YEAR_MESSAGE,
        **dict.fromkeys(
            ("invalid", "invalid_awareness", "format"),
            N_("Write a date and time with its zone, as 2026-03-15T12:00:00Z."),
        ),
    }

    def _fits(self, value: object) -> bool:
        return isinstance(value, str) and RFC_3339.fullmatch(value) is not None

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        upper = value.upper() if isinstance(value, str) else value
        moment: datetime = super()._deserialize(upper, attr, data, **kwargs)
        try:
            year = moment.astimezone(UTC).year
        except OverflowError:
            year = 0
        if year not in ALLOWED_YEARS:
            raise self.make_error("year")
        return moment


class UploadField(SiteField, File):
    """A file."""

    default_error_messages = {"invalid": N_("Send a file, in a part of multipart/form-data.")}  # noqa: RUF012  (as above)


class ListField(SiteField, List[Any]):
    """Several of a kind."""

    default_error_messages = {"invalid": N_("Send a list.")}  # noqa: RUF012  (as above)


class SiteValidator(Validator):
    """Says what is wrong in the site's words and language: the library's own would be chosen at import."""

    def __call__(self, value: Any) -> Any:
        """Check a value."""
        try:
            return super().__call__(value)  # type: ignore[safe-super]  # of the validator beside this one
        except ValidationError as error:
            raise ValidationError(self.words()) from error

    @abstractmethod
    def words(self) -> str:
        """What is wrong."""


class ChoiceValidator(SiteValidator, OneOf):
    """One of a few words."""

    def words(self) -> str:
        """Which there are."""
        return _("Send one of: %(there)s.", there=self.choices_text)


class RangeValidator(SiteValidator, Range):
    """A number from one to another."""

    def words(self) -> str:
        """From which to which."""
        return _("Give a number from %(low)s to %(high)s.", low=self.min, high=self.max)


class LengthValidator(SiteValidator, Length):
    """A text of so many characters."""

    def words(self) -> str:
        """How many."""
        return _("Send %(low)d to %(high)d characters.", low=self.min, high=self.max)


class PatternValidator(SiteValidator, Regexp):
    """A text of a form, which its error says."""

    def words(self) -> str:
        """The form."""
        return translate(self.error)
