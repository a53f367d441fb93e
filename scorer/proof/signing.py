"""Signed documents: JSON with an Ed25519 public key and a signature, so that any change can be detected."""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from scorer.errors import Problem, ProofError
from scorer.files.text import UTF8_BOM
from scorer.values import write_json

KEY_PATTERN = re.compile(r"[0-9a-f]{64}")
"""A public key, in hexadecimal digits."""
_SIGNATURE = re.compile(r"[0-9a-f]{128}")
_DOCUMENT_KEYS = {"signed", "key", "signature"}
SALT_BYTES = 32
_MAX_DIGITS = 1000
"""The maximum number of digits of an integer."""


@dataclass(frozen=True, slots=True)
class SignedDocument:
    """A parsed signed document. It is not trusted until `has_valid_signature` has verified its signature."""

    content: dict[str, Any]
    key: str
    """The public key, as 64 hexadecimal digits."""
    signature: str
    """The signature, as 128 hexadecimal digits."""
    as_written: bool
    """Whether the file has exactly the bytes that `sign` writes.

    The signature covers the content. The same content can be formatted with other whitespace or key order.
    """


def canonical_bytes(value: object) -> bytes:
    """Return the canonical form of a value, which is what `sign` signs.

    Parameters
    ----------
    value : object
        Strings, integers, booleans and None, and lists and mappings of them. Floats are not allowed, because
        programming languages write them in different ways.

    Returns
    -------
    bytes
        JSON in UTF-8 without whitespace, with the keys sorted by code point.

    Raises
    ------
    TypeError
        If the value contains a float, or a type that JSON does not have.

    Notes
    -----
    For the values that are allowed here, and as long as keys are ASCII, this is the JSON Canonicalization
    Scheme.

    References
    ----------
    RFC 8785, JSON Canonicalization Scheme (2020).

    Examples
    --------
    >>> canonical_bytes({"n": 2, "a": ["x", None]})
    b'{"a":["x",null],"n":2}'
    """
    _refuse_floats(value)
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode()


def sign(content: Mapping[str, Any], private_key: bytes) -> str:
    """Sign content and return the signed document as text.

    Parameters
    ----------
    content : mapping
        The content to sign. `canonical_bytes` documents which values it may contain.
    private_key : bytes
        The 32 bytes of an Ed25519 private key.

    Returns
    -------
    str
        JSON that ends in a newline. It is always the same for the same content and key.

    Raises
    ------
    TypeError
        If the content has no canonical form.

    References
    ----------
    RFC 8032, Edwards-Curve Digital Signature Algorithm (2017), section 5.1.
    """
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415  (loaded late)

    key = Ed25519PrivateKey.from_private_bytes(private_key)
    signature = key.sign(canonical_bytes(content))
    return _document_text(dict(content), key.public_key().public_bytes_raw().hex(), signature.hex())


def public_key(private_key: bytes) -> str:
    """Return the public key of an Ed25519 private key of 32 bytes, as 64 hexadecimal digits."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415  (loaded late)

    return Ed25519PrivateKey.from_private_bytes(private_key).public_key().public_bytes_raw().hex()


def read_signed(data: bytes, source: str) -> SignedDocument:
    """Parse a signed document without verifying its signature; `has_valid_signature` does that.

    Parameters
    ----------
    data : bytes
        The contents of the file.
    source : str
        The name of the file in messages.

    Returns
    -------
    SignedDocument
        The content, the public key and the signature.

    Raises
    ------
    ProofError
        If the file is not a signed document.
    """
    values = read_json(data, source)
    schema = values.get("schema") if isinstance(values, dict) else None
    if isinstance(schema, str) and schema.startswith("assay."):
        hints = {"assay.keys": "; give it as --key", "assay.board": "; give it as --board with its statement"}
        hint = hints.get(schema.partition("/")[0], "")
        raise _error(source, f'is a file of the kind "{schema}", which has no signature{hint}')
    if not isinstance(values, dict) or set(values) != _DOCUMENT_KEYS:
        raise _error(source, 'must be an object with "signed", "key" and "signature", and nothing else')
    content, key, signature = values["signed"], values["key"], values["signature"]
    if not isinstance(content, dict):
        raise _error(source, "signed: must be an object")
    if not isinstance(key, str) or not KEY_PATTERN.fullmatch(key):
        raise _error(source, "key: must be 64 hexadecimal digits in lower case")
    if not isinstance(signature, str) or not _SIGNATURE.fullmatch(signature):
        raise _error(source, "signature: must be 128 hexadecimal digits in lower case")
    try:
        canonical_bytes(content)
    except (TypeError, ValueError, RecursionError) as error:
        raise _error(source, "signed: may hold text, whole numbers, true, false and null only") from error
    return SignedDocument(content, key, signature, _document_text(content, key, signature).encode() == data)


def has_valid_signature(document: SignedDocument) -> bool:
    """Whether the document's content was signed with the document's key."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  (loaded late)
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415  (loaded late)

    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(document.key))
        key.verify(bytes.fromhex(document.signature), canonical_bytes(document.content))
    except (InvalidSignature, ValueError):
        return False
    return True


