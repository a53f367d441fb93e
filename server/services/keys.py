"""The site's signing keys: made when one is needed, changed by rotation, published for ever."""

import json
import secrets
from collections.abc import Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer import keys, signing
from server.domain.actors import WORKER, Actor
from server.errors import Conflict
from server.identity import IDENTITY, Identity
from server.models import SigningKey
from server.services import audit


def identity_of(session: Session) -> Identity:
    """Who the site is that this session belongs to."""
    found: Identity = session.info[IDENTITY]
    return found


def sign(session: Session, content: Mapping[str, Any], now: datetime) -> str:
    """A signed document with the site's newest key, which is made if there is none.

    Raises:
        ConfigError: the key was sealed with another secret.
    """
    newest = _find_newest(session)
    key = _add_key(session, WORKER, now) if newest is None else newest
    return signing.sign(content, identity_of(session).open(key.sealed))


def list_keys(session: Session) -> Sequence[SigningKey]:
    """All keys, the oldest first."""
    return list(session.scalars(select(SigningKey).order_by(SigningKey.id)))


def rotate(session: Session, actor: Actor, now: datetime) -> SigningKey:
    """Sign with a new key from now on; what older ones signed stays valid.

    Raises:
        Conflict: the newest key is from this very instant, or from one that is to come.
    """
    newest = _find_newest(session)
    if newest is not None and newest.made_at >= now:
        raise Conflict("The newest key is not older than this instant; look at the clock, and try again.")
    return _add_key(session, actor, now)


def require_usable(session: Session) -> None:
    """Open the newest key, if there is one.

    Raises:
        ConfigError: it was sealed with another secret.
    """
    newest = _find_newest(session)
    if newest is not None:
        identity_of(session).open(newest.sealed)


def published_text(session: Session) -> str:
    """The keys as the site publishes them."""
    found = list_keys(session)
    ends = [later.made_at for _, later in pairwise(found)]
    values = {
        "schema": keys.SCHEMA,
        "site": identity_of(session).site_url,
        "keys": [
            {
                "number": number,
                "key": key.public,
                "from": signing.instant(key.made_at),
                "until": None if until is None else signing.instant(until),
            }
            for number, (key, until) in enumerate(zip(found, [*ends, None], strict=False), start=1)
        ],
    }
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def _find_newest(session: Session) -> SigningKey | None:
    return session.scalar(select(SigningKey).order_by(SigningKey.id.desc()).limit(1))


def _add_key(session: Session, actor: Actor, now: datetime) -> SigningKey:
    private = secrets.token_bytes(32)
    key = SigningKey(
        public=signing.public_key(private),
        sealed=identity_of(session).seal(private),
        made_by=actor.user_id,
        made_at=now,
    )
    session.add(key)
    session.flush()
    audit.record(session, actor, now, "key.add", public=key.public)
    return key
