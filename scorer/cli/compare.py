"""`scorer compare`: compares runs on the same gold with significance tests."""

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
from scorer.cli._options import (
    StrictCommand,
    bootstrap_option,
    file_option,
    format_option,
    label,
    value_option,
)
from scorer.cli._output import progress
from scorer.metrics import METRICS
from scorer.reports.comparison import FORMATS, render_comparison
from scorer.statistics.adjustments import ADJUSTMENT_NAMES, MAX_T_ITEMS

_TESTS = ("permutation", "bootstrap", "williams")
_COMPARABLE_METRICS = tuple(name for name, metric in METRICS.items() if metric.needs != "confidences")
"""Metrics of confidences are left out, because no test swaps confidences."""


@click.command("compare", cls=StrictCommand)
@click.argument("gold")
@click.argument("runs", metavar="RUN_FILE RUN_FILE...", nargs=-1, required=True)
@click.option(
    "--metric",
    type=click.Choice(_COMPARABLE_METRICS),
    default="pearson",
    help="The metric to compare. There is no test for weighted_pearson.",
)
@click.option(
    "--test",
    type=click.Choice(_TESTS),
    default="permutation",
    help="The significance test: a permutation test, a bootstrap test over the items, or Williams's t test "
    "(only for pearson).",
)
@click.option("--alpha", default=0.05, help="Family-wise error rate over all pairs of runs.")
@click.option(
    "--seed",
    default=0,
    help="Random seed of permutations and resamples; williams needs none. The same seed and files give the "
    "same results.",
)
@value_option(
    "--permutations",
    "P",
    "Number of permutations. By default 10000 for max-t, and for holm 20 times the number of all pairs "
    "of runs, divided by alpha; at least 1000.",
    type=int,
)
@click.option(
    "--adjust",
    type=click.Choice([*ADJUSTMENT_NAMES]),
    help="How p values are adjusted for the number of pairs. By default max-t for --test permutation if "
    f"there are enough items ({MAX_T_ITEMS}), and else holm.",
)
@bootstrap_option(
    "Number of resamples for intervals. By default 10000; for --test bootstrap, 20 times the number of "
    "pairs, divided by alpha, if that is more."
)
@click.option("--level", default=0.95, help="Confidence level of each interval.")
@file_option(
    "--items",
    "The items. They give the order of keyed runs, and the groups that are swapped and resampled as a whole.",
)
@input_files(gold=True)
@format_option(
    FORMATS,
    "text and latex round. tsv (one line per run, then one line per pair) and json do not, except that test "
    "statistics have six decimal places, and intervals too, or six significant digits if values are small.",
)
def command(
    *, gold: str, runs: tuple[str, ...], items: str | None, files: InputFiles, format_: str, **rules: Any
) -> None:
    """Compare runs with significance tests.

    Each pair of RUNs is compared on the items of GOLD. The output shows which runs are significantly
    different.

    For each pair, the output has the difference with a confidence interval, a p value, and the p value
    adjusted for the number of pairs: by step-down maxT (Westfall & Young 1993), which uses the dependence
    between the pairs, or by Holm's method. For each run, it has a rank range. The range begins at
    1 plus the number of runs that are significantly better, and ends at the number of runs minus those that
    are significantly worse. A line separates two clusters if every run above it is significantly better than
    every run below it.

    For pearson and spearman, the permutation test standardizes the scores (or ranks) of each run before it
    swaps them. Correlations ignore scale, and swapping raw scores would mix the scales of two runs. Therefore
    p can differ from that of a test that swaps raw scores (Deutsch, Dror & Roth 2021,
    doi:10.1162/tacl_a_00417). For the other metrics, raw scores are swapped.

    \b
    Examples:
      scorer compare gold.tsv first.tsv second.tsv third.tsv
      scorer compare gold.tsv first.tsv second.tsv --metric spearman --seed 7 --format latex
      scorer compare gold.tsv first.tsv second.tsv --test williams

    \b
    Exit codes:
      0  success (also if no runs are significantly different)
      1  bad data
      2  usage error
    """
    from scorer.inference.comparison import compare_runs
    from scorer.inference.comparison_options import ComparisonOptions
    from scorer.statistics.samples import count_units

    refuse_second_stdin(gold, *runs, items)
    check_duplicates(runs)
    options = ComparisonOptions(**rules)
    options.check(len(runs))
    with progress("Reading"):
        level = files.read_items(items)
        answers, read = files.read_gold_and_runs(gold, runs, level, [options.metric])
    print_warnings(read)
    for run, path in zip(read, runs, strict=True):
        warn_if_swapped(answers, run, label(gold), label(path))
    groups = None if level is None else level.groups
    scored = [place for place, value in enumerate(answers.values) if value is not None]
    options = options.settled(len(runs), count_units(scored, answers.groups if groups is None else groups))
    named = list(zip(short_run_names(runs), read, strict=True))
    with progress("Comparing", options.steps) as advance:
        comparison = compare_runs(answers, named, options, groups=groups, progress=advance)
    click.echo(render_comparison(comparison, format_), nl=False)
