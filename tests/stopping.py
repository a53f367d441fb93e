"""Stopping what a test runs, as Ctrl-C does."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def heeding(number: int) -> Iterator[None]:
    """As in a terminal, also where the tests run in the background, which shells let ignore Ctrl-C."""
    before = signal.signal(number, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(number, before)
