"""`scorer login`: stores an API token for a site."""

import os
import sys

import click

from scorer.cli.site._site_command import SiteCommand, document_format, echo_json

SCHEMA = "assay.login/1"


@click.command("login", cls=SiteCommand)
@click.argument("site")
@document_format
def command(*, site: str, format_: str) -> None:
    """Log in to a site with an API token.

    The token is stored for the other commands. Create the token at SITE/account/tokens/, which shows it only
    once. The command asks for it and does not show what you type. Without a terminal, it reads the token from
    the first line of standard input. The token is stored in a file that only you can read. The environment
    variables ASSAY_SITE and ASSAY_TOKEN take precedence over that file.

    \b
    Examples:
      scorer login https://tasks.example.org
      scorer login http://127.0.0.1:8000 < token.txt

    \b
    Exit codes:
      0  success
      1  rejected
      2  usage error
      3  site not available
      4  no valid token
    """
    from scorer.client.addresses import read_address
    from scorer.client.client import Client
    from scorer.client.settings import read_settings, settings_path, with_login, write_settings
    from scorer.client.times import format_time

    address, path = read_address(site), settings_path()
    settings = read_settings(path)
    token = _ask_for_token(address)
    with Client(address, token) as client:
        me = client.json("/me")
    write_settings(path, with_login(settings, address, token))
    name, scopes, ends = _token_details(me)
    if format_ == "json":
        echo_json(SCHEMA, site=address, name=name, scopes=scopes, ends_at=ends)
    else:
        may, until = ", ".join(scopes), format_time(ends)
        click.echo(f"Logged in to {address} as {name}. The token may {may}, until {until}.")
    for variable in ("ASSAY_SITE", "ASSAY_TOKEN"):
        if os.environ.get(variable):
            click.echo(f"note: {variable} is set and takes precedence over what was stored now", err=True)


def _ask_for_token(address: str) -> str:
    """Ask for the token without showing it, or read it from standard input."""
    from scorer.client.settings import read_token
    from scorer.errors import TokenError

    if sys.stdin.isatty():
        text = click.prompt(f"API token (create one at {address}/account/tokens/)", hide_input=True, err=True)
    else:
        text = sys.stdin.readline(1000)
        if not text.strip():
            is_set = os.environ.get("ASSAY_TOKEN")
            hint = "the other commands use ASSAY_TOKEN without a login" if is_set else "write the token there"
            raise TokenError(f"standard input has no token; {hint}")
    return read_token(str(text).strip())


def _token_details(me: dict[str, object]) -> tuple[str, list[str], str]:
    """Return the account name, the scopes and the expiry time of a token from the site's answer."""
    from scorer.errors import SiteUnavailable, printable

    token = me.get("token")
    if not isinstance(token, dict) or not isinstance(token.get("scopes"), list):
        raise SiteUnavailable("the site does not answer like an Assay site; is the address right?")
    scopes = [printable(scope) for scope in token["scopes"]]
    return printable(me.get("name")), scopes, printable(token.get("ends_at"))
