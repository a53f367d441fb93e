"""Uploads: a run is scored in the request that brings it, or refused with every bad line.

`prepare` reads, parses, correlates and puts the file on the disk before the write lock is taken; `submit`
holds the lock, asks again whether the phase, the quota and the gold are as they were, and only writes rows.
A file that is prepared and then not taken is one that nothing speaks of; the sweep removes it.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session, contains_eager, joinedload

from server.domain.actors import Actor
from server.domain.phases import State, Window, clock_words
from server.domain.quota import day_of, files_left, upload_limit
from server.errors import Conflict, NotFound, QuotaUsed, TooLarge
from server.language import _, ngettext
from server.models import (
    AuditEntry,
    GoldVersion,
    Level,
    Membership,
    Phase,
    Run,
    Split,
    Standing,
    Submission,
    Task,
    Team,
)
from server.services import (
    access,
    audit,
    confirmations,
    flags,
    gold_versions,
    jobs,
    live_changes,
    receipts,
    refusals,
    runs,
    scoring,
    standings,
    tasks,
    terms,
    windows,
)
from server.services.commitments import commitment_to
from server.services.scoring import ParsedRun, Results
from server.storage import Storage

_OWN_LIMIT = (
    select(Split.n_items, Task.keyed)
    .select_from(Run)
    .join(Run.team)
    .join(Team.task)
    .join(Run.phase)
    .join(Level, (Level.task_id == Task.id) & (Level.slug == bindparam("slug")))
    .join(Split, (Split.level_id == Level.id) & (Split.name == Phase.split))
    .join(Membership, (Membership.team_id == Team.id) & (Membership.user_id == bindparam("user_id")))
    .where(Run.id == bindparam("run_id"))
)
_CAME = select(Submission.late).where(
    Submission.run_id == bindparam("run_id"),
    Submission.level_id == bindparam("level_id"),
    Submission.sha256 == bindparam("sha256"),
)
_TARGET = (
    select(Split, Standing, windows.NEWEST_OF_TEAM, standings.GIVEN_RUN_WITHDRAWN)
    .join(Split.level)
    .outerjoin(Standing, (Standing.level_id == Level.id) & (Standing.run_id == bindparam("run_id")))
    .outerjoin(Standing.submission)
    .options(contains_eager(Split.level), contains_eager(Standing.submission))
    .where(
        Level.task_id == bindparam("task_id"),
        Level.slug == bindparam("slug"),
        Split.name == bindparam("split"),
    )
)
"""A level, and what counts there on time and late: a row each."""


@dataclass(frozen=True, slots=True)
class Held:
    """What a file got against a gold version, and what its receipt says of that gold."""

    results: Results
    commitment: str


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file that was parsed and scored, and waits for the write lock."""

    run_id: int
    level: str
    data: bytes
    sha256: str
    filename: str
    parsed: ParsedRun
    held: Mapping[int, Held]
    """By the gold versions' ids: of the one in force, and of the candidate if there is one."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a file is for, with the times of its team, and what counts there as it arrives."""

    run: Run
    level: Level
    split: Split
    window: Window
    state: State
    standing: Standing | None
    withdrawn: bool
    """Whether the run is, with all its files."""

    @property
    def counting(self) -> Submission | None:
        """The file that a new one would replace."""
        return None if self.standing is None else self.standing.submission

    def is_same(self, data: bytes) -> bool:
        """Whether these are the bytes that count: a second click costs nothing."""
        takes = self.run.baseline is None and self.state in ("open", "grace")
        known = None if self.counting is None else self.counting.sha256
        return takes and known == hashlib.sha256(data).hexdigest()


def limit_for(session: Session, actor: Actor, run_id: int, level_slug: str) -> int:
    """The most bytes that an upload for this run and level may have.

    Raises:
        NotFound: no such run of the person's team, or no such level in its phase.
    """
    known = {"run_id": run_id, "slug": level_slug, "user_id": actor.user_id}
    row = session.execute(_OWN_LIMIT, known).one_or_none()
    if row is None:  # say what is not there
        run = runs.get_run(session, actor, run_id)
        split = tasks.load_level_split(session, run.team.task, level_slug, run.phase.split)[1]
        return upload_limit(split.n_items, keyed=run.team.task.keyed is not None)
    return upload_limit(row.n_items, keyed=row.keyed is not None)


