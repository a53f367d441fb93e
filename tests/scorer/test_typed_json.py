"""Typed values from JSON: every kind of type, and every fault with its place."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

import pytest

from scorer.typed_json import PLAIN_READER, Fault, Member, Scalar, TypedReader, is_storable, parse_json

PERCENT = Scalar(
    "a whole number",
    lambda value: type(value) is int,
    fault=lambda value: None if value <= 100 else f"is {value}, above 100",
)


@dataclass(frozen=True)
class Person:
    name: str
    share: Annotated[int, PERCENT] = 0


@dataclass(frozen=True)
class Letter:
    kind: Literal["open", "sealed"]
    sent: datetime
    sender: Person = field(metadata={"at": "from.person"})
    weight: float | None
    copies: tuple[Person, ...] = ()
    notes: dict[str, list[int]] | None = None
    reply: Person | None = field(default=None, metadata={"type": Person})
    other: Any = None


VALUES = {
    "kind": "open",
    "sent": "2026-03-10T12:00:00Z",
    "from": {"person": {"name": "ada", "share": 7}},
    "weight": None,
}


def read(changes: dict[str, Any], reader: TypedReader = PLAIN_READER) -> tuple[Letter, list[Fault]]:
    faults: list[Fault] = []
    return reader.read(Letter, VALUES | changes, faults), faults


def test_keys_become_fields_and_missing_ones_get_defaults() -> None:
    sent, ada = datetime(2026, 3, 10, 12, tzinfo=UTC), Person("ada", 7)
    assert read({"unknown": 1}) == (Letter("open", sent, ada, None), [])
    full = {
        "weight": 2,
        "copies": [{"name": "bo"}],
        "notes": {"n": [1]},
        "reply": {"name": "cy"},
        "other": [{}],
    }
    expected = Letter("open", sent, ada, 2.0, (Person("bo"),), {"n": [1]}, Person("cy"), [{}])
    letter, faults = read(full)
    assert (letter, faults, type(letter.weight)) == (expected, [], float)


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        ({"kind": "lost", "sent": "noon"}, {"kind": "is not one of open, sealed", "sent": "is not a time"}),
        ({"sent": "2026-03-10T12:00:00"}, {"sent": "has no offset from UTC"}),
        ({"from": {}}, {"from.person": "is missing"}),
        ({"from": []}, {"from": "is not an object"}),
        ({"from": {"person": {"name": 1, "share": 101}}}, {
            "from.person.name": "is not a text",
            "from.person.share": "is 101, above 100",
        }),
        ({"weight": float("nan")}, {"weight": "is not a number"}),
        ({"weight": 10**400}, {"weight": "is not a number"}),
        ({"weight": True}, {"weight": "is not a number"}),
        ({"copies": {}}, {"copies": "is not a list"}),
        ({"copies": [{"name": "bo"}, {}]}, {"copies[1].name": "is missing"}),
        ({"notes": {"n": [1, "2"]}}, {"notes.n[1]": "is not a whole number"}),
        ({"notes": []}, {"notes": "is not an object"}),
        ({"reply": None}, {"reply": "is not an object"}),
    ],
)  # fmt: skip
def test_each_fault_has_its_place(changes: dict[str, Any], faults: dict[str, str]) -> None:
    assert dict(read(changes)[1]) == faults


def test_missing_outer_key_is_one_fault() -> None:
    faults: list[Fault] = []
    PLAIN_READER.read(Letter, {}, faults)
    assert faults == [(key, "is missing") for key in ("kind", "sent", "from", "weight")]
    PLAIN_READER.read(Letter, [], faults := [])
    assert faults == [("", "is not an object")]


def test_reader_has_its_own_sentences_and_numbers() -> None:
    reader = TypedReader(
        {str: Scalar("text", lambda value: type(value) is str)},
        mismatch=lambda words, value: f"must be {words}, not {value!r}",
        unknown_key="is not known",
        first=1,
    )
    faults: list[Fault] = []
    reader.read(list[Person], [{"name": "ada"}, {"name": 2, "age": 3}], faults, "people")
    assert faults == [("people[2].name", "must be text, not 2"), ("people[2].age", "is not known")]


def test_members_of_an_object_need_no_class() -> None:
    faults: list[Fault] = []
    members = {"a": Member("first", PERCENT), "b": Member("second", str, may_be_missing=True)}
    assert PLAIN_READER.read_members(members, {"a": 3}, faults) == {"first": 3}
    assert faults == []


@pytest.mark.parametrize("data", [b"", b"\xff", b"{", b"[" * 100_000])
def test_other_data_is_no_json(data: bytes) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  (each is another fault)
        parse_json(data)


def test_lone_surrogates_and_nul_cannot_be_stored() -> None:
    assert [is_storable(text) for text in ("a\n\U0001f600", "a\0", "\ud800")] == [True, False, False]


def test_byte_order_mark_before_json_is_skipped() -> None:
    assert parse_json("\ufeff[1]".encode()) == [1]
