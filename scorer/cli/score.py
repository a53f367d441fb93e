"""`scorer score`: a run against gold, or several runs of one system."""

import click

from scorer.cli._intervals import IntervalOptions, interval_options
from scorer.cli._options import (
    KeyedOptions,
    StrictCommand,
    confidence_option,
    keyed_options,
    label,
    layout_options,
    scale_option,
)
from scorer.cli._reading import (
    Formats,
    ValueLimits,
    ask_whether_swapped,
    check_paths,
    check_twice,
    read_answers,
    run_names,
    say_warnings,
)
from scorer.cli._scoring import DEFAULT_METRICS, Request
from scorer.errors import RequestError
from scorer.files.reading import Items, ItemsLayout, Run, parse_items, read_bytes
from scorer.metrics import METRICS
from scorer.reports.scores import FORMATS, render_report
from scorer.scoring.evaluate import Report


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
    check_paths(gold, *run, items)
    _check_runs(run, is_spread=is_spread, is_held_out=bool(held_out))
    ask = Request(chosen, min_confidence, by_genre, held_out, intervals.resampling(chosen))
    ask.check(items, format_, is_spread=is_spread)
    formats = Formats.choose(keyed, gold_score)
    level = None if items is None else parse_items(read_bytes(items), label(items), layout)
    ask.check_items(level)
    answers, runs = read_answers(gold, run, level, formats, ValueLimits(scale, confidence_max))
    _talk(dict(zip(run_names(run), runs, strict=True)), ask, level)
    ask_whether_swapped(answers, runs[0], label(gold), label(run[0]))
    reports = ask.reports(answers, runs, level)
    click.echo(_render(dict(zip(run_names(run), reports, strict=True)), format_, is_spread), nl=False)


def _check_runs(runs: tuple[str, ...], *, is_spread: bool, is_held_out: bool) -> None:
    if len(runs) > 1 and not is_spread:
        raise RequestError(
            f"there are {len(runs)} runs; if they are one system's with different seeds, add --spread; "
            "to compare systems, use scorer compare"
        )
    if is_spread and len(runs) < 2:
        raise RequestError("--spread needs two runs or more of one system")
    check_twice(runs)
    if is_spread and is_held_out:
        raise RequestError("--held-out is for one run; leave --spread out, or use --by-genre")


def _render(reports: dict[str, Report], format_: str, is_spread: bool) -> str:
    if not is_spread:
        (report,) = reports.values()
        return render_report(report, format_)
    from scorer.reports.spread import render_spread

    return render_spread(reports, format_)


def _talk(named: dict[str, Run], ask: Request, level: Items | None) -> None:
    """What the user should know beside the figures."""
    names, runs = list(named), list(named.values())
    say_warnings(runs)
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
