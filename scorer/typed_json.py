"""Reads JSON as typed values: dataclasses declare its keys and their types, and all faults come at once."""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import MISSING, dataclass, fields
from datetime import datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

Value = TypeVar("Value")
Fault = tuple[str, str]
"""A place in the JSON, and what is wrong there."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A type whose values are read as a whole. `fits` and `read` may raise ValueError for another value."""

    words: str
    """The description of the type in messages."""
    fits: Callable[[Any], bool]
    """Return whether a JSON value has this type."""
    read: Callable[[Any], Any] | None = None
    """Convert a JSON value of this type to the value of the field."""
    fault: Callable[[Any], str | None] | None = None
    """Return what else is wrong with the converted value, or None."""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of an object: the name and type of its value, and whether its key may be missing."""

    name: str
    type: Any
    may_be_missing: bool = False


Members = dict[str, Any]
"""The member of each key of an object, or the members of a nested object."""
_Convert = Callable[[Any, str, list[Fault]], Any]
_MISFIT = object()


class TypedReader:
    """Converts parsed JSON to typed values.

    A type is a dataclass, `list[T]`, `tuple[T, ...]`, `dict[str, T]`, a `Literal` of texts, one of the types
    of `scalars`, a `Scalar`, `Annotated` with one, `Any`, or one of these or None. A key of a dataclass may
    be missing if its field has a default. If a key has another name than its field, or is nested, the
    metadata of the field has its path: {"at": "team.id"} is the key `id` of the object `team`. The metadata
    "type" is the type of the JSON if it is another than that of the field, such as one without None.

    Parameters
    ----------
    scalars : mapping of type to Scalar
        What a valid `str`, `int`, and so on is.
    mismatch : callable, optional
        Returns the fault of a value of another type, given the description of the type and the value.
    unknown_key : str, optional
        The fault of a key that no field has. By default such keys are ignored.
    first : int
        The number of the first element of a list in the places of faults.

    Examples
    --------
    >>> @dataclass
    ... class Line:
    ...     width: int
    ...     points: list[int]
    >>> reader, faults = TypedReader({int: Scalar("a number", lambda value: type(value) is int)}), []
    >>> reader.read(Line, {"width": 1, "points": [1, 2]}, faults), faults
    (Line(width=1, points=[1, 2]), [])
    >>> reader.read(Line, {"points": [1, "2"]}, faults), faults
    (None, [('width', 'is missing'), ('points[1]', 'is not a number')])
    """

    def __init__(
        self,
        scalars: Mapping[Any, Scalar],
        *,
        mismatch: Callable[[str, Any], str] = lambda words, value: f"is not {words}",  # noqa: ARG005
        unknown_key: str | None = None,
        first: int = 0,
    ) -> None:
        self._scalars = {Any: Scalar("JSON", lambda value: True), **scalars}  # noqa: ARG005
        self._mismatch, self._unknown_key, self._first = mismatch, unknown_key, first
        self._converters: dict[Any, _Convert] = {}
        self._objects: dict[int, tuple[Members, _Convert]] = {}

    def read(self, type_: type[Value], value: Any, faults: list[Fault], place: str = "") -> Value:
        """Convert a value, and append its faults. After a fault the result is meaningless."""
        read: Value = self._converter(type_)(value, place, faults)
        return read

    def read_members(
        self, members: Members, value: Any, faults: list[Fault], place: str = ""
    ) -> dict[str, Any]:
        """Convert an object to the values of its members, by the names of the members."""
        if id(members) not in self._objects:  # a dict has no hash; the reference keeps its id unique
            self._objects[id(members)] = members, self._members_converter(members)
        read: dict[str, Any] = self._objects[id(members)][1](value, place, faults)
        return read

    def _converter(self, type_: Any) -> _Convert:
        if type_ not in self._converters:
            self._converters[type_] = self._make_converter(type_)
        return self._converters[type_]

    def _make_converter(self, type_: Any) -> _Convert:
        origin, arguments = get_origin(type_), get_args(type_)
        scalar = self._find_scalar(type_)
        if scalar is not None:
            return self._scalar_converter(scalar)
        if origin in (Union, UnionType):
            convert = self._converter(next(inner for inner in arguments if inner is not NoneType))
            return lambda value, place, faults: None if value is None else convert(value, place, faults)
        if origin in (list, tuple):
            return self._list_converter(origin, arguments[0])
        return self._dict_converter(arguments[1]) if origin is dict else self._dataclass_converter(type_)

    def _find_scalar(self, type_: Any) -> Scalar | None:
        arguments = get_args(type_)
        if get_origin(type_) is Annotated:
            type_ = arguments[1]
        if get_origin(type_) is Literal:
            return Scalar(f"one of {', '.join(arguments)}", lambda value: value in arguments)
        return type_ if isinstance(type_, Scalar) else self._scalars.get(type_)

    def _scalar_converter(self, scalar: Scalar) -> _Convert:
        fits, read, fault_of = scalar.fits, scalar.read, scalar.fault

        def convert(value: Any, place: str, faults: list[Fault]) -> Any:
            try:
                converted = _MISFIT if not fits(value) else value if read is None else read(value)
            except ValueError:
                converted = _MISFIT
            if converted is _MISFIT:
                faults.append((place, self._mismatch(scalar.words, value)))
            elif fault_of is not None and (fault := fault_of(converted)) is not None:
                faults.append((place, fault))
            return converted

        return convert

    def _list_converter(self, kind: type, inner: Any) -> _Convert:
        convert_element = self._converter(inner)

        def convert(value: Any, place: str, faults: list[Fault]) -> Any:
            if not isinstance(value, list):
                faults.append((place, self._mismatch("a list", value)))
                return None
            numbered = enumerate(value, start=self._first)
            return kind(convert_element(element, f"{place}[{k}]", faults) for k, element in numbered)

        return convert

    def _dict_converter(self, inner: Any) -> _Convert:
        convert_key, convert_element = self._converter(str), self._converter(inner)

        def convert(value: Any, place: str, faults: list[Fault]) -> Any:
            if not isinstance(value, dict):
                faults.append((place, self._mismatch("an object", value)))
                return None
            prefix = f"{place}." if place else ""
            return {
                convert_key(key, prefix + key, faults): convert_element(element, prefix + key, faults)
                for key, element in value.items()
            }

        return convert

    def _dataclass_converter(self, kind: Any) -> _Convert:
        convert_members = self._members_converter(list_members(kind))

        def convert(value: Any, place: str, faults: list[Fault]) -> Any:
            values = convert_members(value, place, faults)
            return None if faults else kind(**values)

        return convert

    def _members_converter(self, members: Members) -> _Convert:
        converters = [
            (key, None, self._members_converter(member), False)
            if isinstance(member, dict)
            else (key, member.name, self._converter(member.type), member.may_be_missing)
            for key, member in members.items()
        ]

        def convert(value: Any, place: str, faults: list[Fault]) -> dict[str, Any]:
            read = dict[str, Any]()
            if not isinstance(value, dict):
                faults.append((place, self._mismatch("an object", value)))
                return read
            prefix = f"{place}." if place else ""
            for key, name, convert_member, may_be_missing in converters:
                if key not in value:
                    if not may_be_missing:
                        faults.append((prefix + key, "is missing"))
                elif name is None:
                    read |= convert_member(value[key], prefix + key, faults)
                else:
                    read[name] = convert_member(value[key], prefix + key, faults)
            if self._unknown_key is not None:
                faults += [(prefix + key, self._unknown_key) for key in value if key not in members]
            return read

        return convert


def list_members(kind: Any) -> Members:
    """Return the members of the objects that are read as a dataclass."""
    types, members = get_type_hints(kind, include_extras=True), dict[str, Any]()
    for field in fields(kind):
        *outer, key = field.metadata.get("at", field.name).split(".")
        inner = members
        for name in outer:
            inner = inner.setdefault(name, {})
        may_be_missing = field.default is not MISSING or field.default_factory is not MISSING
        type_ = field.metadata.get("type", types[field.name])
        inner[key] = Member(field.name, type_, may_be_missing)
    return members


def parse_json(data: bytes | str) -> Any:
    """Parse JSON in UTF-8, perhaps with a byte order mark, which some editors write.

    Raises
    ------
    ValueError
        If it is not JSON, not UTF-8, or nested too deeply.
    """
    try:
        return json.loads(data if isinstance(data, str) else data.decode("utf-8-sig"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def is_storable(text: str) -> bool:
    """Whether pages and databases accept a text: it has no lone surrogates and no NUL."""
    return not any("\ud800" <= char <= "\udfff" or char == "\0" for char in text)


def is_finite(value: Any) -> bool:
    """Whether a value is a number that a float can hold; true and false are none."""
    return type(value) in (int, float) and abs(value) <= sys.float_info.max


def _aware_fault(moment: datetime) -> str | None:
    return None if moment.tzinfo is not None else "has no offset from UTC"


PLAIN_READER = TypedReader(
    {
        str: Scalar("a text", lambda value: type(value) is str),
        bool: Scalar("true or false", lambda value: type(value) is bool),
        int: Scalar("a whole number", lambda value: type(value) is int),
        float: Scalar("a number", is_finite, float),
        datetime: Scalar("a time", lambda value: type(value) is str, datetime.fromisoformat, _aware_fault),
    }
)
"""Reads any text, whole number, finite number, and time with an offset. Other keys are ignored."""
