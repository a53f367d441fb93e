"""Signed documents: what is signed, what is read, and what never passes."""

import json
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, strategies as st

from scorer.errors import ProofError
from scorer.proof.keys import KeyRing, read_keys
from scorer.proof.signing import (
    canonical_bytes,
    format_instant,
    gold_commitment,
    has_valid_signature,
    public_key,
    read_instant,
    read_signed,
    sign,
)

# RFC 8032, section 7.1, test 2: private key, public key, and the signature of the one byte 0x72.
PRIVATE = bytes.fromhex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb")
PUBLIC = "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"
CONTENT = {"schema": "assay.test/1", "words": "köln \u2028 \U0001f600", "n": 17, "more": [None, True, {}]}

WORDS = st.text(st.characters(codec="utf-8"), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


def test_key_equals_the_test_vector_of_the_standard() -> None:
    assert public_key(PRIVATE) == PUBLIC


@given(st.dictionaries(WORDS, VALUES, max_size=4))
def test_signed_document_is_read_unchanged_and_verifies(content: dict[str, object]) -> None:
    text = sign(content, PRIVATE)
    document = read_signed(text.encode(), "receipt.json")
    assert (document.content, document.key, document.as_written) == (content, PUBLIC, True)
    assert has_valid_signature(document)


def test_deeply_nested_values_and_odd_keys_are_signed_as_json() -> None:
    deep: list[object] = []
    for _ in range(700):
        deep = [deep]
    for content in ({"a": deep}, {"a": {True: 1}}, {"a": {None: 2}}, {"a": {3: {}}}):
        document = read_signed(sign(content, PRIVATE).encode(), "r.json")
        assert document.as_written
        assert has_valid_signature(document)


def test_canonical_bytes_have_sorted_keys_no_whitespace_and_no_escapes() -> None:
    assert canonical_bytes({"b": "ö\n", "a": [1, {"d": None, "c": False}]}) == (
        '{"a":[1,{"c":false,"d":null}],"b":"ö\\n"}'.encode()
    )
    with pytest.raises(TypeError, match="sign it as text"):
        canonical_bytes({"values": [{"value": 0.5}]})


def test_different_layout_verifies_and_is_recognized() -> None:
    values = json.loads(sign(CONTENT, PRIVATE))
    for text in (json.dumps(values).encode(), b"\xef\xbb\xbf" + sign(CONTENT, PRIVATE).encode()):
        document = read_signed(text, "receipt.json")
        assert has_valid_signature(document)
        assert not document.as_written


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        (lambda values: values["signed"].update(n=18), False),
        (lambda values: values["signed"].update(more=[]), False),
        (lambda values: values.update(key="00" * 32), False),
        (lambda values: values.update(signature="ab" * 64), False),
        (lambda values: values, True),
    ],
)
def test_changed_document_does_not_verify(change: object, holds: bool) -> None:
    values = json.loads(sign(CONTENT, PRIVATE))
    change(values)  # type: ignore[operator]  # each of the cases can be called
    assert has_valid_signature(read_signed(json.dumps(values).encode(), "receipt.json")) is holds


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "r.json:1: is no JSON: Expecting value at column 1"),
        (b"\xff", "byte 1 cannot be read"),
        (b"[]", 'must be an object with "signed", "key" and "signature"'),
        (b'{"signed": {}, "signed": {}, "key": "", "signature": ""}', "a key stands there twice"),
        (b'{"signed": {"n": NaN}, "key": "", "signature": ""}', "NaN is no number"),
        (b'{"signed": [], "key": "", "signature": ""}', "signed: must be an object"),
        (b'{"signed": {}, "key": "' + b"AB" * 32 + b'", "signature": ""}', "key: must be 64 hexadecimal"),
        (b'{"signed": {}, "key": "' + b"ab" * 32 + b'", "signature": "x"}', "signature: must be 128"),
        (
            b'{"signed": {"n": 1.0}, "key": "' + b"ab" * 32 + b'", "signature": "' + b"ab" * 64 + b'"}',
            "whole numbers",
        ),
        (b"[" * 100_000, "it is nested too deeply"),
        (b'{"n": ' + b"9" * 5000 + b"}", "a number has 5000 digits"),
        (b'{"schema": "assay.keys/1"}', 'assay.keys/1", which has no signature; give it as --key'),
        (b'{"schema": "assay.board/1"}', "which has no signature; give it as --board with its statement"),
        (b'"\\ud800"', "must be an object"),
    ],
)
def test_invalid_signed_document_is_rejected(data: bytes, message: str) -> None:
    with pytest.raises(ProofError, match=message.replace("(", r"\(")):
        read_signed(data, "r.json")


