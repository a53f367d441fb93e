"""Records what people do with their accounts in the audit log: what and by whom, never what was typed."""

from collections.abc import Callable

from flask import Flask, current_app, flash, render_template, session
from flask_security import (
    change_email_confirmed,
    login_user,
    password_changed,
    password_reset,
    tf_disabled,
    tf_profile_changed,
    user_confirmed,
    user_registered,
)
from sqlalchemy.orm import Session

from server.accounts import sign_ins, tokens
from server.accounts.models import User
from server.accounts.outbox import put_mail
from server.accounts.second_factor import recovery_codes_made
from server.accounts.security_forms import SignInForm, keeps_tokens
from server.accounts.sign_in_cookie import TOKEN_KEY
from server.audit import service as audit
from server.core import clock
from server.core.actors import Actor
from server.core.i18n import _, ngettext
from server.core.site_resources import Site

SIGNAL_ACTIONS = (
    (user_registered, "account.create"),
    (user_confirmed, "account.confirm"),
    (password_changed, "account.password"),
    (password_reset, "account.password"),
    (change_email_confirmed, "account.email"),
    (tf_profile_changed, "account.second-factor-on"),
    (tf_disabled, "account.second-factor-off"),
    (recovery_codes_made, "account.recovery-codes"),
)
CREDENTIAL_ACTIONS = {
    "account.password",
    "account.second-factor-on",
    "account.second-factor-off",
    "account.recovery-codes",
}
"""Actions that end the account's other sessions, and revoke its tokens unless the person keeps them."""


def connect_audit_log(app: Flask, site: Site) -> None:
    """Record each of the actions in the transaction that performs it."""
    receivers = [(signal, _recorder(site, action)) for signal, action in SIGNAL_ACTIONS]
    receivers.append((password_reset, _end_sign_ins(site)))
    receivers.append((change_email_confirmed, _leave_old_address(site)))
    app.extensions["assay.journal"] = receivers  # signals refer to them weakly: they live with the app
    for signal, receiver in receivers:
        signal.connect(receiver, app)


def _recorder(site: Site, action: str) -> Callable[..., None]:
    def record(_app: Flask, user: User, **_others: object) -> None:
        current = site.session()
        current.flush()
        audit.record(current, Actor(user_id=user.id), clock.now(), action, user=f"user:{user.id}")
        if action in CREDENTIAL_ACTIONS:
            _end_access(current, user.id)

    return record


def _end_access(current: Session, user_id: int) -> None:
    """End all sessions of a person except this one, and revoke their tokens unless they keep them."""
    sign_ins.end_all_sign_ins(current, user_id, clock.now(), but=session.get(TOKEN_KEY))
    if keeps_tokens():
        return
    revoked = tokens.revoke_all(current, Actor(user_id=user_id), user_id, clock.now())
    if revoked:
        flash(ngettext("%(num)d API token was revoked.", "%(num)d API tokens were revoked.", revoked), "info")


def _end_sign_ins(site: Site) -> Callable[..., None]:
    """Return a receiver that ends all sessions and the rate limit after a password was reset by email."""

    def end(_app: Flask, user: User, **_others: object) -> None:
        sign_ins.end_all_sign_ins(site.session(), user.id, clock.now())
        SignInForm.forget_failures(site.session(), user)

    return end


def _leave_old_address(site: Site) -> Callable[..., None]:
    """Return a receiver that voids the links in emails to the old address, and notifies it of the change."""

    def leave(_app: Flask, user: User, old_email: str, **_others: object) -> None:
        current_app.extensions["security"].datastore.set_uniquifier(user)  # all sessions end by this, too
        login_user(user, authn_via=["change"])
        sign_ins.end_all_sign_ins(site.session(), user.id, clock.now(), but=session.get(TOKEN_KEY))
        body = render_template("security/email/change_email_notice.txt")
        put_mail(old_email, _("The email address of your Assay account was changed"), body)

    return leave
