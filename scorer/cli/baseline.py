"""`scorer baseline`: prints the run of a string baseline."""

import re
import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

import click

from scorer.baselines import BASELINES, BaselineName, Scale, baseline_run, open_senses
from scorer.cli._options import StrictCommand, label, layout_options
from scorer.cli._output import progress, write_output
from scorer.errors import RequestError
from scorer.files.reading import Items, ItemsLayout, parse_gold, parse_items, read_bytes
from scorer.scoring.calibration import calibrate_by_run

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")


def _parse_scale(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[Fraction, Fraction]:
    """Read `MAX` or `MIN,MAX`, in plain numbers."""
    ends = value.split(",")
    if len(ends) > 2 or not all(_NUMBER.fullmatch(end) for end in ends):
        raise click.BadParameter(
            f'"{value}" is not a scale; write its upper end, as in 4, or both ends, as in 1,5'
        )
    low, high = ("0", *ends) if len(ends) == 1 else ends
    return Fraction(low), Fraction(high)


@click.command("baseline", cls=StrictCommand)
@click.argument("name", type=click.Choice(tuple(BASELINES)))
@click.argument("items", type=click.Path(allow_dash=True))
@click.option(
    "--scale",
    callback=_parse_scale,
    default="0,4",
    metavar="[MIN,]MAX",
    help="The lowest and the highest value of the rating scale.",
)
@click.option(
    "--digits",
    type=click.IntRange(0, 15),
    help="Round to this many decimal places before scaling.  [default: 3 for lcs, others not rounded]",
)
@click.option(
    "--wordnet", metavar="DIR", help="The folder of WordNet 3.0, or a file with lines word#pos#n<TAB>gloss."
)
@click.option(
    "--oov",
    type=click.Choice(["mean", "zero"]),
    default="mean",
    help="The score of a word that has no sense.",
)
@click.option("--words", is_flag=True, help="Compare words instead of characters (tfidf only).")
@click.option(
    "--calibrate",
    type=(click.Path(), click.Path()),
    metavar="TRAIN_ITEMS TRAIN_GOLD",
    help="Learn from these items and their gold file how values map to the scale.",
)
@layout_options
@click.option(
    "-o",
    "--output",
    type=click.Path(),
    default="-",
    show_default=False,
    metavar="FILE",
    help="Write the run to FILE instead of standard output.",
)
def command(
    *,
    name: BaselineName,
    items: str,
    wordnet: str | None,
    calibrate: tuple[str, str] | None,
    layout: ItemsLayout,
    output: str,
    scale: tuple[Fraction, Fraction],
    **rules: Any,
) -> None:
    """Print the run of a string baseline.

    The run has one score per line, for each of ITEMS.

    lcs is the longest common substring, 2 L / (|a| + |b|). gst is greedy string tiling: the share of the
    first column that is covered by tiles of at least six characters. tfidf compares the
    sequences of three to five characters in words by the cosine of tf-idf vectors: a sequence counts more,
    the fewer texts of ITEMS have it.

    Items of the level word2sense (word#pos, sense key, word#pos#n, id) are compared by their glosses in
    WordNet 3.0. Their run has a confidence as second column: 1, or 0 for a word that has no sense.

    With --calibrate, the baseline also runs on TRAIN_ITEMS. A line or a monotone function (isotonic
    regression), whichever predicts gold better in cross-validation, then maps its values to gold values
    within --scale. TRAIN_GOLD has one value per line.

    \b
    Examples:
      scorer baseline lcs data/training/paragraph2sentence.train.input.tsv -o lcs.tsv
      scorer baseline gst items.tsv --scale 1,5 > gst.tsv
      scorer baseline tfidf items.tsv --calibrate train.tsv train.gold.tsv > tfidf.tsv

    \b
    Exit codes:
      0  success
      1  bad data or WordNet 3.0 not found
      2  usage error
    """
    level = parse_items(read_bytes(items), label(items), layout)
    senses = None if wordnet is None else open_senses(wordnet)
    compute = partial(_compute, partial(baseline_run, name, senses=senses, **rules))
    if calibrate is None:
        _write(compute(level, scale), output)
        return
    training = parse_items(read_bytes(calibrate[0]), label(calibrate[0]), layout)
    gold = parse_gold(read_bytes(calibrate[1]), label(calibrate[1]), n=len(training))
    calibration = calibrate_by_run(gold.values, compute(training, 1))
    _write(calibration.convert_run(compute(level, 1), *scale), output)
    errors = ", ".join(f"{method} {error:.3f}" for method, error in calibration.errors.items())
    chosen = f"Calibrated by {calibration.method} regression"
    click.echo(f"{chosen}; mean squared errors in cross-validation: {errors}", err=True)


def _compute(run_baseline: Callable[..., str], level: Items, scale: Scale) -> str:
    with progress("Comparing", len(level)) as advance:
        return run_baseline(level, scale=scale, progress=advance)


def _write(run: str, output: str) -> None:
    if output == "-":
        sys.stdout.write(run)
        return
    try:
        write_output(Path(output), run.encode())
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "this is not a file name"
        raise RequestError(f"{output}: cannot be written: {reason}; choose another place with -o") from None
    click.echo(f"{output}: wrote {run.count(chr(10))} lines", err=True)
