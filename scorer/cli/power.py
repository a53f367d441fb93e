"""`scorer power`: prints the smallest difference that a test set can detect."""

import click

from scorer.cli._options import StrictCommand, format_option
from scorer.reports.power import FORMATS, PowerOptions, render_power


@click.command("power", cls=StrictCommand)
@click.option("--n", "sizes", type=int, required=True, multiple=True, help="Number of items. Repeatable.")
@click.option("--r", type=float, required=True, help="Pearson's r between the better system and the gold.")
@click.option(
    "--between",
    type=float,
    required=True,
    help="Pearson's r between the two systems; at least 2 r^2 - 1.",
)
@click.option("--power", default=0.8, help="Statistical power: the probability of detecting the difference.")
@click.option("--alpha", default=0.05, help="Significance level of the two-sided test.")
@click.option("--pairs", default=1, help="Number of pairs tested together; m systems have m (m - 1) / 2.")
@format_option(FORMATS, "text and latex have four decimal places, tsv and json six.")
def command(
    *, sizes: tuple[int, ...], r: float, between: float, power: float, alpha: float, pairs: int, format_: str
) -> None:
    """Print the smallest difference that a test set can detect.

    The difference is between the Pearson correlations of two systems with the same gold standard. The better
    system has the correlation --r, and the two systems correlate --between with each other. The test detects
    a difference of the printed size with probability --power. If there is no such difference, the output has
    a dash and the reason.

    \b
    Examples:
      scorer power --n 500 --r .8 --between .9 --power .8 --alpha .05 --pairs 1
      scorer power --n 250 --n 500 --n 1000 --r .8 --between .9 --pairs 703 --format latex

    \b
    Exit codes:
      0  success (also if no difference is detectable)
      1  bad data
      2  usage error
    """
    requests = [PowerOptions(n, r, between, power, alpha, pairs) for n in dict.fromkeys(sizes)]
    click.echo(render_power(requests, format_), nl=False)
