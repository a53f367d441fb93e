"""Comparison -> text, TSV, JSON, LaTeX."""

import json
from typing import TYPE_CHECKING, Any

from scorer._version import __version__
from scorer.metrics import get_metric
from scorer.reports.escaping import single_line
from scorer.reports.scores import DASH, format_number
from scorer.reports.tables import latex_table, text_table, tsv_table
from scorer.statistics.swap_rules import swap_notes
from scorer.values import Undefined

if TYPE_CHECKING:
    from scorer.inference.comparison import ComparedRun, Comparison, RunDifference

FORMATS = ("text", "tsv", "json", "latex")
SCHEMA = "assay.compare/1"
NO_VALUE = "No value"
"""What stands over the runs that the metric says nothing of."""
TSV_COLUMNS = (
    "kind", "run", "other", "metric", "value", "n", "low", "high", "degenerate", "p", "adjusted", "better",
    "rank", "rank_low", "rank_high", "cluster", "t", "df", "z", "z_p", "undefined", "signature",
)  # fmt: skip
"""A line a run, then a line a pair, whose value is the run's less the other's."""


def render_comparison(found: "Comparison", format_: str) -> str:
    """A comparison in one of FORMATS, with a newline at its end.

    Parameters
    ----------
    found : Comparison
        From `compare_runs`.
    format_ : str
        One of FORMATS: "text" and "latex" round; "tsv" and "json" have full precision, but for ends of
        intervals (six decimals, or six digits where both values are small), statistics (six decimals), and
        p values that do not come from counts (six digits).

    Returns
    -------
    str
    """
    return {"text": _text, "tsv": _tsv, "json": _json, "latex": _latex}[format_](found)


def _json(comparison: "Comparison") -> str:
    rules = comparison.rules
    values = {
        "schema": SCHEMA,
        "scorer": __version__,
        "metric": rules.metric,
        "n": comparison.n,
        "test": rules.test,
        "alpha": rules.alpha,
        "level": rules.level,
        "permutations": rules.permutations,
        "bootstrap": rules.b,
        "seed": None if rules.test == "williams" else rules.seed,
        "runs": [_run_dict(each) for each in comparison.standings],
        "pairs": [_pair_dict(comparison, each) for each in comparison.differences],
        "signature": comparison.signature,
    }
    return json.dumps(values, ensure_ascii=False, indent=1) + "\n"


def _undefined_dict(value: object) -> dict[str, str] | None:
    return {"code": value.code, "reason": value.reason} if isinstance(value, Undefined) else None


def _run_dict(each: "ComparedRun") -> dict[str, Any]:
    return {
        "run": each.name,
        "value": None if isinstance(each.value, Undefined) else each.value,
        "undefined": _undefined_dict(each.value),
        "rank": each.rank,
        "rank_low": each.low,
        "rank_high": each.high,
        "cluster": each.cluster,
    }


def _pair_dict(comparison: "Comparison", pair: "RunDifference") -> dict[str, Any]:
    values = {
        "run": comparison.standings[pair.first].name,
        "other": comparison.standings[pair.second].name,
        "difference": pair.difference,
        "low": _rounded_end(comparison, pair, pair.low),
        "high": _rounded_end(comparison, pair, pair.high),
        "degenerate": pair.degenerate,
        "p": pair.p if pair.t is None else _rounded_p(pair.p),
        "adjusted": pair.adjusted if pair.t is None else _rounded_p(pair.adjusted),
        "significant": pair.significant,
        "undefined": _undefined_dict(pair.undefined),
    }
    if pair.t is not None and pair.z is not None:
        values["williams"] = {
            "t": _round_statistic(pair.t.statistic),
            "df": pair.t.df,
            "p": _rounded_p(pair.t.p),
        }
        values["steiger"] = {"z": _round_statistic(pair.z.statistic), "p": _rounded_p(pair.z.p)}
    return values


def _round_statistic(value: float) -> float:
    """A statistic: six decimals, and no sign before a zero."""
    return round(value, 6) + 0.0


def _rounded_end(comparison: "Comparison", pair: "RunDifference", value: float | None) -> float | None:
    """A difference or an end of its interval, as exact as the two values that it is of."""
    from scorer.statistics.intervals import round_end  # noqa: PLC0415  it loads numpy, as the comparison did

    values = [comparison.standings[place].value for place in (pair.first, pair.second)]
    sizes = [abs(each) for each in (*values, pair.low, pair.high) if isinstance(each, float)]
    return None if value is None else round_end(value, max(sizes))


