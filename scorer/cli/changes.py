"""`scorer changes`: what differs between two boards."""

import click

from scorer.boards.changes import board_changes
from scorer.boards.serialization import read_board
from scorer.cli._options import StrictCommand, format_option, label
from scorer.errors import RequestError
from scorer.files.reading import read_bytes
from scorer.reports.changes import FORMATS, render_changes


@click.command("changes", cls=StrictCommand, short_help="Say what differs between two boards.")
@click.argument("before")
@click.argument("after")
@format_option(FORMATS, "text rounds; tsv and json have full precision.")
def command(before: str, after: str, format_: str) -> None:
    """Compare two boards: systems, ranks, and each value with what it came from.

    BEFORE and AFTER are boards as JSON: from a release's page, or from `scorer board --format json`.

    \b
    Example:  scorer changes release-1.json release-2.json
    Exit:     0 good, also where they differ, 1 bad data (every place on standard error), 2 usage
    """
    if before == after == "-":
        raise RequestError("only one of BEFORE and AFTER can be standard input")
    old, new = (read_board(read_bytes(path), label(path)) for path in (before, after))
    click.echo(render_changes(board_changes(old, new), format_), nl=False)
