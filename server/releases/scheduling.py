"""Releases at a set time: scheduled by an organizer, carried out once by a job."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.access import service as access
from server.audit import service as audit
from server.core.actors import CONSOLE, Actor
from server.core.dates import format_utc
from server.core.errors import Conflict, InvalidDates
from server.core.site_resources import Site
from server.jobs import service as jobs
from server.phases.models import Phase
from server.releases import creation as release_creation
from server.releases.models import Release, ReleasePlan

MAKE_RELEASE = "release.make"
"""The kind of job that makes a scheduled release."""
FAILURE_SHOWN = timedelta(days=14)
"""How long pages show that a scheduled release failed."""


def find_plan(session: Session, phase: Phase) -> ReleasePlan | None:
    """Return the schedule of a phase; it has at most one."""
    return session.scalar(
        select(ReleasePlan).where(ReleasePlan.phase_id == phase.id, ReleasePlan.ended_at.is_(None))
    )


def list_scheduled(session: Session, phases: Sequence[Phase]) -> dict[int, ReleasePlan]:
    """Return the schedules by the ids of their phases."""
    which = ReleasePlan.phase_id.in_([phase.id for phase in phases])
    query = select(ReleasePlan).where(which, ReleasePlan.ended_at.is_(None))
    return {plan.phase_id: plan for plan in session.scalars(query)}


def list_failed(session: Session, phases: Sequence[Phase], now: datetime) -> dict[int, ReleasePlan]:
    """Return the newest schedule of each phase if it failed recently and no release has followed."""
    ids = [phase.id for phase in phases]
    newest = select(func.max(ReleasePlan.id)).where(ReleasePlan.phase_id.in_(ids))
    later = select(Release.id).where(
        Release.phase_id == ReleasePlan.phase_id, Release.made_at >= ReleasePlan.ended_at
    )
    query = select(ReleasePlan).where(
        ReleasePlan.id.in_(newest.group_by(ReleasePlan.phase_id)),
        ReleasePlan.outcome.is_not(None),
        ReleasePlan.ended_at >= now - FAILURE_SHOWN,
        ~later.exists(),
    )
    return {plan.phase_id: plan for plan in session.scalars(query)}


def schedule_release(
    session: Session,
    actor: Actor,
    phase: Phase,
    due_at: datetime,
    now: datetime,
    manner: release_creation.ReleaseOptions = release_creation.DEFAULT_OPTIONS,
) -> ReleasePlan:
    """Schedule a release of the leaderboard of a phase as it will be then.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        InvalidDates: the time is in the past.
        Conflict: a release is scheduled already, or the options will not be possible then.
    """
    access.require_organizer(session, actor, phase.task)
    require_may_schedule(session, phase, due_at, now, manner)
    plan = ReleasePlan(
        phase_id=phase.id,
        due_at=due_at,
        anonymous=manner.anonymous,
        opens_gold=manner.opens_gold,
        note=manner.note or None,
        **actor.made(now),
    )
    session.add(plan)
    session.flush()
    jobs.add_job(session, MAKE_RELEASE, {"plan": plan.id}, now, due_at=due_at)
    _record(session, actor, now, "release.plan", plan)
    return plan


def require_may_schedule(
    session: Session, phase: Phase, due_at: datetime, now: datetime, manner: release_creation.ReleaseOptions
) -> None:
    """Raise unless a release can be scheduled for this time with these options.

    Raises:
        InvalidDates: the time is in the past.
        Conflict: a release is scheduled already, or the options will not be possible then.
    """
    require_no_plan(session, phase)
    if due_at <= now:
        raise InvalidDates.of(
            "%(at)s is in the past. Choose a time in the future, or release now.", at=format_utc(due_at)
        )
    release_creation.require_allowed_options(session, phase, manner, due_at)


def require_no_plan(session: Session, phase: Phase) -> None:
    """Raise if a release of the phase is scheduled.

    Raises:
        Conflict: one is scheduled.
    """
    standing = find_plan(session, phase)
    if standing is not None:
        raise Conflict.of(
            "A release is already scheduled for %(at)s. Cancel it first.", at=format_utc(standing.due_at)
        )


def cancel_plan(session: Session, actor: Actor, phase: Phase, now: datetime) -> ReleasePlan:
    """Cancel the schedule of a phase, and its job; a running job will do nothing.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: no release is scheduled.
    """
    access.require_organizer(session, actor, phase.task)
    plan = find_plan(session, phase)
    if plan is None:
        raise Conflict.of("No release of %(phase)s is scheduled.", phase=phase.title)
    plan.ended_at = now
    jobs.cancel_jobs(session, MAKE_RELEASE, "plan", plan.id, now)
    _record(session, actor, now, "release.cancel", plan)
    return plan


def make_scheduled_release(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Make the scheduled release of the job, unless another worker has made it or it was cancelled."""
    with site.writing() as session:
        plan = session.get(ReleasePlan, payload["plan"])
        if plan is not None and plan.ended_at is None and plan.due_at <= now:
            _carry_out(session, plan, now)


def _carry_out(session: Session, plan: ReleasePlan, now: datetime) -> None:
    """Act for the person who scheduled it, even if they have left the task: it was the task's decision."""
    actor = CONSOLE if plan.made_by is None else Actor(user_id=plan.made_by)
    manner = release_creation.ReleaseOptions(plan.anonymous, plan.opens_gold, plan.note)
    plan.ended_at = now
    try:
        plan.release_id = release_creation.make_release(session, actor, plan.phase, now, manner).id
    except Conflict as error:
        plan.outcome = error.message
        _record(session, actor, now, "release.fail", plan)
    session.flush()


def _record(session: Session, actor: Actor, now: datetime, action: str, plan: ReleasePlan) -> None:
    due = plan.due_at.isoformat(timespec="seconds")
    audit.record(session, actor, now, action, plan.phase.task_id, phase=plan.phase.slug, due_at=due)
