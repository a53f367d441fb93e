"""What a file is for, and whether its team may send it: asked before the write lock, and again behind it."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Row, Select, bindparam, select
from sqlalchemy.orm import Session, contains_eager

from server.core.actors import Actor
from server.core.errors import NotFound
from server.core.i18n import _
from server.gold import versions as gold_versions
from server.gold.models import GoldEvent, GoldVersion
from server.phases import windows
from server.phases.models import Extension, Phase
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


@dataclass(frozen=True, slots=True)
class ReceivedFile:
    """A file as it was sent, and what it is for."""

    target: Target
    data: bytes
    filename: str


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
