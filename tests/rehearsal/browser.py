"""One person's browser over real HTTP: cookies, forms with their tokens, files; every status is looked at."""

import http.client
import os
import re
import time
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from http.cookies import SimpleCookie
from urllib.parse import quote, urlencode, urljoin, urlsplit

from tests.rehearsal.pages import Form, complaints_of, forms_of

TIMEOUT = 120.0
FORM = "application/x-www-form-urlencoded"
LONG_NUMBER = re.compile(rb"\d\.\d{5,}")


class Unexpected(Exception):
    """An answer that is none of those that the story goes on from."""


@dataclass(frozen=True)
class Answer:
    """The response to a request."""

    path: str
    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode()


class Browser:
    """The browser of one person, or of a visitor."""

    def __init__(self, address: str, numbers: set[bytes] | None = None) -> None:
        """`numbers`: where every long decimal number goes that the site shows this person."""
        self.address, self.numbers = address, numbers
        self.cookies: dict[str, str] = {}

    def get(self, path: str, expect: int = 200) -> Answer:
        """A page or a file."""
        return self._expect(self._send("GET", path), "GET", expect)

    def submit(
        self,
        page: Answer | str,
        values: Mapping[str, str],
        files: Mapping[str, tuple[str, bytes]] | None = None,
        *,
        action: str = "",
        expect: int = 302,
        follow: bool = True,
    ) -> Answer:
        """Fill in the form of a page that has these fields and goes to such an address; its answer.

        A value is what is sent, or the words of an option. A redirect is followed, as browsers do.
        """
        page = self.get(page) if isinstance(page, str) else page
        form = find_form(page, {*values, *(files or {})}, action)
        sent = form.values | {
            name: form.choices.get(name, {}).get(value, value) for name, value in values.items()
        }
        answer = self.post(urljoin(page.path, form.action or page.path), sent, files, expect=expect)
        return self.get(answer.headers["Location"]) if follow and expect == 302 else answer

    def post(
        self,
        path: str,
        values: Mapping[str, str],
        files: Mapping[str, tuple[str, bytes]] | None = None,
        *,
        expect: int = 302,
    ) -> Answer:
        """Send a form."""
        body, kind = (urlencode(values).encode(), FORM) if not files else _multipart(values, files)
        return self._expect(self._send("POST", path, body, kind), "POST", expect)

    def wait_for(
        self, path: str, found: Callable[[Answer], bool], seconds: float, status: int = 200
    ) -> Answer:
        """Load a page again and again until it says so."""
        until = time.monotonic() + seconds
        while True:
            answer = self._send("GET", path)
            if answer.status == status and found(answer):
                return answer
            if time.monotonic() > until:
                raise Unexpected(f"GET {path}: not what was waited for in {seconds:.0f} s; {_told(answer)}")
            time.sleep(0.25)

    def _send(self, method: str, path: str, body: bytes | None = None, kind: str | None = None) -> Answer:
        parts = urlsplit(path)
        where = quote(parts.path, safe="/%") + (f"?{parts.query}" if parts.query else "")
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in self.cookies.items())}
        if kind is not None:
            headers |= {"Content-Type": kind, "Referer": self.address + where}
        host = urlsplit(self.address).netloc
        with closing(http.client.HTTPConnection(host, timeout=TIMEOUT)) as connection:
            connection.request(method, where, body, headers)
            with connection.getresponse() as response:
                answer = Answer(where, response.status, response.headers, response.read())
        for line in answer.headers.get_all("Set-Cookie") or []:
            self.cookies |= {name: morsel.value for name, morsel in SimpleCookie(line).items()}
        if self.numbers is not None:
            self.numbers.update(LONG_NUMBER.findall(answer.body))
        return answer

    def _expect(self, answer: Answer, method: str, status: int) -> Answer:
        if answer.status != status:
            raise Unexpected(f"{method} {answer.path}: {answer.status} in place of {status}. {_told(answer)}")
        return answer


def find_form(page: Answer, names: set[str], action: str) -> Form:
    """The one form of a page that has such fields and goes to an address with such an end."""
    found = [
        form
        for form in forms_of(page.text)
        if form.method == "post"
        and names <= form.names
        and urlsplit(form.action or page.path).path.endswith(action)
    ]
    found = [form for form in found if action or "sign-out" not in form.action]
    if len(found) != 1:
        raise Unexpected(
            f"{page.path} has {len(found)} forms with {sorted(names)} to ...{action}; {_told(page)}"
        )
    return found[0]


def _multipart(values: Mapping[str, str], files: Mapping[str, tuple[str, bytes]]) -> tuple[bytes, str]:
    boundary = os.urandom(16).hex()
    part = f"--{boundary}\r\nContent-Disposition: form-data; name="
    body = b"".join(f'{part}"{name}"\r\n\r\n{value}\r\n'.encode() for name, value in values.items())
    for name, (filename, data) in files.items():
        body += f'{part}"{name}"; filename="{filename}"\r\n\r\n'.encode() + data + b"\r\n"
    return body + f"--{boundary}--\r\n".encode(), f"multipart/form-data; boundary={boundary}"


def _told(answer: Answer) -> str:
    if "html" in answer.headers.get("Content-Type", ""):
        return f"It says: {complaints_of(answer.text)}"
    return f"It says: {answer.body[:300]!r}"
