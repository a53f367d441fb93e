"""`scorer adjudicate`: finds the units to adjudicate and writes the gold file."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import StrictCommand, file_option, flag_option, label
from scorer.cli._output import progress, write_output
from scorer.cli.annotation._shared import (
    output_option,
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


@click.command("adjudicate", cls=StrictCommand)
@click.argument("ratings")
@click.option(
    "--gap",
    default=1.0,
    help="Adjudicate a unit if any two of its ratings differ by at least this much.",
)
@file_option(
    "--decisions", "The adjudicated values: a header, then one row per unit with its name and its value."
)
@output_option(
    "--gold",
    "Write the gold values to FILE, one per line in the order of the units. Each unit that needs "
    "adjudication must have a decision.",
    "out",
)
@flag_option("--force", "Replace the gold file if it exists.")
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
    """Find units to adjudicate, and write the gold file.

    A unit, such as a pair of texts, needs adjudication if two of its ratings differ by at least --gap. Decide
    on the values of such units, and give them with --decisions. The gold value of a unit is the decided value
    or, if there is none, the mean of its ratings.

    RATINGS has one row per unit and one column per annotator, or one row per rating. If an annotator rated a
    unit several times, only the first rating counts. With one row per rating, you can also decide on units
    that nobody rated; they come last.

    \b
    Examples:
      scorer adjudicate ratings.csv --gap 1
      scorer adjudicate ratings.csv --decisions decided.csv --gold gold.tsv --format tsv

    \b
    Exit codes:
      0  success (also if units are undecided)
      1  bad data
      2  usage error
    """
    from scorer.annotation.adjudication import adjudicate, adjudication_report, decisions_by_unit
    from scorer.annotation.ratings_reader import parse_ratings

    refuse_second_stdin(ratings, decisions)
    with progress("Reading"):
        parsed_ratings = read(ratings)
    decided = None
    if decisions is not None:
        decided = decisions_by_unit(parse_ratings(read_bytes(decisions), label(decisions)), parsed_ratings)
    cases = adjudicate(parsed_ratings, gap, decided)
    if out is not None:
        refuse_existing([out], [ratings, decisions], force=force)
        _write(out, cases)
    print_report(adjudication_report(cases, gap, parsed_ratings), format_)


def _write(out: Path, cases: "tuple[AdjudicatedUnit, ...]") -> None:
    missing = sum(case.gold is None for case in cases)
    if missing:
        raise RequestError(
            f"{missing} of {len(cases)} units have no gold yet; decide them, or leave out --gold"
        )
    write_output(out, "".join(f"{case.gold!r}\n" for case in cases).encode())
