"""The report of `scorer context`: which units' ratings change significantly with context, and by how much."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from scorer.annotation.agreement_report import ALL, SUBSET_HEADING, missing_table
from scorer.annotation.context_effect import (
    UNTESTED_REASONS,
    ContextTests,
    NoVarianceRule,
    TestName,
    context_tests,
    histogram,
    mean_increases,
    subtract_means,
)
from scorer.annotation.exact_arithmetic import remove_rounding_noise, unit_moments
from scorer.annotation.ratings import Floats, Ratings
from scorer.errors import RequestError
from scorer.reports.table_report import ReportTable, TableCell, TableReport
from scorer.values import Undefined

SCHEMA = "assay.context/1"
QUANTILES = (0.0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0)
AlignedPair = tuple[Ratings, Ratings]
"""Aligned ratings without and with context ("free" and "dependent")."""
_TOO_FEW_UNITS = Undefined("too_few_units", "the row has fewer than two units")
_NO_TESTED_UNIT = Undefined("no_tested_unit", "no unit can be tested with this test")


@dataclass(frozen=True, slots=True)
class ContextRules:
    """The options of `scorer context`.

    Parameters
    ----------
    test : "independent", "welch" or "paired"
        The test that determines the significant subset. The independent and paired tests are always printed.
    alpha : float
        The significance level of this test, between 0 and 1.
    fdr : bool
        Whether to compare the adjusted p values with alpha, instead of the raw p values.
    levels : tuple of float
        The levels for which the share of significant units is printed.
    bin_width : float
        The width of a bin in the histogram of increases.
    every : bool
        Whether to list all units, instead of only the significant ones.
    no_variance : "count" or "drop"
        Whether a unit that everybody changed alike counts with p = 0 or is left out.
    """

    test: TestName = "independent"
    alpha: float = 0.05
    fdr: bool = False
    levels: tuple[float, ...] = (0.05, 0.01, 0.001)
    bin_width: float = 0.25
    every: bool = False
    no_variance: NoVarianceRule = "count"

    def __post_init__(self) -> None:
        for level in (self.alpha, *self.levels):
            if not 0 < level < 1:
                raise RequestError(f"the level {level:g} has to be above 0 and below 1")

    @property
    def tests(self) -> tuple[TestName, ...]:
        """The tests that are printed."""
        return ("independent", *(("welch",) if self.test == "welch" else ()), "paired")

    def signature(self) -> str:
        """Return the part of the signature with the options that change the results."""
        levels = "+".join(f"{level!r}" for level in self.levels)
        fdr = "bh" if self.fdr else "no"
        subset = f"test:{self.test}|alpha:{self.alpha!r}|fdr:{fdr}"
        return f"{subset}|no-variance:{self.no_variance}|at:{levels}|bin:{self.bin_width!r}"


def significant_units(pair: AlignedPair, rules: ContextRules) -> list[str]:
    """Return the units of the significant subset, in the order of the file."""
    places = context_tests(*pair, rules.test, rules.no_variance).significant(rules.alpha, fdr=rules.fdr)
    return [pair[0].units[unit] for unit in places]


def context_report(
    pair: AlignedPair, parts: Sequence[tuple[str, AlignedPair]], rules: ContextRules, dropped: tuple[int, int]
) -> TableReport:
    """Compute tests and increases over all units and over each named part of them.

    Parameters
    ----------
    pair : (Ratings, Ratings)
        The ratings without and with context, aligned.
    parts : sequence of (str, (Ratings, Ratings))
        The name and the aligned ratings of each part, for example of a genre.
    rules : ContextRules
        The options.
    dropped : (int, int)
        The numbers of units that are only in the first file, and only in the second.

    Returns
    -------
    TableReport
        The tables "r", "left_out", "increase", "quantiles", "histogram", "units" and "missing".
    """
    tested = {name: context_tests(*pair, name, rules.no_variance) for name in rules.tests}
    chosen = tested[rules.test].significant(rules.alpha, fdr=rules.fdr)
    scopes = [(ALL, pair), *parts]
    chosen_names = {pair[0].units[unit] for unit in chosen}
    subset = (pair[0].of_units(chosen_names), pair[1].of_units(chosen_names))
    changes = [(name, mean_increases(*scope)[1]) for name, scope in [*scopes, ("significant", subset)]]
    ratings = np.concatenate([pair[0].value, pair[1].value])
    tables = (
        _share_table(scopes, tested, rules),
        _left_out_table(tested.values(), rules),
        _increase_table(changes, ratings),
        _quantile_table(changes, ratings),
        _histogram_table(changes[0][1], rules.bin_width),
        _unit_table(pair, tested, range(len(pair[0].units)) if rules.every else chosen, rules),
        missing_table([("free", pair[0]), ("dependent", pair[1])]),
    )
    n = len(pair[0].units)
    about: dict[str, TableCell] = {
        "n": n,
        "only_free": dropped[0],
        "only_dependent": dropped[1],
        "test": rules.test,
        "alpha": rules.alpha,
        "fdr": rules.fdr,
        "no_variance": rules.no_variance,
        "significant": len(chosen),
    }
    signature = f"context|n:{n}|{rules.signature()}"
    return TableReport(SCHEMA, signature, tables, about, tuple(_notes(n, dropped, len(chosen), rules)))


def _notes(n: int, dropped: tuple[int, int], chosen: int, rules: ContextRules) -> Iterator[str]:
    yield f"Units in both files: {n}; only in the first: {dropped[0]}; only in the second: {dropped[1]}."
    how = "p adjusted by the Benjamini-Hochberg method" if rules.fdr else "p"
    yield f"Significant units ({how} <= {rules.alpha:g} in the {rules.test} test): {chosen}."
    welch = "; the welch test does not" if rules.test == "welch" else ""
    yield (
        "All tests are two-sided t tests, which assume a normal distribution. The independent test assumes "
        f"equal variances{welch}. The paired test compares the two ratings of each annotator who rated the "
        "unit in both files."
    )
    yield (
        "expected false: the number of units expected to have p <= x if context had no effect. fdr <= x: the "
        "number of units found by the Benjamini-Hochberg procedure; at most a share x of them is expected to "
        "be false. In the table of units, fdr is p adjusted by this procedure."
    )


def _share_table(
    scopes: Sequence[tuple[str, AlignedPair]],
    tested: dict[TestName, ContextTests],
    rules: ContextRules,
) -> ReportTable:
    words = ("units of", "test")
    head = (*words, "x", "tested", "p <= x", "r(x)", "expected false", "fdr <= x")
    rows = []
    for name, part in scopes:
        for test in rules.tests:
            part_tests = tested[test] if name == ALL else context_tests(*part, test, rules.no_variance)
            rows += [[name, test, x, *_share(part_tests, x)] for x in rules.levels]
    title, headings = "Share of the tested units with p <= x", {**SUBSET_HEADING, "r(x)": "share"}
    return ReportTable("r", title, head, rows, words, {"expected false": 1}, headings)


def _share(tested: ContextTests, x: float) -> list[TableCell]:
    q, count = len(tested.p), len(tested.significant(x, fdr=False))
    if not q:
        return [0, *[_NO_TESTED_UNIT] * 4]
    return [q, count, count / q, q * x, len(tested.significant(x, fdr=True))]


def _left_out_table(tests: Iterable[ContextTests], rules: ContextRules) -> ReportTable:
    rows: list[list[TableCell]] = []
    for found_tests in tests:
        counts = np.bincount(found_tests.reason, minlength=len(UNTESTED_REASONS)).tolist()
        reasons = zip(UNTESTED_REASONS, counts, strict=True)
        rows += [[found_tests.name, why.code, why.reason, count] for why, count in reasons if why and count]
    words = ("test", "code", "reason")
    which = "no_variance counts as p = 0" if rules.no_variance == "count" else "all are left out"
    return ReportTable("left_out", f"Units without a t value ({which})", (*words, "units"), rows, words)


def _increase_table(changes: Sequence[tuple[str, Floats]], ratings: Floats) -> ReportTable:
    head = ("units of", "units", "mean", "sd", "higher", "lower")
    rows = [[name, len(increases), *_increase(increases, ratings)] for name, increases in changes]
    title = "Increase: mean with context minus mean without context"
    return ReportTable("increase", title, head, rows, ("units of",), headings=SUBSET_HEADING)


def _increase(values: Floats, ratings: Floats) -> list[TableCell]:
    higher, lower = int((values > 0).sum()), int((values < 0).sum())
    if len(values) < 2:
        return [float(values[0]) if len(values) else _TOO_FEW_UNITS, _TOO_FEW_UNITS, higher, lower]
    mean, sd = remove_rounding_noise([values.mean(), values.std(ddof=1)], ratings).tolist()
    return [mean, sd, higher, lower]


def _quantile_table(changes: Sequence[tuple[str, Floats]], ratings: Floats) -> ReportTable:
    title = "Quantiles of the increase (0.25: a quarter of the units have a smaller increase)"
    head = ("units of", *(f"{share:g}" for share in QUANTILES))
    rows = [[name, *_quantiles(increases, ratings)] for name, increases in changes]
    return ReportTable("quantiles", title, head, rows, ("units of",), headings=SUBSET_HEADING)


def _quantiles(values: Floats, ratings: Floats) -> list[TableCell]:
    if not len(values):
        return [_TOO_FEW_UNITS] * len(QUANTILES)
    quantiles: list[TableCell] = remove_rounding_noise(np.quantile(values, QUANTILES), ratings).tolist()
    return quantiles


def _histogram_table(values: Floats, width: float) -> ReportTable:
    rows = [[start, end, count] for start, end, count in histogram(values, width)]
    title, decimals = "Histogram of the increase, over all units", {"from": 2, "below": 2}
    return ReportTable("histogram", title, ("from", "below", "units"), rows, decimals=decimals)


def _unit_table(
    pair: AlignedPair,
    tested: dict[TestName, ContextTests],
    units: Sequence[int],
    rules: ContextRules,
) -> ReportTable:
    free, dependent = unit_moments(pair[0]), unit_moments(pair[1])
    increases = subtract_means(dependent, free)
    test_heads = (f"{test} {heading}" for test in tested for heading in ("t", "p", "fdr"))
    head = ("unit", "k free", "k dependent", "free", "dependent", "increase", *test_heads)
    rows: list[list[TableCell]] = []
    for unit in units:
        counts = int(free.count[unit]), int(dependent.count[unit])
        means: list[TableCell] = [
            float(moments.mean[unit]) if moments.count[unit] else _UNRATED for moments in (free, dependent)
        ]
        rise: TableCell = float(increases[unit]) if all(counts) else _UNRATED
        test_cells = [cell for found_tests in tested.values() for cell in found_tests.cells(unit)]
        rows.append([pair[0].units[unit], *counts, *means, rise, *test_cells])
    which = "All" if rules.every else "Significant"
    title = f"{which} units (free: mean rating without context, dependent: with context, k: ratings)"
    return ReportTable("units", title, head, rows, words=("unit",))


_UNRATED = Undefined("unrated", "the unit has no rating in one of the files")
