"""Extensions: a later deadline, for all or for one team, by one audited act."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy import ColumnElement, or_, select
from sqlalchemy.orm import Session, joinedload

from server.access import service as access
from server.audit import service as audit
from server.core.actors import Actor
from server.core.dates import format_utc
from server.core.errors import Conflict, InvalidDates
from server.core.i18n import _
from server.phases import windows
from server.phases.models import Extension, Phase
from server.releases import release_gold
from server.teams.models import Team


def extend_deadline(
    session: Session,
    actor: Actor,
    phase: Phase,
    team: Team | None,
    closes: datetime,
    reason: str,
    now: datetime,
) -> Extension:
    """Let a phase take files on time until `closes`: those of one team, or (None) everybody's.

    A team's newest extension decides, so that one that was too long can be shortened.

    Files that came late before stay late: lateness was decided as they arrived.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the phase has no deadline, or the gold was opened after it.
        InvalidDates: the new deadline is in the past, or no later than the old one.
    """
    access.require_organizer(session, actor, phase.task)
    old = windows.window_of(session, phase, team).closes
    if old is None:
        raise Conflict(_("%(phase)s has no deadline.", phase=phase.title))
    if closes <= now:
        raise InvalidDates(_("%(at)s is in the past. Choose a time in the future.", at=format_utc(closes)))
    if phase.closes is not None and closes <= phase.closes:
        shared = format_utc(phase.closes)
        raise InvalidDates(_("The deadline for all teams is %(at)s. Choose a later one.", at=shared))
    if closes == old:
        raise InvalidDates(_("The deadline is already %(at)s. Choose another one.", at=format_utc(old)))
    release_gold.require_no_reopening(session, phase, replace(phase.window, closes=closes))
    extension = Extension(
        phase_id=phase.id,
        team_id=None if team is None else team.id,
        closes=closes,
        reason=reason.strip(),
        made_by=actor.user_id,
        made_at=now,
    )
    session.add(extension)
    if team is None:
        phase.closes = closes
    session.flush()
    audit.record(
        session,
        actor,
        now,
        "phase.extend",
        phase.task_id,
        phase=phase.slug,
        team_id=extension.team_id,
        closes=[old.isoformat(), closes.isoformat()],
    )
    return extension


def list_extensions(session: Session, phase: Phase) -> list[Extension]:
    """All extensions of a phase, the newest first; for those who see all of the task."""
    query = select(Extension).where(Extension.phase_id == phase.id).options(joinedload(Extension.team))
    return list(session.scalars(query.order_by(Extension.id.desc())))


def list_visible_extensions(session: Session, phases: list[Phase], team: Team | None) -> list[Extension]:
    """The extensions in force that a team may know of: the one for all, and its own newest."""
    visible: ColumnElement[bool] = Extension.team_id.is_(None)
    visible = visible if team is None else or_(visible, Extension.team_id == team.id)
    of_phases = Extension.phase_id.in_([phase.id for phase in phases])
    query = select(Extension).where(of_phases, visible).options(joinedload(Extension.phase))
    newest = {
        (extension.phase_id, extension.team_id): extension
        for extension in session.scalars(query.order_by(Extension.id))
    }
    return [extension for extension in newest.values() if _is_in_force(extension)]


def _is_in_force(extension: Extension) -> bool:
    """Whether the deadline is as the extension has it: the phase's own dates may have been edited since."""
    closes = extension.phase.closes
    if closes is None:
        return False
    return extension.closes == closes if extension.team_id is None else extension.closes > closes
