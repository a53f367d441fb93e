"""The run and level of an uploaded file, and the reasons why it may not be uploaded now.

These checks run before the write lock is taken, and again under the lock."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, bindparam, select
from sqlalchemy.orm import Session, contains_eager

from server.access import service as access
from server.core import dates
from server.core.actors import Actor
from server.core.errors import Conflict, NoGold, NotFound, QuotaExceeded, RateLimited, RunWithdrawn, TooLarge
from server.core.i18n import _, ngettext
from server.gold import versions as gold_versions
from server.gold.models import GoldEvent, GoldVersion
from server.phases import windows
from server.phases.models import Extension, Phase
from server.phases.quotas import MAX_REJECTIONS, REJECTION_WINDOW, files_left, upload_limit, utc_day
from server.phases.rules import PhaseState, Window
from server.runs import service as runs
from server.runs.models import Run
from server.scoring import service as scoring
from server.submissions import rejections, standings
from server.submissions.models import Standing, Submission
from server.tasks.models import Level, Split, Task
from server.teams.models import Membership, Team

DEADLINE_OF_RUN = (
    windows.NEWEST_EXTENSION.where(Extension.team_id == Run.team_id, Extension.phase_id == Run.phase_id)
    .correlate(Run)
    .scalar_subquery()
)
"""The own deadline of a run's team in the phase of the run, as a column."""
_COLUMNS = (standings.GIVEN_RUN_WITHDRAWN, rejections.LAST_ALLOWED_REJECTION, GoldVersion, GoldEvent.event)


