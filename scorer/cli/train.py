"""`scorer train`: fits systems to training items, and predicts other items."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

import click

from scorer.baselines import SenseInventory, open_senses
from scorer.cli._inputs import refuse_second_stdin
from scorer.cli._options import Command, Decorator, StrictCommand, label, layout_options, option_group
from scorer.cli._output import progress, refuse_outputs
from scorer.cli.annotation._shared import print_report, refuse_full_folder, report_format
from scorer.cli.baseline import (
    items_argument,
    read_gold,
    reading_options,
    run_paths,
    run_vectors,
    scale_option,
    write_run,
)
from scorer.errors import RequestError
from scorer.files.reading import Items, ItemsLayout, parse_items, read_bytes

if TYPE_CHECKING:
    from scorer.encoders import Encoder
    from scorer.training.fine_tuning import ScoredItems

ID_PREFIX = "id-prefix"


@dataclass(frozen=True, slots=True)
class TrainingFiles:
    """Reads the items that a system learns from, and writes the runs of those that it predicts."""

    items: str
    gold: str
    scale: tuple[Fraction, Fraction]
    wordnet: str | None
    predict: tuple[tuple[str, str], ...]
    layout: ItemsLayout

    @property
    def senses(self) -> SenseInventory | None:
        """The senses of words that the user named."""
        return None if self.wordnet is None else open_senses(self.wordnet)

    def refuse_outputs(self, runs: Sequence[str], *inputs: str | None) -> None:
        """Raise RequestError, before the training, if a run cannot be written or would replace an input."""
        predicted = (items for items, _ in self.predict)
        refuse_outputs(run_paths(*runs), (self.items, self.gold, self.wordnet, *predicted, *inputs))

    def read_training(self, *, complete: bool = False) -> tuple[Items, list[float]]:
        """Read the training items that have a gold value, which are all of them if `complete`."""
        refuse_second_stdin(self.items, self.gold, *(items for items, _ in self.predict))
        return self.read_pair(self.items, self.gold, complete=complete)

    def read_pair(
        self, items_path: str, gold_path: str, *, complete: bool = False
    ) -> tuple[Items, list[float]]:
        """Read items and their gold values, and leave out the items that have none."""
        level = self.read_items(items_path)
        gold = read_gold(gold_path, len(level), self.scale)
        rows = [
            (item, value) for item, value in zip(level.items, gold.values, strict=True) if value is not None
        ]
        if complete and len(rows) < len(level):
            message = "--cross-validated needs a gold value for each item"
            missing = len(level) - len(rows)
            raise RequestError(f"{label(gold_path)}: {message}, and {missing} of {len(level)} have none")
        return Items(level.source, tuple(item for item, _ in rows)), [value for _, value in rows]

    def to_shares(self, pair: tuple[Items, list[float]]) -> "ScoredItems":
        """Return items with their gold values as shares of the scale."""
        from scorer.training.fine_tuning import ScoredItems

        low, high = map(float, self.scale)
        return ScoredItems(pair[0], [(value - low) / (high - low) for value in pair[1]])

    def read_items(self, path: str) -> Items:
        """Read items in the format that the options describe."""
        return parse_items(read_bytes(path), label(path), self.layout)

    def read_items_to_predict(self) -> list[tuple[Items, str]]:
        """Read the items of each --predict, with the name of their run."""
        return [(self.read_items(items), run) for items, run in self.predict]

    def groups(self, level: Items) -> list[str]:
        """Return what stays together in cross-validation: the group, the genre column, or the left text."""
        if level.groups is not None:
            pairs = zip(level.groups, level.items, strict=True)
            return [item.left if group is None else group for group, item in pairs]
        by_genre = self.layout.genre != ID_PREFIX
        return [item.genre if by_genre else item.left for item in level.items]


def _training_options(function: Command) -> Command:
    """Add the options of commands that train; the command gets `files`."""
    options: Decorator = option_group(
        "files",
        TrainingFiles,
        items_argument,
        click.argument("gold", type=click.Path(allow_dash=True)),
        scale_option,
        click.option(
            "--wordnet",
            metavar="DIR",
            help="The folder of WordNet 3.0, or a file with lines word#pos#n<TAB>gloss.",
        ),
        click.option(
            "--predict",
            type=(click.Path(allow_dash=True), click.Path()),
            multiple=True,
            metavar="ITEMS RUN",
            help="Predict these items, and write their run to the file RUN. Repeatable.",
        ),
        layout_options,
    )
    return options(function)


@click.group("train")
def command() -> None:
    """Train a system on items with gold values.

    GOLD has one value per line, within --scale. An item whose line is empty is left out.

    \b
    Examples:
      scorer train ridge train.tsv train.gold.tsv --predict test.tsv run.tsv
      scorer train cross train.tsv train.gold.tsv --dev dev.tsv dev.gold.tsv --model base --seeds 5

    \b
    Exit codes:
      0  success
      1  bad data or WordNet 3.0 not found
      2  usage error
    """


@command.command("ridge", cls=StrictCommand)
@_training_options
@click.option("--vectors", metavar="FILE", help="Add the run of `scorer baseline vectors` as a feature.")
@click.option("--model", metavar="FOLDER", help="Add the run of `scorer baseline encoder` as a feature.")
@click.option(
    "--cross-validated",
    metavar="RUN",
    help="Write the run of ITEMS to a file, in which each item is predicted without its group.",
)
@report_format
def ridge(
    *, files: TrainingFiles, vectors: str | None, model: str | None, cross_validated: str | None, format_: str
) -> None:
    """Train a ridge regression on the values of baselines.

    The features are the values of the baselines LCS, GST and tf-idf, the shares of the words and pairs of
    words of the right side that the left side has too, and both lengths. Each is computed as its baseline
    does it, for ITEMS and for the items to predict; only the regression learns from GOLD.

    The report shows the weight of each feature, and the correlations in cross-validation. Items with the same
    group (or genre, if --genre names a column; or else the same left side) are in the same fold, and the
    penalty is chosen within the other folds.

    \b
    Examples:
      scorer train ridge train.tsv train.gold.tsv
      scorer train ridge train.tsv train.gold.tsv --predict dev.tsv dev.run.tsv --predict test.tsv run.tsv
      scorer train ridge train.tsv train.gold.tsv --model all-MiniLM-L6-v2 --predict test.tsv run.tsv

    \b
    Exit codes:
      0  success
      1  bad data or WordNet 3.0 not found
      2  usage error
    """
    from scorer.encoders import Encoder
    from scorer.training.features import format_values, make_features
    from scorer.training.ridge_report import RidgeSystem, ridge_report

    outputs = *(run for _, run in files.predict), *(() if cross_validated is None else (cross_validated,))
    files.refuse_outputs(outputs, vectors)
    level, gold = files.read_training(complete=cross_validated is not None)
    to_predict = files.read_items_to_predict()
    encoder = None if model is None else Encoder(model)
    runs = _feature_runs(files, vectors, encoder)
    features, rests = make_features(level, runs)
    system = RidgeSystem.train(
        list(runs), features, gold, files.groups(level), (float(files.scale[0]), float(files.scale[1]))
    )
    if cross_validated is not None:
        write_run(format_values(system.left_out, rests), cross_validated)
    for others, run in to_predict:
        features, rests = make_features(others, runs)
        write_run(format_values(system.predict(features), rests), run)
    if encoder is not None:
        click.echo(f"{model}: {encoder.description}{encoder.describe_cut()}", err=True)
    print_report(ridge_report(system), format_)


def _feature_runs(
    files: TrainingFiles, vectors: str | None, encoder: "Encoder | None"
) -> dict[str, Callable[[Items], str]]:
    """Return the function that computes each feature of items."""
    from scorer.training.features import FEATURES

    runs = dict(FEATURES)
    if vectors is not None:
        from scorer.vectors.similarity import WordVectors, fit_vectors

        runs["vectors"] = partial(run_vectors, partial(WordVectors.read, vectors), fit_vectors)
    if encoder is not None:
        from scorer.encoders import encoder_run

        runs["encoder"] = partial(encoder_run, encoder)
    senses = files.senses

    def compute(name: str, level: Items) -> str:
        with progress(f"Computing {name}", len(level)) as advance:
            return runs[name](level, scale=1, senses=senses, progress=advance)

    return {name: partial(compute, name) for name in runs}


def _tuning_options(function: Command) -> Command:
    """Add the options of commands that fine-tune an encoder; the command gets `training`."""
    options: Decorator = option_group(
        "training",
        EncoderTraining,
        click.option(
            "--model", metavar="FOLDER", required=True, help="The folder of the model to start from."
        ),
        click.option(
            "--dev",
            type=(click.Path(), click.Path()),
            required=True,
            metavar="ITEMS GOLD",
            help="The items, with their gold file, whose correlation says when to stop.",
        ),
        click.option(
            "--seeds", type=click.IntRange(1), default=1, metavar="K", help="Train with the seeds 1 to K."
        ),
        click.option(
            "--save",
            type=click.Path(path_type=Path),
            metavar="FOLDER",
            help="Save the model of each seed here, in seed1 and so on.",
        ),
        click.option("--epochs", type=click.IntRange(1), default=10, help="The maximum number of epochs."),
        click.option(
            "--patience",
            type=click.IntRange(1),
            default=3,
            help="Stop after this many epochs without a higher correlation.",
        ),
        click.option("--batch", type=click.IntRange(1), default=16, help="The number of items in a batch."),
        click.option(
            "--rate",
            type=click.FloatRange(0, 1, min_open=True),
            default=2e-5,
            help="The highest learning rate.",
        ),
        reading_options,
        report_format,
    )
    return options(function)


@dataclass(frozen=True, slots=True)
class EncoderTraining:
    """Fine-tunes an encoder with several seeds, as the options say."""

    model: str
    dev: tuple[str, str]
    seeds: int
    save: Path | None
    epochs: int
    patience: int
    batch: int
    rate: float
    context: bool
    prefix: str
    threads: int
    format_: str

    def run(self, files: TrainingFiles, *, cross: bool) -> None:
        """Train with each seed, write its runs and its model, and print a report."""
        from scorer.encoders import EncoderOptions, encoder_run
        from scorer.training.fine_tuning import TuningOptions, fine_tune, tuning_report
        from scorer.training.torch_model import TrainableEncoder, read_weights

        if self.save is not None:
            refuse_full_folder(self.save)
        seeds = range(1, self.seeds + 1)
        files.refuse_outputs([_with_seed(run, seed) for _, run in files.predict for seed in seeds], *self.dev)
        folder, _ = read_weights(self.model)
        options = EncoderOptions(self.context, self.prefix, self.threads)
        tuning = TuningOptions(self.epochs, self.batch, self.rate, self.patience)
        training = files.to_shares(files.read_training())
        dev = files.to_shares(files.read_pair(*self.dev))
        to_predict = files.read_items_to_predict()
        epochs, senses = {}, files.senses
        for seed in seeds:
            encoder = TrainableEncoder(folder, options, cross=cross, seed=seed)
            with progress(f"Training, seed {seed}", len(training.gold) * self.epochs) as advance:
                epochs[seed] = fine_tune(
                    encoder, training, dev, tuning, seed, senses=senses, progress=advance
                )
            for level, run in to_predict:
                write_run(
                    encoder_run(encoder, level, scale=files.scale, senses=senses), _with_seed(run, seed)
                )
            if self.save is not None:
                encoder.model.save(self.save / f"seed{seed}")
        click.echo(f"{self.model}: {encoder.description}{encoder.describe_cut()}", err=True)
        print_report(tuning_report(epochs, encoder, training, dev, tuning), self.format_)


def _with_seed(path: str, seed: int) -> str:
    """Add a seed to the name of a file.

    >>> _with_seed("runs/test.tsv", 2)
    'runs/test.seed2.tsv'
    """
    return str(PurePath(path).with_suffix(f".seed{seed}{PurePath(path).suffix}"))


@command.command("cross", cls=StrictCommand)
@_training_options
@_tuning_options
def cross(*, files: TrainingFiles, training: EncoderTraining) -> None:
    """Fine-tune a cross-encoder, which reads both sides at once.

    After each epoch, the model predicts the items of --dev. When Pearson's correlation stops rising, so does
    the training, and the model of the best epoch makes the runs: with `--predict test.tsv run.tsv`, that of
    seed 1 is run.seed1.tsv. `scorer score --spread` shows the mean and the standard deviation over seeds.

    --model names a folder of transformers or sentence-transformers with model.safetensors and tokenizer.json.
    Nothing is downloaded, and no code of the model is run. Standard error says how many pairs were too long.
    `scorer train export` makes a folder for `scorer baseline encoder` from a saved model.

    \b
    This needs some packages:
      pip install onnxruntime onnxscript torch transformers

    \b
    Examples:
      scorer train cross train.tsv train.gold.tsv --dev dev.tsv dev.gold.tsv --model base --seeds 5 \\
        --predict test.tsv run.tsv

    \b
    Exit codes:
      0  success
      1  bad data or WordNet 3.0 not found
      2  usage error
    """
    training.run(files, cross=True)


@command.command("encoder", cls=StrictCommand)
@_training_options
@_tuning_options
def encoder(*, files: TrainingFiles, training: EncoderTraining) -> None:
    """Fine-tune a sentence encoder, which makes a vector of each side.

    The value of an item is the cosine of its vectors. All else is as for `scorer train cross`.

    \b
    Examples:
      scorer train encoder train.tsv train.gold.tsv --dev dev.tsv dev.gold.tsv --model base --seeds 5 \\
        --predict test.tsv run.tsv

    \b
    Exit codes:
      0  success
      1  bad data or WordNet 3.0 not found
      2  usage error
    """
    training.run(files, cross=False)


@command.command("export")
@click.argument("model")
@click.argument("folder", type=click.Path(path_type=Path))
def export(*, model: str, folder: Path) -> None:
    """Export a model to ONNX, for `scorer baseline encoder`.

    MODEL is the folder of a sentence encoder or a cross-encoder of sentence-transformers or transformers,
    with model.safetensors and tokenizer.json. FOLDER is a new folder. Both models are compared on some texts.

    This needs the same packages as `scorer train cross`.

    \b
    Examples:
      scorer train export models/seed1 onnx/seed1

    \b
    Exit codes:
      0  success
      1  bad data
      2  usage error
    """
    from scorer.training.export import export_onnx

    refuse_full_folder(folder)
    with progress("Exporting"):
        summary = export_onnx(model, folder)
    click.echo(summary, err=True)
