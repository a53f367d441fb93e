"""Releases: the public sees these and nothing else of a board."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session

from server.domain.actors import Actor
from server.domain.feedback import Feedback
from server.errors import Conflict, NotFound
from server.models import Phase, Release, ReleaseNaming, ReleaseWithdrawal
from server.services import access, audit, boards, windows


@dataclass(frozen=True, slots=True)
class ReleaseState:
    """A release, its withdrawal if there was one, and the end of its anonymity."""

    release: Release
    withdrawal: ReleaseWithdrawal | None
    naming: ReleaseNaming | None = None

    @property
    def by_hand(self) -> bool:
        """Whether an organizer made it, or withdrew it: a live board then rests."""
        return self.withdrawal is not None or self.release.feedback is None

    def shows(self, sha256: str) -> bool:
        """Whether it is public, with just the board of this hash."""
        return self.withdrawal is None and self.sha256 == sha256

    @property
    def anonymous(self) -> bool:
        """Whether teams have letters for names in what is public of it."""
        return self.release.anonymous and self.naming is None

    @property
    def text(self) -> str:
        """The board as JSON: the bytes that are public, unless it was withdrawn."""
        named = None if self.naming is None else self.release.named_board
        return self.release.board if named is None else named

    @property
    def sha256(self) -> str:
        """The hash of `text`."""
        named = None if self.naming is None else self.release.named_sha256
        return self.release.sha256 if named is None else named

    @property
    def board(self) -> dict[str, Any]:
        """The board that is public, unless it was withdrawn."""
        values: dict[str, Any] = json.loads(self.text)
        return values


def list_releases(session: Session, phase: Phase) -> list[ReleaseState]:
    """All releases of a phase, the newest first."""
    return list_releases_of(session, [phase])[phase.id]


def list_releases_of(session: Session, phases: Sequence[Phase]) -> dict[int, list[ReleaseState]]:
    """All releases of each of the phases, the newest first, by the phase's id."""
    found: dict[int, list[ReleaseState]] = {phase.id: [] for phase in phases}
    for row in session.execute(_newest_first(phases)):
        found[row[0].phase_id].append(ReleaseState(*row))
    return found


def find_newest(session: Session, phase: Phase) -> ReleaseState | None:
    """The newest release of a phase, withdrawn or not. An older one never takes its place."""
    return list_newest(session, [phase]).get(phase.id)


def list_newest(session: Session, phases: Sequence[Phase]) -> dict[int, ReleaseState]:
    """The newest release of each of the phases that has one, by the phase's id."""
    newest = (
        select(func.max(Release.number).label("number"), Release.phase_id)
        .where(Release.phase_id.in_([phase.id for phase in phases]))
        .group_by(Release.phase_id)
        .subquery()
    )
    same = (Release.phase_id == newest.c.phase_id) & (Release.number == newest.c.number)
    rows = session.execute(_newest_first(phases).join(newest, same))
    return {row[0].phase_id: ReleaseState(*row) for row in rows}


def get_public(session: Session, phase: Phase) -> ReleaseState:
    """The release that the public sees.

    Raises:
        NotFound: nothing is released, or it was withdrawn.
    """
    newest = find_newest(session, phase)
    if newest is None or newest.withdrawal is not None:
        raise NotFound("The board of this phase is not released.")
    return newest


def release_board(session: Session, actor: Actor, phase: Phase, now: datetime) -> Release:
    """Publish the board of a phase as it stands now.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the board is empty, or the newest release by hand shows the same.
    """
    access.require_organizer(session, actor, phase.task)
    held = windows.baselines_held_until(session, phase, now)
    text = boards.board_text(session, phase, baselines=held is None)
    values = json.loads(text)
    if not (values["official"] or values["late"] or values["baselines"]):
        raise Conflict(f"There is nothing to release: no run of {phase.title} has a file.")
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    newest = find_newest(session, phase)
    if newest is not None and newest.shows(sha256) and newest.by_hand:
        raise Conflict(f"Release {newest.release.number} shows just this board already.")
    return add_release(session, actor, phase, text, now)


def add_release(
    session: Session,
    actor: Actor,
    phase: Phase,
    text: str,
    now: datetime,
    feedback: Feedback | None = None,
) -> Release:
    """A release whose right to be there was established by the caller; with `feedback`: of a live board."""
    newest = find_newest(session, phase)
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    release = Release(
        phase_id=phase.id,
        number=1 if newest is None else newest.release.number + 1,
        board=text,
        sha256=sha256,
        feedback=feedback,
        made_by=actor.user_id,
        made_at=now,
    )
    session.add(release)
    session.flush()
    audit.record(
        session,
        actor,
        now,
        "release.add" if feedback is None else "release.live",
        phase.task_id,
        phase=phase.slug,
        number=release.number,
        sha256=sha256,
    )
    return release


def withdraw_release(session: Session, actor: Actor, phase: Phase, reason: str, now: datetime) -> Release:
    """Take the newest release back, with a reason that the public reads.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: nothing is released.
    """
    access.require_organizer(session, actor, phase.task)
    newest = find_newest(session, phase)
    if newest is None or newest.withdrawal is not None:
        raise Conflict("Nothing is released that could be withdrawn.")
    session.add(
        ReleaseWithdrawal(
            release_id=newest.release.id, reason=reason.strip(), made_by=actor.user_id, made_at=now
        )
    )
    session.flush()
    audit.record(
        session, actor, now, "release.withdraw", phase.task_id, phase=phase.slug, number=newest.release.number
    )
    return newest.release


def _newest_first(phases: Sequence[Phase]) -> Select[Release, ReleaseWithdrawal, ReleaseNaming]:
    return (
        select(Release, ReleaseWithdrawal, ReleaseNaming)
        .outerjoin(ReleaseWithdrawal, ReleaseWithdrawal.release_id == Release.id)
        .outerjoin(ReleaseNaming, ReleaseNaming.release_id == Release.id)
        .where(Release.phase_id.in_([phase.id for phase in phases]))
        .order_by(Release.number.desc())
    )
