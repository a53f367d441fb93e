"""Public releases: lists, one release by its number, and how it relates to others of its phase."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from server.core.errors import NotFound, require_found
from server.core.i18n import _
from server.phases.models import Phase
from server.releases import pseudonyms
from server.releases.models import Release, ReleaseNaming, ReleaseWithdrawal
from server.releases.service import ReleaseState, require_not_withdrawn
from server.tasks.models import Task
from server.teams.models import Team


@dataclass(frozen=True, slots=True)
class ReleaseContext:
    """A release's relation to the other releases of its phase."""

    superseded_by: int | None
    """The newest later manual release that was not withdrawn."""
    withdrawn_since: tuple[int, ...]
    """Later releases that were withdrawn."""
    live_since: bool
    """Whether the leaderboard was made live after it."""
    before: ReleaseState | None
    """The release to compare with: the newest earlier manual one that was not withdrawn."""
    withdrawn_before: tuple[int, ...]
    """Withdrawn releases between this one and the one to compare with."""

    @property
    def newest(self) -> bool:
        """Whether it is the newest release."""
        return self.superseded_by is None and not self.withdrawn_since and not self.live_since


@dataclass(frozen=True, slots=True)
class ReleaseSummary:
    """A manual release in a list; a withdrawn one has the reason, but no hash and no note."""

    phase: Phase
    number: int
    made_at: datetime
    updated_at: datetime
    anonymous: bool
    sha256: str | None
    withdrawn: str | None
    note: str | None


def list_summaries(session: Session, task: Task) -> list[ReleaseSummary]:
    """List the manual releases of all phases of a task, without their leaderboards."""
    columns = (Release.number, Release.made_at, Release.note, Release.sha256, Release.named_sha256)
    query = (
        select(Phase, *columns, ReleaseWithdrawal.made_at, ReleaseWithdrawal.reason, ReleaseNaming.made_at)
        .join(Phase, Phase.id == Release.phase_id)
        .outerjoin(ReleaseWithdrawal, ReleaseWithdrawal.release_id == Release.id)
        .outerjoin(ReleaseNaming, ReleaseNaming.release_id == Release.id)
        .where(Phase.task_id == task.id, Release.feedback.is_(None))
        .order_by(Release.id)
    )
    rows = session.execute(query)
    return [
        ReleaseSummary(
            phase=phase,
            number=number,
            made_at=made_at,
            updated_at=max(at for at in (made_at, withdrawn_at, named_at) if at is not None),
            anonymous=named_sha256 is not None and named_at is None,
            sha256=None if reason is not None else (named_sha256 if named_at is not None else sha256),
            withdrawn=reason,
            note=note if reason is None else None,
        )
        for phase, number, made_at, note, sha256, named_sha256, withdrawn_at, reason, named_at in rows
    ]


def get_any_release(session: Session, phase: Phase, number: int) -> ReleaseState:
    """Return the release with this number, even a withdrawn one; a live one only if it is the newest.

    Raises:
        NotFound: there is none, or it was live and is obsolete.
    """
    row = session.execute(
        select(Release, ReleaseWithdrawal, ReleaseNaming)
        .outerjoin(ReleaseWithdrawal, ReleaseWithdrawal.release_id == Release.id)
        .outerjoin(ReleaseNaming, ReleaseNaming.release_id == Release.id)
        .where(Release.phase_id == phase.id, Release.number == number)
    ).one_or_none()
    state = require_found(None if row is None else ReleaseState(*row), _("There is no such release."))
    if not state.by_hand and number < _newest_number(session, phase):
        raise NotFound.of(
            "Release %(number)d was a copy of a live leaderboard. Only the newest copy is available.",
            number=number,
        )
    return state


def get_release(session: Session, phase: Phase, number: int) -> ReleaseState:
    """Return the release with this number, unless it was withdrawn.

    Raises:
        NotFound: there is none, or it was live and is obsolete.
        ReleaseWithdrawn: it was withdrawn.
    """
    state = get_any_release(session, phase, number)
    require_not_withdrawn(state)
    return state


def find_context(session: Session, phase: Phase, state: ReleaseState) -> ReleaseContext:
    """Return a release's relation to the other releases of its phase."""
    number = state.release.number
    query = (
        select(Release.number, Release.feedback, ReleaseWithdrawal.release_id)
        .outerjoin(ReleaseWithdrawal, ReleaseWithdrawal.release_id == Release.id)
        .where(
            Release.phase_id == phase.id,
            or_(
                Release.feedback.is_(None),
                ReleaseWithdrawal.release_id.is_not(None),
                Release.number == _newest_number(session, phase),
            ),
        )
        .order_by(Release.number)
    )
    rows = [(n, live, gone is not None) for n, live, gone in session.execute(query)]
    standing = [n for n, live, gone in rows if live is None and not gone]
    withdrawn = [n for n, _, gone in rows if gone]
    earlier = max((n for n in standing if n < number), default=0)
    return ReleaseContext(
        superseded_by=max((n for n in standing if n > number), default=None),
        withdrawn_since=tuple(n for n in withdrawn if n > number),
        live_since=any(live is not None and not gone and n > number for n, live, gone in rows),
        before=get_any_release(session, phase, earlier) if earlier else None,
        withdrawn_before=tuple(n for n in withdrawn if earlier < n < number),
    )


def find_own_name(session: Session, team: Team | None, state: ReleaseState) -> str | None:
    """Return the name of the reader's own team in a release; only its members see it."""
    if team is None or not state.anonymous:
        return None if team is None else team.name
    return pseudonyms.find_pseudonym(session, state.release.phase, team.id)


def _newest_number(session: Session, phase: Phase) -> int:
    return session.scalar(select(func.max(Release.number)).where(Release.phase_id == phase.id)) or 0