def _rounded_p(value: float | None) -> float | None:
    """A p that does not come from counts: the digits that every machine agrees on."""
    return None if value is None else float(f"{value:.6g}")


def _tsv(comparison: "Comparison") -> str:
    signature = {"metric": comparison.rules.metric, "n": comparison.n, "signature": comparison.signature}
    lines: list[dict[str, Any]] = [
        {"kind": "run", **_run_dict(each), **signature} for each in comparison.standings
    ]
    lines += [{**_pair_line(comparison, pair), **signature} for pair in comparison.differences]
    rows = [[_exact(line.get(name)) for name in TSV_COLUMNS] for line in lines]
    return "\n".join(tsv_table(TSV_COLUMNS, rows)) + "\n"


def _pair_line(comparison: "Comparison", pair: "RunDifference") -> dict[str, Any]:
    values = _pair_dict(comparison, pair)
    better = values["run"] if pair.significant else None
    line = {"kind": "pair", **values, "value": pair.difference, "better": better}
    if pair.t is not None and pair.z is not None:
        line |= {**values["williams"], "z": values["steiger"]["z"], "z_p": values["steiger"]["p"]}
        line["p"] = values["p"]
    return line


def _exact(value: Any) -> str:
    if isinstance(value, dict):
        return str(value["reason"])
    return "" if value is None else value if isinstance(value, str) else repr(value)


def _format_p(value: float | None) -> str:
    """A p value, from counts: four decimals, or its order where it is smaller."""
    if value is None:
        return DASH
    if value < 1e-300:
        return "<1e-300"
    return f"{value:.4f}" if value >= 0.0001 else f"{value:.1e}"


def _run_table(comparison: "Comparison") -> tuple[list[str], list[list[str]]]:
    rows = []
    for each in comparison.standings:
        if isinstance(each.value, Undefined):
            rows.append([DASH, DASH, DASH, each.name, DASH])
        else:
            span = str(each.low) if each.low == each.high else f"{each.low}-{each.high}"
            is_correlation = get_metric(comparison.rules.metric).higher_is_better
            value = round(each.value, 12) if is_correlation else each.value
            rows.append([str(each.rank), span, str(each.cluster), each.name, format_number(value)])
    return ["rank", "range", "cluster", "run", comparison.rules.metric], rows


def _pair_table(comparison: "Comparison") -> tuple[list[str], list[list[str]]]:
    head = ["run", "other", "difference", "interval", "p", "adjusted p", "better"]
    rows = [_pair_row(comparison, pair) for pair in comparison.differences]
    if comparison.rules.test == "williams":
        head[4:4] = ["t", "z", "p of z"]
        for row, pair in zip(rows, comparison.differences, strict=True):
            row[4:4] = _test_cells(pair)
    return head, rows


def _pair_row(comparison: "Comparison", pair: "RunDifference") -> list[str]:
    names = [comparison.standings[pair.first].name, comparison.standings[pair.second].name]
    shown = [
        format_number(_rounded_end(comparison, pair, each)) for each in (pair.difference, pair.low, pair.high)
    ]
    span = DASH if pair.low is None else f"[{shown[1]}, {shown[2]}]"
    better = names[0] if pair.significant else DASH
    return [*names, shown[0], span, _format_p(pair.p), _format_p(pair.adjusted), better]


def _test_cells(pair: "RunDifference") -> list[str]:
    if pair.t is None or pair.z is None:
        return [DASH, DASH, DASH]
    return [
        format_number(_round_statistic(pair.t.statistic)),
        format_number(_round_statistic(pair.z.statistic)),
        _format_p(pair.z.p),
    ]


def _title(comparison: "Comparison") -> str:
    items = "1 item" if comparison.n == 1 else f"{comparison.n} items"
    return (
        f"{comparison.rules.metric}, {items}, {len(comparison.standings)} runs, {comparison.rules.test} test"
    )


