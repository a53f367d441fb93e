"""The site's signing keys: created when first needed, changed by rotation, published permanently."""

import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.proof import signing
from scorer.proof.keys import SCHEMA, PublishedKey
from scorer.values import write_json
from server.audit import service as audit
from server.core.actors import WORKER, Actor
from server.core.errors import Conflict
from server.core.identity import Identity, get_identity
from server.signing.models import SigningKey

_NEWEST = select(SigningKey).order_by(SigningKey.id.desc()).limit(1)
_SEALED = _NEWEST.with_only_columns(SigningKey.sealed)


def sign_document(session: Session, content: Mapping[str, Any], now: datetime) -> str:
    """Sign a document with the site's newest key, which is created if there is none.

    Raises:
        ConfigError: the key was encrypted with another secret.
    """
    sealed = session.scalar(_SEALED)
    if sealed is None:
        sealed = _add_key(session, WORKER, now).sealed
    return signing.sign(content, _open_key(get_identity(session), sealed))


@lru_cache(4)
def _open_key(identity: Identity, sealed: str) -> bytes:
    """Decrypt a private key; cached, because each upload signs a receipt under the write lock."""
    return identity.open(sealed)


def ensure_key(session: Session, now: datetime) -> None:
    """Create the site's first key, unless there is one, for pages that sign documents but only read."""
    if session.scalar(_NEWEST) is None:
        _add_key(session, WORKER, now)


def list_keys(session: Session) -> Sequence[SigningKey]:
    """List all keys, the oldest first."""
    return list(session.scalars(select(SigningKey).order_by(SigningKey.id)))


def rotate_key(session: Session, actor: Actor, now: datetime) -> SigningKey:
    """Sign with a new key from now on; what older ones signed stays valid.

    Raises:
        Conflict: the newest key is from this very instant, or from the future.
    """
    newest = session.scalar(_NEWEST)
    if newest is not None and newest.made_at >= now:
        raise Conflict.of(
            "The newest key is not older than the current time. Check the server’s clock and try again."
        )
    return _add_key(session, actor, now)


def require_usable_key(session: Session) -> None:
    """Check that the newest key, if there is one, can be decrypted.

    Raises:
        ConfigError: it was encrypted with another secret.
    """
    newest = session.scalar(_NEWEST)
    if newest is not None:
        get_identity(session).open(newest.sealed)


def list_published_keys(session: Session) -> list[PublishedKey]:
    """List the public keys, each with the period in which it was in use."""
    keys = list_keys(session)
    ends = [*(later.made_at for later in keys[1:]), None]
    return [
        PublishedKey(number, key.public, key.made_at, until)
        for number, (key, until) in enumerate(zip(keys, ends, strict=False), start=1)
    ]


def published_keys_text(session: Session) -> str:
    """Return the keys in the format in which the site publishes them."""
    values = {
        "schema": SCHEMA,
        "site": get_identity(session).site_url,
        "keys": [
            {
                "number": key.number,
                "key": key.key,
                "from": signing.format_instant(key.since),
                "until": None if key.until is None else signing.format_instant(key.until),
            }
            for key in list_published_keys(session)
        ],
    }
    return write_json(values)


def generate_key() -> bytes:
    """Generate a random private key."""
    return secrets.token_bytes(32)


def _add_key(session: Session, actor: Actor, now: datetime) -> SigningKey:
    private = generate_key()
    key = SigningKey(
        public=signing.public_key(private), sealed=get_identity(session).seal(private), **actor.made(now)
    )
    session.add(key)
    audit.record(session, actor, now, "key.add", public=key.public)
    return key
