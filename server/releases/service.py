"""Releases: the only leaderboards that the public sees."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import JSON, Row, Text, bindparam, case, cast, exists, func, select
from sqlalchemy.orm import Session, aliased, defer

from scorer.boards.people import PeopleRow, read_people
from scorer.boards.serialization import BoardFile, read_board
from server.access import service as access, tasks
from server.audit import service as audit
from server.core import dates
from server.core.actors import Actor
from server.core.cache import CacheByHash
from server.core.errors import Conflict, ReleaseWithdrawn, require_found
from server.core.i18n import _
from server.phases.models import Extension, Phase
from server.releases import run_files
from server.releases.inferences import StoredInference
from server.releases.models import Inference, Release, ReleaseNaming, ReleaseWithdrawal
from server.tasks.models import Task
from server.tasks.rules import VISIBLE_STATES

BOARD_FILES: CacheByHash[str, BoardFile] = CacheByHash(24)
"""The newest leaderboards by their hash; callers ask first whether this person may see the release."""


@dataclass(frozen=True, slots=True)
class ReleaseState:
    """A release, its withdrawal if there was one, and the end of its anonymity."""

    release: Release
    withdrawal: ReleaseWithdrawal | None
    naming: ReleaseNaming | None = None

    @property
    def by_hand(self) -> bool:
        """Whether an organizer made or withdrew it, which pauses a live leaderboard."""
        return self.withdrawal is not None or self.release.feedback is None

    def shows(self, sha256: str) -> bool:
        """Whether it is public, with exactly the leaderboard of this hash."""
        return self.withdrawal is None and self.sha256 == sha256

    @property
    def anonymous(self) -> bool:
        """Whether the public sees pseudonyms in it."""
        return self.release.anonymous and self.naming is None

    @property
    def text(self) -> str:
        """The leaderboard as JSON: the public bytes, unless it was withdrawn."""
        named = None if self.naming is None else self.release.named_board
        return self.release.board if named is None else named

    @property
    def sha256(self) -> str:
        """The hash of `text`."""
        named = None if self.naming is None else self.release.named_sha256
        return self.release.sha256 if named is None else named

    @property
    def file(self) -> BoardFile:
        """The leaderboard that is public, unless it was withdrawn."""
        return BOARD_FILES.get(self.sha256, lambda: read_board(self.text.encode(), "the leaderboard"))

    @property
    def people(self) -> PeopleRow | None:
        """How well people would do; None: no gold is made from ratings, or the release was made too early."""
        return read_people(self.release.rules)

    @property
    def files(self) -> list[run_files.ReleasedFile] | None:
        """The run files that are published with it, by the names that it shows; None: they are not."""
        return run_files.read_files(self.release.files, named=self.naming is not None)


@dataclass(frozen=True, slots=True)
class ReleasedPhase:
    """A phase as one person sees it, with its newest release, and the inference of that."""

    view: tasks.PhaseView
    newest: ReleaseState | None
    inference: StoredInference | None
    is_extended: bool
    """Whether the phase has extensions, for any team."""
    opened_gold: bool
    """Whether a release of the phase published its gold standard."""


def list_releases(session: Session, phase: Phase) -> list[ReleaseState]:
    """List all releases of a phase, the newest first."""
    return list_releases_by_phase(session, [phase])[phase.id]


def list_releases_by_phase(session: Session, phases: Sequence[Phase]) -> dict[int, list[ReleaseState]]:
    """List all releases of each of the phases, the newest first, by the phase's id."""
    states_by_phase: dict[int, list[ReleaseState]] = {phase.id: [] for phase in phases}
    for row in session.execute(_NEWEST_FIRST, _phase_ids(phases)):
        states_by_phase[row[0].phase_id].append(ReleaseState(*row))
    return states_by_phase


def list_manual_releases(session: Session, phase: Phase) -> list[ReleaseState]:
    """List the manual and scheduled releases of a phase, the newest first."""
    by_hand = _NEWEST_FIRST.where(Release.feedback.is_(None))
    return [ReleaseState(*row) for row in session.execute(by_hand, _phase_ids([phase]))]