def _notes(comparison: "Comparison") -> list[str]:
    lines = []
    if comparison.differences:
        swapped = swap_notes([comparison.rules.metric]) if comparison.rules.test == "permutation" else ()
        lines = [_method_note(comparison), *swapped, _better_note(comparison)]
    degenerate = sum(pair.degenerate > 0 for pair in comparison.differences)
    if degenerate:
        of = f"{degenerate} of {_count_noun(len(comparison.differences), 'pair')}"
        lines.append(f"Resamples without a value: in {of}; tsv and json count them.")
    return [*lines, *(f"{DASH} {reason}" for reason in _reasons(comparison)), comparison.signature]


def _method_note(comparison: "Comparison") -> str:
    """Where p values and intervals come from."""
    rules = comparison.rules
    how = {
        "permutation": f"Paired permutation test, {rules.permutations} permutations; "
        f"percentile intervals by {rules.b} resamples",
        "bootstrap": f"Paired bootstrap, p and percentile intervals by {rules.b} resamples",
        "williams": "Williams's t; Zou's intervals; Steiger's z beside",
    }[rules.test]
    moved = {"permutation": "swapped and drawn", "bootstrap": "drawn"}.get(rules.test)
    groups = [] if comparison.groups is None else [f"Groups are {moved} whole, {comparison.groups} in all."]
    coverage = f"Intervals cover {100 * rules.level:g} % each, not jointly."
    return " ".join([f"{how}.", *groups, coverage])


def _better_note(comparison: "Comparison") -> str:
    tested = sum(pair.p is not None for pair in comparison.differences)
    if not tested:
        return "No pair could be tested."
    clusters = {each.cluster for each in comparison.standings if each.cluster is not None}
    rule = " A cluster's runs are each better than all below it." if len(clusters) > 1 else ""
    adjusted = f"Adjusted by Holm's method over {_count_noun(tested, 'pair')}"
    return f"{adjusted}; better: adjusted p at most {comparison.rules.alpha:g}.{rule}"


def _reasons(comparison: "Comparison") -> list[str]:
    """Why a dash is a dash."""
    names = [each.name for each in comparison.standings]
    return [
        f"{each.name}: {each.value.reason}"
        for each in comparison.standings
        if isinstance(each.value, Undefined)
    ] + [
        f"{names[pair.first]}, {names[pair.second]}: {pair.undefined.reason}"
        for pair in comparison.differences
        if pair.undefined is not None
    ]


def _count_noun(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"


def _text(comparison: "Comparison") -> str:
    lines = text_table(*_run_table(comparison), ("run",))
    rule = "-" * max(map(len, lines))
    table = [lines[0]]
    for place, line in enumerate(lines[1:]):
        table += [rule] if _starts_cluster(comparison, place) else []
        table += ["", NO_VALUE] if place == _count_ranked(comparison) else []
        table.append(line)
    pairs = text_table(*_pair_table(comparison), ("run", "other", "better")) if comparison.differences else []
    return (
        "\n".join([_title(comparison), "", *table, "", *pairs, *([""] if pairs else []), *_notes(comparison)])
        + "\n"
    )


def _count_ranked(comparison: "Comparison") -> int:
    """How many runs have a value; the others come behind them."""
    return sum(each.rank is not None for each in comparison.standings)


def _starts_cluster(comparison: "Comparison", place: int) -> bool:
    """Whether a cluster begins here, below another one."""
    clusters = [each.cluster for each in comparison.standings]
    return 0 < place < _count_ranked(comparison) and clusters[place] != clusters[place - 1]


def _latex(comparison: "Comparison") -> str:
    head, rows = _run_table(comparison)
    runs = latex_table(head, rows, ("run",))
    first = len(runs) - 2 - len(rows)
    heading = [
        *([r"\midrule"] if _count_ranked(comparison) else []),
        rf"\multicolumn{{{len(head)}}}{{l}}{{\emph{{{NO_VALUE}}}}} \\",
    ]
    table = runs[:first]
    for place, line in enumerate(runs[first:]):
        table += [r"\midrule"] if _starts_cluster(comparison, place) else []
        table += heading if place == _count_ranked(comparison) < len(rows) else []
        table.append(line)
    pairs = (
        latex_table(*_pair_table(comparison), ("run", "other", "better"))[1:]
        if comparison.differences
        else []
    )
    notes = [f"% {single_line(note)}" for note in (_title(comparison), *_notes(comparison))]
    return "\n".join([*table, *([""] if pairs else []), *pairs, *notes]) + "\n"
