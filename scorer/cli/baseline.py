"""`scorer baseline`: prints the run of a string baseline."""

import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import click

from scorer.baselines import BASELINES, BaselineName, baseline_run, open_senses
from scorer.cli._options import StrictCommand, label, layout_options
from scorer.cli._output import progress, write_output
from scorer.errors import RequestError
from scorer.files.reading import ItemsLayout, parse_items, read_bytes

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
    *, name: BaselineName, items: str, wordnet: str | None, layout: ItemsLayout, output: str, **rules: Any
) -> None:
    """Print the run of a string baseline.

    The run has one score per line, for each of ITEMS.

    lcs is the longest common substring, 2 L / (|a| + |b|). gst is greedy string tiling: the share of the
    first column that is covered by tiles of at least six characters. tfidf is the cosine of tf-idf vectors
    of three to five characters in words. It depends on how rare they are in ITEMS.

    Items of the level word2sense (word#pos, sense key, word#pos#n, id) are compared by their glosses in
    WordNet 3.0. Their run has a confidence as second column: 1, or 0 for a word that has no sense.

    \b
    Examples:
      scorer baseline lcs data/training/paragraph2sentence.train.input.tsv -o lcs.tsv
      scorer baseline gst items.tsv --scale 1,5 > gst.tsv

    \b
    Exit codes:
      0  success
      1  bad data or WordNet 3.0 not found
      2  usage error
    """
    level = parse_items(read_bytes(items), label(items), layout)
    senses = None if wordnet is None else open_senses(wordnet)
    with progress("Comparing", len(level)) as advance:
        run = baseline_run(name, level, senses=senses, progress=advance, **rules)
    _write(run, output)


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
