"""Schemas of signed documents: a dataclass declares the keys and types that a document's JSON must have."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from math import isfinite
from typing import Annotated, Any, ClassVar, TypeVar

from scorer.errors import Problem, ProofError
from scorer.proof.signing import read_instant
from scorer.typed_json import Fault, Scalar, TypedReader

AnyDocument = TypeVar("AnyDocument", bound="Document")
_LARGEST = 2**53


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
_READER = TypedReader(
    {
        str: Scalar("a text of one character or more", lambda value: type(value) is str and value != ""),
        bool: Scalar("true or false", lambda value: type(value) is bool),
        datetime: Scalar(
            "a time such as 2026-03-10T12:00:00.000000Z", lambda value: type(value) is str, read_instant
        ),
    },
    unknown_key="is not known to this version",
    first=1,
)


@dataclass(frozen=True, slots=True)
class Document:
    """The base class of documents: a JSON object whose key `schema` names its kind and version.

    A subclass declares a field for each other key, as `TypedReader` reads it. The type of a field is one of
    the scalar types of this module, str, bool or datetime, another dataclass, or a tuple of one of these. It
    may also be such a type or None.
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
    if not faults:
        document = _READER.read(kind, values, faults)
    if not faults:
        faults += document.contradictions()
    if faults:
        problems = [Problem(source, None, kind.FAULT_CODE, f"{place}: {fault}") for place, fault in faults]
        raise ProofError(problems)
    return document
