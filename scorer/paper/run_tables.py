"""Tables of runs that need more than their values: spread over seeds, and accuracy of choices."""

import re
from collections.abc import Sequence

from scorer.boards.board import Row
from scorer.paper.sources import BoardSource
from scorer.reports.board_tables import metric_name
from scorer.reports.paper_elements import PaperTable
from scorer.reports.table_report import ReportTable, TableCell
from scorer.scoring.evaluate import Report, Result, evaluate
from scorer.scoring.spread import spread_of_runs
from scorer.values import Undefined

_SEED = re.compile(r"(.+?)[-_. ]?seed[-_. ]?\d+", re.IGNORECASE)
_CHOICES = "choice_accuracy"
_HEADINGS = {"sd": "SD", "error": "SE"} | {
    name: name.capitalize()
    for name in ("team", "system", "level", "metric", "min", "max", "runs", "mean", "accuracy")
}


def seeds(source: BoardSource) -> list[PaperTable] | Undefined:
    """Make Czech's table 3: mean and spread of the runs of a system that differ only in their seed."""
    grouped = dict[tuple[str, str], list[Row]]()
    for row in source.board.official:
        named = _SEED.fullmatch(row.run)
        if named:
            grouped.setdefault((row.team, named[1]), []).append(row)
    rows = list[list[TableCell]]()
    for (team, system), runs in grouped.items():
        if len(runs) > 1:
            rows += [[team, system, *cells] for cells in _spread(source, runs)]
    if not rows:
        reason = "no team has two runs whose names differ in their seed, such as a-seed1 and a-seed2"
        return Undefined("no_seeds", reason)
    head = ("team", "system", "level", "metric", "runs", "mean", "sd", "min", "max")
    caption = "Mean and spread over the runs of a system that differ only in their seed."
    decimals = dict.fromkeys(("mean", "sd", "min", "max"), 3)
    table = ReportTable("seeds", caption, head, rows, head[:4], decimals, _HEADINGS)
    return [PaperTable(table, "")]


def _spread(source: BoardSource, runs: Sequence[Row]) -> list[list[TableCell]]:
    """Return the spread of each metric of each level that all runs entered."""
    rows = list[list[TableCell]]()
    for level in source.board.levels:
        reports = [
            Report(
                tuple(
                    Result(metric, cell.value, cell.n, cell.signature or "")
                    for metric, cell in row.cells[level.slug].items()
                    if cell.n is not None
                )
            )
            for row in runs
        ]
        if all(report.results for report in reports):
            rows += [
                [level.title, metric_name(found.metric), found.k, found.mean, found.sd, found.low, found.high]
                for found in spread_of_runs(reports)
            ]
    return rows


def accuracy(source: BoardSource) -> list[PaperTable] | Undefined:
    """Make GiCCS's table 6: the accuracy of choosing the best candidate, with its standard error."""
    if not any(_CHOICES in level.metrics for level in source.board.levels):
        return Undefined("no_choices", f"no level has the metric {_CHOICES}")
    if source.work is None:
        return Undefined("no_files", "the evidence lacks gold or runs")
    systems = source.work.systems()
    rows = list[list[TableCell]]()
    for level in source.work.levels:
        for system in systems if _CHOICES in level.metrics else ():
            if level.slug in system.runs:
                run, part = system.runs[level.slug], source.work.rest(level)
                (found,) = evaluate(source.work.gold(level), run, [_CHOICES], part=part).results
                rows.append([level.title, system.team, system.run, found.value, found.standard_error])
    head = ("level", "team", "system", "accuracy", "error")
    caption = "Accuracy of choosing the candidate with the highest gold value, with its standard error."
    table = ReportTable("accuracy", caption, head, rows, head[:3], {"accuracy": 3, "error": 3}, _HEADINGS)
    return [PaperTable(table, f"scorer board {source.argument}")]
