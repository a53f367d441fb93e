"""`assay audit`: verifies the activity log."""

from itertools import chain
from pathlib import Path

import click
from sqlalchemy.exc import DBAPIError

from server.activity.verification import Verification
from server.activity.verify_documents import DocumentResults
from server.cli.common import open_site
from server.core import db
from server.web.formatting import count_noun


@click.group("audit")
def command() -> None:
    """Verify the activity log.

    \b
    Exit:  0 success, 1 error, 2 usage or settings
    """


@command.command("verify")
@click.option(
    "--against",
    "papers",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="FILE",
    help="A receipt, release.json or evidence (zip or folder) that was stored outside the site. Repeatable.",
)
def verify(papers: tuple[Path, ...]) -> None:
    """Verify the whole activity log.

    The command lists each entry that is missing or edited, or does not follow from the entry before it.

    Receipts and releases are signed, and refer to entries of the log. The command verifies that the log
    contains these entries and the SHA-256 of every accepted file. It also recomputes the hashes of
    annotators' answers and compares them with those in the log. Someone who can write to the whole database
    could rewrite the log and also delete the receipts and releases that contradict it. To find such changes,
    pass documents that were stored outside the site with --against.

    \b
    Example:  assay audit verify --against evidence.zip
    Exit:     0 no problems, 1 problems found, 2 usage or settings
    """
    from server.activity import outside_documents, verification

    outside = chain.from_iterable(outside_documents.read_documents(path) for path in papers)
    with open_site() as site, db.reading(site.session()):
        try:
            results = verification.verify_log(site.session(), outside)
        except DBAPIError as error:
            reason = " ".join(str(error.orig).split())
            raise click.ClickException(
                f"the database cannot be read: {reason}. Restore it from a backup."
            ) from error
    _print_results(results, outside=bool(papers))
    if results.problems.count:
        raise SystemExit(1)


def _print_results(found: Verification, *, outside: bool) -> None:
    if found.head is None:
        click.echo("The activity log is empty.")
    else:
        entries = count_noun(found.entries, "entry", "entries")
        click.echo(f"The activity log has {entries}. The newest is {found.head.number}, SHA-256:")
        click.echo(found.head.sha256)
    checked = [count_noun(found.files, "row of an accepted file", "rows of accepted files")]
    checked += [count_noun(found.releases, "row of a release", "rows of releases")]
    checked += [count_noun(found.answers, "answer of an annotator", "answers of annotators")]
    checked += [count_noun(found.golds, "gold version"), _count_good(found.receipts, "receipt")]
    checked.append(_count_good(found.seals, "statement of a release", "statements of releases"))
    if outside:
        checked.append(_count_good(found.outside, "document from outside", "documents from outside"))
    click.echo(f"Compared with it: {', '.join(checked)}.")
    for problem in found.problems.listed:
        click.echo(problem)
    more = found.problems.count - len(found.problems.listed)
    if more:
        click.echo(f"... and {more} more.")
    if found.problems.count:
        click.echo(f"{count_noun(found.problems.count, 'problem')}: {_verdict(found)}")
    else:
        click.echo("No entry is missing or edited, and each follows from the one before it.")
    _print_not_covered(found, outside=outside)


def _verdict(found: Verification) -> str:
    unfit = found.outside.unfit
    given = count_noun(unfit, "document in the given files is", "documents in the given files are")
    fault_note = f"{given} not valid, and so cannot prove anything"
    if found.inside:
        words = "the log, or a record that it covers, was changed after the site wrote it."
        words = f"{words} Compare the database with a backup."
        return f"{words} Also, {fault_note}." if unfit else words
    if found.problems.count > unfit:
        words = "the log is consistent, but does not match documents that this site signed: it was rewritten"
        words = f"{words} or truncated since, or the gold was changed. Compare the database with a backup."
        return f"{words} Also, {fault_note}." if unfit else words
    return f"{fault_note}. As far as it was checked, the log is as the site wrote it."


def _print_not_covered(found: Verification, *, outside: bool) -> None:
    click.echo("Not covered:")
    if found.head is not None and found.witnessed < found.head.number:
        after = f"entries after {found.witnessed}" if found.witnessed else "the whole log"
        click.echo(f"- {after}: no signed document refers to them yet, so anyone who can write to the")
        click.echo("  database could remove or rewrite them, without any secret;")
    click.echo(
        "- a log that was rewritten by someone who also deleted all signed documents from the database,"
    )
    click.echo(
        "  or who signed new ones with the site's secret: only documents that were stored elsewhere and"
    )
    click.echo(
        f"  are passed with --against can show that ({_describe_outside(found.outside, given=outside)});"
    )
    for key in found.unopened:
        click.echo(f"- documents signed with the key {key[:10]}...: the site's secret does not decrypt this")
        click.echo("  key, so anyone who can write to the database could have added it;")
    click.echo("- the contents of uploaded files, which `assay backup` verifies, and the history of imported")
    click.echo("  tasks, except the numbers of their files and releases;")
    click.echo(
        "- the order of keys in the details of an entry, which has no meaning, and the names of people,"
    )
    click.echo("  teams and runs, which are not in the log.")


def _describe_outside(outside: DocumentResults, *, given: bool) -> str:
    if outside.newest:
        return f"given: up to entry {outside.newest}"
    return "none of those given matches the log" if given else "none was given"


def _count_good(found: DocumentResults, noun: str, plural: str | None = None) -> str:
    words = count_noun(found.good, noun, plural)
    return f"{words} ({found.foreign} more belong to other sites)" if found.foreign else words
