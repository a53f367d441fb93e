"""`scorer annotator-test`: tests whether systems can replace an annotator."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from scorer.cli._inputs import check_duplicates, refuse_second_stdin, short_run_names
from scorer.cli._options import StrictCommand, column_option, label
from scorer.cli.annotation._shared import print_report, ratings_options, report_format
from scorer.errors import RequestError
from scorer.files.reading import parse_run, read_bytes

if TYPE_CHECKING:
    from scorer.annotation.ratings import Ratings


@click.command("annotator-test", cls=StrictCommand)
@click.argument("ratings")
@click.argument("runs", metavar="RUN_FILE...", nargs=-1, required=True)
@click.option(
    "--epsilon",
    default=0.2,
    help="The advantage that an annotator may have over a run, because a run costs less. Calderon et al. "
    "use 0.2 for experts, 0.15 for skilled annotators and 0.1 for crowd workers.",
)
@click.option("--q", default=0.05, help="The false discovery rate over the annotators.")
@column_option("--id", "The column of the unit's name, if runs are tables with a header.", "id_")
@column_option("--score", "The column of the score, if runs are tables with a header.")
@ratings_options
@report_format
def command(
    *,
    ratings: str,
    runs: tuple[str, ...],
    epsilon: float,
    q: float,
    id_: str | None,
    score: str | None,
    read: "Callable[..., Ratings]",
    format_: str,
) -> None:
    """Test whether systems can replace an annotator.

    This is the alternative annotator test (Calderon, Reichart & Dror 2025). For each annotator of RATINGS, it
    compares how well the RUN and how well this annotator agree with the other annotators. The winning rate is
    the share of annotators whom the run may replace; a run passes if it is at least 0.5. The agreement on a
    unit is minus the root mean squared difference from the other ratings.

    Annotators who have fewer than 30 units in common with the run and others are left out and counted. The
    paper recommends at least three annotators.

    A run has one score per line, in the order of the units, if RATINGS have one row per unit; or it is a
    table whose rows are matched by the name of the unit (--id, --score).

    \b
    Examples:
      scorer annotator-test ratings.csv first.tsv second.tsv
      scorer annotator-test crowd.csv run.csv --id pair --score score --epsilon 0.1 --format latex

    \b
    Exit codes:
      0  success (also if no run passes)
      1  bad data
      2  usage error
    """
    from scorer.annotation.annotator_test_report import annotator_test_report

    refuse_second_stdin(ratings, *runs)
    check_duplicates(runs)
    if (id_ is None) != (score is None):
        raise RequestError("a run with a header needs both --id COLUMN and --score COLUMN")
    parsed = read(ratings)
    if id_ is None and not parsed.lists_all_units:
        raise RequestError("ratings with one row per rating need runs with a header; add --id and --score")
    predictions = [_read_run(path, parsed, id_, score) for path in runs]
    named = dict(zip(short_run_names(runs), predictions, strict=True))
    print_report(annotator_test_report(parsed, named, epsilon, q), format_)


def _read_run(path: str, ratings: "Ratings", id_: str | None, score: str | None) -> dict[str, float]:
    """Return the predictions of a run by the name of the unit."""
    data, source = read_bytes(path), label(path)
    if id_ is None or score is None:
        scores = parse_run(data, source, n=len(ratings.units), ids=ratings.units).scores
        return dict(zip(ratings.units, scores, strict=True))
    from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings

    # Like ratings by one annotator: a run may have more units than were rated.
    run = parse_ratings(data, source, RatingsLayout(unit=(id_,), annotators=(score,))).first()
    return {run.units[unit]: value for unit, value in zip(run.unit.tolist(), run.value.tolist(), strict=True)}
