"""`scorer rounds`: compares rounds of ratings of the same units."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import StrictCommand, file_option, flag_option, value_option
from scorer.cli._output import progress
from scorer.cli.annotation._shared import print_report, read_unit_names, report_format, rounds_options

if TYPE_CHECKING:
    from scorer.annotation.ratings import Ratings


@click.command("rounds", cls=StrictCommand)
@click.argument("first")
@click.argument("second")
@click.argument("third", required=False)
@click.option(
    "--by",
    type=click.Choice(("means", "annotator")),
    default="means",
    help="What to compare between two rounds: the mean ratings of each unit (means), or the ratings that "
    "the same annotator gave to the same unit (annotator).",
)
@file_option(
    "--subset",
    "Also report on the units that FILE names, one per line. Repeatable.",
    "subsets",
    multiple=True,
)
@flag_option("--by-genre", "Also report on each genre. Needs --genre.")
@value_option(
    "--bucket",
    "SECONDS",
    "Width of the groups of thinking times. Needs --seconds, which names the column of the thinking "
    "time. In the export of a site, this is one of the columns `seconds`, `since`, `elapsed` and "
    "`visible`, which its README.md explains.",
    default=1.0,
)
@flag_option(
    "--curve",
    "Also show how close ratings are to the other round, by their position in the annotator's work (the "
    "calibration curve).",
)
@value_option("--step", "T", "Number of positions per point of the calibration curve.", default=1)
@flag_option("--pauses", "Also print how long annotators paused between one file and the next. Needs --time.")
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
    """Compare rounds of ratings of the same units.

    A round is a set of ratings of some units, such as pairs of texts. Two rounds can differ in their
    annotators or in what the annotators saw. You can compare two or three rounds. All files have the same
    format.

    For each pair of rounds, the output has Pearson, Spearman, RMSE and MSE. With three rounds, it also has
    partial correlations, which hold the third round constant. It ends with the expected MSE of a system that
    predicts the true mean of each unit.

    --seconds groups the ratings by thinking time, and --curve by their position in the annotator's work. For
    each group, the output shows how close the ratings are to the other round. Positions are in the order of
    --time or, without it, of the file. With --pauses, the output shows how long annotators waited between one
    round and the next.

    \b
    Examples:
      scorer rounds first.csv free.csv dependent.csv --subset kept.txt
      scorer rounds all.csv all.csv --columns first --columns f1,f2,f3
      scorer rounds one.tsv two.tsv --annotator who --rating said --seconds took --curve --step 10
      scorer rounds one.tsv two.tsv --annotator who --rating said --time when --pauses

    \b
    Exit codes:
      0  success (also if a value is undefined)
      1  bad data
      2  usage error
    """
    from scorer.annotation.rounds_report import RoundsRules, rounds_report

    refuse_second_stdin(first, second, third, *subsets)
    with progress("Comparing"):
        rounds = read_rounds([path for path in (first, second, third) if path is not None])
        chosen = {Path(path).name: read_unit_names(path, rounds) for path in subsets}
        report = rounds_report(rounds, chosen, RoundsRules(step=step if curve else None, **rules))
    print_report(report, format_)