def prepare(
    session: Session,
    storage: Storage,
    actor: Actor,
    run_id: int,
    level_slug: str,
    data: bytes,
    filename: str,
    now: datetime,
) -> Prepared:
    """Parse and score a file, and put its bytes aside, so that nobody waits for the disk behind the lock.

    Raises:
        NotFound: no such run of the person's team, or no such level in its phase.
        TermsNotAccepted: the person has still to accept the terms of the task.
        PhaseShut: the phase takes no files at `now`.
        QuotaUsed: the team has had as many files of this level scored as it may.
        TooManyRefused: too many invalid files within the hour.
        TooLarge: more bytes than such a file can need.
        Refused: the file is invalid, with every problem.
    """
    run = runs.get_run(session, actor, run_id)
    return prepare_own(session, storage, actor, run, level_slug, data, filename, now)


def prepare_own(
    session: Session,
    storage: Storage,
    actor: Actor,
    run: Run,
    level_slug: str,
    data: bytes,
    filename: str,
    now: datetime,
) -> Prepared:
    """The same for a run that is known to be the person's own; raises as `prepare` does."""
    checked = check_own(session, storage, actor, run, level_slug, data, filename, now)
    held = _evaluate(storage, checked.split, checked.parsed, checked.golds, {})
    return Prepared(run.id, checked.level.slug, data, storage.put(data), filename, checked.parsed, held)


@dataclass(frozen=True, slots=True)
class Checked:
    """A file that was parsed and held against no gold."""

    level: Level
    split: Split
    golds: Sequence[GoldVersion]
    filename: str
    parsed: ParsedRun
    same: bool
    """Whether it is just the file that counts already."""


def check_own(
    session: Session,
    storage: Storage,
    actor: Actor,
    run: Run,
    level_slug: str,
    data: bytes,
    filename: str,
    now: datetime,
) -> Checked:
    """Parse a file where it might be sent now; reads no gold and writes nothing; raises as `prepare` does."""
    target = _find_target(session, run, level_slug, now)
    level, split, same = target.level, target.split, target.is_same(data)
    terms.require_accepted(session, actor, run.team.task)
    if not same:
        _require_may_submit(session, target, data, now)
    refusals.require_patience(session, run, now)
    limit = upload_limit(split.n_items, keyed=scoring.is_keyed(level))
    if len(data) > limit:
        raise TooLarge(
            _(
                "%(file)s is too large; a file for %(level)s may have %(limit)d kB.",
                file=filename,
                level=level.title,
                limit=limit // 1000,
            )
        )
    golds = _require_golds(session, split)
    return Checked(level, split, golds, filename, scoring.parse_run(storage, split, data, filename), same)


def submit(session: Session, storage: Storage, actor: Actor, prepared: Prepared, now: datetime) -> Submission:
    """Store a prepared file with its scores, the standing, the audit entry and the receipt.

    A file that is just the one that counts is not stored again: sent twice, it is one submission. One that
    was late, sent again before a later deadline, is on time, whatever the quota is: nothing new is scored.

    Raises:
        PhaseShut, QuotaUsed: the rules say no, now that the lock is held.
    """
    run = runs.get_run(session, actor, prepared.run_id)
    target = _find_target(session, run, prepared.level, now)
    if target.counting is not None and target.is_same(prepared.data):
        return target.counting
    _require_may_submit(session, target, prepared.data, now)
    split, replaced = target.split, target.counting
    golds = _require_golds(session, split)
    held = _evaluate(storage, split, prepared.parsed, golds, prepared.held)
    late = target.state == "grace"
    upload = Upload(run, target.level, prepared.data, prepared.filename, prepared.parsed.warnings, late)
    submission = _add(session, actor, upload, prepared.sha256, now)
    for gold in golds:
        scoring.add_scores(session, gold, {submission.id: held[gold.id].results}, now)
    counts = standings.add_newest(session, target.standing, submission)
    entry = _record(session, actor, upload, submission, now, "receipt")
    signed = receipts.SignedGold(golds[0].number, held[golds[0].id].commitment)
    receipts.add_receipt(session, submission, split, signed, entry, replaced, counts)
    jobs.leave_job(session, flags.LOOK, {"submission": submission.id}, now)
    confirmations.add_confirmation(session, submission, counts, now)
    live_changes.note_change(session, run.phase, now)
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
        run_id=upload.run.id,
        level_id=upload.level.id,
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


