"""`scorer adjudicate`: who must meet over what, and the gold that comes of it."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import StrictCommand, label
from scorer.cli.annotation._shared import (
    OUTPUT_FILE,
    print_report,
    ratings_options,
    refuse_existing,
    report_format,
)
from scorer.errors import RequestError
from scorer.files.reading import read_bytes

if TYPE_CHECKING:
    from scorer.annotation.adjudication import AdjudicatedUnit
    from scorer.annotation.ratings import Ratings


@click.command("adjudicate", cls=StrictCommand, short_help="Say who must meet over what; make the gold.")
@click.argument("ratings")
@click.option(
    "--gap",
    default=1.0,
    show_default="1",
    help="Annotators meet where any two of their ratings differ by this or more.",
)
@click.option(
    "--decisions", metavar="FILE", help="A header, then a row a unit: its name and what was decided."
)
@click.option(
    "--gold",
    "out",
    type=OUTPUT_FILE,
    metavar="FILE",
    help="Write the gold there, a value a line in the order of the units, once no unit is open.",
)
@click.option("--force", is_flag=True, help="Replace the gold file if it is there.")
@ratings_options
@report_format
def command(
    *,
    ratings: str,
    gap: float,
    decisions: str | None,
    out: Path | None,
    force: bool,
    read: "Callable[[str], Ratings]",
    format_: str,
) -> None:
    """Find the units of RATINGS whose annotators differ by --gap or more; the mean is the gold of the others.

    RATINGS has a row a unit and a column an annotator, or a row a rating; an empty cell, NA or - is no
    rating. An annotator's first rating of a unit counts.

    \b
    Example:  scorer adjudicate ratings.csv --gap 1
              scorer adjudicate ratings.csv --decisions decided.csv --gold gold.tsv --format tsv
    Exit:     0 good (also where units are open), 1 bad data, 2 usage
    """
    from scorer.annotation.adjudication import adjudicate, adjudication_report, decisions_by_unit
    from scorer.annotation.ratings_reader import parse_ratings

    refuse_second_stdin(ratings, decisions)
    parsed_ratings = read(ratings)
    decided = None
    if decisions is not None:
        decided = decisions_by_unit(parse_ratings(read_bytes(decisions), label(decisions)), parsed_ratings)
    cases = adjudicate(parsed_ratings, gap, decided)
    if out is not None:
        refuse_existing([out], [ratings, decisions], force=force)
        _write(out, cases)
    print_report(adjudication_report(cases, gap), format_)


def _write(out: Path, cases: "tuple[AdjudicatedUnit, ...]") -> None:
    missing = sum(case.gold is None for case in cases)
    if missing:
        raise RequestError(
            f"{missing} of {len(cases)} units have no gold yet; decide them, or leave --gold out"
        )
    out.write_text("".join(f"{case.gold!r}\n" for case in cases), encoding="utf-8")
