"""`assay sweep`: removes orphaned files."""

from datetime import timedelta

import click

from server.cli.common import open_site
from server.core import clock, db
from server.web.formatting import plural


@click.command("sweep")
@click.option(
    "--older-than",
    "hours",
    default=24,
    type=click.IntRange(1),
    help="Hours since somebody last sent their bytes.",
)
@click.option("--dry-run", is_flag=True, help="Say which, and remove nothing.")
def command(hours: int, *, dry_run: bool) -> None:
    """Remove orphaned files, which no row refers to because their uploads failed half-way.

    You can run it while the site runs. It lists each file with its size. Expired Idempotency-Keys
    are deleted, too.

    \b
    Exit:  0 good, 2 usage or settings
    """
    from server.backups import sweeps
    from server.submissions import uploads

    put_before = clock.now() - timedelta(hours=hours)
    with open_site() as site:
        session = site.session()
        if dry_run:
            orphans = sweeps.find_orphaned_files(session, site.storage, put_before)
        else:
            orphans = sweeps.remove_orphaned_files(session, site.storage, put_before)
            with db.writing(session):
                uploads.delete_expired_keys(session, clock.now())
    for file in orphans:
        click.echo(f"{file.name}\t{file.size}")
    verb = "would go" if dry_run else "went"
    click.echo(
        f"{plural(len(orphans), 'file')} {verb}, {sum(file.size for file in orphans)} bytes.", err=True
    )
