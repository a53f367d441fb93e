"""What is sent and answered; fields of what is sent say, in the site's language, what is wrong with it.

Numbers, yes or no, and times are taken as JSON has them: 2.7 and "2" are no whole numbers, and 1 is no yes.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from apiflask import Schema
from apiflask.exceptions import HTTPError
from apiflask.fields import AwareDateTime, Boolean, Field, File, Float, Integer, List, String
from marshmallow import ValidationError

from server.core.dates import ALLOWED_YEARS, YEAR_MESSAGE
from server.core.i18n import N_, _, translate
from server.web.rest.field_descriptions import FIELD_DESCRIPTIONS
from server.web.validators import TextValidator

RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII | re.IGNORECASE)


class DescribedSchema(Schema):
    """Fields that say nothing else of themselves have the words that go with their names."""

    def on_bind_field(self, field_name: str, field_obj: Field[Any]) -> None:
        """Give a field its words."""
        name = field_obj.data_key or field_name
        if name in FIELD_DESCRIPTIONS:
            field_obj.metadata = {"description": FIELD_DESCRIPTIONS[name], **field_obj.metadata}


class AnswerSchema(DescribedSchema):
    """What is answered: each field is there, always."""

    def on_bind_field(self, field_name: str, field_obj: Field[Any]) -> None:
        """Say that the field is there."""
        super().on_bind_field(field_name, field_obj)
        field_obj.required = True


class RequestSchema(DescribedSchema):
    """What is sent; a field that is not known here is refused with the names of those that are."""

    def handle_error(self, error: ValidationError, data: object, *, many: bool, **kwargs: Any) -> None:  # noqa: ARG002  (the library's way)
        """Say what the library has only English words for: a field too many, or a body that is no object."""
        names = [field.data_key or name for name, field in self.load_fields.items()]
        name_list, messages_by_field = ", ".join(names), dict(error.messages_dict)
        for name in set(messages_by_field) - {*names}:
            if name == "_schema":
                said = _("Send a JSON object with these fields: %(there)s.", there=name_list)
            else:
                said = _("There is no field “%(name)s”. Known fields: %(there)s.", name=name, there=name_list)
            messages_by_field[name] = [said]
        error.messages = messages_by_field


class SiteField(Field[Any]):
    """Says what is wrong in the site's words."""

    default_error_messages = {  # noqa: RUF012  (the library's way)
        "required": N_("This field is required."),
        "null": N_("This field cannot be null. Send a value, or leave it out."),
    }

    def make_error(self, key: str, **_values: Any) -> ValidationError:
        """The words for one of the reasons above."""
        return ValidationError(translate(str(self.error_messages[key])))


class TextField(SiteField, String):
    """A text, cleaned as its validator says before that checks it."""

    default_error_messages = dict.fromkeys(("invalid", "invalid_utf8"), N_("Send a text."))

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, *args, **kwargs)
        for validator in self.validators:
            if isinstance(validator, TextValidator):
                text = validator.clean(text)
        return text


class _StrictField(SiteField):
    """Takes values of its kind, and makes none of another.

    To override `_deserialize` is marshmallow's documented way to a field of one's own.
    """

    def _fits(self, value: object) -> bool:
        raise NotImplementedError

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        if not self._fits(value):
            raise self.make_error("invalid")
        return super()._deserialize(value, *args, **kwargs)


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
    """A date and time with its zone, as RFC 3339 has it, in large or small letters; kept to the second."""

    default_error_messages = {  # noqa: RUF012  (as above)
        "year": YEAR_MESSAGE,
        **dict.fromkeys(
            ("invalid", "invalid_awareness", "format"),
            N_("Write a date and time with its zone, as 2026-03-15T12:00:00Z."),
        ),
    }

    def _fits(self, value: object) -> bool:
        return isinstance(value, str) and RFC_3339.fullmatch(value) is not None

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        upper = value.upper() if isinstance(value, str) else value
        moment: datetime = super()._deserialize(upper, *args, **kwargs)
        try:
            moment = moment.astimezone(UTC).replace(microsecond=0)
        except OverflowError:
            raise self.make_error("year") from None
        if moment.year not in ALLOWED_YEARS:
            raise self.make_error("year")
        return moment


class UploadField(SiteField, File):
    """A file."""

    default_error_messages = {"invalid": N_("Send a file, in a part of multipart/form-data.")}  # noqa: RUF012  (as above)


class ListField(SiteField, List[Any]):
    """Several of a kind."""

    default_error_messages = {"invalid": N_("Send a list.")}  # noqa: RUF012  (as above)


def load_json(schema: Schema, sent: Any) -> dict[str, Any]:
    """What was sent, for an operation that has to know more before it can check it.

    Raises:
        HTTPError: it is not as the schema has it.
    """
    try:
        given: dict[str, Any] = schema.load(sent)
    except ValidationError as error:
        raise HTTPError(422, detail={"json": error.messages}) from error
    return given


def invalid_fields(messages: Mapping[str, list[str]], place: str = "json") -> HTTPError:
    """What refuses fields whose faults only show beside others, or the task."""
    return HTTPError(422, detail={place: messages})
