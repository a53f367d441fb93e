"""Ctrl-C and SIGTERM, for a command that has to say what is done before it leaves."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import click

from scorer.errors import SiteAway


class Stopped(SiteAway):
    """The command was told to stop before a site had answered."""

    code = "stopped"


class Stop:
    """Whether the command was told to stop: it does so where it waits, and elsewhere when told again."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._waits = False

    def __call__(self, number: int, _frame: object) -> None:
        """Take a signal."""
        again, self.number = self.number is not None, number
        if self._waits or again:
            raise KeyboardInterrupt

    @property
    def exit_code(self) -> int:
        """What says which signal came; that of Ctrl-C where a question was answered with no."""
        return 128 + (self.number or signal.SIGINT)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """What may be broken off, with a KeyboardInterrupt."""
        self._waits = True
        try:
            if self.number is not None:
                raise KeyboardInterrupt
            yield
        finally:
            self._waits = False


@contextmanager
def stoppable() -> Iterator[Stop]:
    """Take the signals; at the end leave with the exit code that says which one came, if one did."""
    stop = Stop()
    numbers = [one for one in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(one) != signal.SIG_IGN]
    before = [(one, signal.signal(one, stop)) for one in numbers]
    try:
        yield stop
    finally:
        for one, handler in before:
            signal.signal(one, handler)
    if stop.number is not None:
        raise click.exceptions.Exit(stop.exit_code)
