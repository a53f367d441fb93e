"""`scorer score`: a run against gold."""

from dataclasses import dataclass
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
from scorer.errors import DataError, GoldError, Problem, RequestError, RunError
from scorer.evaluate import evaluate
from scorer.io import (
    Gold,
    Items,
    ItemsLayout,
    KeyedFormat,
    Run,
    Scale,
    parse_gold,
    parse_items,
    parse_run,
    read_bytes,
)
from scorer.metrics import METRICS
from scorer.report import FORMATS, render_report

_DEFAULT_METRICS = ("pearson", "spearman")
_WARNINGS_SHOWN = 5


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
    _check_request((gold, run, items), chosen, min_confidence, by_genre, format_)
    formats = _Formats.choose(keyed, gold_score)
    level = None if items is None else parse_items(read_bytes(items), label(items), layout)
    answers, answer = _read_both(gold, run, level, formats, _Range(scale, confidence_max))
    genres = level.genres if level is not None and by_genre else None
    _talk(answer, min_confidence, level if by_genre else None)
    _ask_whether_swapped(answers, answer, label(gold), label(run))
    report = evaluate(answers, answer, chosen, min_confidence=min_confidence, genres=genres)
    click.echo(render_report(report, format_), nl=False)


@dataclass(frozen=True, slots=True)
class _Range:
    """How far scores and confidences go."""

    scale: Scale | None
    confidence_max: float


@dataclass(frozen=True, slots=True)
class _Formats:
    """How the two files are written; None for an aligned one. `sniff_gold`: keyed if its header looks so."""

    gold: KeyedFormat | None
    run: KeyedFormat | None
    sniff_gold: bool

    @classmethod
    def choose(cls, keyed: KeyedOptions, gold_score: str | None) -> "_Formats":
        only_gold = gold_score is not None and keyed.score is None and keyed.confidence is None
        run = None if only_gold else keyed.run_format()
        column = gold_score or keyed.score
        if column is None:
            return cls(None, run, sniff_gold=False)
        if keyed.id is None:
            raise RequestError("keyed gold needs --id COLUMN beside --gold-score")
        return cls(KeyedFormat(keyed.id, column, None, keyed.delimiter), run, sniff_gold=gold_score is None)


def _check_request(
    paths: tuple[str | None, ...],
    metrics: tuple[str, ...],
    min_confidence: float | None,
    by_genre: bool,
    format_: str,
) -> None:
    if paths.count("-") > 1:
        raise RequestError("only one of the files can be standard input")
    if by_genre and paths[2] is None:
        raise RequestError("--by-genre needs --items FILE, which says what the genre of each item is")
    if min_confidence is not None and not isfinite(min_confidence):
        raise RequestError(f"--min-confidence {min_confidence} is not a number that a confidence can reach")
    if format_ == "semeval2014" and (by_genre or metrics != _DEFAULT_METRICS):
        raise RequestError("--format semeval2014 shows pearson and spearman of all items, and nothing else")


def _read_both(
    gold_path: str, run_path: str, level: Items | None, formats: _Formats, limits: _Range
) -> tuple[Gold, Run]:
    gold_data, run_data = read_bytes(gold_path), read_bytes(run_path)
    ids = None if level is None else level.ids
    gold_format = formats.gold if not formats.sniff_gold or _has_column(gold_data, formats.gold) else None
    try:
        gold = parse_gold(gold_data, label(gold_path), ids=ids, keyed=gold_format)
    except GoldError as error:
        _refuse_swapped(error, gold_data, run_data, label(gold_path), label(run_path))
        raise
    known = ids or gold.ids
    if formats.run is not None and known is None:
        raise RequestError(
            "the run is keyed and the gold is not: --items FILE has to say which line has which id"
        )
    if known is None or formats.run is None:
        return gold, _read_aligned_run(run_data, label(run_path), gold, label(gold_path), limits)
    run = parse_run(
        run_data,
        label(run_path),
        ids=known,
        keyed=formats.run,
        scale=limits.scale,
        confidence_max=limits.confidence_max,
    )
    return gold, run


def _read_aligned_run(data: bytes, source: str, gold: Gold, gold_source: str, limits: _Range) -> Run:
    n = len(gold.values)
    try:
        return parse_run(data, source, n=n, scale=limits.scale, confidence_max=limits.confidence_max)
    except RunError as error:
        short = any(problem.code == "too_few_lines" for problem in error.problems)
        if short and gold.values[-1] is None:
            message = "the last line of the gold is blank and counts as an item; remove it if it is none"
            hint = Problem(gold_source, n, "blank_last_line", message)
            raise RunError([*error.problems, hint], error.count + 1) from error
        raise


def _has_column(data: bytes, keyed: KeyedFormat | None) -> bool:
    """Whether the first line names the id column, so that the file is keyed."""
    first = data[:10000].splitlines()[:1]
    return keyed is not None and bool(first) and keyed.id.encode() in first[0]


def _refuse_swapped(error: GoldError, gold: bytes, run: bytes, gold_source: str, run_source: str) -> None:
    """Say so if the gold has confidences, which only runs have, and the run could be gold."""
    if not any(problem.code == "too_many_columns" for problem in error.problems):
        return
    try:
        parse_run(gold, gold_source)
        parse_gold(run, run_source)
    except DataError:
        return
    message = f"has confidences, as a run has, and {run_source} has none: are they swapped? GOLD comes first"
    raise GoldError([Problem(gold_source, None, "swapped", message)]) from error


def _ask_whether_swapped(gold: Gold, run: Run, gold_source: str, run_source: str) -> None:
    """Ratings come in quarter points, systems' scores seldom do: say so where it is the other way round."""
    ratings = [value for value in gold.values if value is not None]
    finer = sum((4 * value) % 1 != 0 for value in ratings)
    coarse = sum((4 * score) % 1 == 0 for score in run.scores)
    if 10 * finer > 6 * len(ratings) and 10 * coarse > 6 * len(run.scores) and len(set(run.scores)) > 2:
        click.echo(
            f"note: {run_source} has mostly quarter points, as gold has, and {gold_source} has not: "
            "are they swapped? GOLD comes first",
            err=True,
        )


def _talk(run: Run, min_confidence: float | None, level: Items | None) -> None:
    """What the user should know beside the figures."""
    for warning in run.warnings[:_WARNINGS_SHOWN]:
        click.echo(f"warning: {warning}", err=True)
    if len(run.warnings) > _WARNINGS_SHOWN:
        click.echo("warning: there are more; `scorer check --scale` lists them", err=True)
    if min_confidence is not None and all(confidence is None for confidence in run.confidences):
        click.echo("note: the run has no confidences, so --min-confidence leaves nothing out", err=True)
    if level is not None and len(level.genre_names) == 1:
        click.echo(f'note: every item is of the genre "{level.genre_names[0]}"', err=True)
