"""Renders a comparison of runs as text, TSV, JSON or LaTeX."""

from typing import TYPE_CHECKING, Any

from scorer.files.text import count_noun
from scorer.metrics import get_metric
from scorer.reports.records import undefined_dict, write_document, write_records
from scorer.reports.scores import DASH, format_number
from scorer.reports.tables import (
    NEEDS_BOOKTABS,
    TableSection,
    WordTable,
    cluster_starts,
    plain_table,
    write_latex,
    write_text,
)
from scorer.statistics.adjustments import ADJUSTMENT_NAMES
from scorer.statistics.swap_rules import swap_notes
from scorer.values import Undefined

if TYPE_CHECKING:
    from scorer.inference.comparison import ComparedRun, Comparison, RunDifference

FORMATS = ("text", "tsv", "json", "latex")
SCHEMA = "assay.compare/1"
NO_VALUE = "No value"
"""The heading of runs for which the metric has no value."""
TSV_COLUMNS = (
    "kind", "run", "other", "metric", "value", "n", "low", "high", "degenerate", "p", "adjusted", "better",
    "rank", "rank_low", "rank_high", "cluster", "t", "df", "z", "z_p", "undefined", "signature",
)  # fmt: skip
"""One line per run, then one line per pair, whose value is that of `run` minus that of `other`."""


def render_comparison(comparison: "Comparison", format_: str) -> str:
    """Render a comparison in one of FORMATS, with a newline at its end.

    Parameters
    ----------
    comparison : Comparison
        The result of `compare_runs`.
    format_ : str
        One of FORMATS. "text" and "latex" round. "tsv" and "json" have full precision, except for ends of
        intervals (six decimal places, or six significant digits if both values are small), test statistics
        (six decimal places), and p values that are not from counts (six significant digits).

    Returns
    -------
    str
    """
    return {"text": _text, "tsv": _tsv, "json": _json, "latex": _latex}[format_](comparison)


def _json(comparison: "Comparison") -> str:
    rules = comparison.rules
    return write_document(
        SCHEMA,
        metric=rules.metric,
        n=comparison.n,
        test=rules.test,
        alpha=rules.alpha,
        level=rules.level,
        permutations=rules.permutations,
        bootstrap=rules.b,
        seed=None if rules.test == "williams" else rules.seed,
        runs=[_run_dict(run) for run in comparison.standings],
        pairs=[_pair_dict(comparison, pair) for pair in comparison.differences],
        signature=comparison.signature,
    )


def _run_dict(run: "ComparedRun") -> dict[str, Any]:
    return {
        "run": run.name,
        "value": run.value,
        "undefined": undefined_dict(run.value),
        "rank": run.rank,
        "rank_low": run.low,
        "rank_high": run.high,
        "cluster": run.cluster,
    }


def _pair_dict(comparison: "Comparison", pair: "RunDifference") -> dict[str, Any]:
    _, low, high = _rounded(comparison, pair)
    values = {
        "run": comparison.standings[pair.first].name,
        "other": comparison.standings[pair.second].name,
        "difference": pair.difference,
        "low": low,
        "high": high,
        "degenerate": pair.degenerate,
        "p": pair.p if pair.t is None else _rounded_p(pair.p),
        "adjusted": pair.adjusted if pair.t is None else _rounded_p(pair.adjusted),
        "significant": pair.significant,
        "undefined": undefined_dict(pair.undefined),
    }
    if comparison.rules.adjust == "max-t" and pair.adjusted is not None:
        from scorer.statistics.multiple_testing import monte_carlo_interval  # noqa: PLC0415  not for other output

        values["adjusted_interval"] = monte_carlo_interval(pair.adjusted, comparison.rules.permutations or 0)
    if pair.t is not None and pair.z is not None:
        values["williams"] = {
            "t": _round_statistic(pair.t.statistic),
            "df": pair.t.df,
            "p": _rounded_p(pair.t.p),
        }
        values["steiger"] = {"z": _round_statistic(pair.z.statistic), "p": _rounded_p(pair.z.p)}
    return values


