"""`scorer logout`: forget the token of a site."""

import os

import click

from scorer.cli._options import StrictCommand
from scorer.cli.site._site_command import settings_path


@click.command("logout", cls=StrictCommand, short_help="Forget the token of a site.")
@click.argument("site", required=False)
def command(*, site: str | None) -> None:
    """Forget the token of SITE, or of the site that is meant where none is named.

    The token stays good: the page "Tokens" of your account revokes it.

    \b
    Example:  scorer logout
              scorer logout https://tasks.example.org
    Exit:     0 good, 1 bad settings, 2 usage
    """
    from scorer.client.settings import choose_site, read_settings, without_login, write_settings

    path = settings_path()
    settings = read_settings(path)
    address = choose_site(settings, os.environ, site)
    if address not in settings.tokens:
        click.echo(f"No token of {address} was kept.")
        return
    write_settings(path, without_login(settings, address))
    click.echo(f"The token of {address} is forgotten here. Revoke it at {address}/account/tokens/.")
