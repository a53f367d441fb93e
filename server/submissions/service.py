"""Submissions: a request with a file scores and stores it, or rejects it with every bad line.

`prepare_file` does what is slow before the write lock is taken: it parses and scores the file and stores
its bytes. `submit_file` takes the lock, checks again that phase, quota and gold are unchanged, and only
writes rows. If a prepared file is not submitted after all, its bytes are orphaned, and the sweep removes
them. A rejected file is recorded here, so that no caller can forget it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session, joinedload

from server.access import service as access, tasks, terms
from server.audit import service as audit
from server.audit.models import AuditEntry
from server.core import db
from server.core.actors import Actor
from server.core.errors import Conflict, InvalidFile, NotFound
from server.core.storage import storage_of
from server.gold.commitments import commitment_to
from server.gold.models import GoldVersion
from server.jobs import service as jobs
from server.phases import windows
from server.phases.quotas import upload_limit
from server.runs import service as runs
from server.runs.models import Run
from server.scoring import service as scoring
from server.submissions import (
    eligibility,
    follow_up_jobs,
    misplaced,
    probing_flags,
    receipts,
    rejections,
    standings,
)
from server.submissions.eligibility import ReceivedFile, require_golds
from server.submissions.models import Submission
from server.tasks.models import Level, Split
from server.teams.models import Team


@dataclass(frozen=True, slots=True)
class GoldResults:
    """The results of a file against a gold version, and that version's commitment for the receipt."""

    results: scoring.RunResults
    commitment: str


@dataclass(frozen=True, slots=True)
class PreparedFile:
    """A file that was parsed and scored, and is ready to be stored under the write lock."""

    run_id: int
    level: str
    data: bytes
    sha256: str
    filename: str
    parsed: scoring.ParsedRun
    held: Mapping[int, GoldResults]
    """By the gold versions' ids: the one in force, and the candidate if there is one."""
    checked_with: str
    """Identifies the items, columns, metrics and scale that it was checked with."""


def get_size_limit(session: Session, actor: Actor, run_id: int, level_slug: str) -> int:
    """Return the maximum size of an upload for this run and level.

    Raises:
        NotFound: no such run of the person's team, or no such level in its phase.
    """
    run = runs.get_run(session, actor, run_id)
    split = tasks.load_level_split(session, run.team.task, level_slug, run.phase.split)[1]
    return upload_limit(split.n_items, keyed=run.team.task.keyed is not None)


def prepare_file(session: Session, actor: Actor, file: ReceivedFile, now: datetime) -> PreparedFile:
    """Parse and score a file, and store its bytes, so that no request waits for the disk.

    A rejected file is recorded, with its problems, in a transaction of its own.

    Raises:
        TermsNotAccepted: the person has still to accept the terms of the task.
        PhaseClosed: the phase accepts no files at `now`.
        QuotaExceeded: the team has the maximum number of scored files of this level.
        RateLimited: the file is invalid, like too many others in the past hour.
        TooLarge: more bytes than such a file can need.
        InvalidFile: the file is invalid, with every problem.
    """
    # read before the transaction below ends this one
    run_id, level = file.target.run.id, file.target.level.slug
    try:
        return score_file(session, actor, file, now)
    except InvalidFile as refused:
        with db.writing(session):
            rejections.record_rejection(session, actor, run_id, level, file.data, file.filename, refused, now)
        raise


def score_file(session: Session, actor: Actor, file: ReceivedFile, now: datetime) -> PreparedFile:
    """Parse and score a file without recording a rejection, for files that are rejected together."""
    try:
        checked = _parse_file(session, actor, file, now)
    except InvalidFile:
        eligibility.check_rejection_rate(file.target.last_allowed)
        raise
    results_by_gold = score_against_golds(session, checked.split, checked.parsed, checked.golds, {})
    return PreparedFile(
        file.target.run.id,
        checked.level.slug,
        file.data,
        storage_of(session).put(file.data),
        file.filename,
        checked.parsed,
        results_by_gold,
        scoring.name_rules(checked.split),
    )


