"""`scorer context`: what context changes in what people say of a unit."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import StrictCommand
from scorer.cli.annotation._shared import (
    OUTPUT_FILE,
    genres_apart,
    print_report,
    refuse_existing,
    report_format,
    rounds_options,
)

if TYPE_CHECKING:
    from scorer.annotation.ratings import Ratings

_TESTS = ("independent", "welch", "paired")


@click.command("context", cls=StrictCommand, short_help="Test each unit for an effect of its context.")
@click.argument("free")
@click.argument("dependent")
@click.option("--alpha", default=0.05, help="Units with this p or a smaller one form the significant subset.")
@click.option(
    "--test",
    type=click.Choice(_TESTS),
    default="independent",
    help="Which test forms the subset; welch does not assume equal variances.",
)
@click.option("--fdr", is_flag=True, help="Form the subset by Benjamini-Hochberg adjusted p values.")
@click.option(
    "--at",
    "levels",
    type=float,
    multiple=True,
    default=(0.05, 0.01, 0.001),
    show_default=".05 .01 .001",
    metavar="X",
    help="Print the share of units with p <= X; repeat it for more.",
)
@click.option("--bin", "bin_width", default=0.25, metavar="WIDTH", help="Of the histogram of increases.")
@click.option("--every", is_flag=True, help="List each unit with its tests, not the significant ones alone.")
@click.option("--by-genre", is_flag=True, help="Also over the units of each genre; needs --genre.")
@click.option(
    "--ids",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Write the significant units there, one a line in the order of FREE.",
)
@click.option("--force", is_flag=True, help="Replace the file of units if it is there.")
@rounds_options
@report_format
def command(
    *,
    free: str,
    dependent: str,
    by_genre: bool,
    ids: Path | None,
    force: bool,
    read_rounds: "Callable[[Sequence[str]], list[Ratings]]",
    format_: str,
    **options: Any,
) -> None:
    """Test for each unit whether its ratings in DEPENDENT, with context, differ from those in FREE, without.

    Both files are written alike: a row a unit and a column an annotator, or a row a rating. Each unit has an
    independent two-sided t test (equal variances) and a paired one, over the annotators who rated it both
    times. The share of units with p <= x stands beside the number to be expected by chance and that of the
    Benjamini-Hochberg procedure.

    \b
    Example:  scorer context free.csv dependent.csv
              scorer context free.csv dependent.csv --test paired --fdr --ids changed.txt --format latex
              scorer context all.csv all.csv --columns f1,f2,f3 --columns d1,d2,d3 --same-people
    Exit:     0 good (also where tests are undefined), 1 bad data, 2 usage
    """
    from scorer.annotation.context_effect_report import ContextRules, context_report, significant_units
    from scorer.annotation.rounds import align_rounds

    rules = ContextRules(**options | {"levels": tuple(dict.fromkeys(options["levels"]))})
    refuse_second_stdin(free, dependent)
    refuse_existing([ids] if ids else [], [free, dependent], force=force)
    both = read_rounds([free, dependent])
    first, second = align_rounds(both)
    genres = genres_apart(first, by_genre=by_genre)
    parts = [(f"genre {each}", (first.of_genre(each), second.of_genre(each))) for each in genres]
    dropped = len(both[0].units) - len(first.units), len(both[1].units) - len(first.units)
    sheet = context_report((first, second), parts, rules, dropped)
    if ids is not None:
        units = significant_units((first, second), rules)
        ids.write_text("".join(f"{unit}\n" for unit in units), encoding="utf-8")
    print_report(sheet, format_)
