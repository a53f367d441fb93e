"""`scorer bias`: shows how ratings deviate from gold, by genre and by level."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import StrictCommand, column_option, file_option, label, value_option
from scorer.cli.annotation._shared import gold_options, print_report, ratings_options, report_format
from scorer.errors import Problem, RatingsError, RequestError
from scorer.files.reading import KeyedFormat, parse_gold, read_bytes
from scorer.files.text import shorten

if TYPE_CHECKING:
    from scorer.annotation.ratings import Ratings


@click.command("bias", cls=StrictCommand)
@click.argument("ratings")
@file_option(
    "--gold",
    "The gold file: keyed by the name of the unit (--id, --gold-score) or, if the ratings have one row "
    "per unit, one value per line.",
    required=True,
)
@column_option("--level-column", "The column of the unit's level. Also report on each level.")
@value_option("--bootstrap", "B", "Number of resamples for each interval.", "b", default=1000)
@click.option("--seed", default=0, help="Random seed of the resamples.")
@click.option("--level", default=0.95, help="Confidence level of each interval.")
@gold_options
@ratings_options
@report_format
def command(
    *,
    ratings: str,
    gold: str,
    gold_format: KeyedFormat | None,
    level_column: str | None,
    b: int,
    read: "Callable[..., Ratings]",
    format_: str,
    **options: Any,
) -> None:
    """Show how ratings deviate from gold, by genre and by level.

    RATINGS are those of other people than the ones who made the gold, such as a crowd that rated a sample of
    the items again. The file has one row per unit and one column per annotator, or one row per rating.

    For each genre (--genre) and level, the output has the parts of a box plot of the ratings minus the gold,
    their mean with a confidence interval, and the share of ratings above the gold. For the interval,
    annotators and units are both resampled.

    \b
    Examples:
      scorer bias crowd.csv --gold gold.csv --id pair --gold-score gold --genre id-prefix
      scorer bias long.csv --annotator who --rating said --gold gold.csv --id pair --gold-score gold

    \b
    Exit codes:
      0  success (also if a value is undefined)
      1  bad data
      2  usage error
    """
    from scorer.annotation.bias_report import bias_report
    from scorer.statistics.intervals import Resampling

    # The file of ratings is read again for the levels.
    refuse_second_stdin(ratings, gold, ratings if level_column else None)
    parsed = read(ratings, ignore=level_column)
    if gold_format is None and not parsed.lists_all_units:
        raise RequestError("ratings with one row per rating need keyed gold; add --id and --gold-score")
    n = None if gold_format else len(parsed.units)
    found = parse_gold(read_bytes(gold), label(gold), n=n, keyed=gold_format)
    values = zip(found.ids or parsed.units, found.values, strict=True)
    by_unit = {unit: value for unit, value in values if value is not None}
    levels = {} if level_column is None else _levels(read(ratings, words=True, columns=level_column))
    resampling = Resampling(b, interval="percentile", **options)
    print_report(bias_report(parsed, by_unit, resampling, levels), format_)


def _levels(cells: "Ratings") -> dict[str, str]:
    """Return the level of each unit from a column of levels that was read like ratings."""
    levels: dict[str, str] = {}
    for unit, value, line in zip(cells.unit.tolist(), cells.value.tolist(), cells.line.tolist(), strict=True):
        name, level = cells.units[unit], (cells.categories or ())[int(value)]
        if levels.setdefault(name, level) != level:
            first = shorten(levels[name])
            message = (
                f"{shorten(name)} has the level {shorten(level)} here and {first} before; a unit has one"
            )
            raise RatingsError([Problem(cells.source, line, "two_levels", message)])
    return levels
