"""Signing in and out: a browser sends a token, and the database row of that token decides."""

from flask import Flask, g, request, session
from flask_login import user_logged_out
from flask_security import user_authenticated
from flask_security.utils import set_request_attr

from server.accounts import sign_ins
from server.accounts.models import User
from server.accounts.security_forms import STAY_SIGNED_IN_KEY, SignInForm
from server.core import clock, db
from server.core.site_resources import Site

TOKEN_KEY = "sign_in"  # noqa: S105  (the name under which the cookie keeps the token)


class SignInCookie:
    """Replaces Flask-Login's cookie with tokens in the database, which can be listed and revoked."""

    def __init__(self, site: Site) -> None:
        self._site = site

    def connect(self, app: Flask) -> None:
        """Install this on an app that has Flask-Security."""
        app.login_manager.user_loader(self._load)  # type: ignore[attr-defined]  # Flask-Security adds it
        app.extensions["assay.signing"] = self  # signals refer to receivers weakly: it lives with the app
        user_authenticated.connect(self._open, app)
        user_logged_out.connect(self._close, app)

    def _load(self, uniquifier: str) -> User | None:
        """Return the person of the cookie, if the browser is still signed in."""
        token = session.get(TOKEN_KEY)
        if not isinstance(token, str) or g.get("without_user"):
            return None
        user = sign_ins.find_person(self._site.session(), token, clock.now())
        if user is None or not user.active or user.fs_uniquifier != uniquifier:
            return None
        set_request_attr("fs_authn_via", "session")
        set_request_attr("fs_paa", session.get("fs_paa", 0))
        return user

    def _open(self, _app: Flask, user: User, **_others: object) -> None:
        """Record that a browser has signed in."""
        current, now = self._site.session(), clock.now()
        lasting = session.pop(STAY_SIGNED_IN_KEY, False)
        browser = request.user_agent.string

        def write() -> str:
            if request.endpoint == "security.login":
                SignInForm.forget_failures(current, user)
            return sign_ins.open_sign_in(current, user, browser, now, lasting=lasting)

        if db.is_writing(current):  # the view commits
            token = write()
        else:
            with db.writing(current):
                token = write()
        session[TOKEN_KEY] = token
        session.permanent = lasting
        # A cookie may be stolen, so signing in does not count as entering the password again.
        session.pop("fs_paa", None)

    def _close(self, _app: Flask, **_others: object) -> None:
        """Sign a browser out: its token becomes invalid."""
        token, current = session.pop(TOKEN_KEY, None), self._site.session()
        if isinstance(token, str):
            with db.writing(current):
                sign_ins.end_by_token(current, token, clock.now())
