"""How the commands that ask a site find it, and what they write to."""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from scorer.errors import SiteAway, SiteError

if TYPE_CHECKING:
    from scorer.client.settings import Login
    from scorer.client.site import Site

Command = Callable[..., None]


def site_options(function: Command) -> Command:
    """Add the options of all commands that ask a site."""

    @click.option("--site", metavar="SITE", help="Another site than ASSAY_SITE or the one logged in to.")
    @click.option(
        "--format",
        "format_",
        type=click.Choice(("text", "json")),
        default="text",
        show_default=True,
        help="text for people, json for programs.",
    )
    @wraps(function)
    def with_site(**rest: Any) -> None:
        function(**rest)

    return with_site


def settings_path() -> Path:
    """Where `scorer login` keeps sites and tokens: the usual place of this system."""
    from scorer.client.settings import FILE

    return Path(click.get_app_dir("assay")) / FILE


def find_login(site: str | None) -> "Login":
    """The site that is meant, and the token for it."""
    from scorer.client.settings import choose_login, read_settings

    return choose_login(read_settings(settings_path()), os.environ, site)


@contextmanager
def asked_site(site: str | None, task: str | None = None, *, token: bool = True) -> Iterator["Site"]:
    """The site that is meant, with the token for it; `token` False: none is needed."""
    from scorer.client.site import open_site

    login = find_login(site)
    with open_site(login.site, login.require_token() if token else login.token) as found:
        try:
            yield found
        except SiteError as error:
            if error.code != "terms_not_accepted" or task is None:
                raise
            where = f"{login.site}/tasks/{quote(task, safe='')}/terms"
            raise SiteError(
                f"{error}\nThey are at {where}; then run the same command again.", error.problem
            ) from error
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            raise SiteAway(
                f"{login.site} answers in a way that this version of scorer does not know; "
                f"{login.site}/packages/ has the one that goes with it"
            ) from error


def echo_json(schema: str, **values: Any) -> None:
    """Print the results of a command for programs."""
    import json

    click.echo(json.dumps({"schema": schema, **values}, ensure_ascii=False, indent=1))


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """Rows in columns that are as wide as their widest cell."""
    from scorer.client.problems import one_line

    cells = [tuple(one_line(cell) for cell in row) for row in (head, *rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in cells]
    return "".join(f"{line.rstrip()}\n" for line in lines)
