"""An upload from its bytes to its scores: the one entry for pages, the API, the demo and the tests."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from server.core import db
from server.core.actors import Actor
from server.core.storage import Storage
from server.submissions import preparing, repeats, whole_runs
from server.submissions.repeats import Named, Stored, StoredFiles
from server.submissions.targets import ReceivedFile
from server.submissions.whole_runs import SentFile


def receive(
    session: Session,
    storage: Storage,
    actor: Actor,
    file: ReceivedFile,
    now: datetime,
    named: Named | None = None,
) -> Stored:
    """Parse and score a file, then store it with its scores, receipt and audit entry in one transaction.

    What takes time is done before the write lock; behind it only what could have changed meanwhile is asked
    again. A rejected file is recorded in a transaction of its own. With `named`, the same request sent again
    is answered as the first time. The session's objects expire: fetch again what is needed afterwards.

    Raises:
        TermsNotAccepted: the person has still to accept the terms of the task.
        PhaseShut, NotCompeting, RunWithdrawn, Conflict, QuotaUsed, NoGold, TooLarge: see `eligibility`.
        Refused: the file is invalid, with every problem.
        TooManyRefused: the file is invalid, and so were too many others within the hour.
        KeyReused: the name came with another file before.
    """
    first = repeats.find_first(session, actor, named, now)
    if first is not None:
        return first
    prepared = preparing.prepare(session, storage, actor, file, now)
    with db.writing(session):
        return repeats.submit_once(session, storage, actor, prepared, named, now)


def receive_run(
    session: Session,
    storage: Storage,
    actor: Actor,
    run_id: int,
    sent: Sequence[SentFile],
    now: datetime,
    named: Named | None = None,
) -> StoredFiles:
    """The same for the files of several levels, or zips of them: all are stored, or none.

    Raises:
        NotFound: there is no such run of the person's team.
        RunRefused: a file is invalid, may not come now, or names no level; with what is wrong with each.
        PhaseShut, TermsNotAccepted, TooManyRefused, KeyReused: as for a single file.
    """
    first = repeats.find_first_run(session, actor, named, now)
    if first is not None:
        return first
    prepared = whole_runs.prepare(session, storage, actor, run_id, sent, now)
    with db.writing(session):
        return repeats.submit_run_once(session, storage, actor, prepared, named, now)