def find_newest(session: Session, phase: Phase) -> ReleaseState | None:
    """Return the newest release of a phase, even a withdrawn one. An older one never replaces it."""
    row = session.execute(_NEWEST, _phase_ids([phase])).one_or_none()
    return None if row is None else ReleaseState(*row)


def list_newest(session: Session, phases: Sequence[Phase]) -> dict[int, ReleaseState]:
    """Return the newest release of each of the phases that has one, by the phase's id.

    Its leaderboard and its list of files are long, and are loaded lazily.
    """
    rows = session.execute(_NEWEST_WITHOUT_TEXTS, _phase_ids(phases))
    return {row[0].phase_id: ReleaseState(*row) for row in rows}


def read_task(
    session: Session, actor: Actor, slug: str, now: datetime, *, is_checked: bool = True
) -> tuple[Task, list[ReleasedPhase]]:
    """Return a task and its phases as the person sees them, with the newest releases.

    `is_checked`: whether it is known that the task exists for the person; otherwise the query checks it.

    Raises:
        NotFound: there is none.
    """
    query = _WITH_PHASES if is_checked else _VISIBLE_WITH_PHASES
    task, phases = tasks.query_task_phases(session, actor, slug, now, query)
    return task, [
        ReleasedPhase(
            view,
            None if release is None else ReleaseState(release, withdrawal, naming),
            None if inference[0] is None else StoredInference(*inference),
            is_extended,
            opened_gold,
        )
        for view, (is_extended, opened_gold, release, withdrawal, naming, *inference) in phases
    ]


def find_version(session: Session, slug: str) -> tuple[Row[*tuple[Any, ...]], ...]:
    """Return rows that tell what the leaderboards of a task show to visitors; none: they do not see it."""
    return tuple(session.execute(_VERSION, {"slug": slug}))


def find_newest_manual(session: Session, phase: Phase) -> Release | None:
    """Return the newest release of a phase, if it is manual and was not withdrawn; it is immutable."""
    newest = list_newest(session, [phase]).get(phase.id)
    return newest.release if newest is not None and newest.by_hand and newest.withdrawal is None else None


def get_public(session: Session, phase: Phase) -> ReleaseState:
    """Return the release that the public sees.

    Raises:
        NotFound: nothing is released.
        ReleaseWithdrawn: the newest was withdrawn; an older one never replaces it.
    """
    newest = require_found(find_newest(session, phase), _("No results of this phase have been released."))
    require_not_withdrawn(newest)
    return newest


def require_not_withdrawn(state: ReleaseState) -> None:
    """Raise if a release was withdrawn.

    Raises:
        ReleaseWithdrawn: it was withdrawn.
    """
    if state.withdrawal is None:
        return
    number, day, why = state.release.number, dates.day(state.withdrawal.made_at), state.withdrawal.reason
    raise ReleaseWithdrawn.of(
        "Release %(number)d was withdrawn on %(day)s: %(why)s", number=number, day=day, why=why
    )


def list_newest_manual(session: Session, phase: Phase, most: int) -> list[ReleaseState]:
    """List the newest manual releases of a phase that were not withdrawn, the newest first."""
    query = _NEWEST_FIRST.where(Release.feedback.is_(None), ReleaseWithdrawal.release_id.is_(None))
    return [ReleaseState(*row) for row in session.execute(query.limit(most), _phase_ids([phase]))]


def withdraw_release(
    session: Session, actor: Actor, phase: Phase, reason: str, now: datetime, number: int | None = None
) -> Release:
    """Withdraw a release, the newest unless `number` is given, with a reason that the public reads.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: nothing is released, or there is no such release, or it is withdrawn already.
    """
    access.require_organizer(session, actor, phase.task)
    newest = find_newest(session, phase)
    if newest is None:
        raise Conflict.of("There is no release to withdraw.")
    number = newest.release.number if number is None else number
    states = [newest, *list_manual_releases(session, phase)]
    state = next((state for state in states if state.release.number == number), None)
    if state is None:
        raise Conflict.of("There is no release %(number)d to withdraw.", number=number)
    if state.withdrawal is not None:
        raise Conflict.of(
            "Release %(number)d is already withdrawn. Its reason cannot be changed.", number=number
        )
    session.add(ReleaseWithdrawal(release_id=state.release.id, reason=reason.strip(), **actor.made(now)))
    audit.record(session, actor, now, "release.withdraw", phase.task_id, phase=phase.slug, number=number)
    return state.release


