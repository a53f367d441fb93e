"""`scorer login`: keep a personal token for a site."""

import os
import sys

import click

from scorer.cli.site._site_command import SiteCommand, document_format, echo_json, settings_path

SCHEMA = "assay.login/1"


@click.command("login", cls=SiteCommand, short_help="Keep a token for a site.")
@click.argument("site")
@document_format
def command(*, site: str, format_: str) -> None:
    """Ask for a personal token of SITE, try it, and keep it for the other commands.

    A token is made on the page "Tokens" of your account at the site, which shows it once. It is asked for
    without showing it; where there is no terminal, it is the first line of standard input. A file that only
    you can read keeps it. The environment variables ASSAY_SITE and ASSAY_TOKEN win over that file.

    \b
    Example:  scorer login https://tasks.example.org
              scorer login http://127.0.0.1:8000 < token.txt
    Exit:     0 good, 1 refused, 2 usage, 3 the site is away, 4 no good token
    """
    from scorer.client.addresses import read_address
    from scorer.client.connection import open_site
    from scorer.client.settings import Login, read_settings, with_login, write_settings
    from scorer.client.times import format_time

    address, path = read_address(site), settings_path()
    settings = read_settings(path)
    token = _ask_for_token(address)
    with open_site(Login(address, token, "typed")) as connection:
        me = connection.json("/me")
    write_settings(path, with_login(settings, address, token))
    name, scopes, ends = _token_details(me)
    if format_ == "json":
        echo_json(SCHEMA, site=address, name=name, scopes=scopes, ends_at=ends)
    else:
        may, until = ", ".join(scopes), format_time(ends)
        click.echo(f"Logged in to {address} as {name}. The token may {may}, until {until}.")
    for variable in ("ASSAY_SITE", "ASSAY_TOKEN"):
        if os.environ.get(variable):
            click.echo(f"note: {variable} is set, and wins over what was kept now", err=True)


def _ask_for_token(address: str) -> str:
    """The token, which nothing prints."""
    from scorer.client.settings import read_token
    from scorer.errors import TokenError

    if sys.stdin.isatty():
        text = click.prompt(f"Token ({address}/account/tokens/ makes one)", hide_input=True, err=True)
    else:
        text = sys.stdin.readline(1000)
        if not text.strip():
            named = os.environ.get("ASSAY_TOKEN")
            mend = "the other commands take ASSAY_TOKEN without a login" if named else "write the token there"
            raise TokenError(f"standard input has no token; {mend}")
    return read_token(str(text).strip())


def _token_details(me: dict[str, object]) -> tuple[str, list[str], str]:
    """Name, scopes and end, as the site tells them."""
    from scorer.client.site_errors import printable_line
    from scorer.errors import SiteUnavailable

    token = me.get("token")
    if not isinstance(token, dict) or not isinstance(token.get("scopes"), list):
        raise SiteUnavailable("the site answers, but not as Assay does; is it the right site?")
    scopes = [printable_line(scope) for scope in token["scopes"]]
    return printable_line(me.get("name")), scopes, printable_line(token.get("ends_at"))
