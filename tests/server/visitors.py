"""Browsers that need no browser: they send forms with tokens, and read pages as words."""

import html
import re
from collections.abc import Callable
from contextvars import Context
from html.parser import HTMLParser
from io import BytesIO
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from server.web.context import site_of
from tests.server.small_task import PASSWORD


class Slow(BytesIO):
    """A body that comes after something else has happened."""

    def __init__(self, data: bytes, meanwhile: Callable[[], None]) -> None:
        super().__init__(data)
        self.meanwhile: Callable[[], None] | None = meanwhile

    def wait(self) -> None:
        if self.meanwhile is not None:
            self.meanwhile()
            self.meanwhile = None

    def read(self, size: int | None = -1, /) -> bytes:
        self.wait()
        return super().read(size)

    def readinto(self, buffer: Any, /) -> int:
        self.wait()
        return super().readinto(buffer)


class Visitor:
    """A test client that sends forms as a browser does: with the token of a page that it has seen."""

    def __init__(self, client: FlaskClient) -> None:
        self.client = client
        self.tokens: dict[str, str] = {}

    def open(self, path: str, **options: Any) -> TestResponse:
        """One request, as if it came from outside: the test's own context would lend it its user."""
        site_of(self.client.application).session.remove()
        return Context().run(self.client.open, path, buffered=True, **options)

    def get(self, path: str, **options: Any) -> TestResponse:
        """Fetch a page."""
        return self.open(path, **options)

    def post(self, path: str, form: dict[str, Any] | None = None, **options: Any) -> TestResponse:
        """Send a form with a token."""
        return self.open(path, method="POST", data={"csrf_token": self.token(), **(form or {})}, **options)

    def give_password(self, **more: str) -> None:
        """Give the password again, as pages ask for it before what matters."""
        assert self.post("/verify", {"password": PASSWORD, **more}).status_code == 302

    def upload(self, path: str, data: bytes, filename: str = "run.tsv", **form: str) -> TestResponse:
        """Send a file with a token."""
        return self.post(path, {"file": (BytesIO(data), filename), **form})

    def upload_slowly(
        self, path: str, data: bytes, token: str, meanwhile: Callable[[], None]
    ) -> TestResponse:
        """Send a file, sure of its place: first the head, and the body once something has happened."""
        fields = (
            (b'name="csrf_token"', token.encode()),
            (b'name="sure"', b"y"),
            (b'name="file"; filename="run.tsv"', data),
        )
        parts = [b"--part\r\nContent-Disposition: form-data; %b\r\n\r\n%b\r\n" % field for field in fields]
        body = b"".join([*parts, b"--part--\r\n"])
        return self.open(
            path,
            method="POST",
            input_stream=Slow(body, meanwhile),
            content_length=len(body),
            content_type="multipart/form-data; boundary=part",
        )

    def token(self) -> str:
        """The CSRF token of a page that this browser has seen in its session."""
        key = self.session().get("csrf_token", "")
        if key not in self.tokens:
            page = self.get("/sign-up", follow_redirects=True).text
            token = re.search(r'name="csrf_token"[^>]*value="([^"]+)"', page)
            assert token is not None, page
            key = self.session()["csrf_token"]
            self.tokens[key] = token[1]
        return self.tokens[key]

    def session(self) -> dict[str, Any]:
        """The values of the session's cookie; none before the first page, nor after it has ended."""
        app, cookie = self.client.application, self.client.get_cookie("session")
        signer = app.session_interface.get_signing_serializer(app)
        return {} if cookie is None else signer.loads(cookie.value)

    def set_session(self, values: dict[str, Any]) -> None:
        """Have a cookie with these values."""

        def change() -> None:
            with self.client.session_transaction() as session:
                session.update(values)

        Context().run(change)


class FormValues(HTMLParser):
    """Collects what a browser would send of each form of a page, if nobody changed it."""

    def __init__(self) -> None:
        super().__init__()
        self.forms: list[dict[str, str]] = [{}]
        self.open_name: str | None = None
        """The name of the text area or the list that the parser is in."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        name, form = given.get("name", ""), self.forms[-1]
        if tag == "form":
            self.forms.append({})
        elif tag in ("textarea", "select"):
            self.open_name = name
            form[name] = ""
        elif tag == "option" and self.open_name and "selected" in given:
            form[self.open_name] = given["value"]
        elif tag == "input" and (given.get("type") not in ("radio", "checkbox") or "checked" in given):
            form[name] = given.get("value", "")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("textarea", "select"):
            self.open_name = None

    def handle_data(self, data: str) -> None:
        if self.open_name and self.lasttag == "textarea":
            self.forms[-1][self.open_name] += data.removeprefix("\r").removeprefix("\n")


def filled_in(page: TestResponse, field: str) -> dict[str, str]:
    """What a browser would send of the unchanged form with this field, without its token.

    A list in which nothing is chosen is empty.
    """
    parser = FormValues()
    parser.feed(page.text)
    form = next(form for form in parser.forms if field in form)
    return {name: value for name, value in form.items() if name != "csrf_token"}


def words(response: TestResponse) -> str:
    """The text of a page, without markup and with single spaces."""
    body = response.text.split("<body>", 1)[-1]
    return (
        " ".join(html.unescape(re.sub(r"<[^>]*>", " ", body)).split())
        .replace(" .", ".")
        .replace(" ,", ",")
        .replace(" :", ":")
        .replace(" ;", ";")
        .replace("( ", "(")
        .replace(" )", ")")
    )
