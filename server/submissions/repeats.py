"""Uploads that are sent twice: a program names one, so that it counts once and is answered twice."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from server.accounts.models import IdempotencyKey
from server.core.actors import Actor
from server.core.errors import KeyReused
from server.core.i18n import _
from server.core.storage import Storage
from server.submissions import service as submissions
from server.submissions import whole_runs
from server.submissions.models import Submission
from server.submissions.preparing import Prepared
from server.submissions.whole_runs import PreparedRun, SentFile

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


@dataclass(frozen=True, slots=True)
class StoredFiles:
    """The submissions of a whole run, and the names of what of its zips is no run file."""

    files: Sequence[Stored]
    ignored: Sequence[str]
    replayed: bool = False


def name_run(key: str, address: str, sent: Sequence[SentFile]) -> Named:
    """The files of a whole run as their program names them all."""
    parts = [f"{hashlib.sha256(file.data).hexdigest()} {file.name}" for file in sent]
    return name_request(key, address, "\n".join(parts).encode())


def name_request(key: str, address: str, data: bytes) -> Named:
    """A request as its program names it."""
    return Named(key, hashlib.sha256(address.encode() + b"\n" + data).hexdigest())


def find_first(session: Session, actor: Actor, named: Named | None, now: datetime) -> Stored | None:
    """What came of the first request of this name; None: it has none, or this is the first.

    Raises:
        KeyReused: it came with other bytes, or to another address.
    """
    row = _find(session, actor, named, now)
    return None if row is None else _stored(session, row.submission_id, row.at)


def find_first_run(session: Session, actor: Actor, named: Named | None, now: datetime) -> StoredFiles | None:
    """What came of the first request of this name, of several files; raises as `find_first` does."""
    row = _find(session, actor, named, now)
    if row is None or row.whole is None:
        return None
    files = [_stored(session, submission_id, row.at) for submission_id in row.whole["submissions"]]
    return StoredFiles(files, row.whole["ignored"], replayed=True)


def _find(session: Session, actor: Actor, named: Named | None, now: datetime) -> IdempotencyKey | None:
    if named is None:
        return None
    query = select(IdempotencyKey).where(
        IdempotencyKey.user_id == actor.user_id,
        IdempotencyKey.key == named.key,
        IdempotencyKey.at > now - KEPT,
    )
    row = session.scalar(query)
    if row is not None and row.request_sha256 != named.sha256:
        raise KeyReused(
            _(
                "This Idempotency-Key came with another file, or to another address, before; nothing was "
                "stored. Give each upload a key of its own."
            )
        )
    return row


def _stored(session: Session, submission_id: int, at: datetime) -> Stored:
    submission = session.get_one(Submission, submission_id)
    return Stored(submission.id, submission.arrived_at == at, replayed=True)


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
    _keep(session, actor, named, submission.id, None, now)
    return Stored(submission.id, submission.arrived_at == now)


def submit_run_once(
    session: Session,
    storage: Storage,
    actor: Actor,
    prepared: PreparedRun,
    named: Named | None,
    now: datetime,
) -> StoredFiles:
    """Store the files of a whole run, unless a request of its name did; raises as `submit_once` does."""
    first = find_first_run(session, actor, named, now)
    if first is not None:
        return first
    stored = whole_runs.submit(session, storage, actor, prepared, now)
    whole = {"submissions": [one.id for one in stored], "ignored": list(prepared.ignored)}
    _keep(session, actor, named, stored[0].id, whole, now)
    return StoredFiles([Stored(one.id, one.arrived_at == now) for one in stored], prepared.ignored)


def _keep(
    session: Session,
    actor: Actor,
    named: Named | None,
    submission_id: int,
    whole: dict[str, Any] | None,
    now: datetime,
) -> None:
    """Keep the name of a request with what came of it."""
    if named is None:
        return
    _forget(session, now, actor)
    row = IdempotencyKey(
        user_id=actor.user_id,
        key=named.key,
        request_sha256=named.sha256,
        submission_id=submission_id,
        whole=whole,
    )
    row.at = now
    session.add(row)
    session.flush()


def forget(session: Session, now: datetime) -> int:
    """Remove the names that are good for nothing any more; how many there were."""
    return _forget(session, now, None)


def _forget(session: Session, now: datetime, actor: Actor | None) -> int:
    over = delete(IdempotencyKey).where(IdempotencyKey.at <= now - KEPT)
    if actor is not None:
        over = over.where(IdempotencyKey.user_id == actor.user_id)
    return len(session.scalars(over.returning(IdempotencyKey.id)).all())
