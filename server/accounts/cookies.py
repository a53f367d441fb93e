"""What a browser shows of its session: a signed cookie, whose signature is checked once for each process."""

import time
from copy import deepcopy
from datetime import datetime
from typing import Any, cast

from flask import Flask, Request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from itsdangerous import BadSignature, URLSafeTimedSerializer

from server.domain.recent import Recent

MOST = 1024
"""How many cookies a process knows, each of 4 kB at most."""
_FLAT = (str, int, type(None))


class Cookies(SecureCookieSessionInterface):
    """Flask's way of sessions, which reads a cookie that is shown again as it read it before."""

    def __init__(self, app: Flask) -> None:
        self._serializer = super().get_signing_serializer(app)
        self._known: Recent[str, tuple[dict[str, Any], datetime]] = Recent(MOST)

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """The one of the app, whose key is the same at all times."""
        del app
        return self._serializer

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession:
        """The session of a request: an empty one where there is no cookie that is ours and young enough."""
        cookie = request.cookies.get(self.get_cookie_name(app))
        if not cookie:
            return self.session_class()
        try:
            values, signed_at = self._known.get(cookie, lambda: self._read(cookie))
        except BadSignature:
            return self.session_class()
        if not 0 <= time.time() - signed_at.timestamp() <= app.permanent_session_lifetime.total_seconds():
            return self.session_class()
        return self.session_class(
            {name: value if isinstance(value, _FLAT) else deepcopy(value) for name, value in values.items()}
        )

    def _read(self, cookie: str) -> tuple[dict[str, Any], datetime]:
        assert self._serializer is not None  # noqa: S101  (a site without a key does not start)
        found = self._serializer.loads(cookie, return_timestamp=True)
        return cast(tuple[dict[str, Any], datetime], found)
