"""What jobs do: the handler of each kind, the lanes that they have, and what the clock starts."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from server.accounts import account_mails
from server.annotation.answers import pass_reminders
from server.annotation.campaigns import link_mails, service as campaigns, uploads
from server.annotation.results import answer_hashes, datasets, export_zips, figures
from server.core import child_processes, clock, db, logs, scratch
from server.core.mailer import MailFailed
from server.core.site_resources import Site
from server.corrections import scoring_jobs
from server.jobs import service as jobs
from server.jobs.rules import Claim
from server.levels import baseline_files
from server.mail import (
    announcements,
    confirmations,
    delivery,
    descriptions,
    notices,
    reminders,
    service as mails,
    team_mails,
)
from server.papers import making
from server.personal_data import erasure
from server.planning import registrations
from server.questions import emails as question_emails, service as questions
from server.releases import (
    inference_job,
    inference_parts,
    live_boards,
    release_mails,
    scheduling as release_scheduling,
)
from server.submissions import follow_up_jobs, probing_flags
from server.teams import memberships, service as teams

LOG = logging.getLogger("assay.worker")
Handler = Callable[[Site, Mapping[str, Any], datetime], None]
"""Runs one kind of job; opens its own transactions, and may be called twice for one job."""
HANDLERS: Mapping[str, Handler] = {
    account_mails.ACCOUNT_MAIL_JOB: account_mails.send_account_mail,
    mails.SEND_JOB: delivery.send_mail,
    follow_up_jobs.CONFIRMATION_JOB: confirmations.write_confirmation,
    announcements.ANNOUNCE_JOB: announcements.write_announcement_mails,
    notices.DATES_JOB: notices.write_date_mails,
    notices.ITEMS_JOB: notices.write_items_mails,
    notices.RELEASE_JOB: release_mails.write_release_mails,
    questions.QUESTION_JOB: question_emails.write_question_mails,
    questions.ANSWER_JOB: question_emails.write_answer_mails,
    descriptions.DESCRIPTIONS_JOB: descriptions.write_description_mails,
    link_mails.LINK_JOB: link_mails.send_link,
    pass_reminders.REMINDER_JOB: pass_reminders.send_reminder,
    memberships.REMOVAL_JOB: team_mails.write_removal_mails,
    teams.WAITING_JOB: team_mails.write_waiting_mails,
    registrations.DECISION_JOB: team_mails.write_decision_mails,
    follow_up_jobs.RELEASE_JOB: live_boards.run_live_release,
    probing_flags.PROBING_JOB: probing_flags.flag_probing,
    release_scheduling.MAKE_RELEASE: release_scheduling.make_scheduled_release,
    scoring_jobs.SCORE: scoring_jobs.score_chunk,
    follow_up_jobs.INFERENCE_JOB: inference_job.run_inference,
    inference_parts.PART_JOB: inference_job.run_part,
    follow_up_jobs.BASELINE_JOB: baseline_files.compute_missing,
    figures.FIGURES_JOB: figures.compute_figures,
    datasets.DATA_SET_JOB: datasets.make_data_set,
    export_zips.EXPORT_JOB: export_zips.make_zip,
    campaigns.ANSWERS_JOB: answer_hashes.record_hash,
    uploads.UPLOAD_JOB: uploads.create_uploaded,
    follow_up_jobs.PAPER_JOB: making.make_paper,
}
"""The handlers by the kind of job."""


def delete_old_jobs(site: Site, now: datetime) -> None:
    """Delete jobs that were done long ago."""
    with db.writing(site.session()):
        jobs.delete_done_jobs(site.session(), now)


PERIODIC_TASKS: Mapping[str, Callable[[Site, datetime], None]] = {
    "reminders": reminders.write_due_reminders,
    "old jobs": delete_old_jobs,
    "temporary files": lambda site, now: scratch.delete_leftovers(site.config, now),
    "inferences": inference_job.queue_missing,
    "annotators' answers": answer_hashes.record_due_hashes,
    "unconfirmed accounts": erasure.erase_unconfirmed,
}
"""Tasks that run once a minute, because something may be due without a job."""
JOB_LANES: Mapping[str, frozenset[str]] = {
    "account mails": frozenset({account_mails.ACCOUNT_MAIL_JOB}),
    "mails": frozenset({mails.SEND_JOB, link_mails.LINK_JOB, pass_reminders.REMINDER_JOB}),
    "boards": frozenset({follow_up_jobs.RELEASE_JOB, release_scheduling.MAKE_RELEASE}),
    "uploads": frozenset({uploads.UPLOAD_JOB}),
    "inferences": frozenset(
        {
            follow_up_jobs.INFERENCE_JOB,
            inference_parts.PART_JOB,
            figures.FIGURES_JOB,
            datasets.DATA_SET_JOB,
            export_zips.EXPORT_JOB,
            follow_up_jobs.PAPER_JOB,
        }
    ),
}
"""Kinds of jobs with threads of their own: some are slow, and people wait for releases and uploads.

People wait for the emails about their accounts, so these do not queue behind an announcement to 500 people.
"""


class ClaimLost(Exception):
    """Another worker has taken the job over."""


@dataclass(frozen=True, slots=True)
class JobError:
    """What went wrong with a job; `final`: it would go wrong however often it is retried."""

    text: str
    final: bool = False


def run_periodic_tasks(site: Site, now: datetime) -> None:
    """Run all periodic tasks; an error in one does not stop the others."""
    for name, look in PERIODIC_TASKS.items():
        try:
            look(site, now)
        except Exception as error:
            logs.report_error(error)
            LOG.exception("A look at %s went wrong; the next one is in a minute.", name)


def call_handler(
    site: Site, claim: Claim, handlers: Mapping[str, Handler], check: Callable[[], None]
) -> JobError | None:
    """Call the job's handler; return its error, None if there was none.

    `check` is called before each email, and raises `ClaimLost` if another worker has the job.
    """
    try:
        handler = handlers.get(claim.kind)
        if handler is None:
            return JobError(f"This version of Assay has no jobs of the kind {claim.kind}.")
        handler(replace(site, mailer=site.mailer.with_check(check)), claim.payload, clock.now())
    except child_processes.ProcessInterrupted as error:
        return JobError(f"{jobs.INTERRUPTED}{error}")
    except ClaimLost as error:
        return JobError(str(error))
    except MailFailed as error:
        LOG.warning("Job %d (%s), attempt %d: %s", claim.job_id, claim.kind, claim.attempt, error)
        return JobError(str(error), error.final)
    except Exception as error:
        logs.report_error(error)
        LOG.exception("Job %d (%s) went wrong at attempt %d.", claim.job_id, claim.kind, claim.attempt)
        return JobError(f"{type(error).__name__}: {error}")
    finally:
        db.end_reading(site.session())
    return None
