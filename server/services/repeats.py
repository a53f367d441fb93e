"""Uploads that are sent twice: a program names one, so that it counts once and is answered twice."""

import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from server.domain.actors import Actor
from server.errors import KeyReused
from server.language import _
from server.models import IdempotencyKey, Submission
from server.services import submissions
from server.services.submissions import Prepared
from server.storage import Storage

KEPT = timedelta(days=7)
"""How long a name is good for; afterwards the same one names something new."""


@dataclass(frozen=True, slots=True)
class Named:
    """The name of a request, and the SHA-256 of its address and its bytes."""

    key: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Stored:
    """A submission, whether the request that named it first brought it, and whether this is a repetition."""

    submission_id: int
    new: bool
    replayed: bool = False


def name_request(key: str, address: str, data: bytes) -> Named:
    """A request as its program names it."""
    return Named(key, hashlib.sha256(address.encode() + b"\n" + data).hexdigest())


def find_first(session: Session, actor: Actor, named: Named | None, now: datetime) -> Stored | None:
    """What came of the first request of this name; None: it has none, or this is the first.

    Raises:
        KeyReused: it came with other bytes, or to another address.
    """
    if named is None:
        return None
    query = select(IdempotencyKey).where(
        IdempotencyKey.user_id == actor.user_id,
        IdempotencyKey.key == named.key,
        IdempotencyKey.at > now - KEPT,
    )
    row = session.scalar(query)
    if row is None:
        return None
    if row.request_sha256 != named.sha256:
        raise KeyReused(
            _(
                "This Idempotency-Key came with another file, or to another address, before; nothing was "
                "stored. Give each upload a key of its own."
            )
        )
    submission = session.get_one(Submission, row.submission_id)
    return Stored(submission.id, submission.arrived_at == row.at, replayed=True)


def submit_once(
    session: Session, storage: Storage, actor: Actor, prepared: Prepared, named: Named | None, now: datetime
) -> Stored:
    """Store a prepared file, unless a request of its name did meanwhile; the caller holds the write lock.

    Raises:
        KeyReused: as `find_first` does.
        PhaseShut, QuotaUsed: the rules say no, now that the lock is held.
    """
    first = find_first(session, actor, named, now)
    if first is not None:
        return first
    submission = submissions.submit(session, storage, actor, prepared, now)
    if named is not None:
        _forget(session, now, actor)
        row = IdempotencyKey(
            user_id=actor.user_id, key=named.key, request_sha256=named.sha256, submission_id=submission.id
        )
        row.at = now
        session.add(row)
        session.flush()
    return Stored(submission.id, submission.arrived_at == now)


def forget(session: Session, now: datetime) -> int:
    """Remove the names that are good for nothing any more; how many there were."""
    return _forget(session, now, None)


def _forget(session: Session, now: datetime, actor: Actor | None) -> int:
    over = delete(IdempotencyKey).where(IdempotencyKey.at <= now - KEPT)
    if actor is not None:
        over = over.where(IdempotencyKey.user_id == actor.user_id)
    return len(session.scalars(over.returning(IdempotencyKey.id)).all())
