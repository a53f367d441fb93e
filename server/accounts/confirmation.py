"""After an email address is confirmed: back to where the person came from, signed in where they signed up."""

from flask import Flask, Response, request, session, url_for
from flask_security import current_user, login_user, user_confirmed

from server.accounts.models import User

ADDRESS_KEY = "signed_up"
"""In the cookie: the address that this browser signed up with, whether it had an account already or not."""
MAX_PATH = 300


def connect_confirmation(app: Flask) -> None:
    """Sign people in who confirm their address in the browser in which they signed up."""
    app.extensions["assay.confirmation"] = _sign_in  # signals refer to receivers weakly
    user_confirmed.connect(_sign_in, app)
    app.after_request(_remember_sign_up)
    app.after_request(_return_to_page)


def requested_path() -> str | None:
    """Return the page that the person came from, if it is a short path of this site.

    An email repeats it, and anyone can have one sent to any address, so it must not name another site.
    """
    path = request.args.get("next", "")
    is_path = path.startswith("/") and not path.startswith("//") and path.isprintable()
    return path if is_path and "\\" not in path and len(path) <= MAX_PATH else None


def _remember_sign_up(response: Response) -> Response:
    if (request.method, request.endpoint) == ("POST", "security.register") and response.status_code == 302:
        session[ADDRESS_KEY] = request.form.get("email", "").strip().lower()
    return response


def _sign_in(_app: Flask, user: User, **_others: object) -> None:
    """Sign the person in, unless the link was opened in another browser, where it proves less.

    Someone else may have signed up with the address, and their password would then be the account's.
    """
    if request.endpoint == "security.confirm_email" and session.pop(ADDRESS_KEY, None) == user.email:
        login_user(user, authn_via=["confirm"])


def _return_to_page(response: Response) -> Response:
    """Continue at the page that the link names, after signing in if the person is not signed in."""
    if request.endpoint == "security.confirm_email" and response.location == url_for("security.login"):
        path = requested_path()
        if path is not None:
            signed_in = current_user.is_authenticated
            response.location = path if signed_in else url_for("security.login", next=path)
    return response
