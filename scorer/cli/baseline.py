"""`scorer baseline`: prints the run of a baseline."""

import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from scorer.baselines import (
    Baseline,
    OovRule,
    Scale,
    SenseInventory,
    baseline_run,
    compared_texts,
    log_likelihoods_run,
    open_senses,
)
from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import Command, Decorator, StrictCommand, label, layout_options, option_group
from scorer.cli._output import progress, refuse_outputs, write_output
from scorer.errors import GoldError, Problem, RequestError
from scorer.files.reading import Gold, Items, ItemsLayout, parse_gold, parse_items, read_bytes
from scorer.scoring.calibration import calibrate_by_run

if TYPE_CHECKING:
    from scorer.baselines.run_file import Measure
    from scorer.vectors.similarity import WordVectors

_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
_RunBaseline = Callable[..., str]
_VECTOR_DIGITS = 6
"""Machines add up in different orders, which seldom changes the sixth decimal place."""


def _parse_scale(_ctx: click.Context, _param: click.Parameter, value: str) -> tuple[Fraction, Fraction]:
    """Read `MAX` or `MIN,MAX`, in plain numbers."""
    ends = value.split(",")
    if len(ends) > 2 or not all(_NUMBER.fullmatch(end) for end in ends):
        raise click.BadParameter(
            f'"{value}" is not a scale; write its upper end, as in 4, or both ends, as in 1,5'
        )
    low, high = ("0", *ends) if len(ends) == 1 else ends
    return Fraction(low), Fraction(high)


items_argument = click.argument("items", type=click.Path(allow_dash=True))
scale_option = click.option(
    "--scale",
    callback=_parse_scale,
    default="0,4",
    metavar="[MIN,]MAX",
    help="The lowest and the highest value of the rating scale.",
)
output_option = click.option(
    "-o",
    "--output",
    type=click.Path(),
    default="-",
    show_default=False,
    metavar="FILE",
    help="Write the run to FILE instead of standard output.",
)


def reading_options(function: Command) -> Command:
    """Add the options on how an encoder reads texts: `context`, `prefix` and `threads`."""
    context = click.option(
        "--context",
        is_flag=True,
        help="Read a sentence between <sent> and </sent> with its context and these marks. By default, the "
        "sentence is read alone.",
    )
    prefix = click.option(
        "--prefix", metavar="TEXT", default="", help='Write this before each text, such as "query: ".'
    )
    threads = click.option(
        "--threads",
        type=click.IntRange(1),
        default=1,
        help="The number of threads. With 1, a run is the same each time on one machine.",
    )
    return context(prefix(threads(function)))


def _digits_option(default: str) -> Decorator:
    text = f"Round to this many decimal places before scaling.  [default: {default}]"
    return click.option("--digits", type=click.IntRange(0, 15), help=text)


@dataclass(frozen=True, slots=True)
class BaselineFiles:
    """Reads the items that a baseline compares, and writes its run."""

    items: str
    scale: tuple[Fraction, Fraction]
    digits: int | None
    wordnet: str | None
    oov: OovRule
    calibrate: tuple[str, str] | None
    layout: ItemsLayout
    output: str

    def write_run(self, run_baseline: _RunBaseline, *inputs: str | None) -> None:
        """Run a baseline on the items, and first on the training items if its values are calibrated.

        The baseline may have other `inputs`, which the run must not replace.
        """
        refuse_outputs(run_paths(self.output), (self.items, self.wordnet, *(self.calibrate or ()), *inputs))
        level = parse_items(read_bytes(self.items), label(self.items), self.layout)
        senses = None if self.wordnet is None else open_senses(self.wordnet)
        rules = {"senses": senses, "oov": self.oov, "digits": self.digits}
        compute = partial(_compute, partial(run_baseline, **rules))
        if self.calibrate is None:
            write_run(compute(level, self.scale), self.output)
            return
        training_path, gold_path = self.calibrate
        training = parse_items(read_bytes(training_path), label(training_path), self.layout)
        gold = read_gold(gold_path, len(training), self.scale)
        calibration = calibrate_by_run(gold.values, compute(training, 1))
        write_run(calibration.convert_run(compute(level, 1), *self.scale), self.output)
        errors = ", ".join(f"{method} {error:.3f}" for method, error in calibration.errors.items())
        chosen = f"Calibrated by {calibration.method} regression"
        click.echo(f"{chosen}; mean squared errors in cross-validation: {errors}", err=True)


