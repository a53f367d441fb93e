"""`assay key`: the keys that the site signs with."""

import click

from server.cli.common import open_site, writing
from server.core import clock, db
from server.core.actors import CONSOLE


@click.group("key")
def command() -> None:
    """Show the keys that receipts and releases are signed with, or begin a new one.

    \b
    Exit:  0 good, 1 refused, 2 usage or settings
    """


@command.command("show")
def show() -> None:
    """Print the public keys as /keys.json has them, for `scorer verify --key`.

    \b
    Exit:  0 good, 2 usage or settings
    """
    from server.signing import service as signing_keys

    with open_site() as site, db.reading(site.session()):
        click.echo(signing_keys.published_keys_text(site.session()), nl=False)


@command.command("rotate")
def rotate() -> None:
    """Sign with a new key from now on; what older keys signed stays valid.

    Do it when the old one may be known to others, and after ASSAY_SECRET_KEY was changed: the private keys
    are sealed with it. No restart is needed.

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
