"""Emails that remind annotators of the second pass, once it is open."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy.orm import Session

from server.annotation.assignments import progress
from server.annotation.campaigns import consents, exclusions, link_mails, people
from server.annotation.campaigns.service import round_state
from server.annotation.models import Assignment, Step
from server.core.site_resources import Site
from server.jobs import service as jobs

REMINDER_JOB = "annotation.reminder"
"""The kind of job that reminds one annotator, so many hours after their last answer of the first pass."""


def queue_reminders(session: Session, step: Step, now: datetime) -> None:
    """Plan the reminders of the next pass, if this answer completed a pass; `now`: when it arrived."""
    assignment = step.assignment
    passes = assignment.plan.round.rules.passes
    if step.pass_number == len(passes) or not passes[step.pass_number].remind_hours:
        return
    following = progress.next_step(session, assignment)
    if following is None or following.pass_number == step.pass_number:
        return
    if people.has_email(session, assignment.annotator):
        for hours in passes[step.pass_number].remind_hours:
            _add_job(session, assignment.id, following.pass_number, hours, now + timedelta(hours=hours), now)


def send_reminder(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Send an annotator a link to the pass that waits for them, unless it need not be sent any more.

    A changed answer of the first pass begins the pause again: then this comes later.

    Raises:
        MailFailed: the mail server did not accept the email; the next attempt sends another link.
    """
    with site.writing() as session:
        assignment = session.get_one(Assignment, payload["assignment"])
        due = _find_due(session, assignment, payload["pass"], payload["hours"], now)
        if due is None:
            return
        if due > now:
            _add_job(session, assignment.id, payload["pass"], payload["hours"], due, now)
            return
        mail = link_mails.write_mail(site, session, assignment.annotator, "annotator_reminder", now)
    if mail is not None:
        site.mailer.deliver(mail)


def _find_due(
    session: Session, assignment: Assignment, pass_number: int, hours: int, now: datetime
) -> datetime | None:
    """Return when a reminder is due; None: the pass has begun, or the annotator does no more work."""
    annotator = assignment.annotator
    if round_state(session, assignment.plan.round) != "open":
        return None
    if exclusions.is_excluded(session, annotator) or consents.has_withdrawn(session, annotator):
        return None
    (work,) = progress.list_progress(session, Assignment.id == assignment.id, now)
    before = work.passes[pass_number - 2].last_answer
    if work.state not in ("resting", "active", "expired") or work.opens_at is None or before is None:
        return None
    return before + timedelta(hours=hours)


def _add_job(
    session: Session, assignment_id: int, pass_number: int, hours: int, due_at: datetime, now: datetime
) -> None:
    payload = {"assignment": assignment_id, "pass": pass_number, "hours": hours}
    jobs.add_job(
        session, REMINDER_JOB, payload, now, due_at=due_at, key=f"{REMINDER_JOB} {assignment_id} {hours}"
    )
