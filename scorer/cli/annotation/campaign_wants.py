"""`scorer campaign wants`: adds wanted ratings to a table of texts."""

from pathlib import Path

import click

from scorer.cli._options import StrictCommand, label
from scorer.cli.annotation._shared import OUTPUT_FILE, print_or_write
from scorer.files.reading import read_bytes


@click.command("wants", cls=StrictCommand)
@click.argument("file", metavar="FILE")
@click.option(
    "--rating",
    "ratings",
    type=float,
    multiple=True,
    default=(1.0, 2.0, 3.0, 4.0),
    metavar="N",
    help="A rating to choose from. Repeatable.",
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Random seed.")
@click.option(
    "--out", type=OUTPUT_FILE, metavar="FILE", help="Write the table to FILE instead of standard output."
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
def command(*, file: str, ratings: tuple[float, ...], seed: int, out: Path | None, force: bool) -> None:
    """Add a column of wanted ratings to a table of texts.

    In a round of kind write, annotators get a text and a wanted rating, and write a text that is as similar
    as the rating says. FILE is the table of these texts, with the columns key and left, and perhaps genre.
    The output is the same table with a column wanted.

    In each genre, any two ratings are wanted equally often, or one of them once more. The same holds for all
    genres together. Otherwise, the ratings are random.

    \b
    Examples:
      scorer campaign wants phrases.tsv --seed 7 --out units.tsv
      scorer campaign wants phrases.tsv --rating 1 --rating 2.5 --rating 4 > units.tsv

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.campaigns.wants import add_wanted

    table = add_wanted(read_bytes(file), label(file), [*dict.fromkeys(ratings)], seed)
    print_or_write(table.encode(), out, file, force=force)
