"""`assay sweep`: removes orphaned files."""

from datetime import timedelta

import click

from server.cli.common import flag_option, open_site
from server.core import clock, db
from server.web.formatting import count_noun


@click.command("sweep")
@click.option(
    "--older-than",
    "hours",
    default=24,
    type=click.IntRange(1),
    help="Only remove files last uploaded more than this many hours ago.",
)
@flag_option("--dry-run", "List the files, but do not remove them.")
def command(hours: int, *, dry_run: bool) -> None:
    """Remove orphaned files.

    These are stored files that no database record refers to, because an upload failed, or because someone
    uploaded a table for a campaign. You can run this while the site is running. The output lists each file
    with its size. Expired idempotency keys are deleted, too.

    \b
    Exit:  0 success, 2 usage or settings
    """
    from server.backups import sweeps
    from server.submissions import uploads

    put_before = clock.now() - timedelta(hours=hours)
    with open_site() as site:
        session = site.session()
        if dry_run:
            orphans = sweeps.find_orphaned_files(session, put_before)
        else:
            orphans = sweeps.remove_orphaned_files(session, put_before)
            with db.writing(session):
                uploads.delete_expired_keys(session, clock.now())
    for file in orphans:
        click.echo(f"{file.name}\t{file.size}")
    verb = "Would remove" if dry_run else "Removed"
    click.echo(
        f"{verb} {count_noun(len(orphans), 'file')}, {sum(file.size for file in orphans)} bytes.", err=True
    )
