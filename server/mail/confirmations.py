"""Confirmation emails for accepted files, with their receipts, to the person who uploaded them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import Row, and_, select
from sqlalchemy.orm import Session, contains_eager

from server.accounts.models import User
from server.core import db
from server.core.site_resources import Site
from server.mail import service as mails
from server.mail.models import Mail, mail_receipts
from server.runs.models import Run
from server.submissions import standings
from server.submissions.models import Receipt, Standing, Submission
from server.tasks.models import Task
from server.teams.models import Team

MAX_RECEIPTS = 50
"""The maximum number of receipts in one email; more of them go into another email."""
FileOutcome = Literal["counts", "replaced", "late", "withdrawn"]


@dataclass(frozen=True, slots=True)
class ConfirmationFile:
    """A file that an email confirms, and its state."""

    submission: Submission
    receipt: Receipt
    fate: FileOutcome


def write_confirmation(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write the email that confirms all files accepted since the given one; running it again does nothing."""
    session, first_id = site.session(), payload["submission"]
    with db.writing(session):
        user, task = session.execute(
            select(User, Task)
            .select_from(Submission)
            .join(User, User.id == Submission.submitted_by)
            .join(Submission.run)
            .join(Run.team)
            .join(Team.task)
            .where(Submission.id == first_id)
        ).one()
        wanted = True
        while wanted and (files := _list_unconfirmed(session, task, user, first_id)):
            wanted = _queue_mail(site, task, user, files, now) is not None


def _list_unconfirmed(session: Session, task: Task, user: User, first_id: int) -> list[ConfirmationFile]:
    """List the person's files from `first_id` on that no email has confirmed yet, the oldest first."""
    query = (
        select(
            Submission,
            Receipt,
            Standing.submission_id.is_not(None).label("counts"),
            standings.WITHDRAWN.label("withdrawn"),
            standings.RUN_WITHDRAWN.label("run_withdrawn"),
        )
        .join(Submission.run)
        .join(Run.team)
        .join(Submission.level)
        .join(Receipt, Receipt.submission_id == Submission.id)
        .outerjoin(mail_receipts, mail_receipts.c.submission_id == Submission.id)
        .outerjoin(
            Standing,
            and_(
                Standing.run_id == Submission.run_id,
                Standing.level_id == Submission.level_id,
                Standing.submission_id == Submission.id,
            ),
        )
        .where(
            Submission.id >= first_id,
            Submission.submitted_by == user.id,
            Team.task_id == task.id,
            mail_receipts.c.mail_id.is_(None),
        )
        .order_by(Submission.id)
        .limit(MAX_RECEIPTS)
        .options(contains_eager(Submission.level), contains_eager(Submission.run).contains_eager(Run.team))
    )
    return [_confirmation_file(row) for row in session.execute(query)]


def _confirmation_file(row: Row[Submission, Receipt, bool, bool, bool]) -> ConfirmationFile:
    if row.withdrawn or row.run_withdrawn:
        return ConfirmationFile(row.Submission, row.Receipt, "withdrawn")
    if row.Submission.late:
        return ConfirmationFile(row.Submission, row.Receipt, "late")
    return ConfirmationFile(row.Submission, row.Receipt, "counts" if row.counts else "replaced")


def _queue_mail(
    site: Site, task: Task, user: User, files: Sequence[ConfirmationFile], now: datetime
) -> Mail | None:
    """Queue one email about these files, as a page for one or as a list; None: the person opted out."""
    oldest = files[0].submission
    return mails.queue_mail(
        site,
        task,
        user,
        "confirmation",
        f"submission {oldest.id} {oldest.arrived_at.isoformat()}",
        now,
        letter="confirmation" if len(files) == 1 else "confirmations",
        receipts=[file.receipt for file in files],
        files=sorted(files, key=_sort_key),
        late=sum(file.submission.late for file in files),
    )


def _sort_key(file: ConfirmationFile) -> tuple[int, ...]:
    """Return the position of a file in the list: by phase, run and level, the newest last."""
    submission, run = file.submission, file.submission.run
    return run.phase.position, run.position, run.id, submission.level.position, submission.id
