"""Schemas of signed documents: a dataclass declares the keys and types that a document's JSON must have."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, fields, is_dataclass
from datetime import datetime
from functools import cache
from math import isfinite
from types import UnionType
from typing import Annotated, Any, ClassVar, TypeVar, Union, get_args, get_origin, get_type_hints

from scorer.errors import Problem, ProofError
from scorer.proof.signing import read_instant
from scorer.shapes import Fault

AnyDocument = TypeVar("AnyDocument", bound="Document")
_LARGEST = 2**53


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar type of the schema. Both of its functions may raise ValueError for an invalid value."""

    words: str
    """The description of the type in messages."""
    fits: Callable[[Any], bool]
    """Return whether a JSON value has this type."""
    read: Callable[[Any], Any] = lambda value: value
    """Convert a JSON value of this type to the value of the field."""


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 <= value < _LARGEST


def _is_number(value: Any) -> bool:
    return type(value) is str and isfinite(float(value)) and repr(float(value)) == value


def _matches(pattern: str) -> Callable[[Any], bool]:
    return lambda value: type(value) is str and re.fullmatch(pattern, value) is not None


_DIGITS = "64 hexadecimal digits in lower case"
_is_digits = _matches("[0-9a-f]{64}")
Count = Annotated[int, Scalar("a whole number", _is_count)]
Ordinal = Annotated[int, Scalar("a whole number from 1", lambda value: _is_count(value) and value > 0)]
Number = Annotated[str, Scalar('a number as text, such as "0.5"', _is_number)]
Sha256 = Annotated[str, Scalar(_DIGITS, _is_digits)]
Salt = Annotated[bytes, Scalar(_DIGITS, _is_digits, bytes.fromhex)]
Site = Annotated[
    str, Scalar("an address such as https://example.org", _matches(r"https?://[^\s/?#]+(/[^\s?#]*)?"))
]
_PLAIN_SCALARS = {
    str: Scalar("a text of one character or more", lambda value: type(value) is str and value != ""),
    bool: Scalar("true or false", lambda value: type(value) is bool),
    datetime: Scalar(
        "a time such as 2026-03-10T12:00:00.000000Z", lambda value: type(value) is str, read_instant
    ),
}
"""The scalar types of fields that are annotated with a built-in type or with datetime."""


@dataclass(frozen=True, slots=True)
class Document:
    """The base class of documents: a JSON object whose key `schema` names its kind and version.

    A subclass declares a field for each other key. The type of a field is one of the scalar types of this
    module, str, bool or datetime, another dataclass, or a tuple of one of these. It may also be such a type
    or None. If the key has another name or is nested, the metadata of the field has its path. For example,
    {"at": "team.id"} is the key `id` of the object `team`.
    """

    KIND: ClassVar[str]
    """The required value of the key `schema`: the kind of document and its version."""
    FAULT_CODE: ClassVar[str]
    """The code of the problems of a document that does not match the schema."""

    schema: str

    @classmethod
    def kind_faults(cls, values: Any) -> Iterator[Fault]:
        """Yield why the values are not a document of this kind. After a fault, nothing else is checked."""
        if values.get("schema") != cls.KIND:
            yield "schema", f'is not "{cls.KIND}"; is it of another kind, or of a later version?'

    def contradictions(self) -> Iterator[Fault]:
        """Yield the contradictions of a document whose keys and types match the schema."""
        yield from ()


def read_document(kind: type[AnyDocument], values: Any, source: str) -> AnyDocument:
    """Validate JSON values against the schema of a kind of document, and convert them to that document.

    Parameters
    ----------
    kind : type of Document
        The kind of document that is expected.
    values : object
        The parsed JSON: the content of a signed document, or the value of a file.
    source : str
        The name of the file in messages.

    Returns
    -------
    Document
        An instance of `kind`.

    Raises
    ------
    ProofError
        If the values are not a document of this kind and version. The error lists all problems.

    Examples
    --------
    >>> from dataclasses import field
    >>> @dataclass(frozen=True, slots=True)
    ... class Note(Document):
    ...     KIND, FAULT_CODE = "note/1", "bad_note"
    ...     number: Count = field(metadata={"at": "n"})
    ...     made: datetime
    >>> read_document(Note, {"schema": "note/1", "n": -1, "m": 0}, "note.json")
    Traceback (most recent call last):
    scorer.errors.ProofError: note.json: n: is not a whole number
    note.json: made: is missing
    note.json: m: is not known to this version
    """
    faults = list(kind.kind_faults(values))
    document: Any = None if faults else _read(kind, values, "", faults)
    faults = faults or list(document.contradictions())
    if faults:
        problems = [Problem(source, None, kind.FAULT_CODE, f"{place}: {fault}") for place, fault in faults]
        raise ProofError(problems)
    read: AnyDocument = document
    return read


def _read(type_: Any, value: Any, place: str, faults: list[Fault]) -> Any:
    """Convert a JSON value to the type of a field and append its faults to `faults`.

    The result is meaningless if there are any faults.
    """
    origin, arguments = get_origin(type_), get_args(type_)
    if origin in (Union, UnionType):  # the union of a type and None
        return None if value is None else _read(arguments[0], value, place, faults)
    if origin is tuple:
        expected = "a list"
        if isinstance(value, list):
            numbered = enumerate(value, start=1)
            return tuple(_read(arguments[0], inner, f"{place}[{n}]", faults) for n, inner in numbered)
    elif isinstance(type_, type) and is_dataclass(type_):
        expected = "an object"
        if isinstance(value, dict):
            members = _read_members(_layout_of(type_), value, place, faults)
            return None if faults else type_(**members)
    else:
        scalar: Scalar = arguments[1] if origin is Annotated else _PLAIN_SCALARS[type_]
        expected = scalar.words
        with suppress(ValueError):
            if scalar.fits(value):
                return scalar.read(value)
    faults.append((place, f"is not {expected}"))
    return None


def _read_members(
    layout: Mapping[str, Any], values: dict[str, Any], place: str, faults: list[Fault]
) -> dict[str, Any]:
    """Convert the values of an object and of its nested objects, by the names of the document's fields."""
    members: dict[str, Any] = {}
    prefix = f"{place}." if place else ""
    for key, inner in layout.items():
        if key not in values:
            faults.append((prefix + key, "is missing"))
        elif isinstance(inner, tuple):
            name, type_ = inner
            members[name] = _read(type_, values[key], prefix + key, faults)
        elif isinstance(values[key], dict):
            members |= _read_members(inner, values[key], prefix + key, faults)
        else:
            faults.append((prefix + key, "is not an object"))
    faults += [(prefix + key, "is not known to this version") for key in values if key not in layout]
    return members


@cache
def _layout_of(kind: type) -> dict[str, Any]:
    """Return, for each key of the JSON, the name and type of its field, or the layout of a nested object."""
    types, layout = get_type_hints(kind, include_extras=True), dict[str, Any]()
    for field in fields(kind):
        *outer, key = field.metadata.get("at", field.name).split(".")
        place = layout
        for name in outer:
            place = place.setdefault(name, {})
        place[key] = field.name, types[field.name]
    return layout