def test_lone_surrogate_cannot_be_signed() -> None:
    text = b'{"signed": {"a": "\\ud800"}, "key": "' + b"ab" * 32 + b'", "signature": "' + b"ab" * 64 + b'"}'
    with pytest.raises(ProofError, match="signed"):
        read_signed(text, "r.json")


def test_a_commitment_binds_to_each_byte_and_needs_a_whole_salt() -> None:
    # RFC 4231 has no key of 32 bytes; `openssl dgst -sha256 -mac HMAC -macopt hexkey:00..00` gave this one.
    assert gold_commitment(bytes(32), b"1\n4\n") == (
        "dcc1b783e011a61f785bff235c6d1b75491a52a536e3b16f5e978767e7dff11a"
    )
    assert gold_commitment(bytes(32), b"1\n4") != gold_commitment(bytes(32), b"1\n4\n")
    with pytest.raises(ValueError, match="32 bytes, not 31"):
        gold_commitment(bytes(31), b"")


def test_times_have_one_canonical_format() -> None:
    at = datetime(2026, 3, 10, 13, tzinfo=timezone(timedelta(hours=1)))
    assert format_instant(at) == "2026-03-10T12:00:00.000000Z"
    assert read_instant(format_instant(at)) == at
    for text in ("2026-03-10T12:00:00Z", "2026-03-10 12:00:00.000000Z", "2026-03-10T12:00:00.000000", "now"):
        with pytest.raises(ValueError, match="no time"):
            read_instant(text)


KEYS = {
    "schema": "assay.keys/1",
    "site": "https://assay.test",
    "keys": [
        {
            "number": 1,
            "key": "ab" * 32,
            "from": "2026-03-01T00:00:00.000000Z",
            "until": "2026-04-01T00:00:00.000000Z",
        },
        {"number": 2, "key": PUBLIC, "from": "2026-04-01T00:00:00.000000Z", "until": None},
    ],
}


def keys_with(**changes: object) -> bytes:
    first = {**KEYS["keys"][0], **changes}  # type: ignore[dict-item,index]  # a table of this test
    return json.dumps({**KEYS, "keys": [first]}).encode()


def test_key_is_found_with_its_period_of_use() -> None:
    ring: KeyRing = read_keys(json.dumps(KEYS).encode(), "keys.json")
    old, new = ring.find("ab" * 32), ring.find(PUBLIC)
    assert ring.site == "https://assay.test"
    assert old is not None
    assert new is not None
    assert ring.find("cd" * 32) is None
    at = datetime(2026, 3, 20, tzinfo=UTC)
    assert (old.held_at(at), new.held_at(at)) == (True, False)
    assert (old.held_at(at + timedelta(days=30)), new.held_at(at + timedelta(days=30))) == (False, True)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"[]", "give the /keys.json of a site"),
        (json.dumps({**KEYS, "more": 1}).encode(), "nothing else"),
        (json.dumps({**KEYS, "keys": {}}).encode(), "must be a list"),
        (keys_with(number=2), r"keys\[1\]: number: must be 1"),
        (keys_with(key="AB" * 32), "lower case"),
        (keys_with(until=5), '"5" is no time'),
        (keys_with(**{"from": "yesterday"}), r'keys\[1\]: "yesterday" is no time'),
        (keys_with(name="ada"), "nothing else"),
    ],
)
def test_invalid_list_of_keys_is_rejected(data: bytes, message: str) -> None:
    with pytest.raises(ProofError, match=message):
        read_keys(data, "keys.json")
