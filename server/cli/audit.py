"""`assay audit`: verifies the audit log."""

from itertools import chain
from pathlib import Path

import click
from sqlalchemy.exc import DBAPIError

from server.activity.verification import Verification
from server.activity.verify_documents import DocumentResults
from server.cli.common import open_site
from server.core import db


@click.group("audit")
def command() -> None:
    """Verify the audit log.

    \b
    Exit:  0 good, 1 refused, 2 usage or settings
    """


@command.command("verify")
@click.option(
    "--against",
    "papers",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="FILE",
    help="A receipt, release.json or evidence (zip, folder) that was kept elsewhere; may be repeated.",
)
def verify(papers: tuple[Path, ...]) -> None:
    """Verify the whole audit log, and list each entry that is missing, edited, or from another chain.

    The log must have the entries that receipts and releases name in their signed texts, and each
    accepted file with its SHA-256. With documents from outside the site, --against also finds changes by
    anyone who can write the whole database.

    \b
    Example:  assay audit verify --against evidence.zip
    Exit:     0 no problems, 1 problems were found, 2 usage or settings
    """
    from server.activity import outside_documents, verification

    outside = chain.from_iterable(outside_documents.read_documents(path) for path in papers)
    with open_site() as site, db.reading(site.session()):
        try:
            results = verification.verify_log(site.session(), outside)
        except DBAPIError as error:
            reason = " ".join(str(error.orig).split())
            raise click.ClickException(
                f"the database cannot be read: {reason}; restore it from a backup"
            ) from error
    _print_results(results, outside=bool(papers))
    if results.problems.count:
        raise SystemExit(1)


def _print_results(found: Verification, *, outside: bool) -> None:
    if found.head is None:
        click.echo("The log is empty.")
    else:
        click.echo(f"{_count(found.entries, 'entry', 'entries')}; the newest is {found.head.number}:")
        click.echo(found.head.sha256)
    checked = [_count(found.files, "row of an accepted file", "rows of accepted files")]
    checked += [_count(found.releases, "row of a release", "rows of releases")]
    checked += [_count(found.golds, "gold version"), _count_good(found.receipts, "receipt")]
    checked.append(_count_good(found.seals, "statement of a release", "statements of releases"))
    if outside:
        checked.append(_count_good(found.outside, "document from outside", "documents from outside"))
    click.echo(f"Held against it: {', '.join(checked)}.")
    for problem in found.problems.listed:
        click.echo(problem)
    more = found.problems.count - len(found.problems.listed)
    if more:
        click.echo(f"and {more} more.")
    if found.problems.count:
        click.echo(f"{_count(found.problems.count, 'problem')}: {_verdict(found)}")
    else:
        click.echo("Nothing is missing, edited or forked.")
    _print_not_covered(found)


def _verdict(found: Verification) -> str:
    unfit = found.outside.unfit
    fault_note = (
        f"{_count(unfit, 'given document is', 'given documents are')} at fault, and so no proof of anything"
    )
    if found.inside:
        words = "this log, or what is kept with it, is not as the site wrote it. Compare it with a backup."
        return f"{words} Also {fault_note}." if unfit else words
    if found.problems.count > unfit:
        words = "this log agrees with itself, and not with what this site signed and somebody kept: it was"
        words = f"{words} written anew or cut off since, or the gold was changed. Compare it with a backup."
        return f"{words} Also {fault_note}." if unfit else words
    return f"{fault_note}. The log itself is as the site wrote it, as far as it was covered."


def _print_not_covered(found: Verification) -> None:
    click.echo("Not covered:")
    if found.head is not None and found.witnessed < found.head.number:
        after = f"entries after {found.witnessed}" if found.witnessed else "all of it"
        click.echo(f"- {after}, of which no signed document names one yet: whoever can write to the database")
        click.echo("  could cut them off or write them anew, without any secret;")
    click.echo(
        "- all that was written anew by somebody who deleted every signed document from the database too,"
    )
    click.echo(
        "  or signed new ones with the site's secret: only what was kept elsewhere, --against, shows that"
    )
    click.echo(f"  ({_describe_outside(found.outside)});")
    for key in found.unopened:
        click.echo(f"- what the key {key[:10]}... signed: the site's secret does not open it, so whoever can")
        click.echo("  write to the database could have put it there;")
    click.echo(
        "- the bytes of the files that teams sent, which `assay backup` reads, and of an imported task what"
    )
    click.echo("  it brought beyond the numbers of its files and releases;")
    click.echo("- the order of the keys in an entry's details, which means nothing, and the names of people,")
    click.echo("  teams and runs, which stand outside the log.")


def _describe_outside(outside: DocumentResults) -> str:
    return f"given: up to entry {outside.newest}" if outside.newest else "none was given that names an entry"


def _count_good(found: DocumentResults, noun: str, plural: str | None = None) -> str:
    words = _count(found.good, noun, plural)
    return f"{words} ({found.foreign} more name logs of other sites)" if found.foreign else words


def _count(count: int, noun: str, plural: str | None = None) -> str:
    return f"{count} {noun if count == 1 else plural or noun + 's'}"