def _round_statistic(value: float) -> float:
    """Round a test statistic to six decimal places, without a sign before zero."""
    return round(value, 6) + 0.0


def _rounded(comparison: "Comparison", pair: "RunDifference") -> tuple[float, float | None, float | None]:
    """Return a difference and the ends of its interval, rounded to the precision of the two values."""
    from scorer.statistics.intervals import round_end, round_ends  # noqa: PLC0415  imports numpy, needed before

    values = [comparison.standings[place].value for place in (pair.first, pair.second)]
    numbers = [value for value in (*values, pair.low, pair.high) if isinstance(value, float)]
    difference = round_end(pair.difference, max(map(abs, numbers)))
    if pair.low is None or pair.high is None:
        return difference, None, None
    return difference, *round_ends(pair.low, pair.high, pair.difference, *numbers)


def _rounded_p(value: float | None) -> float | None:
    """Round a p value that is not from counts to the digits that are the same on every machine."""
    return None if value is None else float(f"{value:.6g}")


def _tsv(comparison: "Comparison") -> str:
    signature = {"metric": comparison.rules.metric, "n": comparison.n, "signature": comparison.signature}
    runs = [{"kind": "run", **_run_dict(run), **signature} for run in comparison.standings]
    pairs = [{**_pair_record(comparison, pair), **signature} for pair in comparison.differences]
    return write_records(TSV_COLUMNS, [*runs, *pairs])


def _pair_record(comparison: "Comparison", pair: "RunDifference") -> dict[str, Any]:
    values = _pair_dict(comparison, pair)
    better = values["run"] if pair.significant else None
    line = {"kind": "pair", **values, "value": pair.difference, "better": better}
    if pair.t is not None and pair.z is not None:
        line |= {**values["williams"], "z": values["steiger"]["z"], "z_p": values["steiger"]["p"]}
        line["p"] = values["p"]
    return line


def _format_p(value: float | None) -> str:
    """Format a p value: four decimal places, or scientific notation if it is smaller."""
    if value is None:
        return DASH
    if value < 1e-300:
        return "<1e-300"
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"


def _run_table(comparison: "Comparison") -> WordTable:
    ranked = [run for run in comparison.standings if run.rank is not None]
    unranked = [run for run in comparison.standings if run.rank is None]
    rules = cluster_starts([run.cluster for run in ranked])
    sections = [TableSection([_ranked_row(comparison.rules.metric, run) for run in ranked], rules=rules)]
    if unranked:
        sections.append(TableSection([[DASH, DASH, DASH, run.name, DASH] for run in unranked], NO_VALUE))
    return WordTable(["rank", "range", "cluster", "run", comparison.rules.metric], sections, ["run"])


def _ranked_row(metric: str, run: "ComparedRun") -> list[str]:
    value = run.value
    if isinstance(value, float) and get_metric(metric).higher_is_better:
        value = round(value, 12)  # a correlation
    ranks = str(run.low) if run.low == run.high else f"{run.low}-{run.high}"
    return [str(run.rank), ranks, str(run.cluster), run.name, format_number(value)]


def _pair_tables(comparison: "Comparison") -> list[WordTable]:
    """Return one table, or none if no two runs have a value."""
    if not comparison.differences:
        return []
    is_williams = comparison.rules.test == "williams"
    tests = ["t", "z", "p of z"] if is_williams else []
    head = ["run", "other", "difference", "interval", *tests, "p", "adjusted p", "better"]
    rows = [_pair_row(comparison, pair, is_williams=is_williams) for pair in comparison.differences]
    return [plain_table(head, rows, ["run", "other", "better"])]


def _pair_row(comparison: "Comparison", pair: "RunDifference", *, is_williams: bool) -> list[str]:
    names = [comparison.standings[pair.first].name, comparison.standings[pair.second].name]
    difference, low, high = map(format_number, _rounded(comparison, pair))
    interval = DASH if pair.low is None else f"[{low}, {high}]"
    tests = _test_cells(pair) if is_williams else []
    better = names[0] if pair.significant else DASH
    return [*names, difference, interval, *tests, _format_p(pair.p), _format_p(pair.adjusted), better]


