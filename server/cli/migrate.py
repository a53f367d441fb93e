"""`assay migrate`: bring the database to this version's schema."""

import click

from server import db, migrate
from server.config import from_env


@click.command("migrate")
@click.option("--to", "revision", default="head", show_default=True, help="A revision, or `base`.")
def command(revision: str) -> None:
    """Bring the database to this version's schema; a new database is made.

    \b
    Exit:  0 good, 2 settings
    """
    config = from_env()
    config.data_dir.mkdir(parents=True, exist_ok=True)
    engine = db.open_engine(config.database_url)
    migrate.migrate(engine, revision)
    click.echo(f"The database is at {migrate.current_revision(engine) or 'base'}.")
