"""The pages of a person's own account: name, address, password, two-factor authentication, sign-ins."""

from flask import flash, redirect, render_template, session, url_for
from flask.typing import ResponseReturnValue
from flask_security import current_user

from server.access import accounts, service as access
from server.accounts import sign_ins
from server.accounts.forms import ConfirmAccountForm, MailsForm, NameForm, ZoneForm
from server.accounts.sign_in_cookie import TOKEN_KEY
from server.core.dates import list_time_zones
from server.core.i18n import _, ngettext
from server.mail import opt_outs
from server.web import context
from server.web.form_errors import render_form
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("accounts", __name__)


@blueprint.route("/account/", methods=["GET", "POST"])
def show() -> ResponseReturnValue:
    """Show what the site knows about the person, and the forms to change it."""
    form = NameForm(obj=current_user)
    zone_form = ZoneForm(formdata=None, obj=current_user)
    if form.validate_on_submit():
        with context.writing() as current:
            accounts.rename_account(current, context.actor(), form.name.data or "", context.arrival_time())
        flash(_("Your name was changed."), "success")
        return redirect(url_for("accounts.show"))
    return _account_page(form, zone_form)


@blueprint.post("/account/time-zone")
def choose_time_zone() -> ResponseReturnValue:
    """Set the time zone in which the person reads times, beside UTC."""
    form = ZoneForm()
    if not form.validate_on_submit():
        return _account_page(NameForm(formdata=None, obj=current_user), form)
    with context.writing() as current:
        accounts.choose_time_zone(current, context.actor(), form.time_zone.data, context.arrival_time())
    flash(_("Your time zone was saved."), "success")
    return redirect(url_for("accounts.show"))


def _account_page(form: NameForm, zone_form: ZoneForm) -> ResponseReturnValue:
    listed = sign_ins.list_sign_ins(context.session(), context.actor(), context.arrival_time())
    page = render_template(
        "accounts/show.html",
        form=form,
        zone_form=zone_form,
        zones=list_time_zones(),
        sign_ins=listed,
        here=next(
            (sign_in.id for sign_in in listed if sign_ins.has_token(sign_in, session.get(TOKEN_KEY))), None
        ),
        mail_form=MailsForm(
            formdata=None, data={kind: getattr(current_user, f"mail_{kind}s") for kind in opt_outs.MAIL_KINDS}
        ),
        admin=access.is_admin(context.session(), context.actor()),
    )
    return page, 422 if form.errors or zone_form.errors else 200


@blueprint.post("/account/mails")
def choose_mails() -> ResponseReturnValue:
    """Set which emails the person gets."""
    form = MailsForm()
    if form.validate_on_submit():
        with context.writing() as current:
            kinds = [kind for kind in opt_outs.MAIL_KINDS if form[kind].data]
            opt_outs.choose_mails(current, context.actor(), kinds, context.arrival_time())
        flash(_("Your email preferences were saved."), "success")
    return redirect(url_for("accounts.show") + "#mails")


@blueprint.post("/account/sign-ins/<int:sign_in_id>/end")
def end_sign_in(sign_in_id: int) -> ResponseReturnValue:
    """Sign one of the person's browsers out."""
    with context.writing() as current:
        sign_ins.end_sign_in(current, context.actor(), sign_in_id, context.arrival_time())
    flash(_("The browser was signed out."), "success")
    return redirect(url_for("accounts.show") + "#sign-ins")


@blueprint.post("/account/sign-ins/end-others")
def end_other_sign_ins() -> ResponseReturnValue:
    """Sign all of the person's browsers out except this one."""
    with context.writing() as current:
        ended = sign_ins.end_all_sign_ins(
            current, current_user.id, context.arrival_time(), but=session.get(TOKEN_KEY)
        )
    flash(
        ngettext("%(num)d other browser was signed out.", "%(num)d other browsers were signed out.", ended),
        "success",
    )
    return redirect(url_for("accounts.show") + "#sign-ins")


@blueprint.route("/accounts/confirm", methods=["GET", "POST"])
def confirm_account() -> ResponseReturnValue:
    """Confirm an account whose email never arrived, for site administrators; it may not exist."""
    access.require_admin(context.session(), context.actor())
    form = ConfirmAccountForm()
    if form.validate_on_submit():
        email = (form.email.data or "").strip()
        with context.writing() as current:
            accounts.confirm_account(current, context.actor(), email, context.arrival_time())
        flash(
            _(
                "If there was an unconfirmed account with the address %(email)s, it is now confirmed "
                "and can sign in.",
                email=email,
            ),
            "success",
        )
        return redirect(url_for("accounts.confirm_account"))
    return render_form("accounts/confirm_account.html", form)
