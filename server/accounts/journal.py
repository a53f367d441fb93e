"""What people do with their accounts goes into the audit log: what and by whom, never what was typed."""

from collections.abc import Callable

from flask import Flask, render_template
from flask_security import (
    change_email_confirmed,
    password_changed,
    password_reset,
    tf_disabled,
    tf_profile_changed,
    user_confirmed,
    user_registered,
)

from server import clock
from server.accounts.forms import SignInForm
from server.accounts.outbox import put_mail
from server.domain.actors import Actor
from server.language import _
from server.models import User
from server.services import audit, sign_ins
from server.site import Site

ACTIONS = (
    (user_registered, "account.create"),
    (user_confirmed, "account.confirm"),
    (password_changed, "account.password"),
    (password_reset, "account.password"),
    (change_email_confirmed, "account.email"),
    (tf_profile_changed, "account.second-factor-on"),
    (tf_disabled, "account.second-factor-off"),
)


def keep_journal(app: Flask, site: Site) -> None:
    """Record each of the actions, in the transaction that does it."""
    receivers = [(signal, _recorder(site, action)) for signal, action in ACTIONS]
    receivers.append((password_reset, _end_sign_ins(site)))
    receivers.append((change_email_confirmed, _tell_old_address))
    app.extensions["assay.journal"] = receivers  # signals hold them weakly, so that an app can go
    for signal, receiver in receivers:
        signal.connect(receiver, app)


def _recorder(site: Site, action: str) -> Callable[..., None]:
    def record(_app: Flask, user: User, **_others: object) -> None:
        session = site.session()
        session.flush()
        audit.record(session, Actor(user_id=user.id), clock.now(), action, user=f"user:{user.id}")

    return record


def _end_sign_ins(site: Site) -> Callable[..., None]:
    """A password that was set anew by mail ends every sign-in, and the lock."""

    def end(_app: Flask, user: User, **_others: object) -> None:
        sign_ins.end_all(site.session(), user.id, clock.now())
        SignInForm.forget_failures(site.session(), user)

    return end


def _tell_old_address(_app: Flask, old_email: str, **_others: object) -> None:
    """Whoever still reads the old address learns that the account has another one."""
    body = render_template("security/email/change_email_notice.txt")
    put_mail(old_email, _("The address of your account on Assay was changed"), body)