def _comparison_options(digits: str) -> Decorator:
    """Add the options of baselines that compare the two sides of items; the command gets `files`."""
    return option_group(
        "files",
        BaselineFiles,
        items_argument,
        scale_option,
        _digits_option(digits),
        click.option(
            "--wordnet",
            metavar="DIR",
            help="The folder of WordNet 3.0, or a file with lines word#pos#n<TAB>gloss.",
        ),
        click.option(
            "--oov",
            type=click.Choice(["mean", "zero"]),
            default="mean",
            help="The score of a word that has no sense.",
        ),
        click.option(
            "--calibrate",
            type=(click.Path(), click.Path()),
            metavar="TRAIN_ITEMS TRAIN_GOLD",
            help="Learn from these items and their gold file how values map to the scale.",
        ),
        layout_options,
        output_option,
    )


@click.group("baseline")
def command() -> None:
    """Print the run of a baseline.

    A baseline compares the two sides of each item and gives them a score. The run has one score per line, for
    each of ITEMS.

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


@command.command("lcs", cls=StrictCommand)
@_comparison_options("3")
def lcs(files: BaselineFiles) -> None:
    """Print the run of the longest common substring (LCS).

    The value is 2 L / (|a| + |b|), with L the length of the longest substring that both sides have.

    \b
    Examples:
      scorer baseline lcs items.tsv > lcs.tsv

    \b
    Exit codes:
      0  success
      1  bad data or WordNet 3.0 not found
      2  usage error
    """
    files.write_run(partial(baseline_run, "lcs"))


@command.command("gst", cls=StrictCommand)
@_comparison_options("not rounded")
def gst(files: BaselineFiles) -> None:
    """Print the run of greedy string tiling (GST).

    The value is the share of the left side that is covered by tiles of at least six characters, which both
    sides have.

    \b
    Examples:
      scorer baseline gst items.tsv --scale 1,5 > gst.tsv

    \b
    Exit codes:
      0  success
      1  bad data or WordNet 3.0 not found
      2  usage error
    """
    files.write_run(partial(baseline_run, "gst"))


@command.command("tfidf", cls=StrictCommand)
@click.option("--words", is_flag=True, help="Compare words instead of characters.")
@_comparison_options("not rounded")
def tfidf(files: BaselineFiles, *, words: bool) -> None:
    """Print the run of tf-idf, fitted on the items.

    This compares the sequences of three to five characters in words by the cosine of tf-idf vectors: a
    sequence counts more, the fewer texts of ITEMS have it.

    \b
    Examples:
      scorer baseline tfidf items.tsv --calibrate train.tsv train.gold.tsv > tfidf.tsv

    \b
    Exit codes:
      0  success
      1  bad data or WordNet 3.0 not found
      2  usage error
    """
    files.write_run(partial(baseline_run, "tfidf", words=words))


@command.command("vectors", cls=StrictCommand)
@click.option(
    "--vectors",
    metavar="FILE",
    required=True,
    help="The word vectors: text of word2vec, GloVe or fastText (.vec), or binary of word2vec; may be .gz.",
)
@click.option("--plain", is_flag=True, help="Average the vectors without weights, and remove nothing.")
@click.option(
    "--lower-case",
    is_flag=True,
    help="Look up words in lower case. By default as they are written, and then in lower case.",
)
@click.option(
    "--counts",
    metavar="FILE",
    help="How frequent words are: a word and its count in each line. By default as in ITEMS.",
)
@_comparison_options(f"{_VECTOR_DIGITS}")
def vectors(files: BaselineFiles, *, vectors: str, plain: bool, lower_case: bool, counts: str | None) -> None:
    """Print the run of averaged word vectors (SIF).

    This averages the vectors of the words of each side and compares the two by their cosine, or 0 if it is
    negative. As in Arora, Liang & Ma (2017), frequent words have less weight (smooth inverse frequency), and
    the first component of all averages is removed.

    FILE can be large: only the vectors of the words of ITEMS are kept. Words are those of `scorer items`.
    Standard error says how many have no vector.

    \b
    Examples:
      scorer baseline vectors items.tsv --vectors glove.6B.300d.txt > sif.tsv
      scorer baseline vectors items.tsv --vectors cc.cs.300.vec.gz --plain > mean.tsv

    \b
    Exit codes:
      0  success
      1  bad data or WordNet 3.0 not found
      2  usage error
    """
    from scorer.vectors.similarity import WordVectors, fit_vectors, parse_frequencies

    frequencies = None if counts is None else parse_frequencies(read_bytes(counts), label(counts))
    read = partial(WordVectors.read, vectors, lower_case=lower_case)
    fit = partial(fit_vectors, plain=plain, frequencies=frequencies)
    files.write_run(partial(run_vectors, read, fit), vectors, counts)


def run_vectors(
    read: "Callable[[list[str]], WordVectors]",
    fit: "Callable[..., Measure]",
    level: Items,
    senses: SenseInventory | None,
    **rules: Any,
) -> str:
    """Run word vectors on the items of a level, and print how many of the words have none."""
    pairs = compared_texts(level, senses)
    sides = {
        "left": [text for lefts, _ in pairs for text in lefts],
        "right": [right for _, right in pairs],
    }
    vectors = read([*sides["left"], *sides["right"]])
    for side, texts in sides.items():
        click.echo(f"{level.source}, {side}: {vectors.coverage(texts)}", err=True)
    baseline = Baseline("Vectors", "word vectors", partial(fit, vectors=vectors), _VECTOR_DIGITS)
    return baseline_run(baseline, level, senses=senses, **rules)


@command.command("encoder", cls=StrictCommand)
@click.option("--model", metavar="FOLDER", required=True, help="The folder of the model.")
@reading_options
@click.option(
    "--cache",
    type=click.Path(path_type=Path),
    metavar="FOLDER",
    help="Store what the model computes here, so that a run that was stopped goes on.",
)
@_comparison_options(f"{_VECTOR_DIGITS}")
def encoder(files: BaselineFiles, *, model: str, **options: Any) -> None:
    """Print the run of a sentence encoder or a cross-encoder.

    A sentence encoder makes a vector of each side, and the value is their cosine, or 0 if it is negative. A
    cross-encoder reads both sides at once and gives one value, which the logistic function maps to 0 to 1.

    --model names a folder with model.onnx (in the folder or in onnx/) and tokenizer.json, as
    sentence-transformers saves it. The pooling and the maximum length are those of its configuration. Nothing
    is downloaded, and no code of the model is run. Standard error says how many texts were too long.

    \b
    This needs two packages:
      pip install onnxruntime tokenizers

    \b
    Examples:
      scorer baseline encoder items.tsv --model all-MiniLM-L6-v2 > minilm.tsv
      scorer baseline encoder items.tsv --model multilingual-e5-small --prefix "query: " > e5.tsv

    \b
    Exit codes:
      0  success
      1  bad data or WordNet 3.0 not found
      2  usage error
    """
    from scorer.encoders import Encoder, EncoderOptions, encoder_run

    loaded = Encoder(model, EncoderOptions(**options))
    files.write_run(partial(encoder_run, loaded))
    click.echo(f"{model}: {loaded.description}{loaded.describe_cut()}", err=True)


@command.command("loglikelihoods", cls=StrictCommand)
@items_argument
@click.argument("candidates", type=click.Path(allow_dash=True))
@scale_option
@_digits_option("15")
@click.option(
    "--per-character",
    is_flag=True,
    help="Divide by the number of characters of the candidate; otherwise, short ones tend to be chosen.",
)
@layout_options
@output_option
def loglikelihoods(*, items: str, candidates: str, layout: ItemsLayout, output: str, **rules: Any) -> None:
    """Print the run of a language model's choices.

    CANDIDATES is a table with the columns id and loglikelihood, and others if you like. It has a row for each
    of ITEMS, whose right side is a candidate for the left side or the context. The score of an item is the
    probability of its candidate among those of its group, so ITEMS need a group column.

    The metric choice_accuracy compares the choice with the gold standard.

    \b
    Examples:
      scorer baseline loglikelihoods items.tsv lm.tsv --columns left,right,id,group > lm.run.tsv

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    refuse_second_stdin(items, candidates)
    refuse_outputs(run_paths(output), (items, candidates))
    level = parse_items(read_bytes(items), label(items), layout)
    write_run(log_likelihoods_run(level, read_bytes(candidates), label(candidates), **rules), output)


