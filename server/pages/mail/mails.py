"""Pages of emails that could not be sent, and the opt-out link."""

from flask import Blueprint, current_app, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.access import request_tasks
from server.access import service as access
from server.core.errors import NotFound
from server.core.i18n import N_, _, ngettext
from server.mail import opt_outs
from server.mail import service as mails
from server.web import context
from server.web.fields import ConfirmForm
from server.web.form_errors import flash_error

blueprint = Blueprint("mails", __name__)

SENT_AGAIN = N_("The email is being sent again.")


@blueprint.get("/tasks/<slug>/organize/mails")
@auth_required("session")
def show(slug: str) -> str:
    """Show the emails of the task that could not be sent, to people who may see all of the task."""
    session, task = context.session(), request_tasks.get_observed_task(slug)
    return render_template(
        "mail/undelivered.html",
        task=task,
        post=mails.read_mail_report(session, task, context.arrival_time()),
        logged=context.site_of(current_app).mailer.logs,
        form=ConfirmForm(formdata=None),
    )


@blueprint.post("/tasks/<slug>/organize/mails/<int:mail_id>/again")
@auth_required("session")
def send_again(slug: str, mail_id: int) -> ResponseReturnValue:
    """Retry an email of the task."""
    request_tasks.get_organized_task(slug)
    with flash_error(NotFound):
        with context.writing() as session:
            mails.send_again(
                session, context.actor(), request_tasks.get_task(slug), mail_id, context.arrival_time()
            )
        flash(_(SENT_AGAIN), "success")
    return redirect(url_for("mails.show", slug=slug))


@blueprint.post("/tasks/<slug>/organize/mails/again")
@auth_required("session")
def send_all_again(slug: str) -> ResponseReturnValue:
    """Retry all emails of the task that could not be sent."""
    request_tasks.get_organized_task(slug)
    with context.writing() as session:
        tried = mails.send_all_again(
            session, context.actor(), request_tasks.get_task(slug), context.arrival_time()
        )
    _flash_retried(tried)
    return redirect(url_for("mails.show", slug=slug))


def _flash_retried(tried: int) -> None:
    if tried:
        words_ = ngettext("%(num)d email is being retried.", "%(num)d emails are being retried.", tried)
        flash(words_, "success")
    else:
        flash(_("There are no emails to retry. They may have been sent in the meantime."), "error")


@blueprint.get("/mails/")
@auth_required("session")
def everywhere() -> str:
    """Show all tasks' emails that could not be sent, without names and contents, to site administrators."""
    session = context.session()
    access.require_admin(session, context.actor())
    post = mails.read_mail_report(session, None, context.arrival_time())
    return render_template(
        "mail/everywhere.html",
        post=post,
        logged=context.site_of(current_app).mailer.logs,
        form=ConfirmForm(formdata=None),
    )


@blueprint.post("/mails/<int:mail_id>/again")
@auth_required("session")
def send_again_anywhere(mail_id: int) -> ResponseReturnValue:
    """Retry an email of any task."""
    access.require_admin(context.session(), context.actor())
    with flash_error(NotFound):
        with context.writing() as session:
            mails.send_again(session, context.actor(), None, mail_id, context.arrival_time())
        flash(_(SENT_AGAIN), "success")
    return redirect(url_for("mails.everywhere"))


@blueprint.post("/mails/again")
@auth_required("session")
def send_all_again_anywhere() -> ResponseReturnValue:
    """Retry all emails of all tasks that could not be sent."""
    access.require_admin(context.session(), context.actor())
    with context.writing() as session:
        tried = mails.send_all_again(session, context.actor(), None, context.arrival_time())
    _flash_retried(tried)
    return redirect(url_for("mails.everywhere"))


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
