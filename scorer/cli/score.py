"""`scorer score`: scores a run against gold, or several runs of one system.

The module has the request that the options make, then the options, then the command."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, Any

import click

from scorer.cli._inputs import (
    InputFiles,
    check_duplicates,
    input_files,
    print_warnings,
    refuse_second_stdin,
    short_run_names,
    warn_if_swapped,
)
from scorer.cli._options import (
    StrictCommand,
    file_option,
    flag_option,
    format_option,
    label,
    option_group,
    value_option,
)
from scorer.cli._output import progress
from scorer.errors import RequestError
from scorer.files.reading import Gold, Items, Run
from scorer.metrics import METRICS
from scorer.reports.scores import FORMATS, render_report
from scorer.scoring.evaluate import Report, evaluate
from scorer.scoring.held_out import HELD_OUT, REST, evaluate_held_out

if TYPE_CHECKING:
    from scorer.statistics.intervals import IntervalMethod, Resampling


DEFAULT_METRICS = ("pearson", "spearman")


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """What to compute for each run."""

    metrics: tuple[str, ...]
    min_confidence: float | None
    by_genre: bool
    held_out: tuple[str, ...]
    resampling: "Resampling | None"

    def check(self, items: str | None, format_: str, *, is_spread: bool) -> None:
        """Raise RequestError if the options cannot be combined."""
        for option, is_asked in (("--by-genre", self.by_genre), ("--held-out", bool(self.held_out))):
            if is_asked and items is None:
                raise RequestError(f"{option} needs --items FILE, which gives the genre of each item")
        if self.min_confidence is not None and not isfinite(self.min_confidence):
            number = f"--min-confidence {self.min_confidence}"
            raise RequestError(f"{number} is not a finite number, so no confidence can be compared with it")
        is_plain = self == ScoreRequest(DEFAULT_METRICS, self.min_confidence, False, (), None)
        if format_ == "semeval2014" and not (is_plain and not is_spread):
            raise RequestError(
                "--format semeval2014 shows pearson and spearman of all items, and nothing else"
            )

    def check_items(self, level: Items | None) -> None:
        """Raise RequestError if these items lack what the request needs."""
        names = [] if level is None or not (self.by_genre and self.held_out) else level.genre_names
        for name in (HELD_OUT, REST):
            if name in names:
                raise RequestError(
                    f'a genre has the name "{name}", which --held-out uses too; leave out --by-genre'
                )
        for name in self.metrics:
            if METRICS[name].needs == "groups" and (level is None or level.groups is None):
                raise RequestError(
                    f"{name} needs --items FILE with a column that says which items are compared: name it in "
                    "--columns, as in left,right,id,group, or as in group=dialogue where there is a header"
                )

    def reports(self, gold: Gold, runs: list[Run], level: Items | None) -> list[Report]:
        """Return the report of each run."""
        b = 0 if self.resampling is None else self.resampling.b
        sections = (len(level.genre_names) if level and self.by_genre else 1) + 2 * bool(self.held_out)
        total = b * sections * len(self.metrics) * len(runs)
        with progress("Resampling", total) as advance:
            return [self._report(gold, run, level, advance) for run in runs]

    def _report(self, gold: Gold, run: Run, level: Items | None, advance: Callable[[int], None]) -> Report:
        genres = level.genres if level is not None and self.by_genre else None
        rules: dict[str, Any] = {
            "min_confidence": self.min_confidence,
            "groups": None if level is None else level.groups,
            "resampling": self.resampling,
            "progress": advance,
        }
        report = evaluate(gold, run, self.metrics, genres=genres, **rules)
        if level is None or not self.held_out:
            return report
        held_out_report = evaluate_held_out(gold, run, self.metrics, level.genres, self.held_out, **rules)
        return Report((*report.results, *held_out_report.results), held_out_report.differences)


def _score_request(
    metrics: tuple[str, ...],
    min_confidence: float | None,
    by_genre: bool,
    held_out: tuple[str, ...],
    **intervals: Any,
) -> ScoreRequest:
    chosen = tuple(dict.fromkeys(metrics))
    return ScoreRequest(chosen, min_confidence, by_genre, held_out, _resampling(chosen, **intervals))


def _resampling(
    metrics: Sequence[str],
    bootstrap: int | None,
    seed: int | None,
    interval: "IntervalMethod | None",
    level: float | None,
) -> "Resampling | None":
    """Return how to compute the intervals of these metrics, or None if the user asked for none."""
    if (bootstrap, seed, interval, level) == (None, None, None, None):
        return None
    others = [metric for metric in metrics if metric != "pearson"]
    if interval != "fisher" and bootstrap is None:
        raise RequestError("an interval needs --bootstrap B, such as 10000, or --interval fisher")
    if interval == "fisher" and others:
        raise RequestError(
            f"Fisher's interval exists for pearson only, not for {others[0]}; "
            "add --metric pearson, or use --bootstrap B --interval bca"
        )
    if interval == "fisher" and (bootstrap is not None or seed is not None):
        raise RequestError("Fisher's interval does not resample; leave out --bootstrap and --seed")
    from scorer.statistics.intervals import DEFAULT_LEVEL, Resampling

    coverage = DEFAULT_LEVEL if level is None else level
    resampling = Resampling(bootstrap or 0, seed or 0, interval or "bca", coverage)
    resampling.check(metrics)
    return resampling


_request_options = option_group(
    "ask",
    _score_request,
    click.option(
        "--metric",
        "metrics",
        type=click.Choice(tuple(METRICS)),
        multiple=True,
        default=DEFAULT_METRICS,
        help="A metric to compute. Repeatable.",
    ),
    value_option("--min-confidence", "X", "Leave out items with a confidence below X.", "-c", type=float),
    file_option(
        "--items",
        "The items. They give the genres, the groups (which are resampled as a whole) and the order "
        "of a keyed run.",
    ),
    flag_option("--by-genre", "Also score each genre separately. Needs --items."),
    value_option(
        "--held-out",
        "GENRE",
        "Compare the score on this genre with the score on the rest. Repeat the option to pool several "
        "genres. Needs --items.",
        multiple=True,
    ),
    flag_option(
        "--spread",
        "The run files are from one system with different seeds: add the mean, standard deviation, "
        "minimum and maximum.",
        "is_spread",
    ),
    value_option(
        "--bootstrap",
        "B",
        "Add a confidence interval to each score, from B bootstrap resamples, such as 10000.",
        type=int,
    ),
    value_option("--seed", "S", "Random seed of the resamples.  [default: 0]", type=int),
    click.option(
        "--interval",
        type=click.Choice(("percentile", "bca", "fisher")),
        help="The kind of interval. fisher is for pearson only, and needs no --bootstrap.  [default: bca]",
    ),
    value_option("--level", "P", "Confidence level of the intervals.  [default: 0.95]", type=float),
    passed_on=("bootstrap", "seed", "interval", "level"),
)


@click.command("score", cls=StrictCommand)
@click.argument("gold")
@click.argument("run", metavar="RUN_FILE...", nargs=-1, required=True)
@_request_options
@input_files(gold=True)
@format_option(
    FORMATS,
    "text and latex round. tsv and json do not, except that intervals have six decimal places, or six "
    "significant digits if values are small. semeval2014 is the output of the official scorer of "
    "SemEval-2014 Task 3.",
)
def command(
    *,
    gold: str,
    run: tuple[str, ...],
    items: str | None,
    ask: ScoreRequest,
    is_spread: bool,
    files: InputFiles,
    format_: str,
) -> None:
    """Score a run file against a gold standard.

    By default, the files have one line per item: line X of RUN_FILE is the score of line X of GOLD. An item
    whose line in GOLD is empty is not scored.

    With --id and --score, both files are keyed: tables with a header, whose rows are matched by id. If only
    RUN_FILE is a table, use --items to give the ids of the lines of GOLD. With --no-header, you
    name columns by number, and the header that one of the files may have is skipped.

    To score several runs of one system, use --spread. To compare systems, use `scorer compare`.

    \b
    Examples:
      scorer score gold.tsv run.tsv
      scorer score gold.tsv run.tsv --bootstrap 10000 --seed 1
      scorer score gold.tsv run.tsv --items items.tsv --by-genre --format tsv
      scorer score gold.tsv seed1.tsv seed2.tsv seed3.tsv --spread
      scorer score gold.csv run.csv --id pair_ID --score relatedness_score
      scorer score gold.tsv run.tsv --no-header --id 1 --score 4

    \b
    Exit codes:
      0  success (also if a correlation is undefined)
      1  bad data
      2  usage error
    """
    refuse_second_stdin(gold, *run, items)
    _check_runs(run, is_spread=is_spread, is_held_out=bool(ask.held_out))
    ask.check(items, format_, is_spread=is_spread)
    names = short_run_names(run)
    with progress("Reading"):
        level = files.read_items(items)
        ask.check_items(level)
        answers, runs = files.read_gold_and_runs(gold, run, level, ask.metrics)
    _print_notes(dict(zip(names, runs, strict=True)), ask, level)
    warn_if_swapped(answers, runs[0], label(gold), label(run[0]))
    reports = dict(zip(names, ask.reports(answers, runs, level), strict=True))
    click.echo(_render_reports(reports, format_, is_spread), nl=False)


def _check_runs(runs: tuple[str, ...], *, is_spread: bool, is_held_out: bool) -> None:
    if len(runs) > 1 and not is_spread:
        raise RequestError(
            f"there are {len(runs)} runs; if they are from one system with different seeds, add --spread; "
            "to compare systems, use `scorer compare`"
        )
    if is_spread and len(runs) < 2:
        raise RequestError("--spread needs at least two runs of one system")
    check_duplicates(runs)
    if is_spread and is_held_out:
        raise RequestError("--held-out is for one run; leave out --spread, or use --by-genre")


def _render_reports(reports: dict[str, Report], format_: str, is_spread: bool) -> str:
    if not is_spread:
        (report,) = reports.values()
        return render_report(report, format_)
    from scorer.reports.spread import render_spread

    return render_spread(reports, format_)


def _print_notes(named: dict[str, Run], ask: ScoreRequest, level: Items | None) -> None:
    """Print what the user should know about the runs to standard error."""
    names, runs = list(named), list(named.values())
    print_warnings(runs)
    unsure = all(confidence is None for run in runs for confidence in run.confidences)
    if ask.min_confidence is not None and unsure:
        click.echo("note: the run has no confidences, so --min-confidence leaves nothing out", err=True)
    if "weighted_pearson" in ask.metrics and unsure:
        click.echo(
            "note: the run has no confidences, so weighted_pearson gives all items the same weight", err=True
        )
    answers = [(run.scores, run.confidences) for run in runs]
    copy = next((place for place, answer in enumerate(answers) if answer in answers[:place]), None)
    if copy is not None:
        first, second = names[answers.index(answers[copy])], names[copy]
        click.echo(f"note: {first} and {second} have the same scores; is one a copy?", err=True)
    if level is not None and ask.by_genre and len(level.genre_names) == 1:
        click.echo(f'note: all items have the genre "{level.genre_names[0]}"', err=True)
