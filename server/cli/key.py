"""`assay key`: the keys that the site signs with."""

import click

from server.cli.common import open_site
from server.core import clock, db
from server.core.actors import CONSOLE


@click.group("key")
def command() -> None:
    """Show the signing keys, or create a new one.

    These keys sign receipts and releases.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """


@command.command("show")
def show() -> None:
    """Print the public keys in the format of /keys.json.

    `scorer verify --key` reads this format.

    \b
    Exit:  0 success, 2 usage or settings
    """
    from server.signing import service as signing_keys

    with open_site() as site, db.reading(site.session()):
        click.echo(signing_keys.published_keys_text(site.session()), nl=False)


@command.command("rotate")
def rotate() -> None:
    """Create a new signing key. Older signatures stay valid.

    Do this in two cases: someone else may know the current key, or you have changed ASSAY_SECRET_KEY, which
    encrypts the private keys. You do not have to restart the site.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """
    from server.signing import service as signing_keys

    with open_site() as site, site.writing() as session:
        key = signing_keys.rotate_key(session, CONSOLE, clock.now())
        click.echo(key.public)
    click.echo(
        "The site signs with this key from now on. /keys.json lists it together with the older keys.",
        err=True,
    )