def _compute(run_baseline: _RunBaseline, level: Items, scale: Scale) -> str:
    with progress("Comparing", len(level)) as advance:
        return run_baseline(level, scale=scale, progress=advance)


def read_gold(path: str, n: int, scale: tuple[Fraction, Fraction]) -> Gold:
    """Read the gold values of n training items, which must be on the scale and differ."""
    gold = parse_gold(read_bytes(path), label(path), n=n)
    low, high = scale
    for line, value in enumerate(gold.values, start=1):
        if value is not None and not low <= value <= high:
            message = f"{value:g} is not on the scale from {float(low):g} to {float(high):g}"
            problem = Problem(label(path), line, "off_scale", f"{message}; correct it, or give --scale")
            raise GoldError([problem])
    if len({*gold.values} - {None}) < 2:
        message = "every item has the same value, so nothing can be learned from them; is it the right file?"
        raise GoldError([Problem(label(path), None, "constant_gold", message)])
    return gold


def run_paths(*outputs: str) -> list[Path]:
    """Return the files among the names of runs, without standard output."""
    return [Path(output) for output in outputs if output != "-"]


def write_run(run: str, output: str) -> None:
    """Write a run to a file, or to standard output if its name is -."""
    if output == "-":
        sys.stdout.write(run)
        return
    try:
        write_output(Path(output), run.encode())
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "this is not a file name"
        raise RequestError(f"{output}: cannot be written: {reason}; name another file") from None
    click.echo(f"{output}: wrote {run.count(chr(10))} lines", err=True)
