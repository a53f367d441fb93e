"""`scorer baseline`: the run file of a string baseline."""

import os
import re
import sys
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

import click

from scorer.errors import RequestError

if TYPE_CHECKING:
    from scorer.baselines import BaselineName, OovRule
    from scorer.io import Items

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")


def _scale(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[Fraction, Fraction]:
    """Read `MAX` or `MIN,MAX`, in plain numbers."""
    ends = value.split(",")
    if len(ends) > 2 or not all(_NUMBER.fullmatch(end) for end in ends):
        raise click.BadParameter(f'"{value}" is no scale; write its upper end, as in 4, or both, as in 1,5')
    low, high = ("0", *ends) if len(ends) == 1 else ends
    return Fraction(low), Fraction(high)


@click.command("baseline", short_help="Print the run of a string baseline.")
@click.argument("name", type=click.Choice(["lcs", "gst"]))
@click.argument("items", type=click.Path(allow_dash=True))
@click.option(
    "--scale",
    callback=_scale,
    default="4",
    show_default=True,
    metavar="[MIN,]MAX",
    help="Ends of the scale.",
)
@click.option(
    "--digits", type=click.IntRange(0, 15), help="Decimals before scaling.  [default: lcs 3, gst all]"
)
@click.option("--wordnet", metavar="DIR", help="Folder of WordNet 3.0, or a table word#pos#n<TAB>gloss.")
@click.option(
    "--oov",
    type=click.Choice(["mean", "zero"]),
    default="mean",
    show_default=True,
    help="Value of a word without a sense.",
)
@click.option("--columns", metavar="NAMES", help="The columns, as in left,right,id.")
@click.option("--header", is_flag=True, help="The first line names the columns.")
@click.option(
    "-o", "--output", type=click.Path(), default="-", metavar="FILE", help="Write a file, all of it or none."
)
def command(
    *,
    name: "BaselineName",
    items: str,
    scale: tuple[Fraction, Fraction],
    digits: int | None,
    wordnet: str | None,
    oov: "OovRule",
    columns: str | None,
    header: bool,
    output: str,
) -> None:
    """Print the run of a string baseline over ITEMS (- is stdin), one value a line.

    lcs is the longest common substring, 2 L / (|a| + |b|); gst is greedy string tiling, the share of the
    first column that tiles of six characters or more cover. The items of word2sense (word#pos, sense key,
    word#pos#n, id) are compared by the glosses of WordNet 3.0 and get a confidence as second column: 1, or 0
    for a word without a sense.

    \b
    Example:  scorer baseline lcs data/training/paragraph2sentence.train.input.tsv -o lcs.tsv
    Exit:     0 good, 1 bad items (every problem on standard error) or no WordNet 3.0, 2 usage
    """
    from scorer.baselines import baseline_run, open_senses

    level = _read(items, columns, header)
    senses = None if wordnet is None else open_senses(wordnet)
    run = baseline_run(name, level, scale=scale, digits=digits, senses=senses, oov=oov)
    _write(run, output)


def _read(path: str, columns: str | None, header: bool) -> "Items":
    from scorer.io import ItemsLayout, parse_items, read_bytes

    names = None if columns is None else tuple(name.strip() for name in columns.split(","))
    source = "<stdin>" if path == "-" else path
    return parse_items(read_bytes(path), source, ItemsLayout(columns=names, header=header))


def _write(run: str, output: str) -> None:
    if output == "-":
        sys.stdout.write(run)
        return
    target = Path(output)
    whole = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with whole.open("x", encoding="ascii", newline="\n") as file:
            file.write(run)
        whole.replace(target)
    except OSError as error:
        whole.unlink(missing_ok=True)
        raise RequestError(
            f"{output}: cannot be written: {error.strerror}; choose another place with -o"
        ) from None
    click.echo(f"{output}: wrote {run.count(chr(10))} lines", err=True)