_NEWEST_FIRST = (
    select(Release, ReleaseWithdrawal, ReleaseNaming)
    .outerjoin(ReleaseWithdrawal, ReleaseWithdrawal.release_id == Release.id)
    .outerjoin(ReleaseNaming, ReleaseNaming.release_id == Release.id)
    .where(Release.phase_id.in_(bindparam("phase_ids", expanding=True)))
    .order_by(Release.number.desc())
)
_NEWEST_NUMBERS = (
    select(func.max(Release.number).label("number"), Release.phase_id)
    .where(Release.phase_id.in_(bindparam("phase_ids", expanding=True)))
    .group_by(Release.phase_id)
    .subquery()
)
_NEWEST = _NEWEST_FIRST.join(
    _NEWEST_NUMBERS,
    (Release.phase_id == _NEWEST_NUMBERS.c.phase_id) & (Release.number == _NEWEST_NUMBERS.c.number),
)
_WITHOUT_TEXTS = defer(Release.board), defer(Release.named_board), defer(Release.files)
"""Does not load the long columns until they are needed."""
_NEWEST_WITHOUT_TEXTS = _NEWEST.options(*_WITHOUT_TEXTS)
_NEWEST_NUMBER = select(func.max(Release.number)).where(Release.phase_id == Phase.id).correlate(Phase)
_SHOWN_SHA256 = case(
    (ReleaseNaming.release_id.is_(None), Release.sha256),
    else_=func.coalesce(Release.named_sha256, Release.sha256),
)
_OPENING = aliased(Release)
_WITH_PHASES = (
    tasks.TASK_WITH_PHASES.add_columns(
        exists().where(Extension.phase_id == Phase.id),
        exists().where(_OPENING.phase_id == Phase.id, _OPENING.opens_gold),
        Release,
        ReleaseWithdrawal,
        ReleaseNaming,
        Inference.id,
        Inference.sha256,
        Inference.made_at,
        Inference.genres.is_not(None),
    )
    .outerjoin(Release, (Release.phase_id == Phase.id) & (Release.number == _NEWEST_NUMBER.scalar_subquery()))
    .outerjoin(ReleaseWithdrawal, ReleaseWithdrawal.release_id == Release.id)
    .outerjoin(ReleaseNaming, ReleaseNaming.release_id == Release.id)
    .outerjoin(Inference, (Inference.release_id == Release.id) & (Inference.board_sha256 == _SHOWN_SHA256))
    .options(*_WITHOUT_TEXTS)
)
_VISIBLE_WITH_PHASES = _WITH_PHASES.where(access.IS_VISIBLE)
_SETTINGS = (  # as hashable columns
    cast(column, Text) if isinstance(column.type, JSON) else column
    for column in (*Task.__table__.columns, *Phase.__table__.columns)
)
_VERSION = (
    select(
        *_SETTINGS,
        Release.id,
        _SHOWN_SHA256,
        ReleaseWithdrawal.release_id,
        Inference.id,
        Inference.sha256,
        Inference.genres.is_not(None),
    )
    .select_from(Task)
    .outerjoin(Phase, Phase.task_id == Task.id)
    .outerjoin(Release, (Release.phase_id == Phase.id) & (Release.number == _NEWEST_NUMBER.scalar_subquery()))
    .outerjoin(ReleaseWithdrawal, ReleaseWithdrawal.release_id == Release.id)
    .outerjoin(ReleaseNaming, ReleaseNaming.release_id == Release.id)
    .outerjoin(Inference, (Inference.release_id == Release.id) & (Inference.board_sha256 == _SHOWN_SHA256))
    .where(Task.slug == bindparam("slug"), Task.state.in_(VISIBLE_STATES))
    .order_by(Phase.position)
)


def _phase_ids(phases: Sequence[Phase]) -> dict[str, list[int]]:
    return {"phase_ids": [phase.id for phase in phases]}
