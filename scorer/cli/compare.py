"""`scorer compare`: runs against each other on the same gold."""

from typing import Any

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
from scorer.cli._options import StrictCommand, format_option, label
from scorer.cli._output import progress
from scorer.metrics import METRICS
from scorer.reports.comparison import FORMATS, render_comparison

_PROGRESS_FROM = 20_000_000
"""From how many drawn answers on the work is worth a progress bar."""
_TESTS = ("permutation", "bootstrap", "williams")
_COMPARABLE_METRICS = tuple(name for name, metric in METRICS.items() if metric.needs != "confidences")
"""No test swaps confidences."""


@click.command("compare", cls=StrictCommand, short_help="Test which runs differ, and which ranks are real.")
@click.argument("gold")
@click.argument("runs", metavar="RUN RUN...", nargs=-1, required=True)
@click.option(
    "--metric",
    type=click.Choice(_COMPARABLE_METRICS),
    default="pearson",
    help="What is compared; for weighted_pearson there is no test.",
)
@click.option(
    "--test",
    type=click.Choice(_TESTS),
    default="permutation",
    help="Where p comes from: answers swapped at random (for correlations standardized first), resampled "
    "items, or Williams's t (pearson alone).",
)
@click.option("--alpha", default=0.05, help="The chance of any false difference that is allowed.")
@click.option(
    "--seed",
    default=0,
    help="Of permutations and resamples; williams has none. The same seed and gold give the same figures.",
)
@click.option(
    "--permutations",
    type=int,
    metavar="P",
    help="How many; by default 20 for each pair, divided by alpha, and at least 1000.",
)
@click.option(
    "--bootstrap",
    "b",
    type=int,
    metavar="B",
    help="Resamples for intervals; by default 10000, and for --test bootstrap as many as permutations.",
)
@click.option("--level", default=0.95, help="Coverage of each interval.")
@click.option(
    "--items",
    metavar="FILE",
    help="The items: for the order of keyed runs; those of one group are swapped and drawn together.",
)
@input_files(gold=True)
@format_option(
    FORMATS,
    "text and latex round; tsv (a line a run, then a line a pair) and json do not, but for six decimals "
    "or digits of intervals and statistics.",
)
def command(
    *, gold: str, runs: tuple[str, ...], items: str | None, files: InputFiles, format_: str, **rules: Any
) -> None:
    """Compare every two of the runs on the items of GOLD, and say which ranks the data can tell apart.

    Each pair has its difference with an interval, a p value, and one adjusted for the number of pairs by
    Holm's method. A rank range goes from 1 + the number of runs that are significantly better to the number
    that are not significantly worse; a line is drawn where each run above beats each run below.

    For pearson and spearman the permutation test standardizes the scores (the ranks) of each run before it
    swaps them: a correlation ignores scale, and a swap of raw scores would mix the scales of two runs. So p
    may differ from that of a test that swaps raw scores (Deutsch, Dror & Roth 2021,
    doi:10.1162/tacl_a_00417). For errors and choice_accuracy raw scores are swapped.

    \b
    Example:  scorer compare gold.tsv first.tsv second.tsv third.tsv
              scorer compare gold.tsv first.tsv second.tsv --metric spearman --seed 7 --format latex
              scorer compare gold.tsv first.tsv second.tsv --test williams
    Exit:     0 good (also where nothing can be told apart), 1 bad data, 2 usage
    """
    from scorer.inference.comparison import compare_runs
    from scorer.inference.comparison_options import ComparisonOptions

    refuse_second_stdin(gold, *runs, items)
    check_duplicates(runs)
    options = ComparisonOptions(**rules).settled(len(runs))
    level = files.read_items(items)
    answers, read = files.read_gold_and_runs(gold, runs, level)
    print_warnings(read)
    for run, path in zip(read, runs, strict=True):
        warn_if_swapped(answers, run, label(gold), label(path))
    groups = None if level is None else level.groups
    named = list(zip(short_run_names(runs), read, strict=True))
    steps = (options.permutations or 0) + (options.b or 0)
    with progress("Comparing", steps, long=steps * len(runs) * len(answers.values) > _PROGRESS_FROM) as tell:
        comparison = compare_runs(answers, named, options, groups=groups, progress=tell)
    click.echo(render_comparison(comparison, format_), nl=False)
