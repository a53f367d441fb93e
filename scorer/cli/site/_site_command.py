"""Shared by the commands that connect to a site: options, connection, JSON output, Ctrl-C and SIGTERM."""

import signal
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from scorer.cli._options import Command, StrictCommand, format_option, value_option
from scorer.cli._output import error_document, print_json
from scorer.errors import RequestError, ScorerError, SiteError, SiteUnavailable, printable

if TYPE_CHECKING:
    from scorer.client.client import Client


class CommandStopped(SiteUnavailable):
    """The user stopped the command before the site had answered."""

    code = "stopped"


class StopSignal:
    """Handles Ctrl-C and SIGTERM: stops a command that waits, and at the second signal any command."""

    def __init__(self) -> None:
        self.number: int | None = None
        self._waits = False

    def __call__(self, number: int, _frame: object) -> None:
        """Record a signal; raise KeyboardInterrupt if the command waits or this is the second signal."""
        again, self.number = self.number is not None, number
        if self._waits or again:
            raise KeyboardInterrupt

    @property
    def exit_code(self) -> int:
        """The exit code of the signal, or that of Ctrl-C if the user answered a question with no."""
        return 128 + (self.number or signal.SIGINT)

    @contextmanager
    def waiting(self) -> Iterator[None]:
        """Mark code that a signal may interrupt with a KeyboardInterrupt."""
        self._waits = True
        try:
            if self.number is not None:
                raise KeyboardInterrupt
            yield
        finally:
            self._waits = False


@contextmanager
def handle_stop_signals() -> Iterator[StopSignal]:
    """Handle Ctrl-C and SIGTERM within the block; after it, exit with the code of the signal, if any."""
    stop = StopSignal()
    numbers = [
        number for number in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(number) != signal.SIG_IGN
    ]
    before = [(number, signal.signal(number, stop)) for number in numbers]
    try:
        yield stop
    finally:
        for number, handler in before:
            signal.signal(number, handler)
    if stop.number is not None:
        raise click.exceptions.Exit(stop.exit_code)


_DOCUMENT_KEY = f"{__name__}.document"


class SiteCommand(StrictCommand):
    """A command that connects to a site; with `--format json` it prints one document, even after an error."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        command_line = " ".join((*args, "")).replace("=", " ")
        try:
            return super().make_context(info_name, args, parent, **extra)
        except (click.UsageError, RequestError) as error:
            if "--format json " in command_line:
                print_json(error_document({}, error))
            raise

    def invoke(self, ctx: click.Context) -> object:
        as_json = ctx.params["format_"] == "json"
        with handle_stop_signals() as stop:
            return self._invoke(ctx, stop, as_json=as_json)

    def _invoke(self, ctx: click.Context, stop: StopSignal, *, as_json: bool) -> object:
        try:
            with stop.waiting():
                result: object = super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            stopped = CommandStopped("stopped before the command was finished")
            click.echo(str(stopped), err=True)
            if as_json:
                print_json(error_document(ctx.meta.get(_DOCUMENT_KEY, {}), stopped))
            raise click.exceptions.Exit(stop.exit_code) from None
        except (ScorerError, OSError) as error:
            if as_json:
                print_json(error_document(ctx.meta.get(_DOCUMENT_KEY, {}), error))
            raise
        except click.exceptions.Exit:
            print_json(ctx.meta.get(_DOCUMENT_KEY))
            raise
        print_json(ctx.meta.get(_DOCUMENT_KEY))
        return result


site_option = value_option(
    "--site", "SITE", "The address of the site. By default ASSAY_SITE, else the site you last logged in to."
)
document_format = format_option(
    ("text", "json"),
    "text for people; json for programs: one document. If an error occurs, the document has a code and a "
    "detail.",
)


def site_options(function: Command) -> Command:
    """Add the options of all commands that connect to a site."""
    return site_option(document_format(function))


@contextmanager
def connect_to_site(site: str | None, task: str | None = None, *, token: bool = True) -> Iterator["Client"]:
    """Connect to the chosen site with its stored token; `token` False means that none is needed."""
    from scorer.client.client import Client

    with Client(site, sleep=wait) as client:
        address = client.address
        if token:
            client.login.require_token()
        try:
            yield client
        except SiteError as error:
            if error.code != "terms_not_accepted" or task is None:
                raise
            where = f"{address}/tasks/{quote(task, safe='')}/terms"
            raise SiteError(
                f"{error}\nThe terms are at {where}; after that, run the same command again.", error.problem
            ) from error
        except UnicodeEncodeError as error:
            message = f"{error.object[:200]!r} is not UTF-8, which a site requires; use another name"
            raise RequestError(message) from error
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise SiteUnavailable(
                f"{address} sent an answer that this version of scorer does not understand; "
                f"install the version from {address}/packages/"
            ) from error


def wait(seconds: float) -> None:
    """Wait until the next try, and print a message if that takes some time."""
    if seconds >= _ANNOUNCED_SECONDS:
        click.echo(f"The site cannot accept this now; trying again in {seconds:.0f} seconds.", err=True)
    time.sleep(seconds)


_ANNOUNCED_SECONDS = 3
"""The wait in seconds from which a message is printed."""


def echo_json(schema: str, **values: Any) -> None:
    """Set the JSON document that is printed when the command ends, with the error if there is one."""
    click.get_current_context().meta[_DOCUMENT_KEY] = {"schema": schema, **values}


def format_table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Format rows as a table whose columns are as wide as their widest cell."""

    cells = [tuple(printable(cell) for cell in row) for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    return "".join(f"{line.rstrip()}\n" for line in lines)
