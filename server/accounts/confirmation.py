"""Links in emails that prove an address: they work for the person who chose the account's password.

Someone else may have signed up with the address, or want to move their own account to it. So a link works in
the browser that signed up, or in which the account is signed in; in any other it asks for the password.
"""

import secrets

from flask import Flask, Response, current_app, flash, redirect, request, session, url_for
from flask.typing import ResponseReturnValue
from flask_security import (
    UserMixin,
    current_user,
    login_user,
    logout_user,
    user_confirmed,
    user_not_registered,
    user_registered,
)
from flask_security.confirmable import confirm_email_token_status, confirm_user
from flask_security.utils import check_and_get_token_status
from sqlalchemy.orm import Session

from server.accounts.models import User
from server.accounts.security_messages import EMAIL_CONFIRMED
from server.core import db
from server.core.i18n import _
from server.core.storage import text_sha256

SIGN_UP_KEY = "signed_up"
"""In the cookie: a hash that names this browser's sign-up, until another one replaces it."""
LINK_KEY = "confirms"
"""In the cookie, until the password is entered: the token of the link that was opened in this browser."""
MAX_PATH = 300


def connect_confirmation(app: Flask) -> None:
    """Let links in emails work only for the person who chose the account's password."""
    app.extensions["assay.confirmation"] = _remember_sign_up, _sign_in  # signals refer to receivers weakly
    user_registered.connect(_remember_sign_up, app)
    user_not_registered.connect(_remember_sign_up, app)
    user_confirmed.connect(_sign_in, app)
    app.before_request(_require_password)
    app.after_request(_return_to_page)


def requested_path() -> str | None:
    """Return the page that the person came from, if it is a short path of this site.

    An email repeats it, and anyone can have one sent to any address, so it must not name another site.
    """
    path = request.args.get("next", "")
    is_path = path.startswith("/") and not path.startswith("//") and path.isprintable()
    return path if is_path and "\\" not in path and len(path) <= MAX_PATH else None


def confirm_by_password(current: Session, entered: UserMixin | None) -> bool:
    """Confirm an account whose password was entered, if this browser opened the link of its email."""
    with db.writing(current):
        # Only now: the link is invalid if a sign-up replaced the password meanwhile.
        user = _find_unconfirmed(session.pop(LINK_KEY, ""))
        if user is None or user is not entered:
            return False
        confirm_user(user)  # type: ignore[no-untyped-call]
    flash(_(EMAIL_CONFIRMED), "success")
    return True


def _remember_sign_up(_app: Flask, user: User, **_others: object) -> None:
    """Name the sign-up in the cookie; if the account exists already, by a random text that looks the same."""
    is_new = user.confirmed_at is None
    session[SIGN_UP_KEY] = text_sha256(user.fs_uniquifier if is_new else secrets.token_hex())


def _find_unconfirmed(token: str) -> User | None:
    """Return the account that a link confirms, if the link is valid."""
    expired, invalid, user = confirm_email_token_status(token)  # type: ignore[no-untyped-call]
    return None if expired or invalid or user.confirmed_at is not None else user


def _require_password() -> ResponseReturnValue | None:
    """Ask for the password where a valid link was opened in a browser that has not shown that it knows it."""
    token = (request.view_args or {}).get("token", "")
    if request.endpoint == "security.confirm_email":
        user = _find_unconfirmed(token)
        if user is None or session.get(SIGN_UP_KEY) == text_sha256(user.fs_uniquifier):
            return None
        logout_user()
        session[LINK_KEY], path = token, requested_path()
        flash(
            _(
                "Enter the password that you signed up with to confirm your email address. If you do not "
                "know it, or someone else signed up with your address, sign up again and choose a new one."
            ),
            "info",
        )
    elif request.endpoint == "security.change_email_confirm":
        user, path = _find_owner(token), request.path
        if user is None or user == current_user:
            return None
        logout_user()
        flash(_("Sign in to the account that the link is for. Then its email address is changed."), "info")
    else:
        return None
    return redirect(url_for("security.login", next=path))


def _find_owner(token: str) -> User | None:
    """Return the account whose address a link changes."""
    within = current_app.config["SECURITY_CHANGE_EMAIL_WITHIN"]
    expired, invalid, state = check_and_get_token_status(token, "change_email", within)
    if expired or invalid:
        return None
    owner: User | None = current_app.extensions["security"].datastore.find_user(fs_uniquifier=state[0])
    return owner


def _sign_in(_app: Flask, user: User, **_others: object) -> None:
    """Sign the person in whose link was opened in the browser in which they signed up."""
    if request.endpoint == "security.confirm_email":
        session.pop(SIGN_UP_KEY)
        login_user(user, authn_via=["confirm"])


def _return_to_page(response: Response) -> Response:
    """End a sign-up with what to do next; continue at the page that the link names, once signed in."""
    if request.endpoint == "security.register" and response.location and not current_user.is_authenticated:
        response.location = url_for("sign_ups.sent")
    if request.endpoint == "security.confirm_email" and response.location == url_for("security.login"):
        response.location = requested_path() or response.location
    return response
