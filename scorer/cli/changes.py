"""`scorer changes`: compares two leaderboards."""

import click

from scorer.boards.changes import board_changes
from scorer.boards.serialization import read_board
from scorer.cli._options import StrictCommand, format_option, label
from scorer.errors import RequestError
from scorer.files.reading import read_bytes
from scorer.reports.changes import FORMATS, render_changes


@click.command("changes", cls=StrictCommand)
@click.argument("before")
@click.argument("after")
@format_option(FORMATS, "text rounds. tsv and json have full precision.")
def command(before: str, after: str, format_: str) -> None:
    """Show the differences between two leaderboards.

    The output lists differences in systems, ranks, values, and how the values were computed.

    BEFORE and AFTER are leaderboards as JSON: downloaded from the page of a release, or written by
    `scorer board --format json`.

    \b
    Examples:
      scorer changes release-1.json release-2.json
      scorer changes release-1.json release-2.json --format tsv

    \b
    Exit codes:
      0  success (also if they differ)
      1  bad data
      2  usage error
    """
    if before == after == "-":
        raise RequestError("only one of BEFORE and AFTER can be standard input")
    old, new = (read_board(read_bytes(path), label(path)) for path in (before, after))
    click.echo(render_changes(board_changes(old, new), format_), nl=False)
