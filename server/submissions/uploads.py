"""Uploads from their bytes to their scores: the one entry point for pages, the API, the demo and the tests.

A program may give a request an idempotency key: a retry counts once and gets the same response.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.orm import Session

from server.accounts.models import IdempotencyKey
from server.core import db
from server.core.actors import Actor
from server.core.errors import FileFault, ReusedIdempotencyKey
from server.submissions import service as submissions, whole_runs
from server.submissions.eligibility import ReceivedFile
from server.submissions.models import Submission

KEY_LIFETIME = timedelta(days=7)
"""How long a key is valid; later the same key identifies another request."""


@dataclass(frozen=True, slots=True)
class RequestKey:
    """The idempotency key of a request, and the SHA-256 of its path and its bytes."""

    key: str
    sha256: str


@dataclass(frozen=True, slots=True)
class UploadResult:
    """A submission, whether the first request with the key stored it, and whether this is a retry."""

    submission_id: int
    new: bool
    replayed: bool = False


@dataclass(frozen=True, slots=True)
class RunUploadResult:
    """The submissions of a whole run, the names of zip members that are not run files, and files left out."""

    files: Sequence[UploadResult]
    ignored: Sequence[str]
    left_out: Sequence[FileFault]
    replayed: bool = False


def make_run_request_key(key: str, address: str, sent: Sequence[whole_runs.SentFile]) -> RequestKey:
    """Return the key of a request with the files of a whole run."""
    parts = [f"{hashlib.sha256(file.data).hexdigest()} {file.name}" for file in sent]
    return make_request_key(key, address, "\n".join(parts).encode())


def make_request_key(key: str, address: str, data: bytes) -> RequestKey:
    """Return the key of a request."""
    return RequestKey(key, hashlib.sha256(address.encode() + b"\n" + data).hexdigest())


def find_earlier_result(
    session: Session, actor: Actor, named: RequestKey | None, now: datetime
) -> UploadResult | None:
    """Return the result of the first request with this key; None: there is no key, or this is the first.

    Raises:
        ReusedIdempotencyKey: the key came with other bytes, or to another address.
    """
    row = _find_key(session, actor, named, now)
    return None if row is None else _earlier_result(session, row.submission_id, row.at)


def find_earlier_run_result(
    session: Session, actor: Actor, named: RequestKey | None, now: datetime
) -> RunUploadResult | None:
    """Return the result of the first request of several files; raises as `find_earlier_result` does."""
    row = _find_key(session, actor, named, now)
    if row is None or row.whole is None:
        return None
    files = [_earlier_result(session, submission_id, row.at) for submission_id in row.whole["submissions"]]
    left_out = [FileFault(**fault) for fault in row.whole.get("left_out", ())]
    return RunUploadResult(files, row.whole["ignored"], left_out, replayed=True)


def _find_key(
    session: Session, actor: Actor, named: RequestKey | None, now: datetime
) -> IdempotencyKey | None:
    if named is None:
        return None
    query = select(IdempotencyKey).where(
        IdempotencyKey.user_id == actor.user_id,
        IdempotencyKey.key == named.key,
        IdempotencyKey.at > now - KEY_LIFETIME,
    )
    row = session.scalar(query)
    if row is not None and row.request_sha256 != named.sha256:
        raise ReusedIdempotencyKey.of(
            "This Idempotency-Key was already used with another file or address. Nothing was "
            "stored. Use a new key for each upload."
        )
    return row


def _earlier_result(session: Session, submission_id: int, at: datetime) -> UploadResult:
    submission = session.get_one(Submission, submission_id)
    return UploadResult(submission.id, submission.arrived_at == at, replayed=True)


def _store_key(
    session: Session,
    actor: Actor,
    named: RequestKey | None,
    submission_id: int,
    whole: dict[str, Any] | None,
    now: datetime,
) -> None:
    """Store the key of a request with its result."""
    if named is None:
        return
    delete_expired_keys(session, now, actor)
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


def delete_expired_keys(session: Session, now: datetime, actor: Actor | None = None) -> None:
    """Delete the expired keys of an actor, or of everyone."""
    expired = delete(IdempotencyKey).where(IdempotencyKey.at <= now - KEY_LIFETIME)
    if actor is not None:
        expired = expired.where(IdempotencyKey.user_id == actor.user_id)
    session.execute(expired)


def receive_file(
    session: Session, actor: Actor, file: ReceivedFile, now: datetime, named: RequestKey | None = None
) -> UploadResult:
    """Parse and score a file, then store it with its scores, receipt and audit entry in one transaction.

    Slow work is done before the write lock is taken; under it only what could have changed is checked
    again. A rejected file is recorded in a transaction of its own. With `named`, a retry of the request
    is answered as the first time. The session's objects expire, so the caller has to fetch them again.

    Raises:
        TermsNotAccepted: the person has still to accept the terms of the task.
        PhaseClosed, NotCompeting, RunWithdrawn, Conflict, QuotaExceeded, NoGold, TooLarge: see `eligibility`.
        InvalidFile: the file is invalid, with every problem.
        RateLimited: the file is invalid, like too many others in the past hour.
        ReusedIdempotencyKey: the key came with another file before.
    """
    if (earlier := find_earlier_result(session, actor, named, now)) is not None:
        return earlier
    prepared = submissions.prepare_file(session, actor, file, now)
    with db.writing(session):
        if (earlier := find_earlier_result(session, actor, named, now)) is not None:
            return earlier  # a request with this key was stored meanwhile
        submission = submissions.submit_file(session, actor, prepared, now)
        _store_key(session, actor, named, submission.id, None, now)
        return UploadResult(submission.id, submission.arrived_at == now)


def receive_run(
    session: Session,
    actor: Actor,
    run_id: int,
    sent: Sequence[whole_runs.SentFile],
    now: datetime,
    named: RequestKey | None = None,
) -> RunUploadResult:
    """Parse, score and store files for several levels, or zips of them: all are stored, or none.

    Files of levels with a used-up quota are left out, and named in the result and the receipts.

    Raises:
        NotFound: there is no such run of the person's team.
        InvalidRunFiles: a file is invalid, is not accepted now, or names no level; with each fault.
        PhaseClosed, TermsNotAccepted, RateLimited, ReusedIdempotencyKey: as for a single file.
    """
    if (earlier := find_earlier_run_result(session, actor, named, now)) is not None:
        return earlier
    prepared = whole_runs.prepare_run(session, actor, run_id, sent, now)
    with db.writing(session):
        if (earlier := find_earlier_run_result(session, actor, named, now)) is not None:
            return earlier
        left_out = [fault.level for fault in prepared.left_out if fault.level is not None]
        stored = [
            submissions.submit_file(session, actor, prepared_file, now, left_out)
            for prepared_file in prepared.files
        ]
        whole = {
            "submissions": [submission.id for submission in stored],
            "ignored": list(prepared.ignored),
            "left_out": [
                {name: getattr(fault, name) for name in ("filename", "code", "message", "level")}
                for fault in prepared.left_out
            ],
        }
        _store_key(session, actor, named, stored[0].id, whole, now)
        results = [UploadResult(submission.id, submission.arrived_at == now) for submission in stored]
        return RunUploadResult(results, prepared.ignored, prepared.left_out)
