"""`scorer agree`: measures inter-annotator agreement."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import StrictCommand, bootstrap_option, file_option, flag_option, interval_option
from scorer.cli._output import progress
from scorer.cli.annotation._shared import (
    genres_apart,
    print_report,
    ratings_options,
    read_unit_names,
    report_format,
    strong_option,
)
from scorer.errors import RequestError

if TYPE_CHECKING:
    from scorer.annotation.krippendorff import Scaling
    from scorer.annotation.ratings import Ratings

_SCALINGS = ("nominal", "ordinal", "interval", "ratio")


@click.command("agree", cls=StrictCommand)
@click.argument("ratings")
@click.option(
    "--scaling",
    "scalings",
    type=click.Choice(_SCALINGS),
    multiple=True,
    help="The level of measurement for alpha, by default interval. Repeatable.",
)
@flag_option("--words", "Ratings are names of categories. Alpha is then nominal.")
@file_option("--subset", "Also report on the units that FILE names, one per line, and on the rest.")
@flag_option("--by-genre", "Also report on each genre. Needs --genre.")
@strong_option("Units with this share of equal ratings")
@bootstrap_option("Add confidence intervals of alpha from B resamples of the units.")
@click.option("--seed", default=0, help="Random seed of the resamples.")
@interval_option
@click.option("--level", default=0.95, help="Confidence level of each interval.")
@ratings_options
@report_format
def command(
    *,
    ratings: str,
    scalings: "tuple[Scaling, ...]",
    words: bool,
    subset: str | None,
    by_genre: bool,
    strong: float,
    b: int | None,
    read: "Callable[..., Ratings]",
    format_: str,
    **options: Any,
) -> None:
    """Measure inter-annotator agreement.

    The output has Krippendorff's alpha of RATINGS, and the agreement between and within annotators.

    A unit is what annotators rate, such as a pair of texts. By default, RATINGS has one row per unit and one
    column per annotator. With --annotator and --rating, it has one row per rating. With --across, it has one
    row per annotator. The output counts the cells that mean a missing rating (--missing).

    If an annotator rated a unit twice, the second rating only serves to measure the agreement within that
    annotator.

    \b
    Examples:
      scorer agree ratings.csv --genre id-prefix --by-genre
      scorer agree long.tsv --unit pair --annotator who --rating said --bootstrap 2000 --format latex

    \b
    Exit codes:
      0  success (also if a value is undefined)
      1  bad data
      2  usage error
    """
    from scorer.annotation.agreement_report import AgreementRules, agreement_report, count_resamples
    from scorer.statistics.intervals import Resampling

    refuse_second_stdin(ratings, subset)
    if words and set(scalings) - {"nominal"}:
        raise RequestError("--words are names of categories, so alpha is nominal; leave out --scaling")
    with progress("Reading"):
        parsed_ratings = read(ratings, words=words)
    scalings = scalings or ("nominal" if words else "interval",)
    genres = genres_apart(parsed_ratings, by_genre=by_genre)
    parts = _parts(parsed_ratings, subset) + [
        (f"genre {genre}", parsed_ratings.of_genre(genre)) for genre in genres
    ]
    resampling = None if b is None else Resampling(b, **options)
    rules = AgreementRules(tuple(dict.fromkeys(scalings)), resampling, strong)
    with progress("Resampling", count_resamples(parts, rules)) as advance:
        report = agreement_report(parsed_ratings, parts, rules, advance)
    print_report(report, format_)


def _parts(ratings: "Ratings", subset: str | None) -> "list[tuple[str, Ratings]]":
    """Split the ratings into the units that a file names and the rest."""
    if subset is None:
        return []
    chosen = read_unit_names(subset, [ratings])
    rest = set(ratings.units) - chosen
    return [("subset", ratings.of_units(chosen)), ("rest", ratings.of_units(rest))]
