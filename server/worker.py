"""Runs jobs on SQLite: polls their table, claims one, runs it outside transactions, and records the result.

A claim is a lease with an attempt number. While a job runs, a thread renews its lease every few seconds; the
job of a worker that died is taken over when the lease ends. A worker that comes back late changes nothing,
because its attempt is no longer the newest. So a job may be run twice, and its handler must allow for that.
An email is transmitted only after the lease was renewed: a worker that was frozen until another one sent the
email does not send it again.

Idle workers only read. Claims are made in the site's one writing transaction at a time (`db.writing`), so two
workers never claim the same job, and PostgreSQL's SKIP LOCKED would find nothing to skip.
"""

import logging
import os
import threading
from collections.abc import Callable, Collection, Mapping
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
from server.jobs import service as jobs, table_queue
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
from server.releases import inference_job, live_boards, release_mails, scheduling as release_scheduling
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
POLL_SECONDS = 0.5
"""The delay between two queries for jobs if there are none."""
PERIOD_SECONDS = 60.0
RENEW_SECONDS = table_queue.LEASE.total_seconds() / 4


class ClaimLost(Exception):
    """Another worker has taken the job over."""


@dataclass(frozen=True, slots=True)
class JobError:
    """What went wrong with a job; `final`: it would go wrong however often it is retried."""

    text: str
    final: bool = False


class Worker:
    """One thread that runs jobs: of the kinds `only`, or of all kinds except `but`."""

    def __init__(
        self,
        site: Site,
        handlers: Mapping[str, Handler] = HANDLERS,
        *,
        only: Collection[str] | None = None,
        but: Collection[str] = (),
    ) -> None:
        self._site, self._handlers = site, handlers
        self._only, self._but = only, but
        self._ticked: datetime | None = None

    def run(self, stopped: threading.Event) -> None:
        """Run jobs until stopped; errors are logged."""
        while not stopped.is_set():
            try:
                worked = self.step()
            except Exception as error:
                logs.report_error(error)
                LOG.exception("The worker could not go on; it tries again.")
                stopped.wait(5)
                continue
            finally:
                self._site.session.remove()
            if not worked:
                stopped.wait(POLL_SECONDS)

    def step(self) -> bool:
        """Run one due job; False: there is none."""
        if self._only is None:
            self._tick()
        session = self._site.session()
        with db.reading(session):
            due = table_queue.list_due_jobs(session, clock.now(), self._only, self._but)
        return any(run_job(self._site, job_id, self._handlers) for job_id in due)  # stops after one job

    def _tick(self) -> None:
        now = clock.now()
        if self._ticked is None or (now - self._ticked).total_seconds() >= PERIOD_SECONDS:
            self._ticked = now
            run_periodic_tasks(self._site, now)


def run_worker(
    site: Site,
    stopped: threading.Event,
    parent: int | None = None,
    handlers: Mapping[str, Handler] = HANDLERS,
) -> None:
    """Run jobs until stopped, or until the parent has ended; each lane has its own thread."""
    if site.engine.dialect.name == "postgresql":
        from server import cluster_worker  # noqa: PLC0415  (sites on SQLite do without)

        cluster_worker.run(site, stopped, parent, handlers)
    else:
        _run_threads(site, stopped, parent, handlers)


def _run_threads(
    site: Site, stopped: threading.Event, parent: int | None, handlers: Mapping[str, Handler]
) -> None:
    workers = [Worker(site, handlers, but=frozenset().union(*JOB_LANES.values()))]
    workers += [Worker(site, handlers, only=kinds) for kinds in JOB_LANES.values()]
    threads = [threading.Thread(target=worker.run, args=(stopped,)) for worker in workers]
    for thread in threads:
        thread.start()
    while not stopped.wait(POLL_SECONDS):
        if parent is not None and os.getppid() != parent:
            stopped.set()
    for thread in threads:
        while thread.is_alive():
            child_processes.cancel_running()  # they are interrupted, and their jobs are retried
            thread.join(POLL_SECONDS)


def run_periodic_tasks(site: Site, now: datetime) -> None:
    """Run all periodic tasks; an error in one does not stop the others."""
    for name, look in PERIODIC_TASKS.items():
        try:
            look(site, now)
        except Exception as error:
            logs.report_error(error)
            LOG.exception("A look at %s went wrong; the next one is in a minute.", name)


def run_job(site: Site, job_id: int, handlers: Mapping[str, Handler] = HANDLERS) -> bool:
    """Run a job if it is due and unclaimed; False: it is not."""
    with site.writing() as session:
        claim = table_queue.claim_job(session, job_id, clock.now())
    if claim is None:
        return False
    error = _run_claimed(site, claim, handlers)
    with db.writing(session):
        if error is None:
            is_ours = table_queue.finish_job(session, claim, clock.now())
        else:
            is_ours = table_queue.give_back_job(session, claim, clock.now(), error.text, final=error.final)
    if not is_ours:
        LOG.warning("Job %d (%s) was taken over by another worker.", claim.job_id, claim.kind)
    return True


def call_handler(
    site: Site, claim: table_queue.Claim, handlers: Mapping[str, Handler], check: Callable[[], None]
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


def _run_claimed(site: Site, claim: table_queue.Claim, handlers: Mapping[str, Handler]) -> JobError | None:
    """Call the job's handler while a thread renews the lease."""
    done = threading.Event()
    renewing = threading.Thread(target=_renew_lease, args=(site, claim, done), daemon=True)
    renewing.start()
    try:
        return call_handler(site, claim, handlers, lambda: _renew_claim(site, claim))
    finally:
        done.set()
        renewing.join()


def _renew_claim(site: Site, claim: table_queue.Claim) -> None:
    with db.writing(site.session()):
        if not table_queue.renew_lease(site.session(), claim, clock.now()):
            raise ClaimLost


def _renew_lease(site: Site, claim: table_queue.Claim, done: threading.Event) -> None:
    """Renew the job's lease while it runs, however long that takes."""
    try:
        while not done.wait(RENEW_SECONDS):
            try:
                _renew_claim(site, claim)
            except ClaimLost:
                return
            except Exception:
                LOG.exception("The lease of job %d (%s) was not renewed.", claim.job_id, claim.kind)
    finally:
        site.session.remove()
