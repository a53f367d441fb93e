"""How the commands that ask a site find it, and what they write to."""

import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from scorer.cli._options import StrictCommand
from scorer.cli._problems import problem_values
from scorer.cli._stop import Stop, Stopped, stoppable
from scorer.errors import DataError, RequestError, ScorerError, SiteAway, SiteError

if TYPE_CHECKING:
    from scorer.client.site import Connection

Command = Callable[..., None]
ERROR = "assay.error/1"
_DOCUMENT = f"{__name__}.document"


class SiteCommand(StrictCommand):
    """A command that asks a site: with `--format json` it prints one document, whatever comes of it."""

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        words = " ".join((*args, "")).replace("=", " ")
        try:
            return super().make_context(info_name, args, parent, **extra)
        except (click.UsageError, RequestError) as error:
            if "--format json " in words:
                _print(_told({}, error))
            raise

    def invoke(self, ctx: click.Context) -> object:
        as_json = ctx.params["format_"] == "json"
        with stoppable() as stop:
            return self._invoke(ctx, stop, as_json=as_json)

    def _invoke(self, ctx: click.Context, stop: Stop, *, as_json: bool) -> object:
        try:
            with stop.waiting():
                found: object = super().invoke(ctx)
        except (KeyboardInterrupt, click.Abort):
            stopped = Stopped("stopped before its end")
            click.echo(str(stopped), err=True)
            if as_json:
                _print(_told(ctx.meta.get(_DOCUMENT, {}), stopped))
            raise click.exceptions.Exit(stop.exit_code) from None
        except (ScorerError, OSError) as error:
            if as_json:
                _print(_told(ctx.meta.get(_DOCUMENT, {}), error))
            raise
        except click.exceptions.Exit:
            _print(ctx.meta.get(_DOCUMENT))
            raise
        _print(ctx.meta.get(_DOCUMENT))
        return found


def format_option(function: Command) -> Command:
    """Add the option for people and programs; the command gets it as `format_`."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(("text", "json")),
        default="text",
        show_default=True,
        help="text for people, json for programs: one document, with code and detail after an error.",
    )(function)


def site_options(function: Command) -> Command:
    """Add the options of all commands that ask a site."""

    @click.option("--site", metavar="SITE", help="Another site than ASSAY_SITE or the one logged in to.")
    @format_option
    @wraps(function)
    def with_site(**rest: Any) -> None:
        function(**rest)

    return with_site


def settings_path() -> Path:
    """Where `scorer login` keeps sites and tokens: the usual place of this system."""
    from scorer.client.settings import FILE

    return Path(click.get_app_dir("assay")) / FILE


@contextmanager
def asked_site(site: str | None, task: str | None = None, *, token: bool = True) -> Iterator["Connection"]:
    """The site that is meant, with the token for it; `token` False: none is needed."""
    from scorer.client.settings import find_login
    from scorer.client.site import open_site

    login = find_login(settings_path(), os.environ, site)
    if token:
        login.require_token()
    with open_site(login, wait) as found:
        try:
            yield found
        except SiteError as error:
            if error.code != "terms_not_accepted" or task is None:
                raise
            where = f"{login.site}/tasks/{quote(task, safe='')}/terms"
            raise SiteError(
                f"{error}\nThey are at {where}; then run the same command again.", error.problem
            ) from error
        except UnicodeEncodeError as error:
            words = f"{error.object[:200]!r} is no UTF-8, and a site takes nothing else; name it otherwise"
            raise RequestError(words) from error
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise SiteAway(
                f"{login.site} answers in a way that this version of scorer does not know; "
                f"{login.site}/packages/ has the one that goes with it"
            ) from error


def wait(seconds: float) -> None:
    """Wait for a site that cannot answer now, and say so if it takes a while."""
    if seconds >= _NOTICED:
        click.echo(f"The site cannot take this now; trying again in {seconds:.0f} seconds.", err=True)
    time.sleep(seconds)


_NOTICED = 3
"""Seconds from which on a person wonders what happens."""


def echo_json(schema: str, **values: Any) -> None:
    """Print the results of a command for programs, as it ends: with what went wrong after all."""
    click.get_current_context().meta[_DOCUMENT] = {"schema": schema, **values}


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Rows in columns that are as wide as their widest cell."""
    from scorer.client.problems import one_line

    cells = [tuple(one_line(cell) for cell in row) for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _print(document: Mapping[str, Any] | None) -> None:
    import json

    if document is not None:
        click.echo(json.dumps(document, ensure_ascii=False, indent=1))


def _told(document: Mapping[str, Any], error: ScorerError | click.UsageError | OSError) -> dict[str, Any]:
    """A document that says what went wrong: the words of standard error, and all that is behind them."""
    more: dict[str, Any] = {}
    if isinstance(error, DataError):
        more = {"problems": [problem_values(one) for one in error.problems], "count": error.count}
    elif isinstance(error, SiteError) and error.problem:
        more = {"problem": error.problem}
    return {"schema": ERROR, **more, **document, **_words(error)}


def _words(error: ScorerError | click.UsageError | OSError) -> dict[str, str]:
    match error:
        case ScorerError():
            return {"code": error.code, "detail": str(error)}
        case click.UsageError():
            return {"code": RequestError.code, "detail": error.format_message()}
    return {"code": "os_error", "detail": f"{error.filename or 'the results'}: {error.strerror}"}
