"""`scorer campaign wants`: adds wanted ratings to a table of texts."""

from pathlib import Path

import click

from scorer.cli._options import StrictCommand, flag_option, label, value_option
from scorer.cli.annotation._shared import output_option, print_or_write
from scorer.files.numbers import read_number
from scorer.files.reading import read_bytes


class _RatingsCommand(StrictCommand):
    """A command whose option --ratings takes all numbers that follow it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        spread: list[str] = []
        for arg in args:  # --ratings 1 2 becomes --ratings 1 --ratings 2, which click understands
            if spread[-2:-1] == ["--ratings"] and read_number(arg) is not None:
                spread.append("--ratings")
            spread.append(arg)
        return super().parse_args(ctx, spread)


@click.command("wants", cls=_RatingsCommand)
@click.argument("file", metavar="FILE")
@value_option(
    "--ratings",
    "N ...",
    "The ratings to choose from. Default: 1 2 3 4.",
    type=float,
    multiple=True,
    default=(1.0, 2.0, 3.0, 4.0),
    show_default=False,
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Random seed.")
@output_option("--out", "Write the table to FILE instead of standard output.")
@flag_option("--force", "Replace an existing file.")
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
      scorer campaign wants phrases.tsv --ratings 1 2.5 4 > units.tsv

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.campaigns.wants import add_wanted

    table = add_wanted(read_bytes(file), label(file), [*dict.fromkeys(ratings)], seed)
    print_or_write(table.encode(), out, file, force=force)
