"""Pages that are asked for at once are made one after the other in a process, unless one takes its time.

Threads of one interpreter share a processor. Four pages that are made side by side hand it to each other at
every question of the database: each is ready when the last one is, and all of them take a third longer.
"""

import threading
from collections import deque
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

PATIENCE = 0.5
"""Seconds until a request goes on beside one that takes longer."""
READING = ("GET", "HEAD")
"""What has a body that may come slowly takes its turn when the body is there, if at all."""
TURN = "assay.turn"
"""What stands beside a request that has a body."""


class Turnstile:
    """Lets one request after the other into the app, in the order in which they came."""

    def __init__(self, app: "WSGIApplication") -> None:
        self._app = app
        self._lock = threading.Lock()
        self._taken = False
        self._waiting: deque[threading.Event] = deque()

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """What the app answers."""
        turn = environ[TURN] = Turn(self)
        try:
            if environ["REQUEST_METHOD"] in READING:
                turn.take()
            return self._app(environ, start_response)
        finally:
            turn.give()

    def enter(self) -> bool:
        """Wait for one's turn; False: it did not come in time, and nobody waits for who goes on."""
        with self._lock:
            if not self._taken:
                self._taken = True
                return True
            turn = threading.Event()
            self._waiting.append(turn)
        if turn.wait(PATIENCE):
            return True
        with self._lock:
            if turn.is_set():
                return True
            self._waiting.remove(turn)
            return False

    def leave(self) -> None:
        """Let the next one in."""
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._taken = False


class Turn:
    """The turn of one request, which ends with it."""

    def __init__(self, turnstile: Turnstile) -> None:
        self._turnstile = turnstile
        self._has_one = False

    def take(self) -> None:
        """Wait for it, if it is not there."""
        self._has_one = self._has_one or self._turnstile.enter()

    def give(self) -> None:
        """End it, if there is one."""
        if self._has_one:
            self._has_one = False
            self._turnstile.leave()
