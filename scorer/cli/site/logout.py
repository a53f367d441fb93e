"""`scorer logout`: removes the stored token of a site."""

import os

import click

from scorer.cli._options import StrictCommand


@click.command("logout", cls=StrictCommand)
@click.argument("site", required=False)
def command(*, site: str | None) -> None:
    """Remove the stored token of a site.

    By default, SITE is the site you last logged in to.

    The token itself remains valid. To revoke it, go to SITE/account/tokens/.

    \b
    Examples:
      scorer logout
      scorer logout https://tasks.example.org

    \b
    Exit codes:
      0  success
      1  bad settings file
      2  usage error
    """
    from scorer.client.settings import (
        choose_site,
        read_settings,
        settings_path,
        without_login,
        write_settings,
    )

    path = settings_path()
    settings = read_settings(path)
    address = choose_site(settings, os.environ, site)
    if address not in settings.tokens:
        click.echo(f"No token of {address} is stored.")
        return
    write_settings(path, without_login(settings, address))
    click.echo(f"Removed the token of {address} from this computer. Revoke it at {address}/account/tokens/.")
