"""`scorer figures`: computes every figure of an exported campaign."""

from pathlib import Path

import click

from scorer.cli._options import StrictCommand, value_option
from scorer.cli._output import progress
from scorer.cli.annotation._shared import print_report, report_format


@click.command("figures", cls=StrictCommand)
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False), metavar="FOLDER")
@value_option(
    "--expected",
    "CHOICE=NUMBER,...",
    "The expected rating of each choice in choices.tsv, or in a data set. By default, A is the highest "
    "rating of the scale, B is in the middle, and C is the lowest; in a data set, A is 6, B is 3 and C is 0.",
)
@report_format
def command(*, folder: Path, expected: str | None, format_: str) -> None:
    """Compute every figure of an exported campaign.

    FOLDER is the unpacked export of a round, or a data set that `scorer dataset` made from it. In an export,
    campaign/annotation.toml and manifest.json say which round it is, what passes it has, and with which other
    rounds it is compared. If people sorted and rated the same pairs before the campaign, you can add these
    pairs to an export as choices.tsv, as for `scorer dataset`. If the texts of the pairs were written in a
    campaign before, add its written.tsv. Its random pairs count as written for the lowest rating. If units
    had gold before the campaign, add it as known-gold.tsv, with the columns unit, gold and perhaps level.

    A figure is a table. Its name is the first part of the code of each of its rows. A code stays the same if
    answers are added. PASS is left out if the pass has no name. SUBSET is genre.GENRE, and is left out for
    all units. If organizers decided on units, the agreement has the SUBSET undecided, too. If known-gold.tsv
    has levels, the bias has level.LEVEL and level.LEVEL.genre.GENRE, too. Best-worst answers have the GENRE
    of their tuples. A table named missing has the reasons why figures have no value, and a table named empty
    has the files that have no answers.

    \b
    Ratings:
      alpha.PASS.SUBSET                Krippendorff's alpha, with a 95 % interval
      closeness.PASS.SUBSET.WHAT       correlations and errors between annotators
      expected_mse.PASS.SUBSET         expected MSE of a system that knows the true means
      annotators.PASS.ANNOTATOR        an annotator compared with the others
      bias.PASS.SUBSET                 deviation of ratings from known gold, as for a box plot (exports)
      intra.PASS                       first and second ratings by the same annotator
      intra_joined                     the same, of both passes
      values.RATING                    how often a rating was given
      means.RATING                     number of units by mean rating (exports)
      rounds.ROUND.PASS.SUBSET         correlation with another round

    \b
    Two passes:
      increase.SUBSET                  mean of the second pass minus mean of the first
      quantiles.SUBSET                 quantiles of the increase
      histogram.FROM                   number of units by increase
      significance.TEST.SUBSET.X       share of units with p <= X
      untested.TEST.REASON             number of units without a t value
      correlation.SUBSET               correlation of the passes
      thinking.PASS.SECONDS            error by thinking time
      calibration.PASS.POSITION        error by position (calibration curve)
      pause_hours                      time between the passes
      pauses.DAYS                      share of annotators who paused for at most so long

    \b
    Pairs that were rated before the campaign:
      first.PASS.SUBSET                correlation with their ratings
      partial.GIVEN.SUBSET             correlation of two, given the third (first or PASS)
      first_thinking.PASS.CLOCK.SECONDS, first_calibration.PASS.POSITION
                                       error by thinking time and by position
      kept.FILE.PAIRS                  pairs with a rating as expected (data sets)
      second.FILE.PAIRS                their correlation with the campaign (data sets)
      sorted.FILE.RATING               number of pairs by choice (data sets)

    \b
    Chosen sentences and written texts; choices also have kept and sorted:
      seconds.POSITIONS                quantiles of the seconds for an answer
      answers.ANNOTATOR                answers, blanks (also erased texts), and pasted texts
      written.SUBSET.WANTED            texts, blanks and words by wanted rating
      wanted.PASS.WANTED               mean ratings of pairs by wanted rating
      wanted_means.PASS.RATING         number of pairs by mean and wanted rating

    \b
    Best-worst scaling:
      reliability.GENRE                split-half reliability
      choices.GENRE.QUESTION           alpha of the answers
      scores.SCORE                     number of items by score
      expert.ROUND.SIDE                an expert compared with the scores
      differences.ROUND.ANNOTATOR.ITEM items whose score is on the other side of .5

    \b
    Examples:
      scorer figures EXPORT
      scorer figures EXPORT --format json
      scorer figures DATASET --format tsv

    \b
    Exit codes:
      0  success (also if a value is undefined)
      1  bad data
      2  usage error
    """
    from scorer.annotation.choices_reader import parse_expected_ratings
    from scorer.datasets.figure_inputs import read_figure_inputs
    from scorer.datasets.figures import figures_report

    ratings = None if expected is None else parse_expected_ratings(expected)
    with progress("Computing"):
        report = figures_report(read_figure_inputs(folder, ratings))
    print_report(report, format_)
