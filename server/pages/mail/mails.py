"""Pages of emails that could not be sent and of jobs that fail, and the opt-out link."""

from flask import Blueprint, current_app, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.access import request_tasks, service as access
from server.activity import task_jobs
from server.core.errors import NotFound
from server.core.i18n import _, ngettext
from server.mail import opt_outs, service as mails
from server.tasks.models import Task
from server.web import context
from server.web.fields import ConfirmForm
from server.web.form_errors import flash_error

blueprint = Blueprint("mails", __name__)


@blueprint.get("/tasks/<slug>/organize/mails")
@auth_required("session")
def show(slug: str) -> str:
    """Show the task’s emails and jobs that fail, to people who may see all of the task."""
    session, task = context.session(), request_tasks.get_observed_task(slug)
    return render_template(
        "mail/undelivered.html",
        task=task,
        post=mails.read_mail_report(session, task, context.arrival_time()),
        failing=task_jobs.list_failing_jobs(session, task),
        late=task_jobs.count_late_jobs(session, task, context.arrival_time()),
        logged=context.site_of(current_app).mailer.logs,
        form=ConfirmForm(formdata=None),
    )


@blueprint.get("/mails/")
@auth_required("session")
def everywhere() -> str:
    """Show the emails and jobs of all tasks that fail, without names and contents, to site administrators."""
    session = context.session()
    access.require_admin(session, context.actor())
    return render_template(
        "mail/everywhere.html",
        post=mails.read_mail_report(session, None, context.arrival_time()),
        failing=task_jobs.list_failing_jobs(session, None),
        late=task_jobs.count_late_jobs(session, None, context.arrival_time()),
        logged=context.site_of(current_app).mailer.logs,
        form=ConfirmForm(formdata=None),
    )


def _get_task(slug: str | None) -> Task | None:
    """Return the task of the path, for organizers; None: of all tasks, for site administrators."""
    if slug is not None:
        return request_tasks.get_organized_task(slug)
    access.require_admin(context.session(), context.actor())
    return None


def _redirect(slug: str | None) -> ResponseReturnValue:
    return redirect(url_for("mails.everywhere") if slug is None else url_for("mails.show", slug=slug))


@blueprint.post("/mails/<int:mail_id>/again", endpoint="send_again_anywhere")
@blueprint.post("/tasks/<slug>/organize/mails/<int:mail_id>/again")
@auth_required("session")
def send_again(mail_id: int, slug: str | None = None) -> ResponseReturnValue:
    """Retry an email of the task, or of any task."""
    _get_task(slug)
    with flash_error(NotFound):
        with context.writing() as session:
            mails.send_again(session, context.actor(), _get_task(slug), mail_id, context.arrival_time())
        flash(_("The email is being sent again."), "success")
    return _redirect(slug)


@blueprint.post("/mails/again", endpoint="send_all_again_anywhere")
@blueprint.post("/tasks/<slug>/organize/mails/again")
@auth_required("session")
def send_all_again(slug: str | None = None) -> ResponseReturnValue:
    """Retry all emails that could not be sent, of the task or of all tasks."""
    with context.writing() as session:
        tried = mails.send_all_again(session, context.actor(), _get_task(slug), context.arrival_time())
    if tried:
        words_ = ngettext("%(num)d email is being retried.", "%(num)d emails are being retried.", tried)
        flash(words_, "success")
    else:
        flash(_("There are no emails to retry. They may have been sent in the meantime."), "error")
    return _redirect(slug)


@blueprint.post("/jobs/<int:job_id>/again", endpoint="retry_job_anywhere")
@blueprint.post("/tasks/<slug>/organize/jobs/<int:job_id>/again")
@auth_required("session")
def retry_job(job_id: int, slug: str | None = None) -> ResponseReturnValue:
    """Retry a job of the task, or of any task."""
    _get_task(slug)
    with flash_error(NotFound):
        with context.writing() as session:
            task_jobs.retry_job(session, context.actor(), _get_task(slug), job_id, context.arrival_time())
        flash(_("The job will be done again in a moment."), "success")
    return _redirect(slug)


@blueprint.get("/mails/stop/<token>")
def stop(token: str) -> str:
    """Ask whether a person wants to opt out of a kind of emails; opening the page changes nothing."""
    config = context.site_of(current_app).config
    context.actor()  # often the person of the link, who then is looked up once
    _, kind = opt_outs.read_token(context.session(), config, token)
    return render_template("mail/stop.html", kind=kind, done=False, form=ConfirmForm(formdata=None))


@blueprint.post("/mails/stop/<token>")
def stop_now(token: str) -> str:
    """Opt a person out of a kind of emails, by the button or by a mail program's one-click request."""
    config = context.site_of(current_app).config
    with context.writing() as session:
        user, kind = opt_outs.read_token(session, config, token)
        opt_outs.opt_out(session, user, kind, context.arrival_time())
    return render_template("mail/stop.html", kind=kind, done=True)
