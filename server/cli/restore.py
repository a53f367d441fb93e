"""`assay restore`: restores the site from a backup."""

from pathlib import Path

import click

from server.cli.backup import describe_manifest
from server.cli.common import exiting_on_sigterm, open_database, require_signing_key
from server.core import migrate
from server.core.config import ConfigError, from_env


@click.command("restore")
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Restore the site from FILE, made by `assay backup`, into an empty data folder and an empty database.

    The whole FILE is verified before anything is written; a restore that fails leaves nothing. Set the
    ASSAY_SECRET_KEY of that site, which decrypts the signing key. Emails that were waiting are sent.

    \b
    Exit:  0 good, 1 damaged, for another kind of database, or the target is not empty, 2 usage or settings
    """
    from server import backups

    config = from_env()
    with exiting_on_sigterm(), open_database(config):
        manifest = backups.restore(config, file)
    click.echo(f"Restored {describe_manifest(manifest)}")
    if manifest.site != config.site_url:
        moved = f"its receipts name {manifest.site}, and ASSAY_SITE_URL is {config.site_url}"
        click.echo(f"warning: {moved}", err=True)
    if manifest.revision != migrate.head_revision():
        click.echo(
            "Its schema is older than this version's: run `assay migrate` before `assay serve`.", err=True
        )
        return
    try:
        require_signing_key(config)
    except ConfigError as error:
        click.echo(f"warning: {error}", err=True)
