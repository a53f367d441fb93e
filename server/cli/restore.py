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
    """Restore the site from a backup.

    FILE was made by `assay backup`. The data folder and the database must be empty, and the database must be
    of the same kind (SQLite or PostgreSQL) as that of the backup. The whole FILE is verified before anything
    is written, and a restore that fails leaves nothing behind. Set ASSAY_SECRET_KEY to the value of the
    original site, because it decrypts the signing key. Emails that were waiting in the backup are sent. New
    ids are at least a million higher, because links in emails still name those of rows that were lost.

    \b
    Exit:  0 success, 1 unusable backup or target not empty, 2 usage or settings
    """
    from server import backups

    config = from_env()
    with exiting_on_sigterm(), open_database(config):
        manifest = backups.restore(config, file)
    click.echo(f"Restored {describe_manifest(manifest)}")
    if manifest.site != config.site_url:
        moved = f"the receipts of this site name {manifest.site}, but ASSAY_SITE_URL is {config.site_url}"
        click.echo(f"warning: {moved}", err=True)
    if manifest.revision != migrate.head_revision():
        click.echo(
            "The backup has an older schema than this version. Run `assay migrate` before `assay serve`.",
            err=True,
        )
        return
    try:
        require_signing_key(config)
    except ConfigError as error:
        click.echo(f"warning: {error}", err=True)
