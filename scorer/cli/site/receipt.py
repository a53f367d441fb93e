"""`scorer receipt`: downloads receipts and verifies them."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from scorer.cli._options import flag_option, value_option
from scorer.cli.site._site_command import SiteCommand, connect_to_site, echo_json, site_options
from scorer.errors import RequestError

if TYPE_CHECKING:
    from scorer.client.connection import Connection
    from scorer.proof.findings import Finding

SCHEMA = "assay.receipts/1"


@click.command("receipt", cls=SiteCommand)
@click.argument("number", metavar="NUMBER|all")
@value_option("--task", "SLUG", "With all: only receipts of this task.")
@value_option(
    "--to",
    "DIR",
    "The folder to write to. By default the current folder.",
    "folder",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default=False,
)
@value_option("--run", "FILE", "The run file that the receipt is for.", type=click.Path(path_type=Path))
@flag_option("--force", "Replace existing receipts that differ.")
@site_options
def command(
    *,
    number: str,
    task: str | None,
    folder: Path,
    run: Path | None,
    force: bool,
    site: str | None,
    format_: str,
) -> None:
    """Download receipts and verify them.

    Give the NUMBER of a submission, or the word "all" for every receipt of your teams. Receipts are verified
    against the public keys of the site and, with --run, against the run file. `scorer verify` works offline
    and can verify more.

    \b
    Examples:
      scorer receipt 17 --run runs/quay/phrase2word.tsv
      scorer receipt all --task clss-2014 --to receipts

    \b
    Exit codes:
      0  success
      1  rejected or a check failed
      2  usage error
      3  site not available
      4  no valid token
    """
    from scorer.client.local_files import require_folder
    from scorer.client.receipts import fetch_receipt, fetch_site_keys, save_receipt, verify_receipt_file
    from scorer.files.reading import read_bytes
    from scorer.proof.findings import is_proved

    every = number == "all"
    if not every and not (number.isascii() and number.isdigit() and len(number) < 12):
        raise RequestError(f'"{number}" is not the number of a submission; give a number, or all')
    if (every and run is not None) or (not every and task is not None):
        raise RequestError("--run can be used with one number only, and --task with all only")
    file = None if run is None else (str(run), read_bytes(str(run)))
    require_folder(folder)
    proofs: list[tuple[Path, Sequence[Finding]]] = []
    receipts: list[dict[str, Any]] = []
    with connect_to_site(site) as connection:
        keys = fetch_site_keys(connection)
        if format_ == "json":
            echo_json(SCHEMA, receipts=receipts)
        for submission in _own_submissions(connection, task) if every else [int(number)]:
            data = fetch_receipt(connection, submission)
            path = save_receipt(folder, submission, data, force=force)
            proofs.append((path, verify_receipt_file(path, data, keys, file)))
            receipts += [_findings_values(*proofs[-1])]
    if format_ != "json":
        _print_findings(proofs, whole=not every)
    if not all(is_proved(findings) for _, findings in proofs):
        raise click.exceptions.Exit(1)


def _own_submissions(site: "Connection", task: str | None) -> Iterator[int]:
    """Yield the numbers of all submissions of the user's teams, in all tasks or in one."""
    from scorer.client.team_counts import fetch_all_counts, fetch_counts

    for slug, counts in fetch_all_counts(site) if task is None else [(task, fetch_counts(site, task))]:
        team = counts["team"]["id"]
        for row in site.rows(f"/tasks/{quote(slug, safe='')}/submissions"):
            if row["team"]["id"] == team:
                yield int(row["submission"]["id"])


def _print_findings(proofs: "list[tuple[Path, Sequence[Finding]]]", *, whole: bool) -> None:
    """Print what the receipts prove: one in full, or one line per receipt."""
    from scorer.proof.findings import is_proved, render_proof

    for path, findings in proofs:
        if whole:
            click.echo(render_proof(str(path), findings, "text"), nl=False)
        else:
            failed = " ".join(finding.text for finding in findings if finding.state == "fails")
            click.echo(f"{path}: {'good' if is_proved(findings) else 'FAILED'}{failed and ': '}{failed}")
    if not proofs:
        click.echo("There are no receipts yet.", err=True)


def _findings_values(path: Path, findings: "Sequence[Finding]") -> dict[str, Any]:
    from scorer.proof.findings import is_proved

    rows = [{"state": finding.state, "text": finding.text} for finding in findings]
    return {"file": str(path), "proved": is_proved(findings), "findings": rows}