def gold_commitment(salt: bytes, gold: bytes) -> str:
    """Return a commitment to a gold file, which binds a site to its gold without revealing it.

    Parameters
    ----------
    salt : bytes
        32 random bytes. They must be kept as secret as the gold.
    gold : bytes
        The contents of the gold file.

    Returns
    -------
    str
        The HMAC-SHA256 of the file with the salt as its key, as 64 hexadecimal digits. Anyone who has the
        salt and the file can compute it: ``openssl dgst -sha256 -mac HMAC -macopt hexkey:SALT gold.tsv``.

    Raises
    ------
    ValueError
        If the salt does not have 32 bytes.

    Notes
    -----
    The commitment hides the gold as long as the salt is secret. A hash without a salt would not hide it: an
    item has few possible ratings, so the file could be guessed. The commitment binds the site, because a
    second file with the same commitment would be a collision of SHA-256.

    References
    ----------
    RFC 2104, HMAC: Keyed-Hashing for Message Authentication (1997).

    Examples
    --------
    >>> gold_commitment(bytes(32), b"1\\n4\\n")[:16]
    'dcc1b783e011a61f'
    """
    if len(salt) != SALT_BYTES:
        raise ValueError(f"a salt has {SALT_BYTES} bytes, not {len(salt)}")
    return hmac.new(salt, gold, hashlib.sha256).hexdigest()


def format_instant(at: datetime) -> str:
    """Format an aware datetime as signed documents write it: in UTC, with microseconds.

    Examples
    --------
    >>> format_instant(datetime(2026, 3, 10, 12, tzinfo=UTC))
    '2026-03-10T12:00:00.000000Z'
    """
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def read_instant(text: str) -> datetime:
    """Parse a time that was written by `format_instant`.

    Raises
    ------
    ValueError
        If the text has any other format.
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None or format_instant(at) != text:
        raise ValueError(f'"{text}" is no time such as 2026-03-10T12:00:00.000000Z')
    return at


def read_json(data: bytes, source: str) -> Any:
    """Parse a JSON file strictly, so that no two parsers can read different values from it.

    Raises
    ------
    ProofError
        If the file is not JSON in UTF-8, an object has a key twice, or the file contains NaN or Infinity, a
        number with too many digits, or values that are nested too deeply.
    """
    try:
        text = data.removeprefix(UTF8_BOM).decode()  # some editors write it; it does not change the content
        return json.loads(
            text, object_pairs_hook=_unique_keys, parse_constant=_refuse_constant, parse_int=_parse_integer
        )
    except UnicodeDecodeError as error:
        raise _error(source, f"is not UTF-8 text: byte {error.start + 1} cannot be read") from error
    except json.JSONDecodeError as error:
        message = f"is no JSON: {error.msg} at column {error.colno}"
        raise ProofError([Problem(source, error.lineno, "bad_json", message)]) from error
    except RecursionError as error:
        raise _error(source, "is no JSON that can be trusted: it is nested too deeply") from error
    except ValueError as error:
        raise _error(source, f"is no JSON that can be trusted: {error}") from error


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    values = dict(pairs)
    if len(values) != len(pairs):
        raise ValueError("a key stands there twice")
    return values


def _parse_integer(text: str) -> int:
    if len(text) > _MAX_DIGITS:
        raise ValueError(f"a number has {len(text)} digits")
    return int(text)


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no number")


def _refuse_floats(value: Any) -> None:
    if isinstance(value, float):
        raise TypeError(f"{value!r} cannot be signed as a number; sign it as text")
    members = value.values() if isinstance(value, Mapping) else value
    if isinstance(value, Mapping | list | tuple):
        for member in members:
            _refuse_floats(member)


def _document_text(content: dict[str, Any], key: str, signature: str) -> str:
    values = {"signed": content, "key": key, "signature": signature}
    return write_json(values)


def _error(source: str, message: str) -> ProofError:
    return ProofError([Problem(source, None, "bad_document", message)])
