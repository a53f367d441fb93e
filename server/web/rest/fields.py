"""The API's schemas and fields, with error messages in the site's language.

Numbers, booleans and times are accepted only as JSON has them: 2.7 and "2" are not whole numbers, and 1 is
not a boolean.
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
    """A schema whose fields get their descriptions by schema and name, or else by name."""

    def on_bind_field(self, field_name: str, field_obj: Field[Any]) -> None:
        """Give a field its description."""
        name = field_obj.data_key or field_name
        for key in (*(f"{schema.__name__}.{name}" for schema in type(self).__mro__), name):
            if key in FIELD_DESCRIPTIONS:
                field_obj.metadata = {"description": FIELD_DESCRIPTIONS[key], **field_obj.metadata}
                return


class AnswerSchema(DescribedSchema):
    """A response, in which every field is always present."""

    def on_bind_field(self, field_name: str, field_obj: Field[Any]) -> None:
        """Declare that the field is always present."""
        super().on_bind_field(field_name, field_obj)
        field_obj.required = True


class RequestSchema(DescribedSchema):
    """A request body; an unknown field is an error, which lists the known fields."""

    def handle_error(self, error: ValidationError, data: object, *, many: bool, **kwargs: Any) -> None:  # noqa: ARG002  (the library's way)
        """Translate errors that the library has in English only: unknown fields, a body that is no object."""
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
    """A field with error messages in the site's language."""

    default_error_messages = {  # noqa: RUF012  (the library's way)
        "required": N_("This field is required."),
        "null": N_("This field cannot be null. Send a value, or leave it out."),
    }

    def make_error(self, key: str, **_values: Any) -> ValidationError:
        """Create the error with the message for a key."""
        return ValidationError(translate(str(self.error_messages[key])))


class TextField(SiteField, String):
    """A text, which its validator cleans before it checks it."""

    default_error_messages = dict.fromkeys(("invalid", "invalid_utf8"), N_("Send a text."))

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        text = super()._deserialize(value, *args, **kwargs)
        for validator in self.validators:
            if isinstance(validator, TextValidator):
                text = validator.clean(text)
        return text


class _StrictField(SiteField):
    """A field that accepts only values of its type, and converts none.

    Overriding `_deserialize` is marshmallow's documented way to define a custom field.
    """

    def _fits(self, value: object) -> bool:
        raise NotImplementedError

    def _deserialize(self, value: Any, *args: Any, **kwargs: Any) -> Any:
        if not self._fits(value):
            raise self.make_error("invalid")
        return super()._deserialize(value, *args, **kwargs)


class CountField(_StrictField, Integer):
    """A whole number in a query string, where everything is text."""

    default_error_messages = dict.fromkeys(("invalid", "too_large"), N_("Send a whole number."))

    def _fits(self, value: object) -> bool:
        return isinstance(value, str) and value.isascii() and value.isdecimal()


class WholeNumberField(_StrictField, Integer):
    """A whole number; a number with decimal places is an error."""

    default_error_messages = {"invalid": N_("Send a whole number, without quotes.")}  # noqa: RUF012  (as above)

    def _fits(self, value: object) -> bool:
        return type(value) is int or (type(value) is float and value.is_integer())


class NumberField(_StrictField, Float):
    """A number."""

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


class FlagField(_StrictField, Boolean):
    """`true` or `false` in a form, where everything is text."""

    default_error_messages = {"invalid": N_("Send true or false.")}  # noqa: RUF012  (as above)

    def _fits(self, value: object) -> bool:
        return value in ("true", "false")


class MomentField(_StrictField, AwareDateTime):
    """A date and time with its zone in the format of RFC 3339, in either case; stored to the second."""

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
    """A list."""

    default_error_messages = {"invalid": N_("Send a list.")}  # noqa: RUF012  (as above)


def load_json(schema: Schema, sent: Any) -> dict[str, Any]:
    """Validate a JSON value, for an operation that can do so only after it has queried the database.

    Raises:
        HTTPError: the value does not fit the schema.
    """
    try:
        given: dict[str, Any] = schema.load(sent)
    except ValidationError as error:
        raise HTTPError(422, detail={"json": error.messages}) from error
    return given


def invalid_fields(messages: Mapping[str, list[str]], place: str = "json") -> HTTPError:
    """Create the error for fields that are wrong only in combination with others, or for this task."""
    return HTTPError(422, detail={place: messages})
