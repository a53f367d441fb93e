"""`scorer power`: what a test set can tell apart."""

import click

from scorer.cli._options import StrictCommand, format_option
from scorer.reports.power import FORMATS, PowerOptions, render_power


@click.command("power", cls=StrictCommand, short_help="The smallest difference that a test set can show.")
@click.option("--n", "sizes", type=int, required=True, multiple=True, help="Items; repeat it for more sizes.")
@click.option("--r", type=float, required=True, help="Pearson's r of the better system with the gold.")
@click.option(
    "--between", type=float, required=True, help="Pearson's r between the two systems, at least 2 r^2 - 1."
)
@click.option("--power", default=0.8, help="Chance to find the difference.")
@click.option("--alpha", default=0.05, help="Level of the test, two-sided.")
@click.option("--pairs", default=1, help="Pairs that are tested together: m systems have m (m - 1) / 2.")
@format_option(FORMATS, "text and latex have four decimals, tsv and json six.")
def command(
    *, sizes: tuple[int, ...], r: float, between: float, power: float, alpha: float, pairs: int, format_: str
) -> None:
    """Print the smallest difference between two correlations with the same gold that a test finds.

    A system that correlates R with the gold is found better than one that correlates R - difference, with the
    chance --power, where the two correlate --between with each other. Where no difference is found so often,
    there is a dash with the reason.

    \b
    Example:  scorer power --n 500 --r .8 --between .9 --power .8 --alpha .05 --pairs 1
              scorer power --n 250 --n 500 --n 1000 --r .8 --between .9 --pairs 703 --format latex
    Exit:     0 good (also where no difference is detectable), 1 bad data, 2 usage
    """
    questions = [PowerOptions(n, r, between, power, alpha, pairs) for n in dict.fromkeys(sizes)]
    click.echo(render_power(questions, format_), nl=False)
