"""What a file is for, and whether its team may send it: asked before the write lock, and again behind it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, bindparam, select
from sqlalchemy.orm import Session, contains_eager

from server.access import service as access
from server.core.actors import Actor
from server.core.dates import clock_words
from server.core.errors import Conflict, NotFound, QuotaUsed, RunWithdrawn
from server.core.i18n import _, ngettext
from server.gold import versions as gold_versions
from server.gold.models import GoldEvent, GoldVersion
from server.phases import windows
from server.phases.models import Extension, Phase
from server.phases.quotas import day_of, files_left
from server.phases.rules import State, Window
from server.runs.models import Run
from server.submissions import counting as standings
from server.submissions import rejections as refusals
from server.submissions import runs
from server.submissions.models import Standing, Submission
from server.tasks.models import Level, Split, Task
from server.teams.models import Membership, Team

OF_RUN = (
    windows.NEWEST.where(Extension.team_id == Run.team_id, Extension.phase_id == Run.phase_id)
    .correlate(Run)
    .scalar_subquery()
)
"""The deadline that the team of a run has of its own in the phase of the run."""
_CAME = select(Submission.late).where(
    Submission.run_id == bindparam("run_id"),
    Submission.level_id == bindparam("level_id"),
    Submission.sha256 == bindparam("sha256"),
)
_TOLD = (standings.GIVEN_RUN_WITHDRAWN, refusals.LAST_ALLOWED, GoldVersion, GoldEvent.event)


def _with_gold(query: Select[*tuple[Any, ...]]) -> Select[*tuple[Any, ...]]:
    """A question for a level's split: with its gold, and what counts there of the run `run_id`."""
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
    select(Split, Standing, windows.NEWEST_OF_TEAM, *_TOLD)
    .join(Split.level)
    .where(Level.task_id == bindparam("task_id"), Split.name == bindparam("split"))
)
"""A level and what counts there: a row for each event of its gold, on time and late."""
_OWN_TARGET = _with_gold(
    select(Split, Standing, OF_RUN, *_TOLD, Run)
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
"""The same with the run, if it is of the team of the person `user_id`."""


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
    """See `refusals.LAST_ALLOWED`."""
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
    return _target(run, rows, now)


def find_own_target(session: Session, actor: Actor, run_id: int, level_slug: str, now: datetime) -> Target:
    """The same for a run of the person's own team, by one question.

    Raises:
        NotFound: there is no such run or level, or the run is another team's.
    """
    known = {"run_id": run_id, "user_id": actor.user_id, "slug": level_slug}
    rows = session.execute(_OWN_TARGET, known | refusals.an_hour_before(now)).all()
    if not rows:
        return find_target(session, runs.get_run(session, actor, run_id), level_slug, now)
    return _target(rows[0].Run, rows, now)


def _target(run: Run, rows: Sequence[Row[*tuple[Any, ...]]], now: datetime) -> Target:
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
        Conflict: the run is a baseline.
        NotCompeting: its team may send no files.
        RunWithdrawn: it is withdrawn.
        PhaseShut: the phase takes no files at `now`.
        QuotaUsed: the team has had as many files of this level scored as it may.
    """
    run = target.run
    if run.baseline is not None:
        raise Conflict(_("Baselines are computed; they take no files."))
    access.require_competing(run.team)
    access.require_within(target.window, run.phase, now)
    if target.withdrawn:
        raise RunWithdrawn(
            _("This run is withdrawn, so no file of it would count; bring the run back first.")
        )
    if run.phase.files_per_level is not None or run.phase.files_per_day is not None:
        _require_quota(session, target, data, now)


def was_only_late(session: Session, run: Run, level: Level, sha256: str) -> bool:
    """Whether these bytes came late for a run and level, and never on time."""
    same = {"run_id": run.id, "level_id": level.id, "sha256": sha256}
    return set(session.scalars(_CAME, same)) == {True}


def _require_quota(session: Session, target: Target, data: bytes, now: datetime) -> None:
    run, level, phase = target.run, target.level, target.run.phase
    used = runs.files_used(session, run.team, phase, level, now)
    left = files_left(used, phase.files_per_level, phase.files_per_day)
    if left.now != 0:
        return
    sha256 = hashlib.sha256(data).hexdigest()
    if target.state == "open" and was_only_late(session, run, level, sha256):
        return
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
