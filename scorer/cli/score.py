"""`scorer score`: a run against gold."""

from math import isfinite

import click

from scorer.cli._options import (
    KeyedOptions,
    confidence_option,
    keyed_options,
    label,
    layout_options,
    scale_option,
)
from scorer.cli._reading import (
    Formats,
    Limits,
    ask_whether_swapped,
    check_paths,
    read_answers,
    say_warnings,
)
from scorer.errors import RequestError
from scorer.evaluate import evaluate
from scorer.io import Items, ItemsLayout, Run, parse_items, read_bytes
from scorer.metrics import METRICS
from scorer.report import FORMATS, render_report

_DEFAULT_METRICS = ("pearson", "spearman")


@click.command("score", short_help="Score a run against gold.")
@click.argument("gold")
@click.argument("run")
@click.option(
    "--metric",
    "metrics",
    type=click.Choice(tuple(METRICS)),
    multiple=True,
    default=_DEFAULT_METRICS,
    show_default=True,
    help="A metric to compute; repeat the option for more.",
)
@click.option(
    "--min-confidence", "-c", type=float, metavar="X", help="Leave out items with a confidence below X."
)
@click.option("--items", metavar="FILE", help="The items: for --by-genre, and for the order of a keyed run.")
@click.option("--by-genre", is_flag=True, help="Score each genre apart; needs --items.")
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
    help="text rounds; tsv and json have full precision; semeval2014 is what the official scorer prints.",
)
def command(
    *,
    gold: str,
    run: str,
    metrics: tuple[str, ...],
    min_confidence: float | None,
    items: str | None,
    by_genre: bool,
    keyed: KeyedOptions,
    gold_score: str | None,
    layout: ItemsLayout,
    scale: tuple[float, float] | None,
    confidence_max: float,
    format_: str,
) -> None:
    """Score RUN against GOLD.

    Line X of RUN answers line X of GOLD. An empty line of GOLD is an item that is not scored. With --id and
    --score both are tables with a header, or RUN is one and --items gives the order of GOLD.

    \b
    Example:  scorer score gold.tsv run.tsv
              scorer score gold.tsv run.tsv --items items.tsv --by-genre --format tsv
              scorer score gold.csv run.csv --id pair_ID --score relatedness_score
    Exit:     0 good (also where a correlation is undefined), 1 bad data, 2 usage
    """
    chosen = tuple(dict.fromkeys(metrics))
    check_paths(gold, run, items)
    _check_request(chosen, min_confidence, items, by_genre, format_)
    formats = Formats.choose(keyed, gold_score)
    level = None if items is None else parse_items(read_bytes(items), label(items), layout)
    answers, (answer,) = read_answers(gold, [run], level, formats, Limits(scale, confidence_max))
    genres = level.genres if level is not None and by_genre else None
    _talk(answer, min_confidence, level if by_genre else None)
    ask_whether_swapped(answers, answer, label(gold), label(run))
    report = evaluate(answers, answer, chosen, min_confidence=min_confidence, genres=genres)
    click.echo(render_report(report, format_), nl=False)


def _check_request(
    metrics: tuple[str, ...],
    min_confidence: float | None,
    items: str | None,
    by_genre: bool,
    format_: str,
) -> None:
    if by_genre and items is None:
        raise RequestError("--by-genre needs --items FILE, which says what the genre of each item is")
    if min_confidence is not None and not isfinite(min_confidence):
        raise RequestError(f"--min-confidence {min_confidence} is not a number that a confidence can reach")
    if format_ == "semeval2014" and (by_genre or metrics != _DEFAULT_METRICS):
        raise RequestError("--format semeval2014 shows pearson and spearman of all items, and nothing else")


def _talk(run: Run, min_confidence: float | None, level: Items | None) -> None:
    """What the user should know beside the figures."""
    say_warnings([run])
    if min_confidence is not None and all(confidence is None for confidence in run.confidences):
        click.echo("note: the run has no confidences, so --min-confidence leaves nothing out", err=True)
    if level is not None and len(level.genre_names) == 1:
        click.echo(f'note: every item is of the genre "{level.genre_names[0]}"', err=True)
