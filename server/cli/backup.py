"""`assay backup`: saves the whole site in one file."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from server.cli.common import exiting_on_sigterm, flag_option, open_database
from server.core import clock
from server.core.config import from_env
from server.core.dates import format_plain_utc
from server.web.formatting import count_noun

if TYPE_CHECKING:
    from server.backups import Manifest


@click.command("backup")
@click.argument("file", type=click.Path(path_type=Path))
@flag_option("--check", "Write nothing. Read the whole FILE and report whether it is intact.")
def command(file: Path, *, check: bool) -> None:
    """Back up the whole site to a file, or check a backup.

    FILE is a new file that contains the database and all stored files. The site can keep running.

    FILE contains gold labels and password hashes, so keep it private. It does not contain
    ASSAY_SECRET_KEY, which decrypts the site's signing key: store that separately. With PostgreSQL, the
    program pg_dump must be installed.

    \b
    Example:  assay backup /backups/assay-$(date +%F).tar.gz
    Exit:     0 success, 1 the backup failed or is damaged, 2 usage or settings
    """
    from server import backups

    if check:
        manifest, outcome = backups.check(file), "is intact"
    else:
        config = from_env()
        with exiting_on_sigterm(), open_database(config) as engine:
            manifest, outcome = backups.save(config, engine, file, clock.now()), "was written"
    click.echo(f"{file} {outcome}: {describe_manifest(manifest)}")


def describe_manifest(manifest: "Manifest") -> str:
    """Describe what a backup contains, in one line."""
    time, files = format_plain_utc(manifest.made), len(manifest.parts) - 1
    stored = f"the database and {count_noun(files, 'file')}, {manifest.size} bytes"
    log = (
        "its activity log is empty"
        if manifest.audit is None
        else "its activity log up to entry {} ({})".format(*manifest.audit)
    )
    return f"{manifest.site} as of {time}, {manifest.database}, schema {manifest.revision}; {stored}; {log}."
