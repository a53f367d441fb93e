"""Pages that anybody gets are made once a second at most, and anew as soon as anything was written.

What is kept is what was sent: the page that is packed, with its head. It is sent again to whoever asks for
the same address without a cookie, within the second that it was made in, and only while the database says
that nothing was committed since before it was made. So a release that is withdrawn is gone with the next
request.
"""

import contextlib
import re
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import Flask, Response, request
from markupsafe import Markup
from werkzeug.http import parse_accept_header

from server import clock
from server.db import Changes
from server.domain.recent import Recent

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

KEPT = {"boards.show", "tasks.index", "tasks.show"}
"""The endpoints that many ask for at once."""
_KEPT_PATHS = re.compile(r"/|/tasks/[^/]+/(boards/[^/]+)?")
"""Their addresses: of those who ask at once, one makes a page that is not there yet; others wait."""
MOST = 64
LARGEST = 256 * 1024
"""How many pages a process keeps, and of how many bytes at most."""
PATIENCE = 5.0
"""Seconds that a request waits for the same page to be made by another."""
MARK = "assay.keep"
"""What the app puts beside a request whose answer is anybody's."""
PART = "assay.keep_part"
"""What stands beside a request whose answer is one person's: how parts of it are kept that are not."""

Key = tuple[str, str, str, bool]
Name = tuple[str | int | bool | None, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """A page as it was sent, and what held when it was made."""

    at: int
    version: object
    status: str
    headers: list[tuple[str, str]]
    body: bytes


def mark(response: Response) -> None:
    """Say that the answer to this request is anybody's."""
    if request.endpoint in KEPT and request.method == "GET" and response.status_code == 200:
        request.environ[MARK] = True


def keep_part(name: Name, make: Callable[[], Markup]) -> Markup:
    """A part of a page that many get who are signed in, made anew as soon as anything was written.

    `name`: all that it depends on beside the database: which part, of what, at which second, and for whom.
    """
    keep: Callable[[Name, Callable[[], Markup]], Markup] | None = request.environ.get(PART)
    return make() if keep is None else keep(name, make)


class Keeper:
    """Stands before the app, and answers with what it has kept."""

    def __init__(self, app: Flask, changes: Changes) -> None:
        self._app: WSGIApplication = app.wsgi_app
        self._changes = changes
        self._lock = threading.Lock()
        self._pages: OrderedDict[Key, Page] = OrderedDict()
        self._making: dict[Key, threading.Event] = {}
        self._parts: Recent[tuple[str, Name], Markup] = Recent(MOST)

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """The page that is kept, or what the app answers."""
        key = _key(environ)
        if key is None:
            self._offer_parts(environ)
            return self._app(environ, start_response)
        if key not in self._pages and not _KEPT_PATHS.fullmatch(key[1]):
            return self._make(key, environ, start_response)
        page = self._find(key)
        if page is None:
            with self._alone(key) as first:
                page = None if first else self._find(key)
                if page is None:
                    return self._make(key, environ, start_response)
        start_response(page.status, list(page.headers))
        return [page.body]

    def _offer_parts(self, environ: "WSGIEnvironment") -> None:
        """Let the app keep parts of a page of one person: what it reads is no older than this version."""
        if environ["REQUEST_METHOD"] != "GET" or not _KEPT_PATHS.fullmatch(environ.get("PATH_INFO", "")):
            return
        if (version := self._changes.version()) is not None:
            environ[PART] = lambda name, make: self._parts.get((version, name), make)

    def forget(self) -> None:
        """Let all pages go, and all parts."""
        with self._lock:
            self._pages.clear()
        self._parts.forget()

    def _find(self, key: Key) -> Page | None:
        """The page, if it is of this second and nothing was written since."""
        page = self._pages.get(key)
        same = page is not None and page.at == _second() and page.version == self._changes.version()
        return page if same else None

    def _make(self, key: Key, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        at, version = _second(), self._changes.version()  # before the app reads anything
        head: list[tuple[str, list[tuple[str, str]]]] = []

        def note(status: str, headers: list[tuple[str, str]], *rest: object) -> object:
            head.append((status, headers))
            return start_response(status, headers, *rest)  # type: ignore[arg-type]  # what a server passes on

        answer = self._app(environ, note)  # type: ignore[arg-type]  # the same
        if MARK not in environ or version is None:
            return answer
        body = b"".join(answer)
        getattr(answer, "close", lambda: None)()
        if len(body) <= LARGEST:
            self._keep(key, Page(at, version, *head[-1], body))
        return [body]

    def _keep(self, key: Key, page: Page) -> None:
        with self._lock:
            self._pages[key] = page
            self._pages.move_to_end(key)
            while len(self._pages) > MOST:
                self._pages.popitem(last=False)

    @contextlib.contextmanager
    def _alone(self, key: Key) -> Iterator[bool]:
        """Make a page alone: True at once for the first who asks, False for others once that one is done."""
        with self._lock:
            other, done = self._making.get(key), threading.Event()
            if other is None:
                self._making[key] = done
        if other is not None:
            other.wait(PATIENCE)
            yield False
            return
        try:
            yield True
        finally:
            with self._lock:
                del self._making[key]
            done.set()


def _second() -> int:
    return int(clock.now().timestamp())


def _key(environ: "WSGIEnvironment") -> Key | None:
    """What an answer may depend on; None: on who asks."""
    if environ["REQUEST_METHOD"] != "GET" or "HTTP_COOKIE" in environ or "HTTP_AUTHORIZATION" in environ:
        return None
    packed = bool(parse_accept_header(environ.get("HTTP_ACCEPT_ENCODING"))["gzip"])
    host = environ.get("HTTP_HOST", "")
    return host, environ.get("PATH_INFO", ""), environ.get("QUERY_STRING", ""), packed
