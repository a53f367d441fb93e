"""Numbers, yes or no, and times as JSON has them: 2.7 and "2" are no whole numbers, and 1 is no yes."""

from collections.abc import Mapping
from typing import Any

from apiflask.fields import AwareDateTime, Boolean, Float, Integer


class Whole(Integer):
    """A whole number, in digits; nothing is cut off."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if type(value) is not int and not (type(value) is float and value.is_integer()):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class Number(Float):
    """A number, in digits."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if type(value) not in (int, float):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class YesNo(Boolean):
    """`true` or `false`."""

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if type(value) is not bool:
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class Moment(AwareDateTime):
    """A date and time, with its zone."""

    default_error_messages = dict.fromkeys(
        ("invalid", "invalid_awareness", "format"),
        "Write a date and time with its zone, as 2026-03-15T12:00:00Z.",
    )
