"""Signed documents: JSON with an Ed25519 key and its signature, so that nothing in it can change unseen."""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from scorer.errors import Problem, ProofError

_KEY = re.compile(r"[0-9a-f]{64}")
_SIGNATURE = re.compile(r"[0-9a-f]{128}")
_DOCUMENT_KEYS = {"signed", "key", "signature"}
SALT_BYTES = 32
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
"""What some editors put before a text; the words stay the same."""
_MAX_DIGITS = 1000
"""Digits of a whole number."""


@dataclass(frozen=True, slots=True)
class SignedDocument:
    """What `read_signed` found: nothing of it is known to be true before `has_valid_signature` says so."""

    content: dict[str, Any]
    key: str
    """The public key, as 64 hexadecimal digits."""
    signature: str
    as_written: bool
    """Whether the file has just the bytes that `sign` writes: the same words can be laid out otherwise."""


def canonical_bytes(value: object) -> bytes:
    """The bytes that are signed: one form for one content.

    Parameters
    ----------
    value : object
        Text, whole numbers, true, false, null, and lists and mappings of them. No other numbers, whose
        spelling differs between languages.

    Returns
    -------
    bytes
        UTF-8 JSON without blanks, keys in the order of their characters.

    Raises
    ------
    TypeError
        If there is a float, or what JSON does not have.

    Notes
    -----
    This is the JSON Canonicalization Scheme for the values allowed here, as long as keys are ASCII.

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
    """A signed document as text.

    Parameters
    ----------
    content : mapping
        What is signed; see `canonical_bytes` for what it may hold.
    private_key : bytes
        The 32 bytes of an Ed25519 private key.

    Returns
    -------
    str
        JSON with a newline at its end; the same for the same content and key.

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
    """The public key of an Ed25519 private key of 32 bytes, as 64 hexadecimal digits."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415  (loaded late)

    return Ed25519PrivateKey.from_private_bytes(private_key).public_key().public_bytes_raw().hex()


def read_signed(data: bytes, source: str) -> SignedDocument:
    """A signed document from its file; whether the signature is right is another question.

    Parameters
    ----------
    data : bytes
        The file.
    source : str
        What messages call it.

    Returns
    -------
    SignedDocument
        Its parts.

    Raises
    ------
    ProofError
        If it is no JSON of this kind, with the place.
    """
    values = read_json(data, source)
    schema = values.get("schema") if isinstance(values, dict) else None
    if isinstance(schema, str) and schema.startswith("assay."):
        hint = "; give it as --key" if schema.startswith("assay.keys/") else ""
        raise _error(source, f'is a file of the kind "{schema}", which is not signed by itself{hint}')
    if not isinstance(values, dict) or set(values) != _DOCUMENT_KEYS:
        raise _error(source, 'must be an object with "signed", "key" and "signature", and nothing else')
    content, key, signature = values["signed"], values["key"], values["signature"]
    if not isinstance(content, dict):
        raise _error(source, "signed: must be an object")
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        raise _error(source, "key: must be 64 hexadecimal digits in lower case")
    if not isinstance(signature, str) or not _SIGNATURE.fullmatch(signature):
        raise _error(source, "signature: must be 128 hexadecimal digits in lower case")
    try:
        canonical_bytes(content)
    except (TypeError, ValueError, RecursionError) as error:
        raise _error(source, "signed: may hold text, whole numbers, true, false and null only") from error
    return SignedDocument(content, key, signature, _document_text(content, key, signature).encode() == data)


def has_valid_signature(document: SignedDocument) -> bool:
    """Whether the signature is that of the document's key over its content."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415  (loaded late)
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415  (loaded late)

    try:
        key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(document.key))
        key.verify(bytes.fromhex(document.signature), canonical_bytes(document.content))
    except (InvalidSignature, ValueError):
        return False
    return True


def gold_commitment(salt: bytes, gold: bytes) -> str:
    """What a site says of its gold before anybody may see it: nobody can read it, and it binds the site.

    Parameters
    ----------
    salt : bytes
        32 random bytes, kept as secret as the gold.
    gold : bytes
        The gold file, byte for byte.

    Returns
    -------
    str
        HMAC-SHA256 of the file, keyed by the salt, as 64 hexadecimal digits. With the salt and the file
        anybody computes it: ``openssl dgst -sha256 -mac HMAC -macopt hexkey:SALT gold.tsv``.

    Raises
    ------
    ValueError
        If the salt has not 32 bytes.

    Notes
    -----
    It hides the gold as long as the salt is secret, whatever the gold is: there are few possible ratings of
    an item, so a hash without a salt could be guessed. It binds, for a second file with the same commitment
    would be a collision of SHA-256.

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
    """An aware time as documents write it: UTC, to the microsecond.

    Examples
    --------
    >>> format_instant(datetime(2026, 3, 10, 12, tzinfo=UTC))
    '2026-03-10T12:00:00.000000Z'
    """
    return at.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def read_instant(text: str) -> datetime:
    """The time that `format_instant` wrote.

    Raises
    ------
    ValueError
        If it is written in any other way.
    """
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        at = None
    if at is None or at.tzinfo is None or format_instant(at) != text:
        raise ValueError(f'"{text}" is no time such as 2026-03-10T12:00:00.000000Z')
    return at


def read_json(data: bytes, source: str) -> Any:
    """The value of a JSON file; stricter than usual, so that one file never says two things.

    Raises
    ------
    ProofError
        If it is no JSON in UTF-8, names a key twice, or holds a number that is none.
    """
    try:
        text = data.removeprefix(_BYTE_ORDER_MARK).decode()
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
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def _error(source: str, message: str) -> ProofError:
    return ProofError([Problem(source, None, "bad_document", message)])
