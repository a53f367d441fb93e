"""`scorer rounds`: rounds of ratings of the same units beside each other."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import StrictCommand
from scorer.cli.annotation._shared import print_report, read_unit_names, report_format, rounds_options

if TYPE_CHECKING:
    from scorer.annotation.ratings import Ratings


@click.command("rounds", cls=StrictCommand, short_help="Compare rounds of ratings of the same units.")
@click.argument("first")
@click.argument("second")
@click.argument("third", required=False)
@click.option(
    "--by",
    type=click.Choice(("means", "annotator")),
    default="means",
    help="Compare the units' means, or what one annotator said of a unit in each round.",
)
@click.option(
    "--subset",
    "subsets",
    metavar="FILE",
    multiple=True,
    help="Also over the units that this file names, one a line; repeat it for more.",
)
@click.option("--by-genre", is_flag=True, help="Also over the units of each genre; needs --genre.")
@click.option(
    "--bucket", default=1.0, metavar="SECONDS", help="Of thinking time, where --seconds names its column."
)
@click.option("--curve", is_flag=True, help="Print the calibration curve, too.")
@click.option("--step", default=1, metavar="T", help="Turns a point of the curve takes.")
@rounds_options
@report_format
def command(
    *,
    first: str,
    second: str,
    third: str | None,
    subsets: tuple[str, ...],
    curve: bool,
    step: int,
    read_rounds: "Callable[[Sequence[str]], list[Ratings]]",
    format_: str,
    **rules: Any,
) -> None:
    """Compare the ratings that two or three rounds gave to the same units; the files are written alike.

    Pearson, Spearman, RMSE and MSE of each two rounds, partial correlations given the third, and the MSE to
    be expected of a system that knows each unit's population mean. With --seconds: how close answers are to
    the other round by thinking time; with --curve: by the how manieth answer of its annotator each is, in the
    order of --time, or of the file.

    \b
    Example:  scorer rounds first.csv free.csv dependent.csv --subset kept.txt
              scorer rounds all.csv all.csv --columns first --columns f1,f2,f3
              scorer rounds one.tsv two.tsv --annotator who --rating said --seconds took --curve --step 10
    Exit:     0 good (also where a value is undefined), 1 bad data, 2 usage
    """
    from scorer.annotation.rounds_report import RoundsRules, rounds_report

    refuse_second_stdin(first, second, third, *subsets)
    rounds = read_rounds([path for path in (first, second, third) if path is not None])
    chosen = {Path(path).name: read_unit_names(path, rounds) for path in subsets}
    asked_for = RoundsRules(step=step if curve else None, **rules)
    print_report(rounds_report(rounds, chosen, asked_for), format_)
