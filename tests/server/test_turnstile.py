"""One page after the other, in the order in which they came; a slow one holds up nobody for long."""

import threading
import time
from collections.abc import Iterable
from typing import Any

import pytest

from server.views import turnstile
from server.views.turnstile import TURN, Turnstile


class Pages:
    """An app whose pages are ready when they are told to be."""

    def __init__(self) -> None:
        self.entered: list[str] = []
        self.ready = {name: threading.Event() for name in "abcd"}
        self.turnstile = Turnstile(self)
        self.threads: list[threading.Thread] = []

    def __call__(self, environ: Any, _start_response: Any) -> Iterable[bytes]:
        if environ.get("body"):
            environ[TURN].take()
        self.entered.append(environ["PATH_INFO"])
        assert self.ready[environ["PATH_INFO"]].wait(10)
        if environ.get("fails"):
            raise ZeroDivisionError
        return [b""]

    def ask(self, name: str, method: str = "GET", **more: str) -> None:
        """Ask in a thread of one's own, and let it come to the turnstile."""
        environ = {"REQUEST_METHOD": method, "PATH_INFO": name, **more}

        def run() -> None:
            try:
                self.turnstile(environ, lambda *_: lambda _: None)  # type: ignore[arg-type]  # nobody calls it
            except ZeroDivisionError:
                assert "fails" in more

        self.threads.append(threading.Thread(target=run))
        self.threads[-1].start()
        time.sleep(0.05)

    def end(self) -> None:
        for ready in self.ready.values():
            ready.set()
        for thread in self.threads:
            thread.join(10)
            assert not thread.is_alive()


def test_pages_are_made_one_after_the_other_in_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turnstile, "PATIENCE", 10.0)
    pages = Pages()
    for name in "abcd":
        pages.ask(name)
    assert pages.entered == ["a"]
    for name in "abc":
        pages.ready[name].set()
        pages.threads["abc".index(name)].join(10)
    time.sleep(0.05)
    assert pages.entered == ["a", "b", "c", "d"]
    pages.end()
    pages.ask("a")
    assert pages.entered[-1] == "a"
    pages.end()


def test_what_is_sent_waits_for_no_page_until_it_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turnstile, "PATIENCE", 10.0)
    pages = Pages()
    pages.ask("a")
    pages.ask("b", "POST")
    pages.ask("c", "POST", body="there")
    assert pages.entered == ["a", "b"], "what is to be scored waits for its turn once its body is there"
    pages.end()
    assert pages.entered == ["a", "b", "c"]


def test_a_page_that_takes_its_time_is_overtaken_and_a_failed_one_leaves_the_way_free(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(turnstile, "PATIENCE", 0.01)
    pages = Pages()
    pages.ask("a", fails="yes")
    pages.ask("b")
    assert pages.entered == ["a", "b"]
    pages.end()
    monkeypatch.setattr(turnstile, "PATIENCE", 10.0)
    pages.ready = {name: threading.Event() for name in "abcd"}
    pages.ask("c")
    assert pages.entered == ["a", "b", "c"]
    pages.end()
