"""`scorer context`: tests whether context changes the ratings of units."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import StrictCommand, flag_option, value_option
from scorer.cli._output import progress, write_output
from scorer.cli.annotation._shared import (
    genres_apart,
    output_option,
    print_report,
    refuse_existing,
    report_format,
    rounds_options,
)

if TYPE_CHECKING:
    from scorer.annotation.ratings import Ratings

_TESTS = ("independent", "welch", "paired")


@click.command("context", cls=StrictCommand)
@click.argument("free")
@click.argument("dependent")
@click.option("--alpha", default=0.05, help="A unit is significant if its p value is at most this number.")
@click.option(
    "--test",
    type=click.Choice(_TESTS),
    default="independent",
    help="The test that decides which units are significant. welch is an independent t test without equal "
    "variances.",
)
@flag_option(
    "--fdr",
    "Decide which units are significant by p values that are adjusted with the Benjamini-Hochberg method.",
)
@value_option(
    "--at",
    "X",
    "Print the share of units with p <= X. Repeatable.",
    "levels",
    type=float,
    multiple=True,
    default=(0.05, 0.01, 0.001),
)
@value_option(
    "--bin",
    "WIDTH",
    "Bin width of the histogram of differences (mean with context minus mean without).",
    "bin_width",
    default=0.25,
)
@click.option(
    "--no-variance",
    type=click.Choice(("count", "drop")),
    default="count",
    help="What to do with units where the change is the same for everybody, so that a test has no variance. "
    "count gives them p = 0. drop leaves them out.",
)
@flag_option("--every", "List all units with their tests, not only the significant ones.")
@flag_option("--by-genre", "Also report on each genre. Needs --genre.")
@output_option(
    "--ids", "Write the names of the significant units to FILE, one per line in the order of FREE."
)
@flag_option("--force", "Replace the file of units if it exists.")
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
    """Test each unit for an effect of context.

    FREE has ratings of units, such as pairs of texts, without context. DEPENDENT has ratings of the same
    units with context. Both files have the same format: one row per unit and one column per annotator, or one
    row per rating.

    Each unit is tested with a two-sided independent t test (equal variances) and with a paired t test over
    the annotators who rated it in both files. For each of several thresholds x, the output has the share of
    units with p <= x, the number of units that are expected by chance, and the number of units that the
    Benjamini-Hochberg procedure finds.

    \b
    Examples:
      scorer context free.csv dependent.csv
      scorer context free.csv dependent.csv --test paired --fdr --ids changed.txt --format latex
      scorer context all.csv all.csv --columns f1,f2,f3 --columns d1,d2,d3 --same-people

    \b
    Exit codes:
      0  success (also if a test is undefined)
      1  bad data
      2  usage error
    """
    from scorer.annotation.context_effect_report import ContextRules, context_report, significant_units
    from scorer.annotation.rounds import align_rounds

    rules = ContextRules(**options | {"levels": tuple(dict.fromkeys(options["levels"]))})
    refuse_second_stdin(free, dependent)
    refuse_existing([ids] if ids else [], [free, dependent], force=force)
    with progress("Comparing"):
        both = read_rounds([free, dependent])
        first, second = align_rounds(both)
        genres = genres_apart(first, by_genre=by_genre)
        parts = [(f"genre {genre}", (first.of_genre(genre), second.of_genre(genre))) for genre in genres]
        dropped = len(both[0].units) - len(first.units), len(both[1].units) - len(first.units)
        sheet = context_report((first, second), parts, rules, dropped)
    if ids is not None:
        units = significant_units((first, second), rules)
        write_output(ids, "".join(f"{unit}\n" for unit in units).encode())
    print_report(sheet, format_)
