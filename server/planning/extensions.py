"""Extensions: a later deadline for all teams or for one, recorded in the audit log."""

from dataclasses import replace
from datetime import datetime

from sqlalchemy import bindparam, exists, or_, select
from sqlalchemy.orm import Session, joinedload

from server.access import service as access
from server.audit import service as audit
from server.core.actors import Actor
from server.core.dates import format_utc
from server.core.errors import Conflict, InvalidDates
from server.mail import notices
from server.phases import windows
from server.phases.models import Extension, Phase
from server.releases import release_gold
from server.runs.models import Run
from server.submissions.models import Submission
from server.teams.models import Team

_VISIBLE_EXTENSIONS = (
    select(Extension)
    .where(Extension.phase_id.in_(bindparam("phase_ids", expanding=True)))
    .where(or_(Extension.team_id.is_(None), Extension.team_id == bindparam("team_id")))
    .order_by(Extension.id)
)


def extend_deadline(
    session: Session,
    actor: Actor,
    phase: Phase,
    team: Team | None,
    closes: datetime,
    reason: str,
    now: datetime,
) -> Extension:
    """Extend the deadline of a phase to `closes`, for one team or (None) for all.

    A team's newest extension applies, so that one that was too long can be shortened.

    Files that arrived late stay late: lateness is decided on arrival.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the phase has no deadline, or the gold standard was published after it.
        InvalidDates: the new deadline is in the past, or no later than the old one.
    """
    access.require_organizer(session, actor, phase.task)
    access.require_not_archived(phase.task)
    old = windows.window_of(session, phase, team).closes
    if old is None:
        raise Conflict.of("%(phase)s has no deadline.", phase=phase.title)
    if closes <= now:
        raise InvalidDates.of("%(at)s is in the past. Choose a time in the future.", at=format_utc(closes))
    if phase.closes is not None and closes <= phase.closes:
        shared = format_utc(phase.closes)
        raise InvalidDates.of("The deadline for all teams is %(at)s. Choose a later one.", at=shared)
    if closes == old:
        raise InvalidDates.of("The deadline is already %(at)s. Choose another one.", at=format_utc(old))
    release_gold.require_no_reopening(session, phase, replace(phase.window, closes=closes))
    before = notices.read_dates(session, phase)
    extension = Extension(
        phase_id=phase.id,
        team_id=None if team is None else team.id,
        closes=closes,
        reason=reason.strip(),
        **actor.made(now),
    )
    session.add(extension)
    if team is None:
        phase.closes = closes
    session.flush()
    details = {"phase": phase.slug, "closes": [old.isoformat(), closes.isoformat()]}
    audit.record(session, actor, now, "phase.extend", phase.task_id, extension.team_id, **details)
    notices.queue_date_notice(session, phase, before, now)
    return extension


def list_extensions(session: Session, phase: Phase) -> list[Extension]:
    """List all extensions of a phase, the newest first, for people who may see all of the task."""
    query = select(Extension).where(Extension.phase_id == phase.id).options(joinedload(Extension.team))
    return list(session.scalars(query.order_by(Extension.id.desc())))


def has_late_submissions(session: Session, phase: Phase) -> bool:
    """Whether a submission of the phase was late, perhaps under earlier rules."""
    late = exists().where(Submission.run_id == Run.id, Run.phase_id == phase.id, Submission.late)
    return bool(session.scalar(select(late)))


def list_visible_extensions(session: Session, phases: list[Phase], team: Team | None) -> list[Extension]:
    """List the extensions in force that a team may see: the one for all teams, and its own newest."""
    places = {"phase_ids": [phase.id for phase in phases], "team_id": team and team.id}
    newest = {
        (extension.phase_id, extension.team_id): extension
        for extension in session.scalars(_VISIBLE_EXTENSIONS, places)
    }
    return [extension for extension in newest.values() if _is_in_force(extension)]


def _is_in_force(extension: Extension) -> bool:
    """Whether the extension's deadline applies: the phase's own dates may have been edited later."""
    closes = extension.phase.closes
    if closes is None:
        return False
    return extension.closes == closes if extension.team_id is None else extension.closes > closes
