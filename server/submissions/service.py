"""Uploads: a run is scored in the request that brings it, or refused with every bad line.

`preparing` does what is slow before the write lock is taken; `submit` holds the lock, asks again whether the
phase, the quota and the gold are as they were, and only writes rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from server.access import service as access
from server.audit import service as audit
from server.audit.models import AuditEntry
from server.core.actors import Actor
from server.core.errors import NotFound
from server.core.i18n import _
from server.core.storage import Storage
from server.gold.models import GoldVersion
from server.jobs import service as jobs
from server.phases import windows
from server.runs.models import Run
from server.scoring import service as scoring
from server.scoring.service import Results
from server.submissions import changes, eligibility, flags, preparing, receipts, targets
from server.submissions import counting as standings
from server.submissions.models import Submission
from server.submissions.preparing import Prepared
from server.submissions.targets import ReceivedFile
from server.tasks.models import Level
from server.teams.models import Team


def submit(session: Session, storage: Storage, actor: Actor, prepared: Prepared, now: datetime) -> Submission:
    """Store a prepared file with its scores, the standing, the audit entry and the receipt.

    A file that is just the one that counts is not stored again: sent twice, it is one submission. One that
    was late, sent again before a later deadline, is on time, whatever the quota is: nothing new is scored.

    Raises:
        PhaseShut, QuotaUsed: the rules say no, now that the lock is held.
    """
    target = targets.find_own_target(session, actor, prepared.run_id, prepared.level, now)
    run = target.run
    if target.counting is not None and target.is_same(prepared.data):
        return target.counting
    eligibility.require_may_submit(session, ReceivedFile(target, prepared.data, prepared.filename), now)
    split, replaced = target.split, target.counting
    golds = eligibility.require_golds(target)
    held = preparing.evaluate(storage, split, prepared.parsed, golds, prepared.held)
    late = target.state == "grace"
    upload = Upload(run, target.level, prepared.data, prepared.filename, prepared.parsed.warnings, late)
    submission = _add(session, actor, upload, prepared.sha256, now)
    for gold in golds:
        scoring.add_scores(session, gold, {submission.id: held[gold.id].results}, now)
    standings.add_newest(session, target.standing, submission)
    entry = _record(session, actor, upload, submission, now, "receipt")
    signed = receipts.SignedGold(golds[0].number, held[golds[0].id].commitment)
    receipts.add_receipt(session, submission, split, signed, entry, replaced)
    confirming = [] if submission.submitted_by is None else [changes.confirmation_job(submission, now)]
    looking = flags.look_job(submission, split, now)
    jobs.add_jobs(session, [looking, *confirming, *changes.change_jobs(run.phase, now)])
    session.flush()
    return submission


@dataclass(frozen=True, slots=True)
class Upload:
    """A valid file, what it is for, and whether it was late."""

    run: Run
    level: Level
    data: bytes
    filename: str
    warnings: Sequence[object]
    late: bool


@dataclass(frozen=True, slots=True)
class Scored:
    """Results, and the gold that they were computed against."""

    gold: GoldVersion
    results: Results


def place(
    session: Session, storage: Storage, actor: Actor, upload: Upload, scored: Scored | None, now: datetime
) -> Submission:
    """Write a submission that came with its task.

    `scored` None: a baseline that came before its gold, which scores it when it comes.
    """
    submission = _add(session, actor, upload, storage.put(upload.data), now)
    if scored is not None:
        scoring.add_scores(session, scored.gold, {submission.id: scored.results}, now)
    standings.update_standing(session, submission.run_id, submission.level_id)
    _record(session, actor, upload, submission, now, "came_with_task")
    return submission


def _add(session: Session, actor: Actor, upload: Upload, sha256: str, now: datetime) -> Submission:
    """Write a submission whose right to be there was established by the caller."""
    submission = Submission(
        run=upload.run,
        level=upload.level,
        sha256=sha256,
        size=len(upload.data),
        filename=upload.filename,
        warnings=[str(warning) for warning in upload.warnings],
        late=upload.late,
        submitted_by=actor.user_id,
        arrived_at=now,
    )
    session.add(submission)
    session.flush()
    return submission


def _record(
    session: Session, actor: Actor, upload: Upload, submission: Submission, now: datetime, how: str
) -> AuditEntry:
    """Say in the log that a file was taken, and how: with a receipt, or with its task."""
    return audit.record(
        session,
        actor,
        now,
        "submission.late" if upload.late else "submission.accept",
        upload.run.team.task_id,
        upload.run.team_id,
        submission=submission.id,
        run=submission.run_id,
        level=upload.level.slug,
        sha256=submission.sha256,
        **{how: True},
    )


def get_submission(session: Session, actor: Actor, task_id: int | None, submission_id: int) -> Submission:
    """A submission of the task (None: of any), for its team and those who see all of the task.

    Raises:
        NotFound: there is none, or not for this person.
    """
    options = (
        joinedload(Submission.run).joinedload(Run.team).joinedload(Team.task),
        joinedload(Submission.run).joinedload(Run.phase),
        joinedload(Submission.level),
    )
    submission = session.scalar(select(Submission).where(Submission.id == submission_id).options(*options))
    if submission is None or task_id not in (None, submission.run.team.task_id):
        raise NotFound(_("There is no such submission."))
    access.require_reader(session, actor, submission.run.team)
    return submission


def read_submission(storage: Storage, submission: Submission) -> bytes:
    """The file as it was uploaded."""
    return storage.get(submission.sha256)


def may_send_again(session: Session, submission: Submission, now: datetime) -> bool:
    """Whether a file that came late would be on time now, the deadline being later; once."""
    run = submission.run
    is_open = windows.window_of(session, run.phase, run.team).state(now) == "open"
    return is_open and eligibility.was_only_late(session, run, submission.level, submission.sha256)
