"""`scorer score`: a run against gold, or several runs of one system.

First the options for intervals, then the request that the options make, then the command."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from math import isfinite
from typing import TYPE_CHECKING, Any, Literal

import click

from scorer.cli._inputs import (
    FileFormats,
    ValueLimits,
    check_duplicates,
    print_warnings,
    read_gold_and_runs,
    refuse_second_stdin,
    short_run_names,
    warn_if_swapped,
)
from scorer.cli._options import (
    KeyedOptions,
    StrictCommand,
    confidence_option,
    keyed_options,
    label,
    layout_options,
    scale_option,
)
from scorer.cli._output import progress
from scorer.errors import RequestError
from scorer.files.reading import Gold, Items, ItemsLayout, Run, parse_items, read_bytes
from scorer.metrics import METRICS
from scorer.reports.scores import FORMATS, render_report
from scorer.scoring.evaluate import Report, evaluate
from scorer.scoring.held_out import HELD_OUT, REST, evaluate_held_out

if TYPE_CHECKING:
    from scorer.statistics.intervals import Resampling

Command = Callable[..., None]
IntervalChoice = Literal["percentile", "bca", "fisher"]


@dataclass(frozen=True, slots=True)
class IntervalOptions:
    """What was asked for; all None where no interval was."""

    b: int | None
    seed: int | None
    method: IntervalChoice | None
    level: float | None

    def resampling(self, metrics: Sequence[str]) -> "Resampling | None":
        """How the intervals of these metrics are made; None where none was asked for."""
        if (self.b, self.seed, self.method, self.level) == (None, None, None, None):
            return None
        self._check(metrics)
        from scorer.statistics.intervals import DEFAULT_LEVEL, Resampling

        level = DEFAULT_LEVEL if self.level is None else self.level
        resampling = Resampling(self.b or 0, self.seed or 0, self.method or "bca", level)
        resampling.check(metrics)
        return resampling

    def _check(self, metrics: Sequence[str]) -> None:
        if self.method != "fisher":
            if self.b is None:
                raise RequestError("an interval needs --bootstrap B, such as 10000, or --interval fisher")
            return
        others = [metric for metric in metrics if metric != "pearson"]
        if others:
            raise RequestError(
                f"Fisher's interval is Pearson's alone and {others[0]} is asked for too; "
                "add --metric pearson, or use --bootstrap B --interval bca"
            )
        if self.b is not None or self.seed is not None:
            raise RequestError("Fisher's interval resamples nothing; leave --bootstrap and --seed out")


def interval_options(function: Command) -> Command:
    """Add the options that ask for intervals; the command gets them as `intervals`."""

    @click.option(
        "--bootstrap",
        type=int,
        metavar="B",
        help="Give each value a bootstrap interval from B resamples; 10000 is usual.",
    )
    @click.option("--seed", type=int, metavar="S", help="Of the resamples.  [default: 0]")
    @click.option(
        "--interval",
        type=click.Choice(("percentile", "bca", "fisher")),
        help="fisher is Pearson's alone, and needs no --bootstrap.  [default: bca]",
    )
    @click.option("--level", type=float, metavar="P", help="Coverage of the intervals.  [default: 0.95]")
    @wraps(function)
    def with_intervals(
        bootstrap: int | None,
        seed: int | None,
        interval: IntervalChoice | None,
        level: float | None,
        **rest: Any,
    ) -> None:
        function(intervals=IntervalOptions(bootstrap, seed, interval, level), **rest)

    return with_intervals


if TYPE_CHECKING:
    from scorer.statistics.intervals import Resampling

DEFAULT_METRICS = ("pearson", "spearman")
_PROGRESS_FROM = 20_000_000
"""From how many drawn items on the work is worth a progress bar."""


@dataclass(frozen=True, slots=True)
class ScoreRequest:
    """What is to be computed for each run."""

    metrics: tuple[str, ...]
    min_confidence: float | None
    by_genre: bool
    held_out: tuple[str, ...]
    resampling: "Resampling | None"

    def check(self, items: str | None, format_: str, *, is_spread: bool) -> None:
        """Refuse what does not go together."""
        for option, is_asked in (("--by-genre", self.by_genre), ("--held-out", bool(self.held_out))):
            if is_asked and items is None:
                raise RequestError(f"{option} needs --items FILE, which says what the genre of each item is")
        if self.min_confidence is not None and not isfinite(self.min_confidence):
            number = f"--min-confidence {self.min_confidence}"
            raise RequestError(f"{number} is not a number that a confidence can reach")
        is_plain = self == ScoreRequest(DEFAULT_METRICS, self.min_confidence, False, (), None)
        if format_ == "semeval2014" and not (is_plain and not is_spread):
            raise RequestError(
                "--format semeval2014 shows pearson and spearman of all items, and nothing else"
            )

    def check_items(self, level: Items | None) -> None:
        """Refuse what these items cannot give."""
        names = [] if level is None or not (self.by_genre and self.held_out) else level.genre_names
        for name in (HELD_OUT, REST):
            if name in names:
                raise RequestError(
                    f'a genre is called "{name}", as one side of --held-out is; leave --by-genre out'
                )
        for name in self.metrics:
            if METRICS[name].needs == "groups" and (level is None or level.groups is None):
                raise RequestError(
                    f"{name} needs --items FILE with a column that says which items are compared: name it in "
                    "--columns, as in left,right,id,group, or as in group=dialogue where there is a header"
                )

    def reports(self, gold: Gold, runs: list[Run], level: Items | None) -> list[Report]:
        """The report of each run."""
        b = 0 if self.resampling is None else self.resampling.b
        sections = (len(level.genre_names) if level and self.by_genre else 1) + 2 * bool(self.held_out)
        total = b * sections * len(self.metrics) * len(runs)
        with progress("Resampling", total, long=total * len(gold.values) > _PROGRESS_FROM) as tell:
            return [self._report(gold, run, level, tell) for run in runs]

    def _report(self, gold: Gold, run: Run, level: Items | None, tell: Callable[[int], None]) -> Report:
        genres = level.genres if level is not None and self.by_genre else None
        groups = None if level is None else level.groups
        report = evaluate(
            gold,
            run,
            self.metrics,
            min_confidence=self.min_confidence,
            genres=genres,
            groups=groups,
            resampling=self.resampling,
            progress=tell,
        )
        if level is None or not self.held_out:
            return report
        beside = evaluate_held_out(
            gold,
            run,
            self.metrics,
            level.genres,
            self.held_out,
            min_confidence=self.min_confidence,
            groups=groups,
            resampling=self.resampling,
            progress=tell,
        )
        return Report((*report.results, *beside.results), beside.differences)


@click.command("score", cls=StrictCommand, short_help="Score a run against gold.")
@click.argument("gold")
@click.argument("run", nargs=-1, required=True)
@click.option(
    "--metric",
    "metrics",
    type=click.Choice(tuple(METRICS)),
    multiple=True,
    default=DEFAULT_METRICS,
    show_default=True,
    help="A metric to compute; repeat the option for more.",
)
@click.option(
    "--min-confidence", "-c", type=float, metavar="X", help="Leave out items with a confidence below X."
)
@click.option(
    "--items",
    metavar="FILE",
    help="The items: for genres, groups (which are resampled whole), and the order of a keyed run.",
)
@click.option("--by-genre", is_flag=True, help="Score each genre apart; needs --items.")
@click.option(
    "--held-out",
    metavar="GENRE",
    multiple=True,
    help="Score this genre against the rest; repeat the option to pool more. Needs --items.",
)
@click.option(
    "--spread",
    "is_spread",
    is_flag=True,
    help="The RUNs are one system's, with different seeds: add mean, standard deviation, least and largest.",
)
@interval_options
@keyed_options
@click.option(
    "--gold-score", metavar="COLUMN", help="Keyed gold: the column with its value; default --score."
)
@layout_options
@scale_option
@confidence_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(FORMATS),
    default="text",
    show_default=True,
    help="text and latex round; tsv and json do not, but for six decimals or digits of intervals; "
    "semeval2014 is what the official scorer prints.",
)
def command(
    *,
    gold: str,
    run: tuple[str, ...],
    metrics: tuple[str, ...],
    min_confidence: float | None,
    items: str | None,
    by_genre: bool,
    held_out: tuple[str, ...],
    is_spread: bool,
    intervals: IntervalOptions,
    keyed: KeyedOptions,
    gold_score: str | None,
    layout: ItemsLayout,
    scale: tuple[float, float] | None,
    confidence_max: float,
    format_: str,
) -> None:
    """Score RUN against GOLD.

    Line X of RUN answers line X of GOLD. An empty line of GOLD is an item that is not scored. With --id and
    --score both are tables with a header, or RUN is one and --items gives the order of GOLD; with --no-header
    their first lines are data, and columns are called by number. Several RUNs are scored with --spread, if
    they are one system's; to compare systems, use scorer compare.

    \b
    Example:  scorer score gold.tsv run.tsv
              scorer score gold.tsv run.tsv --bootstrap 10000 --seed 1
              scorer score gold.tsv run.tsv --items items.tsv --by-genre --format tsv
              scorer score gold.tsv seed1.tsv seed2.tsv seed3.tsv --spread
              scorer score gold.csv run.csv --id pair_ID --score relatedness_score
              scorer score gold.tsv run.tsv --no-header --id 1 --score 4
    Exit:     0 good (also where a correlation is undefined), 1 bad data, 2 usage
    """
    chosen = tuple(dict.fromkeys(metrics))
    refuse_second_stdin(gold, *run, items)
    _check_runs(run, is_spread=is_spread, is_held_out=bool(held_out))
    ask = ScoreRequest(chosen, min_confidence, by_genre, held_out, intervals.resampling(chosen))
    ask.check(items, format_, is_spread=is_spread)
    formats = FileFormats.choose(keyed, gold_score)
    level = None if items is None else parse_items(read_bytes(items), label(items), layout)
    ask.check_items(level)
    answers, runs = read_gold_and_runs(gold, run, level, formats, ValueLimits(scale, confidence_max))
    _print_notes(dict(zip(short_run_names(run), runs, strict=True)), ask, level)
    warn_if_swapped(answers, runs[0], label(gold), label(run[0]))
    reports = ask.reports(answers, runs, level)
    click.echo(
        _render_reports(dict(zip(short_run_names(run), reports, strict=True)), format_, is_spread), nl=False
    )


def _check_runs(runs: tuple[str, ...], *, is_spread: bool, is_held_out: bool) -> None:
    if len(runs) > 1 and not is_spread:
        raise RequestError(
            f"there are {len(runs)} runs; if they are one system's with different seeds, add --spread; "
            "to compare systems, use scorer compare"
        )
    if is_spread and len(runs) < 2:
        raise RequestError("--spread needs two runs or more of one system")
    check_duplicates(runs)
    if is_spread and is_held_out:
        raise RequestError("--held-out is for one run; leave --spread out, or use --by-genre")


def _render_reports(reports: dict[str, Report], format_: str, is_spread: bool) -> str:
    if not is_spread:
        (report,) = reports.values()
        return render_report(report, format_)
    from scorer.reports.spread import render_spread

    return render_spread(reports, format_)


def _print_notes(named: dict[str, Run], ask: ScoreRequest, level: Items | None) -> None:
    """What the user should know beside the figures."""
    names, runs = list(named), list(named.values())
    print_warnings(runs)
    unsure = all(confidence is None for run in runs for confidence in run.confidences)
    if ask.min_confidence is not None and unsure:
        click.echo("note: the run has no confidences, so --min-confidence leaves nothing out", err=True)
    if "weighted_pearson" in ask.metrics and unsure:
        click.echo("note: the run has no confidences, so weighted_pearson weighs all items alike", err=True)
    answers = [(run.scores, run.confidences) for run in runs]
    same = next((place for place, each in enumerate(answers) if each in answers[:place]), None)
    if same is not None:
        first, second = names[answers.index(answers[same])], names[same]
        click.echo(f"note: {first} and {second} have the same answers; is one a copy?", err=True)
    if level is not None and ask.by_genre and len(level.genre_names) == 1:
        click.echo(f'note: every item is of the genre "{level.genre_names[0]}"', err=True)
