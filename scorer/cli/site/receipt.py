"""`scorer receipt`: fetch receipts and say what they prove."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import click

from scorer.cli.site._site_command import SiteCommand, connect_to_site, echo_json, site_options
from scorer.errors import RequestError

if TYPE_CHECKING:
    from scorer.client.connection import Connection
    from scorer.proof.findings import Finding

SCHEMA = "assay.receipts/1"


@click.command("receipt", cls=SiteCommand, short_help="Fetch receipts and verify them.")
@click.argument("number", metavar="NUMBER|all")
@click.option("--task", metavar="SLUG", help="With all: of this task alone.")
@click.option(
    "--to",
    "folder",
    type=click.Path(path_type=Path),
    default=Path(),
    show_default=False,
    metavar="DIR",
    help="By default here.",
)
@click.option("--run", type=click.Path(path_type=Path), metavar="FILE", help="The file that it is for.")
@click.option("--force", is_flag=True, help="Replace receipts that are there with other bytes.")
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
    """Fetch the receipt of the submission NUMBER, or those of all files of your team; save and verify them.

    Receipts are held against the site's keys, and with --run against the file. `scorer verify` does the same
    offline, and knows more.

    \b
    Example:  scorer receipt 17 --run runs/quay/phrase2word.tsv
              scorer receipt all --task clss-2014 --to receipts
    Exit:     0 good, 1 refused or something failed, 2 usage, 3 the site is away, 4 no good token
    """
    from scorer.client.local_files import require_folder
    from scorer.client.receipts import fetch_receipt, fetch_site_keys, save_and_verify_receipt
    from scorer.files.reading import read_bytes
    from scorer.proof.findings import is_proved

    every = number == "all"
    if not every and not (number.isascii() and number.isdigit() and len(number) < 12):
        raise RequestError(f'"{number}" is no number of a submission; give one, or say all')
    if (every and run is not None) or (not every and task is not None):
        raise RequestError("--run goes with one number, and --task with all")
    file = None if run is None else (str(run), read_bytes(str(run)))
    require_folder(folder)
    proofs: list[tuple[Path, Sequence[Finding]]] = []
    receipts: list[dict[str, Any]] = []
    with connect_to_site(site) as connection:
        keys = fetch_site_keys(connection)
        if format_ == "json":
            echo_json(SCHEMA, receipts=receipts)
        for each in _own_submissions(connection, task) if every else [int(number)]:
            proofs += [
                save_and_verify_receipt(
                    folder, each, fetch_receipt(connection, each), keys, file, force=force
                )
            ]
            receipts += [_findings_values(*proofs[-1])]
    if format_ != "json":
        _print_findings(proofs, whole=not every)
    if not all(is_proved(findings) for _, findings in proofs):
        raise click.exceptions.Exit(1)


def _own_submissions(site: "Connection", task: str | None) -> Iterator[int]:
    """The numbers of all files of one's teams that have a receipt."""
    from scorer.client.team_counts import fetch_all_counts, fetch_counts

    for slug, counts in fetch_all_counts(site) if task is None else [(task, fetch_counts(site, task))]:
        team = counts["team"]["id"]
        for row in site.rows(f"/tasks/{quote(slug, safe='')}/submissions"):
            if row["team"]["id"] == team:
                yield int(row["submission"]["id"])


def _print_findings(proofs: "list[tuple[Path, Sequence[Finding]]]", *, whole: bool) -> None:
    """What the receipts prove: one in whole, many in a line each."""
    from scorer.proof.findings import is_proved, render_proof

    for path, findings in proofs:
        if whole:
            click.echo(render_proof(str(path), findings, "text"), nl=False)
        else:
            failed = " ".join(each.text for each in findings if each.state == "fails")
            click.echo(f"{path}: {'good' if is_proved(findings) else 'FAILED'}{failed and ': '}{failed}")
    if not proofs:
        click.echo("There is no receipt yet.", err=True)


def _findings_values(path: Path, findings: "Sequence[Finding]") -> dict[str, Any]:
    from scorer.proof.findings import is_proved

    rows = [{"state": each.state, "text": each.text} for each in findings]
    return {"file": str(path), "proved": is_proved(findings), "findings": rows}
