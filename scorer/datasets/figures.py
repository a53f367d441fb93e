"""The figures of a data set, each with the command that computes it from the published files."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from scorer._version import __version__
from scorer.annotation.agreement_report import AgreementRules, agreement_report
from scorer.annotation.choice_filter import FilterRules, filter_report
from scorer.annotation.choices_reader import EXPECTED_RATINGS, Choices, ChoicesLayout, parse_choices
from scorer.annotation.context_effect_report import ContextRules, context_report
from scorer.annotation.ratings import Ratings
from scorer.annotation.ratings_reader import RatingsLayout, parse_ratings
from scorer.annotation.rounds import align_rounds
from scorer.annotation.rounds_report import RoundsRules, rounds_report
from scorer.campaigns.scales import format_expected_ratings
from scorer.reports.table_report import TableReport, render_table_report
from scorer.values import write_json

SCHEMA = "assay.dataset/1"
_LONG = "--unit id --annotator annotator"
_CONDITIONS = {"test.tsv": "", "test-free.tsv": " without context", "test-dep.tsv": " with context"}
"""How the pairs of each file were rated, if there were two passes."""
_SHARES = (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
"""The values of x for which the share of pairs with p <= x is printed."""


@dataclass(frozen=True, slots=True)
class DataSetFigure:
    """What a command prints about the data set.

    Parameters
    ----------
    title : str
        What it shows.
    command : str
        The command, to be run in the folder of the data set.
    report : TableReport, optional
        Its result. None if it is no command of the scorer.
    """

    title: str
    command: str
    report: TableReport | None


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
    return [
        *_agreement(files, passes),
        *_rounds(files),
        *_filters(files, choices, expected),
    ]


def _agreement(files: Mapping[str, bytes], passes: Sequence[Ratings]) -> Iterator[DataSetFigure]:
    columns = _header(files["test-ratings.tsv"])[2:]
    for column, name, ratings in zip(columns, _test_files(files), passes, strict=True):
        command = f"scorer agree test-ratings.tsv {_LONG} --rating {column}"
        yield DataSetFigure(
            f"Agreement of the annotators{_CONDITIONS[name]}",
            command,
            agreement_report(ratings, (), AgreementRules()),
        )
    if len(passes) > 1:
        free, dependent = align_rounds(passes)
        dropped = len(passes[0].units) - len(free.units), len(passes[1].units) - len(free.units)
        names = " ".join(f"--columns {column}" for column in columns)
        shares = " ".join(f"--at {share:g}" for share in _SHARES)
        yield DataSetFigure(
            "Effect of context: increase, share of pairs with p <= x, and the significant pairs",
            f"scorer context test-ratings.tsv test-ratings.tsv {_LONG} {names} {shares}",
            context_report((free, dependent), (), ContextRules(levels=_SHARES), dropped),
        )


def _rounds(files: Mapping[str, bytes]) -> Iterator[DataSetFigure]:
    """Compare the first round and the mean ratings of each pass, where there are two of them."""
    rounds = [(name, "mean") for name in _test_files(files)]
    if any(_first_ratings(files)):
        rounds.insert(0, (rounds[0][0], "first"))
    if len(rounds) > 1:
        parsed = [
            parse_ratings(files[name], name, RatingsLayout(unit=("id",), annotators=(column,)))
            for name, column in rounds
        ]
        names, columns = (
            " ".join(part) for part in zip(*((n, f"--columns {c}") for n, c in rounds), strict=True)
        )
        yield DataSetFigure(
            "Correlations of the rounds, also partial",
            f"scorer rounds {names} --unit id {columns}",
            rounds_report(parsed, {}, RoundsRules()),
        )


def _filters(
    files: Mapping[str, bytes], choices: Choices | None, expected: Mapping[str, float]
) -> Iterator[DataSetFigure]:
    """Compare the ratings of the first round with their choices, and with the means of the test pairs."""
    option = "" if expected == EXPECTED_RATINGS else f" --expected {format_expected_ratings(expected)}"
    if choices is not None:
        yield DataSetFigure(
            "Training pairs whose rating fits their choice",
            f"scorer filter train.tsv{option}",
            filter_report(choices, FilterRules()),
        )
        yield DataSetFigure(
            "Number of training pairs with each choice and rating",
            "tail -n +2 train.tsv | cut -f4,5 | sort | uniq -c",
            None,
        )
    if all(_first_ratings(files)):
        for name in _test_files(files):
            layout = ChoicesLayout(rating="first", second="mean", expected=expected)
            yield DataSetFigure(
                f"Test pairs whose first rating fits their choice, compared with the mean{_CONDITIONS[name]}",
                f"scorer filter {name} --rating first --second mean{option}",
                filter_report(parse_choices(files[name], name, layout), FilterRules()),
            )


def _test_files(files: Mapping[str, bytes]) -> list[str]:
    return [name for name in _CONDITIONS if name in files]


def _first_ratings(files: Mapping[str, bytes]) -> list[bytes]:
    """Return the last cell of each test pair: its rating in the first round, or nothing."""
    return [row.rpartition(b"\t")[2] for row in files[_test_files(files)[0]].splitlines()[1:]]


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
        if figure.report is not None
    ]
    return write_json({"schema": SCHEMA, "scorer": __version__, "figures": values})
