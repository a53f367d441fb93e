"""The figures of a data set, each with the command that computes it from the published files."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scorer._version import __version__
from scorer.annotation.agreement_report import AgreementRules, agreement_report
from scorer.annotation.choice_filter import FilterRules, filter_report
from scorer.annotation.choices_reader import EXPECTED_RATINGS, Choices
from scorer.annotation.context_effect_report import ContextRules, context_report
from scorer.annotation.ratings import Ratings
from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings
from scorer.annotation.rounds import align_rounds
from scorer.annotation.rounds_report import RoundsRules, rounds_report
from scorer.reports.table_report import TableReport, render_table_report
from scorer.values import write_json

SCHEMA = "assay.dataset/1"
_LONG = "--unit id --annotator annotator"
_CONDITIONS = ("without context", "with context")


@dataclass(frozen=True, slots=True)
class DataSetFigure:
    """What a command prints about the data set.

    Parameters
    ----------
    title : str
        What it shows.
    command : str
        The command, to be run in the folder of the data set.
    report : TableReport
        Its result.
    """

    title: str
    command: str
    report: TableReport


def figures_of(
    files: Mapping[str, bytes],
    passes: Sequence[Ratings],
    choices: Choices | None,
    expected: Mapping[str, float],
) -> list[DataSetFigure]:
    """Compute the figures of a data set.

    Parameters
    ----------
    files : mapping of str to bytes
        The files of the data set.
    passes : sequence of Ratings
        The ratings without and with context, as `test-ratings.tsv` has them.
    choices : Choices, optional
        The training pairs, as `train.tsv` has them.
    expected : mapping of str to float
        The expected rating of each choice.

    Returns
    -------
    list of DataSetFigure
    """
    return [*_agreement(files, passes), *_rounds(files, passes), *_filters(choices, expected)]


def _agreement(files: Mapping[str, bytes], passes: Sequence[Ratings]) -> Iterator[DataSetFigure]:
    columns = _header(files["test-ratings.tsv"])[2:]
    for column, condition, ratings in zip(columns, _CONDITIONS, passes, strict=False):
        command = f"scorer agree test-ratings.tsv {_LONG} --rating {column}"
        yield DataSetFigure(
            f"Agreement of the annotators {condition}",
            command,
            agreement_report(ratings, (), AgreementRules()),
        )
    if len(passes) > 1:
        free, dependent = align_rounds(passes)
        dropped = len(passes[0].units) - len(free.units), len(passes[1].units) - len(free.units)
        names = " ".join(f"--columns {column}" for column in columns)
        yield DataSetFigure(
            "Effect of context, and the significant pairs",
            f"scorer context test-ratings.tsv test-ratings.tsv {_LONG} {names}",
            context_report((free, dependent), (), ContextRules(), dropped),
        )


def _rounds(files: Mapping[str, bytes], passes: Sequence[Ratings]) -> Iterator[DataSetFigure]:
    """Compare the first round and the mean ratings of each pass, where there are two of them."""
    rounds = [(f"test-{name}.tsv", "mean") for name in ("free", "dep")[: len(passes)]]
    if any(row.rpartition(b"\t")[2] for row in files["test-free.tsv"].splitlines()[1:]):
        rounds.insert(0, ("test-free.tsv", "first"))
    if len(rounds) > 1:
        parsed = [
            parse_ratings(files[name], name, RatingsLayout(unit=("id",), annotators=(column,)))
            for name, column in rounds
        ]
        names, columns = (
            " ".join(part) for part in zip(*((n, f"--columns {c}") for n, c in rounds), strict=True)
        )
        yield DataSetFigure(
            "Correlations of the rounds",
            f"scorer rounds {names} --unit id {columns}",
            rounds_report(parsed, {}, RoundsRules()),
        )


def _filters(choices: Choices | None, expected: Mapping[str, float]) -> Iterator[DataSetFigure]:
    if choices is not None:
        pairs = ",".join(f"{choice}={value:g}" for choice, value in expected.items())
        option = "" if expected == EXPECTED_RATINGS else f" --expected {pairs}"
        yield DataSetFigure(
            "Training pairs whose rating fits their choice",
            f"scorer filter train.tsv{option}",
            filter_report(choices, FilterRules()),
        )


def _header(data: bytes) -> list[str]:
    return data.partition(b"\n")[0].decode().split("\t")


def write_figures(figures: Sequence[DataSetFigure]) -> str:
    """Write the figures as JSON. Each report is what its command prints with `--format json`."""
    values = [
        {
            "title": figure.title,
            "command": f"{figure.command} --format json",
            "report": json.loads(render_table_report(figure.report, "json")),
        }
        for figure in figures
    ]
    return write_json({"schema": SCHEMA, "scorer": __version__, "figures": values})
