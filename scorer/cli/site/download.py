"""`scorer download`: downloads the files of a task."""

from pathlib import Path

import click

from scorer.cli._options import flag_option, value_option
from scorer.cli._output import progress
from scorer.cli.site._site_command import SiteCommand, connect_to_site, echo_json, site_options
from scorer.errors import DataError

SCHEMA = "assay.download/1"


@click.command("download", cls=SiteCommand)
@click.argument("task")
@value_option(
    "--to", "DIR", "The folder to write to. By default ./TASK.", "folder", type=click.Path(path_type=Path)
)
@flag_option("--force", "Replace existing files that differ.")
@site_options
def command(*, task: str, folder: Path | None, force: bool, site: str | None, format_: str) -> None:
    """Download the files of a task.

    These are the items, public gold files and sense inventories of TASK that are available to you, and its
    starter kit, which gets a folder of its own. Each file is verified against its SHA-256 hash on the site. A
    file that you already have is not downloaded again. A file that differs is replaced only with --force.

    \b
    Examples:
      scorer download clss-2014
      scorer download clss-2014 --to data --force

    \b
    Exit codes:
      0  success
      1  rejected or a file differs
      2  usage error
      3  site not available
      4  no valid token
    """
    from scorer.client.hosted_tasks import HostedFile, KitFile, read_file, read_task
    from scorer.client.local_files import has_sha256, require_writable, save_file

    refused, done = list[DataError](), list[dict[str, str]]()
    with connect_to_site(site, task, token=False) as connection:
        hosted = read_task(connection, task)
        target = folder or Path(hosted.slug)
        files: list[HostedFile | KitFile] = [*hosted.files, *hosted.starter_kit]
        missing_files = [entry for entry in files if not has_sha256(target / entry.filename, entry.sha256)]
        if missing_files:
            require_writable(target)
        if format_ == "json":
            echo_json(SCHEMA, task=task, files=done)
        with progress("Downloading", len(files)) as advance:
            for file in files:
                path = target / file.filename
                try:
                    state = "there already"
                    if file in missing_files:
                        state = save_file(path, read_file(connection, hosted, file), force=force)
                    done.append({"file": str(path), "sha256": file.sha256, "state": state})
                except DataError as error:
                    refused.append(error)
                advance(1)
    if format_ != "json":
        click.echo("".join(f"{row['file']}: {row['state']}\n" for row in done), nl=False)
    if refused:
        raise DataError([problem for error in refused for problem in error.problems])
    if not done:
        click.echo(f"{task} has no files that you can download now.", err=True)