@dataclass(frozen=True, slots=True)
class UploadCheck:
    """A file that was parsed but not scored."""

    level: Level
    split: Split
    golds: Sequence[GoldVersion]
    filename: str
    parsed: scoring.ParsedRun
    same: bool
    """Whether it is identical with the submission that counts."""


def check_file(session: Session, actor: Actor, file: ReceivedFile, now: datetime) -> UploadCheck:
    """Parse a file if it could be uploaded now; reads no gold file and writes nothing.

    Raises as `prepare_file` does, and RateLimited also for a valid file.
    """
    eligibility.check_rejection_rate(file.target.last_allowed)
    return _parse_file(session, actor, file, now)


def _parse_file(session: Session, actor: Actor, file: ReceivedFile, now: datetime) -> UploadCheck:
    """Parse a file for a target that accepts it now."""
    target, split, same = file.target, file.target.split, file.target.is_same(file.data)
    terms.require_accepted(session, actor, target.run.team.task)
    if not same:
        eligibility.require_may_submit(session, file, now)
    golds = require_golds(target)
    parsed = parse_file(
        session, actor, split, file.data, file.filename, now, first_is_score=file.first_is_score
    )
    doubt = None if same else misplaced.find_doubt(session, file, now)
    if doubt is not None:
        parsed = replace(parsed, warnings=(*parsed.warnings, doubt))
    return UploadCheck(target.level, split, golds, file.filename, parsed, same)


def parse_file(
    session: Session,
    actor: Actor,
    split: Split,
    data: bytes,
    filename: str,
    now: datetime,
    *,
    first_is_score: bool,
    baseline: bool = False,
) -> scoring.ParsedRun:
    """Parse a new file of a team, or of a baseline; the error says if it fits the items of another split.

    Raises:
        TooLarge: more bytes than such a file can need.
        InvalidFile: the file is invalid, with every problem.
    """
    eligibility.require_size(split, data, filename)
    try:
        return scoring.parse_run(
            session, split, data, filename, baseline=baseline, first_is_score=first_is_score
        )
    except InvalidFile as refused:
        others = _other_splits(session, actor, split, now)
        other = scoring.find_other_items(session, split, data, filename, refused.problems, others)
        raise other or refused from refused


def _other_splits(session: Session, actor: Actor, split: Split, now: datetime) -> list[Split]:
    """List the splits, except this one, whose items `actor` may download now, those of the level first.

    Messages about a file must not reveal the number and the ids of items that are hidden.
    """
    files = tasks.list_files(session, actor, split.level.task, now)
    splits = [tasks.find_split(file.level, file.split) for file in files if file.kind == "items"]
    others = [other for other in splits if other is not None and other.id != split.id]
    return sorted(others, key=lambda other: other.level_id != split.level_id)


def score_against_golds(
    session: Session,
    split: Split,
    parsed: scoring.ParsedRun,
    golds: Sequence[GoldVersion],
    known: Mapping[int, GoldResults],
) -> dict[int, GoldResults]:
    """Score a file against each gold version, except those with known results."""
    results_by_gold = dict(known)
    for gold in golds:
        if gold.id not in results_by_gold:
            values, parts = scoring.gold_of(session, split, gold), scoring.parts_of(session, split)
            results = scoring.evaluate_run(values, parsed, split.level.metrics, parts)
            results_by_gold[gold.id] = GoldResults(results, commitment_to(session, gold))
    return results_by_gold