def _with_gold(query: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    """Add to a query for a level's split its gold events, and the run's submissions that count."""
    return (
        query.outerjoin(Standing, (Standing.level_id == Level.id) & (Standing.run_id == bindparam("run_id")))
        .outerjoin(Standing.submission)
        .outerjoin(GoldVersion, GoldVersion.split_id == Split.id)
        .outerjoin(GoldEvent, GoldEvent.gold_version_id == GoldVersion.id)
        .options(contains_eager(Split.level), contains_eager(Standing.submission))
        .where(Level.slug == bindparam("slug"))
        .order_by(GoldEvent.id)
    )


_TARGET = _with_gold(
    select(Split, Standing, windows.TEAM_DEADLINE_IN_PHASE, *_COLUMNS)
    .join(Split.level)
    .where(Level.task_id == bindparam("task_id"), Split.name == bindparam("split"))
)
"""A level with the submissions that count: a row for each event of its gold, on time and late."""
_OWN_TARGET = _with_gold(
    select(Split, Standing, DEADLINE_OF_RUN, *_COLUMNS, Run)
    .select_from(Run)
    .join(Run.team)
    .join(Team.task)
    .join(Run.phase)
    .join(Membership, (Membership.team_id == Run.team_id) & (Membership.user_id == bindparam("user_id")))
    .join(Level, Level.task_id == Task.id)
    .join(Split, (Split.level_id == Level.id) & (Split.name == Phase.split))
    .where(Run.id == bindparam("run_id"))
    .options(contains_eager(Run.team).contains_eager(Team.task), contains_eager(Run.phase))
)
"""The same query with the run, if that belongs to the team of the person `user_id`."""


@dataclass(frozen=True, slots=True)
class UploadTarget:
    """What a file is for, with the times of its team, and the submissions that count when it arrives."""

    run: Run
    level: Level
    split: Split
    window: Window
    state: PhaseState
    standing: Standing | None
    withdrawn: bool
    """Whether the run is withdrawn, with all its files."""
    last_allowed: datetime | None
    """See `rejections.LAST_ALLOWED_REJECTION`."""
    gold: GoldVersion | None
    """The gold version in force."""
    candidate: GoldVersion | None

    @property
    def counting(self) -> Submission | None:
        """The submission that a new one would replace."""
        return None if self.standing is None else self.standing.submission

    def is_same(self, data: bytes) -> bool:
        """Whether these bytes are the submission that counts, as after a double click."""
        takes = self.run.baseline is None and self.state in ("open", "grace")
        counting_sha256 = None if self.counting is None else self.counting.sha256
        return takes and counting_sha256 == hashlib.sha256(data).hexdigest()


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """A file as it was uploaded, and what it is for."""

    target: UploadTarget
    data: bytes
    filename: str
    first_is_score: bool = False
    """Whether the person has confirmed that a first column that looks like ids has the scores."""
    sure: bool = False
    """Whether the person has confirmed that the file is for this level and run."""


def find_target(session: Session, run: Run, level_slug: str, now: datetime) -> UploadTarget:
    """Return what a file for a run and level would be for, if it arrived at `now`.

    Raises:
        NotFound: there is no such level, or it has no split of the phase.
    """
    ids = {"run_id": run.id, "team_id": run.team_id, "phase_id": run.phase_id}
    place = {"task_id": run.team.task_id, "slug": level_slug, "split": run.phase.split}
    rows = session.execute(_TARGET, ids | place | rejections.rejection_window_start(now)).all()
    if not rows:
        raise NotFound.of("There is no such level, or it has no items in this phase.")
    return _make_target(run, rows, now)


def find_own_target(
    session: Session, actor: Actor, run_id: int, level_slug: str, now: datetime
) -> UploadTarget:
    """Return the target in a run of the person's own team, by one query.

    Raises:
        NotFound: there is no such run or level, or the run is another team's.
    """
    parameters = {"run_id": run_id, "user_id": actor.user_id, "slug": level_slug}
    rows = session.execute(_OWN_TARGET, parameters | rejections.rejection_window_start(now)).all()
    if not rows:
        return find_target(session, runs.get_run(session, actor, run_id), level_slug, now)
    return _make_target(rows[0].Run, rows, now)


def _make_target(run: Run, rows: Sequence[Row[*tuple[Any, ...]]], now: datetime) -> UploadTarget:
    split, _standing, closes, withdrawn, last_allowed, *_gold = rows[0]
    window = windows.extend_window(run.phase.window, closes)
    state = window.state(now)
    run_standings = (row.Standing for row in rows if row.Standing is not None)
    gold, candidate = gold_versions.current_and_candidate(
        (row[5], row[6]) for row in rows if row[5] is not None
    )
    return UploadTarget(
        run=run,
        level=split.level,
        split=split,
        window=window,
        state=state,
        standing=next(
            (run_standing for run_standing in run_standings if run_standing.late == (state == "grace")), None
        ),
        withdrawn=bool(withdrawn),
        last_allowed=last_allowed,
        gold=gold,
        candidate=candidate,
    )


_SAME_FILE_LATENESS = select(Submission.late).where(
    Submission.run_id == bindparam("run_id"),
    Submission.level_id == bindparam("level_id"),
    Submission.sha256 == bindparam("sha256"),
)


def require_may_submit(session: Session, file: ReceivedFile, now: datetime) -> None:
    """Raise unless the team may upload this file now.

    Raises:
        Conflict: the run is a baseline, or the task is a draft or archived.
        NotCompeting: its team may not upload files.
        RunWithdrawn: it is withdrawn.
        PhaseClosed: the phase accepts no files at `now`.
        QuotaExceeded: the team has the maximum number of scored files of this level.
    """
    target, run = file.target, file.target.run
    if run.baseline is not None:
        raise Conflict.of("Baselines are computed by the site and accept no files.")
    access.require_published(run.team.task)
    access.require_not_archived(run.team.task)
    access.require_competing(run.team)
    access.require_in_window(target.window, run.phase, now)
    if target.withdrawn:
        raise RunWithdrawn.of(
            "This run is withdrawn, so its submissions would not count. Restore the run first."
        )
    if run.phase.files_per_level is not None or run.phase.files_per_day is not None:
        _require_quota(session, file, now)


def was_only_late(session: Session, run: Run, level: Level, sha256: str) -> bool:
    """Whether these bytes were uploaded late for a run and level, and never on time."""
    same = {"run_id": run.id, "level_id": level.id, "sha256": sha256}
    return set(session.scalars(_SAME_FILE_LATENESS, same)) == {True}


def _require_quota(session: Session, file: ReceivedFile, now: datetime) -> None:
    run, level, phase = file.target.run, file.target.level, file.target.run.phase
    used = runs.count_files_used(session, run.team, phase, level, now)
    remaining_files = files_left(used, phase.files_per_level, phase.files_per_day)
    if remaining_files.now != 0:
        return
    sha256 = hashlib.sha256(file.data).hexdigest()
    if file.target.state == "open" and was_only_late(session, run, level, sha256):
        return
    if remaining_files.in_all == 0:
        raise QuotaExceeded.of(
            "Your team has used %(used)s for %(level)s in %(phase)s, so this file was not scored.",
            used=_used_of_quota(used.in_all, phase.files_per_level),
            level=level.title,
            phase=phase.title,
        )
    if remaining_files.today == 0:
        day, next_day = utc_day(now)
        raise QuotaExceeded.of(
            "Your team has used %(used)s for %(level)s in %(phase)s on %(day)s (UTC), so this "
            "file was not scored. The next day begins on %(next)s.",
            used=_used_of_quota(used.today, phase.files_per_day),
            level=level.title,
            phase=phase.title,
            day=dates.day(day),
            next=dates.format_utc(next_day),
        )


def _used_of_quota(used: int, quota: int | None) -> str:
    """Format the used part of a quota, which may have been lowered later."""
    if quota is not None and used > quota:
        return _("%(used)d of %(quota)d submissions", used=used, quota=quota)
    return ngettext(
        "%(used)d of %(quota)d submission",
        "%(used)d of %(quota)d submissions",
        quota or 0,
        used=used,
        quota=quota,
    )


def check_rejection_rate(last: datetime | None) -> None:
    """Raise RateLimited if the run had too many rejected files in the past hour; `last`: its LAST_ALLOWED.

    This limits checks, and the reasons that a rejected upload gets; a valid file is accepted all the same.
    """
    if last is not None:
        retry_at = last + REJECTION_WINDOW
        raise RateLimited(
            _(
                "%(count)d different invalid files were uploaded for this run within an hour. The "
                "site hides the errors of further ones until %(at)s. Until then, check your file on "
                "your own computer with `scorer check`. Valid files are still accepted.",
                count=MAX_REJECTIONS,
                at=dates.format_utc(retry_at, seconds=True),
            ),
            retry_at,
        )


def require_golds(target: UploadTarget) -> list[GoldVersion]:
    """Return the gold version in force, and the candidate if this scorer scores it.

    Raises:
        NoGold: there is none yet.
    """
    gold, candidate = target.gold, target.candidate
    if gold is None:
        raise NoGold.of(
            "The organizers have not uploaded the gold standard of this level yet, so nothing can be scored."
        )
    scored = candidate is not None and candidate.scorer == scoring.VERSION
    return [gold, candidate] if candidate is not None and scored else [gold]


def require_size(split: Split, data: bytes, filename: str) -> None:
    """Raise if a file is larger than any valid file for its level.

    Raises:
        TooLarge: it has more bytes.
    """
    limit = upload_limit(split.n_items, keyed=split.level.task.keyed is not None)
    if len(data) > limit:
        raise TooLarge.of(
            "%(file)s is too large. A file for %(level)s can have at most %(limit)d kB.",
            file=filename,
            level=split.level.title,
            limit=limit // 1000,
        )