def _test_cells(pair: "RunDifference") -> list[str]:
    if pair.t is None or pair.z is None:
        return [DASH, DASH, DASH]
    statistics = (pair.t.statistic, pair.z.statistic)
    return [*(format_number(_round_statistic(statistic)) for statistic in statistics), _format_p(pair.z.p)]


def _title(comparison: "Comparison") -> str:
    rules, items = comparison.rules, count_noun(comparison.n, "item")
    return f"{rules.metric}, {items}, {len(comparison.standings)} runs, {rules.test} test"


def _notes(comparison: "Comparison") -> list[str]:
    lines = []
    if comparison.differences:
        metrics = [comparison.rules.metric] if comparison.rules.test == "permutation" else []
        swapped = swap_notes(metrics, comparison.groups if metrics else None)
        lines = [_method_note(comparison), *swapped, _better_note(comparison)]
    degenerate = sum(pair.degenerate > 0 for pair in comparison.differences)
    if degenerate:
        of = f"{degenerate} of {count_noun(len(comparison.differences), 'pair')}"
        lines.append(f"In {of}, some resamples had no value; --format tsv and json show how many.")
    return [*lines, *(f"{DASH} {reason}" for reason in _reasons(comparison)), comparison.signature]


def _method_note(comparison: "Comparison") -> str:
    """Describe the test and the intervals."""
    rules = comparison.rules
    how = {
        "permutation": f"Paired permutation test, {rules.permutations} permutations; "
        f"percentile intervals by {rules.b} resamples",
        "bootstrap": f"Paired bootstrap, p and percentile intervals by {rules.b} resamples",
        "williams": "Williams's t test; Zou's intervals; also Steiger's z",
    }[rules.test]
    handling = {"permutation": "swapped and resampled", "bootstrap": "resampled"}.get(rules.test)
    groups = (
        [] if comparison.groups is None else [f"The {comparison.groups} groups are {handling} as a whole."]
    )
    coverage = f"Each interval has {100 * rules.level:g} % coverage on its own, not jointly."
    return " ".join([f"{how}.", *groups, coverage])


def _better_note(comparison: "Comparison") -> str:
    tested = sum(pair.p is not None for pair in comparison.differences)
    if not tested:
        return "No pair could be tested."
    clusters = {run.cluster for run in comparison.standings if run.cluster is not None}
    rule = " Each run of a cluster is better than all runs below the cluster." if len(clusters) > 1 else ""
    method = ADJUSTMENT_NAMES[comparison.rules.adjust or "holm"]
    adjusted = f"p is adjusted by {method} over {count_noun(tested, 'pair')}"
    better = (
        f'The column "better" names the better run if the adjusted p is at most {comparison.rules.alpha:g}.'
    )
    return f"{adjusted}. {better}{rule}"


def _reasons(comparison: "Comparison") -> list[str]:
    """Return the reasons for the dashes."""
    runs = comparison.standings
    of_runs = [f"{run.name}: {run.value.reason}" for run in runs if isinstance(run.value, Undefined)]
    of_pairs = [
        f"{runs[pair.first].name}, {runs[pair.second].name}: {pair.undefined.reason}"
        for pair in comparison.differences
        if pair.undefined is not None
    ]
    return of_runs + of_pairs


def _text(comparison: "Comparison") -> str:
    tables = [[_run_table(comparison)], _pair_tables(comparison)]
    return write_text([[_title(comparison)], *tables, _notes(comparison)])


def _latex(comparison: "Comparison") -> str:
    paragraphs: list[list[str | WordTable]] = [[NEEDS_BOOKTABS, _run_table(comparison)]]
    paragraphs += [[table] for table in _pair_tables(comparison)]
    paragraphs[-1] += [_title(comparison), *_notes(comparison)]
    return write_latex(paragraphs)
