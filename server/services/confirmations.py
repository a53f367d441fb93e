"""The confirmation of an accepted file, to the person who sent it; the receipt goes with it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from server import db
from server.models import Submission, User
from server.services import jobs, mails, receipts
from server.site import Site

CONFIRM = "mail.confirm"
"""The kind of job that writes one confirmation."""


def add_confirmation(session: Session, submission: Submission, counts: bool, now: datetime) -> None:
    """Have a confirmation written once the submission is kept: the upload itself waits for one row."""
    if submission.submitted_by is not None:
        jobs.leave_job(session, CONFIRM, {"submission": submission.id, "counts": counts}, now)


def write_confirmation(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Write the mail that says what was accepted; a second time there is nothing to do."""
    session = site.session()
    with db.writing(session):
        submission = session.get_one(Submission, payload["submission"])
        user = session.get(User, submission.submitted_by)
        if user is None:
            return
        run, receipt = submission.run, receipts.find_receipt(session, submission)
        mails.put_mail(
            session,
            site.config,
            run.team.task,
            user,
            "confirmation",
            f"submission {submission.id} {submission.arrived_at.isoformat()}",
            now,
            submission=submission,
            run=run,
            counts=payload["counts"],
            receipt=receipt,
            attachment=None if receipt is None else (receipts.filename_of(receipt), receipt.text),
        )
