"""Numbers, yes or no, and times as JSON has them: 2.7 and "2" are no whole numbers, and 1 is no yes."""

import re
from collections.abc import Mapping
from typing import Any

from apiflask.fields import AwareDateTime, Boolean, Field, Float, Integer

RFC_3339 = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)", re.ASCII | re.IGNORECASE)


class _Exact(Field[Any]):
    """Takes values of its kind, and makes none of another."""

    def _fits(self, value: object) -> bool:
        raise NotImplementedError

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if not self._fits(value):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value, attr, data, **kwargs)


class Whole(_Exact, Integer):
    """A whole number, in digits; nothing is cut off."""

    def _fits(self, value: object) -> bool:
        return type(value) is int or (type(value) is float and value.is_integer())


class Number(_Exact, Float):
    """A number, in digits."""

    def _fits(self, value: object) -> bool:
        return type(value) in (int, float)


class YesNo(_Exact, Boolean):
    """`true` or `false`."""

    def _fits(self, value: object) -> bool:
        return type(value) is bool


class Moment(AwareDateTime):
    """A date and time with its zone, as RFC 3339 has it, in large or small letters."""

    default_error_messages = dict.fromkeys(
        ("invalid", "invalid_awareness", "format"),
        "Write a date and time with its zone, as 2026-03-15T12:00:00Z.",
    )

    def _deserialize(
        self, value: Any, attr: str | None, data: Mapping[str, Any] | None, **kwargs: Any
    ) -> Any:
        if not (isinstance(value, str) and RFC_3339.fullmatch(value)):
            raise self.make_error("invalid", input=value)
        return super()._deserialize(value.upper(), attr, data, **kwargs)
