"""`scorer agree`: how well annotators agree."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import StrictCommand
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
    from scorer.statistics.intervals import IntervalMethod

_SCALINGS = ("nominal", "ordinal", "interval", "ratio")


@click.command("agree", cls=StrictCommand, short_help="Say how well annotators agree.")
@click.argument("ratings")
@click.option(
    "--scaling",
    "scalings",
    type=click.Choice(_SCALINGS),
    multiple=True,
    show_default="interval",
    help="How far two ratings are apart, for alpha; repeat it for more.",
)
@click.option("--words", is_flag=True, help="Ratings are names of categories; alpha is nominal then.")
@click.option(
    "--subset",
    metavar="FILE",
    help="Also over the units that this file names, one a line, and over the rest.",
)
@click.option("--by-genre", is_flag=True, help="Also over the units of each genre; needs --genre.")
@strong_option("Units with this share of equal ratings")
@click.option(
    "--bootstrap", "b", type=int, metavar="B", help="Resample units so often for intervals of alpha."
)
@click.option("--seed", default=0, help="Of the resamples.")
@click.option(
    "--interval", type=click.Choice(("bca", "percentile")), default="bca", help="Which bootstrap interval."
)
@click.option("--level", default=0.95, help="Coverage of each interval.")
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
    seed: int,
    interval: "IntervalMethod",
    level: float,
    read: "Callable[..., Ratings]",
    format_: str,
) -> None:
    """Compute Krippendorff's alpha of RATINGS, and how annotators agree with each other and with themselves.

    RATINGS has a row a unit and a column an annotator, or a row a rating (--annotator, --rating), or a row an
    annotator (--across); an empty cell, NA or - is no rating. A second rating of a unit by one annotator is a
    repeat: it tells how annotators agree with themselves, and nothing else.

    \b
    Example:  scorer agree ratings.csv --genre id-prefix --by-genre
              scorer agree long.tsv --unit pair --annotator who --rating said --bootstrap 2000 --format latex
    Exit:     0 good (also where a value is undefined), 1 bad data, 2 usage
    """
    from scorer.annotation.agreement_report import AgreementRules, agreement_report
    from scorer.statistics.intervals import Resampling

    refuse_second_stdin(ratings, subset)
    if words and set(scalings) - {"nominal"}:
        raise RequestError("--words are names of categories: their alpha is nominal, leave --scaling out")
    parsed_ratings = read(ratings, words=words)
    scalings = scalings or ("nominal" if words else "interval",)
    genres = genres_apart(parsed_ratings, by_genre=by_genre)
    parts = _parts(parsed_ratings, subset) + [
        (f"genre {genre}", parsed_ratings.of_genre(genre)) for genre in genres
    ]
    resampling = None if b is None else Resampling(b, seed, interval, level)
    rules = AgreementRules(tuple(dict.fromkeys(scalings)), resampling, strong)
    print_report(agreement_report(parsed_ratings, parts, rules), format_)


def _parts(ratings: "Ratings", subset: str | None) -> "list[tuple[str, Ratings]]":
    """The units that a file names, and the rest."""
    if subset is None:
        return []
    chosen = read_unit_names(subset, [ratings])
    rest = set(ratings.units) - chosen
    return [("subset", ratings.of_units(chosen)), ("rest", ratings.of_units(rest))]