def submit_file(
    session: Session, actor: Actor, prepared: PreparedFile, now: datetime, left_out: Sequence[str] = ()
) -> Submission:
    """Store a prepared file with its scores and receipt, update what counts, and write the audit log.

    `left_out`: the levels whose files came with it and are not stored, for the receipt.

    A file identical with the one that counts is not stored again, so a double click is one submission. A file
    that was late and is sent again before an extended deadline is on time, whatever the quota is.

    Raises:
        PhaseClosed, QuotaExceeded: the rules, which are checked again under the lock, do not allow it.
        Conflict: items, columns, metrics or scale are others than those that the file was checked with.
    """
    target = eligibility.find_own_target(session, actor, prepared.run_id, prepared.level, now)
    run = target.run
    if target.counting is not None and target.is_same(prepared.data):
        return target.counting
    eligibility.require_may_submit(session, ReceivedFile(target, prepared.data, prepared.filename), now)
    split, replaced = target.split, target.counting
    if scoring.name_rules(split) != prepared.checked_with:
        raise Conflict.of(
            "The items or the rules of %(level)s were changed while your file was checked. Look at them, "
            "and send the file again.",
            level=target.level.title,
        )
    golds = eligibility.require_golds(target)
    results_by_gold = score_against_golds(session, split, prepared.parsed, golds, prepared.held)
    late = target.state == "grace"
    upload = Upload(run, target.level, prepared.data, prepared.filename, prepared.parsed.warnings, late)
    submission = _add_submission(session, actor, upload, prepared.sha256, now)
    for gold in golds:
        scoring.add_scores(session, gold, {submission.id: results_by_gold[gold.id].results}, now)
    standings.set_standing(session, target.standing, submission)
    entry = _record_submission(session, actor, upload, submission, now, "receipt")
    signed = receipts.SignedGold(golds[0].number, results_by_gold[golds[0].id].commitment)
    receipts.add_receipt(session, submission, split, signed, entry, replaced, left_out)
    confirming = (
        [] if submission.submitted_by is None else [follow_up_jobs.make_confirmation_job(submission, now)]
    )
    looking = probing_flags.make_probing_job(submission, split, now)
    jobs.add_jobs(session, [looking, *confirming, *follow_up_jobs.make_follow_up_jobs(run.phase, now)], now)
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
class ResultsWithGold:
    """Results, and the gold version that they were computed against."""

    gold: GoldVersion
    results: scoring.RunResults


Origin = Literal["came_with_task", "computed", "uploaded", "rescored"]
"""Where a submission without a receipt is from; a rescored one was uploaded before the rules changed."""


def add_imported_submission(
    session: Session,
    actor: Actor,
    upload: Upload,
    scored: ResultsWithGold | None,
    now: datetime,
    how: Origin = "came_with_task",
) -> None:
    """Store a submission without a receipt: it was imported with its task, or is a baseline's.

    `scored` None: a baseline that is stored before the first gold version, and is scored with that.
    """
    submission = _add_submission(session, actor, upload, storage_of(session).put(upload.data), now)
    if scored is not None:
        scoring.add_scores(session, scored.gold, {submission.id: scored.results}, now)
    standings.update_standing(session, submission.run_id, submission.level_id)
    _record_submission(session, actor, upload, submission, now, how)


def _add_submission(session: Session, actor: Actor, upload: Upload, sha256: str, now: datetime) -> Submission:
    """Store a submission; the caller checks the permission."""
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


def _record_submission(
    session: Session, actor: Actor, upload: Upload, submission: Submission, now: datetime, how: str
) -> AuditEntry:
    """Record in the audit log that a file was accepted: with a receipt, with its task, or computed."""
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
    """Return a submission of the task (None: of any), for its team and people who may see all of the task.

    Raises:
        NotFound: there is none, or this person may not see it.
    """
    options = (
        joinedload(Submission.run).joinedload(Run.team).joinedload(Team.task),
        joinedload(Submission.run).joinedload(Run.phase),
        joinedload(Submission.level),
        joinedload(Submission.sender),
    )
    submission = session.scalar(select(Submission).where(Submission.id == submission_id).options(*options))
    if submission is None or task_id not in (None, submission.run.team.task_id):
        raise NotFound.of("There is no such submission.")
    access.require_reader(session, actor, submission.run.team)
    return submission


def may_send_again(session: Session, submission: Submission, now: datetime) -> bool:
    """Whether a late file could be on time now, because the deadline was extended; only once."""
    run = submission.run
    is_open = windows.window_of(session, run.phase, run.team).state(now) == "open"
    return is_open and eligibility.was_only_late(session, run, submission.level, submission.sha256)
