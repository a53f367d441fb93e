"""Filter pairs by how close their rating is to the one expected from their choice, with random controls."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import fsum
from statistics import fmean, stdev

import numpy as np

from scorer.annotation.agreement import MEASURES, Value, closeness
from scorer.annotation.choices_reader import Choices
from scorer.annotation.exact_arithmetic import remove_rounding_noise
from scorer.annotation.ratings import Floats, Indices
from scorer.errors import RequestError
from scorer.reports.table_report import ReportTable, TableCell, TableReport
from scorer.statistics.random_streams import draw_order, open_stream
from scorer.values import Undefined

SCHEMA = "assay.filter/1"
_HEADINGS = {"pairs of": "subset"}


@dataclass(frozen=True, slots=True)
class FilterRules:
    """The options of `scorer filter`.

    Parameters
    ----------
    neighbourhoods : tuple of float
        The widths of the neighbourhoods: the maximum differences between a rating and the expected rating,
        each at least 0.
    repeats : int
        The number of random controls of each neighbourhood, at least 0.
    seed : int
        The seed of the controls, at least 0.
    """

    neighbourhoods: tuple[float, ...] = (1.0, 2.0)
    repeats: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        for width in self.neighbourhoods:
            if not 0 <= width < float("inf"):
                raise RequestError(f"the neighbourhood {width:g} has to be 0 or more")
        if self.repeats < 0 or self.seed < 0:
            raise RequestError("the number of controls and their seed have to be 0 or more")


def neighbourhood(choices: Choices, width: float) -> Indices:
    """Find the pairs whose rating differs by at most `width` from the rating expected from their choice.

    Parameters
    ----------
    choices : Choices
        The pairs.
    width : float, at least 0
        The maximum difference.

    Returns
    -------
    (q,) array of int
        The indices of the pairs, in ascending order.

    References
    ----------
    Sido et al. (2024), Czech news dataset for semantic textual similarity, Language Resources and Evaluation,
    doi:10.1007/s10579-024-09795-z: N1 and N2 keep 85,374 and 101,413 of 116,956 pairs.

    Examples
    --------
    >>> from scorer.annotation.choices_reader import parse_choices
    >>> found = parse_choices(b"choice,rating\\nA,5\\nA,4\\nC,0\\nB,5\\n", "train.csv")
    >>> neighbourhood(found, 1).tolist(), neighbourhood(found, 2).tolist()
    ([0, 2], [0, 1, 2, 3])
    """
    distances = np.abs(choices.rating - choices.expected)
    return np.flatnonzero(remove_rounding_noise(distances, choices.rating, choices.expected) <= width)


def random_control(choices: Choices, width: float, size: int, seed: int, number: int) -> Indices:
    """Draw as many random pairs as a neighbourhood has.

    Parameters
    ----------
    choices : Choices
        The pairs.
    width : float
        The width of the neighbourhood. Each width has its own random stream.
    size : int
        The number of pairs to draw, from 0 to N.
    seed : int
        The seed, at least 0.
    number : int
        The number of the control, from 1. A control does not depend on the number of controls.

    Returns
    -------
    (size,) array of int
        The indices of the pairs, in ascending order. All sets of this size are equally likely.

    Examples
    --------
    >>> from scorer.annotation.choices_reader import parse_choices
    >>> found = parse_choices(b"choice,rating\\nA,5\\nA,4\\nC,0\\nB,5\\n", "train.csv")
    >>> len(set(random_control(found, 1, 2, 7, 1).tolist()))
    2
    """
    stream = open_stream(seed, choices.rating.tolist(), f"filter {width!r}", number)
    return np.sort(draw_order(stream, len(choices))[:size])


def select_file_rows(data: bytes, choices: Choices, kept: Indices) -> bytes:
    """Return the bytes of the header, if there is one, and of the rows with these indices.

    Examples
    --------
    >>> from scorer.annotation.choices_reader import parse_choices
    >>> data = b"choice,rating\\r\\n A , 5.0\\r\\nA,4\\r\\n"
    >>> select_file_rows(data, parse_choices(data, "train.csv"), np.array([0]))
    b'choice,rating\\r\\n A , 5.0\\r\\n'
    """
    lines = data.splitlines(keepends=True)
    starts = (choices.line - 1).tolist()
    ends = [*starts[1:], len(lines)]
    rows = [b"".join(lines[starts[place] : ends[place]]) for place in kept.tolist()]
    return b"".join([*lines[: starts[0]], *rows])


def filter_report(choices: Choices, rules: FilterRules) -> TableReport:
    """Compare the pairs of each neighbourhood with the mean of its random controls.

    Parameters
    ----------
    choices : Choices
        The pairs.
    rules : FilterRules
        The options.

    Returns
    -------
    TableReport
        The tables "kept" and, if the file has ratings of another round, "second".
    """
    n = len(choices)
    parts = list(_subsets(choices, rules))
    tables = [_kept_table(choices, parts)]
    if choices.second is not None:
        tables.append(_second_table(choices, choices.second, parts))
    widths = "+".join(f"{width:g}" for width in rules.neighbourhoods)
    signature = f"filter|n:{n}|within:{widths}|repeats:{rules.repeats}|seed:{rules.seed}"
    about: dict[str, TableCell] = {"n": n, "repeats": rules.repeats, "seed": rules.seed}
    return TableReport(SCHEMA, signature, tuple(tables), about, tuple(_notes(choices, rules)))


PairSubset = tuple[str, list[Indices]]
"""The name of a subset, and its pairs; for a control, the pairs of each draw."""


def _subsets(choices: Choices, rules: FilterRules) -> Iterator[PairSubset]:
    yield "all", [np.arange(len(choices))]
    for width in rules.neighbourhoods:
        near_pairs = neighbourhood(choices, width)
        yield f"N{width:g}", [near_pairs]
        if rules.repeats:
            numbers = range(1, rules.repeats + 1)
            yield (
                f"control of N{width:g}",
                [random_control(choices, width, len(near_pairs), rules.seed, number) for number in numbers],
            )


def _notes(choices: Choices, rules: FilterRules) -> Iterator[str]:
    expected = dict(zip(choices.choice, choices.expected.tolist(), strict=True))
    ratings = ", ".join(f"{choice} {expected[choice]:g}" for choice in sorted(expected))
    widths = ", ".join(f"{width:g} in N{width:g}" for width in rules.neighbourhoods)
    yield f"Expected ratings: {ratings}. Maximum difference between rating and expected rating: {widths}."
    yield "distance is the mean absolute difference between rating and expected rating."
    spread = "Filtering by rating changes the spread of the ratings, and therefore their correlations."
    if not rules.repeats:
        yield spread
        return
    values = "values of 1 control" if rules.repeats == 1 else f"means over {rules.repeats} controls"
    yield f"A control is a random set of the same number of pairs. Its row has the {values}."
    yield f"{spread} The controls have about the same spread as all pairs."


def _kept_table(choices: Choices, parts: Sequence[PairSubset]) -> ReportTable:
    expected = dict(zip(choices.choice, choices.expected.tolist(), strict=True))
    names = sorted(expected, key=lambda name: (-expected[name], name))
    codes = np.array([names.index(choice) for choice in choices.choice])
    distances = np.abs(choices.rating - choices.expected)
    rows: list[list[TableCell]] = []
    for name, draws in parts:
        size = len(draws[0])
        counts = [[float((codes[draw] == code).sum()) for draw in draws] for code in range(len(names))]
        means = _means(draws, choices.rating, distances)
        rows.append([name, size, size / len(choices), *map(_count, counts), *means])
    counted = {f"{name} pairs": 1 for name in names}
    head = ("pairs of", "pairs", "share", *counted, "mean rating", "distance")
    title = "Pairs whose rating is close to the one expected from the choice"
    return ReportTable("kept", title, head, rows, ("pairs of",), counted, _HEADINGS)


def _count(values: Sequence[float]) -> TableCell:
    """Return the mean over draws, as an integer if all draws have the same count."""
    return int(values[0]) if len(set(values)) == 1 else fmean(values)


def _means(draws: Sequence[Indices], *columns: Floats) -> list[TableCell]:
    if not len(draws[0]):
        return [Undefined("no_pair", "no pair was kept")] * len(columns)
    return [
        fsum(fsum(column[draw].tolist()) for draw in draws) / len(draws) / len(draws[0]) for column in columns
    ]


def _second_table(choices: Choices, second: Floats, parts: Sequence[PairSubset]) -> ReportTable:
    is_rated = np.isfinite(second)
    rows: list[list[TableCell]] = []
    for name, draws in parts:
        rated_draws = [draw[is_rated[draw]] for draw in draws]
        results = [closeness(choices.rating[draw].tolist(), second[draw].tolist()) for draw in rated_draws]
        columns = [[getattr(result, measure) for result in results] for measure in MEASURES]
        size = _count([float(result.n) for result in results])
        means = [_over_draws(fmean, column) for column in columns]
        spread = _over_draws(stdev, columns[0]) if len(results) > 1 else None
        rows.append([name, size, means[0], spread, *means[1:]])
    title = "Ratings of these pairs compared with the other round (sd: of pearson, over the controls)"
    head = ("pairs of", "n", "pearson", "sd", *MEASURES[1:])
    return ReportTable("second", title, head, rows, ("pairs of",), {"n": 1}, _HEADINGS)


def _over_draws(statistic: Callable[[Sequence[float]], float], values: Sequence[Value]) -> Value:
    """Compute a statistic over the values of several draws. It is undefined if one of them is undefined."""
    numbers = [value for value in values if not isinstance(value, Undefined)]
    undefined = (value for value in values if isinstance(value, Undefined))
    return statistic(numbers) if len(numbers) == len(values) else next(undefined)
