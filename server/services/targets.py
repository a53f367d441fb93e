"""What a file is for, and whether its team may send it: asked before the write lock, and again behind it."""

import hashlib
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import bindparam, select
from sqlalchemy.orm import Session, contains_eager

from server.domain.phases import State, Window, clock_words
from server.domain.quota import day_of, files_left
from server.errors import Conflict, NotFound, QuotaUsed
from server.language import _, ngettext
from server.models import GoldEvent, GoldVersion, Level, Run, Split, Standing, Submission
from server.services import access, gold_versions, refusals, runs, standings, windows

_CAME = select(Submission.late).where(
    Submission.run_id == bindparam("run_id"),
    Submission.level_id == bindparam("level_id"),
    Submission.sha256 == bindparam("sha256"),
)
_TARGET = (
    select(
        Split,
        Standing,
        windows.NEWEST_OF_TEAM,
        standings.GIVEN_RUN_WITHDRAWN,
        refusals.LAST_ALLOWED,
        GoldVersion,
        GoldEvent.event,
    )
    .join(Split.level)
    .outerjoin(Standing, (Standing.level_id == Level.id) & (Standing.run_id == bindparam("run_id")))
    .outerjoin(Standing.submission)
    .outerjoin(GoldVersion, GoldVersion.split_id == Split.id)
    .outerjoin(GoldEvent, GoldEvent.gold_version_id == GoldVersion.id)
    .options(contains_eager(Split.level), contains_eager(Standing.submission))
    .where(
        Level.task_id == bindparam("task_id"),
        Level.slug == bindparam("slug"),
        Split.name == bindparam("split"),
    )
    .order_by(GoldEvent.id)
)
"""A level with its gold, and what counts there: a row for each event of the gold, on time and late."""


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
    last_allowed: datetime | None
    """What `refusals.require_patience` goes by."""
    gold: GoldVersion | None
    """The one in force."""
    candidate: GoldVersion | None

    @property
    def counting(self) -> Submission | None:
        """The file that a new one would replace."""
        return None if self.standing is None else self.standing.submission

    def is_same(self, data: bytes) -> bool:
        """Whether these are the bytes that count: a second click costs nothing."""
        takes = self.run.baseline is None and self.state in ("open", "grace")
        known = None if self.counting is None else self.counting.sha256
        return takes and known == hashlib.sha256(data).hexdigest()


def find_target(session: Session, run: Run, level_slug: str, now: datetime) -> Target:
    """What a file for a run and level would be for, if it came at `now`.

    Raises:
        NotFound: there is no such level, or it has no split of the phase.
    """
    known = {"run_id": run.id, "team_id": run.team_id, "phase_id": run.phase_id}
    place = {"task_id": run.team.task_id, "slug": level_slug, "split": run.phase.split}
    rows = session.execute(_TARGET, known | place | refusals.an_hour_before(now)).all()
    if not rows:
        raise NotFound(_("There is no such level, or it has no such split."))
    split, _standing, closes, withdrawn, last_allowed, *_gold = rows[0]
    window = windows.extended(run.phase.window, closes)
    state = window.state(now)
    there = (row.Standing for row in rows if row.Standing is not None)
    gold, candidate = gold_versions.scored_of((row[5], row[6]) for row in rows if row[5] is not None)
    return Target(
        run=run,
        level=split.level,
        split=split,
        window=window,
        state=state,
        standing=next((one for one in there if one.late == (state == "grace")), None),
        withdrawn=bool(withdrawn),
        last_allowed=last_allowed,
        gold=gold,
        candidate=candidate,
    )


def require_may_submit(session: Session, target: Target, data: bytes, now: datetime) -> None:
    """Let a team pass that may send these bytes now.

    Raises:
        Conflict: the run is a baseline or withdrawn, or its team competes no more.
        PhaseShut: the phase takes no files at `now`.
        QuotaUsed: the team has had as many files of this level scored as it may.
    """
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
    if not (on_time and was_only_late(session, run, target.level, sha256)):
        _require_quota(session, run, target.level, now)


def was_only_late(session: Session, run: Run, level: Level, sha256: str) -> bool:
    """Whether these bytes came late for a run and level, and never on time."""
    same = {"run_id": run.id, "level_id": level.id, "sha256": sha256}
    return set(session.scalars(_CAME, same)) == {True}


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
