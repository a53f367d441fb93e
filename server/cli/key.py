"""`assay key`: the keys that the site signs with."""

import click

from server.cli.common import open_site, writing
from server.core import clock, db
from server.core.actors import CONSOLE


@click.group("key")
def command() -> None:
    """Show the keys that sign receipts and releases, or create a new one.

    \b
    Exit:  0 good, 1 refused, 2 usage or settings
    """


@command.command("show")
def show() -> None:
    """Print the public keys in the format of /keys.json, for `scorer verify --key`.

    \b
    Exit:  0 good, 2 usage or settings
    """
    from server.signing import service as signing_keys

    with open_site() as site, db.reading(site.session()):
        click.echo(signing_keys.published_keys_text(site.session()), nl=False)


@command.command("rotate")
def rotate() -> None:
    """Sign with a new key from now on; what older keys signed stays valid.

    Do this if others may know the old key, and after you changed ASSAY_SECRET_KEY, which encrypts the
    private keys. The site need not be restarted.

    \b
    Exit:  0 good, 1 refused, 2 usage or settings
    """
    from server.signing import service as signing_keys

    with open_site() as site, writing(site) as (session, _):
        key = signing_keys.rotate_key(session, CONSOLE, clock.now())
        click.echo(key.public)
    click.echo(
        "From now on this key signs. The site publishes it at /keys.json, beside those before.", err=True
    )