def _find_target(session: Session, run: Run, level_slug: str, now: datetime) -> Target:
    known = {"run_id": run.id, "team_id": run.team_id, "phase_id": run.phase_id}
    place = {"task_id": run.team.task_id, "slug": level_slug, "split": run.phase.split}
    rows = session.execute(_TARGET, known | place).all()
    if not rows:
        raise NotFound(_("There is no such level, or it has no such split."))
    split, _standing, closes, withdrawn = rows[0]
    window = windows.extended(run.phase.window, closes)
    state = window.state(now)
    there = (row.Standing for row in rows if row.Standing is not None)
    standing = next((one for one in there if one.late == (state == "grace")), None)
    return Target(run, split.level, split, window, state, standing, bool(withdrawn))


def may_send_again(session: Session, submission: Submission, now: datetime) -> bool:
    """Whether a file that came late would be on time now, the deadline being later; once."""
    run = submission.run
    is_open = windows.window_of(session, run.phase, run.team).state(now) == "open"
    return is_open and _was_only_late(session, run, submission.level, submission.sha256)


def _was_only_late(session: Session, run: Run, level: Level, sha256: str) -> bool:
    """Whether these bytes came late for a run and level, and never on time."""
    same = {"run_id": run.id, "level_id": level.id, "sha256": sha256}
    return set(session.scalars(_CAME, same)) == {True}


def _require_may_submit(session: Session, target: Target, data: bytes, now: datetime) -> None:
    run = target.run
    if run.baseline is not None:
        raise Conflict(_("Baselines are computed; they take no files."))
    access.require_competing(run.team)
    access.require_within(target.window, run.phase, now)
    if target.withdrawn:
        raise Conflict(_("This run is withdrawn, so no file of it would count; bring the run back first."))
    if run.phase.files_per_level is None and run.phase.files_per_day is None:
        return
    sha256, on_time = hashlib.sha256(data).hexdigest(), target.state == "open"
    if not (on_time and _was_only_late(session, run, target.level, sha256)):
        _require_quota(session, run, target.level, now)


def _require_quota(session: Session, run: Run, level: Level, now: datetime) -> None:
    phase = run.phase
    used = runs.files_used(session, run.team, phase, level, now)
    left = files_left(used, phase.files_per_level, phase.files_per_day)
    if left.in_all == 0:
        raise QuotaUsed(
            _(
                "Your team has had %(used)s for %(level)s scored in %(phase)s; this file was not scored.",
                used=_of(used.in_all, phase.files_per_level),
                level=level.title,
                phase=phase.title,
            )
        )
    if left.today == 0:
        day, next_day = day_of(now)
        raise QuotaUsed(
            _(
                "Your team has had %(used)s for %(level)s scored in %(phase)s on %(day)s, a day of UTC; this "
                "file was not scored. The next day begins at %(next)s.",
                used=_of(used.today, phase.files_per_day),
                level=level.title,
                phase=phase.title,
                day=f"{day:%Y-%m-%d}",
                next=clock_words(next_day),
            )
        )


def _of(used: int, quota: int | None) -> str:
    """What was used of a quota, which may have been lowered since."""
    if quota is not None and used > quota:
        return _("%(used)d files, where %(quota)d may be,", used=used, quota=quota)
    return ngettext(
        "%(used)d of %(quota)d file", "%(used)d of %(quota)d files", quota or 0, used=used, quota=quota
    )


def _require_golds(session: Session, split: Split) -> list[GoldVersion]:
    """The gold in force, and the candidate that this scorer scores files against."""
    gold, candidate = gold_versions.find_scored(session, split)
    if gold is None:
        raise Conflict(
            _("The organizers have not brought the gold of this level yet; nothing can be scored.")
        )
    scored = candidate is not None and candidate.scorer == scoring.VERSION
    return [gold, candidate] if candidate is not None and scored else [gold]


def _evaluate(
    storage: Storage,
    split: Split,
    parsed: ParsedRun,
    golds: Sequence[GoldVersion],
    known: Mapping[int, Held],
) -> dict[int, Held]:
    """The results against each gold version, those that are known already aside."""
    held = dict(known)
    for gold in golds:
        if gold.id not in held:
            values, parts = scoring.gold_of(storage, split, gold), scoring.parts_of(storage, split)
            results = scoring.evaluate_run(values, parsed, split.level.metrics, parts)
            held[gold.id] = Held(results, commitment_to(storage, gold))
    return held
