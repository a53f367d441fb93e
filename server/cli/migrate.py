"""`assay migrate`: migrates the database to this version's schema."""

import click

from server.cli.common import migrate_database
from server.core import migrate
from server.core.config import from_env


@click.command("migrate")
@click.option("--to", "revision", default="head", help="The revision to migrate to, or `base`.")
def command(revision: str) -> None:
    """Migrate the database to this version's schema.

    If there is no database, a new one is created.

    \b
    Exit:  0 success, 2 settings
    """
    config = from_env()
    if revision not in ("head", "base", *migrate.revisions()):
        choices = ", ".join(migrate.revisions())
        raise click.BadParameter(f'"{revision}" is not one of head, base, {choices}', param_hint="--to")
    migrate_database(config, revision)
    click.echo(f"The database is at {migrate.head_revision() if revision == 'head' else revision}.")
