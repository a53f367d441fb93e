"""The tables of systems: results, ranks by other metrics, methods."""

from collections.abc import Sequence

from scorer.boards.board import ColumnKey
from scorer.paper.sources import BoardSource
from scorer.reports.board_tables import DECIMALS, SYSTEM, board_tables, metric_name, rank_cell
from scorer.reports.inference import InferenceIndex
from scorer.reports.paper_elements import PaperTable
from scorer.reports.table_report import ReportTable, TableCell
from scorer.values import Undefined


def results(source: BoardSource) -> list[PaperTable]:
    """Make the tables of the leaderboard."""
    people = None if source.evidence is None else source.evidence.people
    return board_tables(source.board, InferenceIndex(source.inference), source.argument, people)


def metrics(source: BoardSource) -> list[PaperTable] | Undefined:
    """Compare the official ranking with that by the other metric (CLSS: Pearson and Spearman)."""
    board = source.board
    if not board.official:
        return Undefined("no_systems", "the leaderboard has no ranked system")
    if len(board.totals) > 1:
        keys: list[ColumnKey] = [(None, column.name) for column in board.totals]
    elif len(board.levels) == 1 and len(board.levels[0].metrics) > 1:
        keys = [(board.levels[0].slug, metric) for metric in board.levels[0].metrics]
    else:
        return Undefined("one_metric", "the leaderboard has no second metric that ranks the systems")
    rows = list[list[TableCell]]()
    for row in board.official:
        cells = [board.cell(row, key) for key in keys]
        if not any(cell and cell.rank for cell in cells):
            continue
        rows.append(
            [
                row.team,
                row.run,
                *(part for cell in cells if cell for part in (cell.value, rank_cell(cell.rank))),
            ]
        )
    names = [metric_name(metric) for _, metric in keys]
    head = [*SYSTEM, *(part for _, metric in keys for part in (metric, f"rank by {metric}"))]
    headings = {"team": "Team", "system": "System"}
    for (_, metric), name in zip(keys, names, strict=True):
        headings |= {metric: name, f"rank by {metric}": "Rank"}
    caption = f"Systems by {' and by '.join(names)}{' in total' if board.totals else ''}.{_tau(source, keys)}"
    decimals = {metric: DECIMALS for _, metric in keys}
    table = ReportTable("metrics", caption, head, rows, (*SYSTEM,), decimals, headings)
    return [PaperTable(table, f"scorer board {source.argument} --significance")]


def _tau(source: BoardSource, keys: Sequence[ColumnKey]) -> str:
    if "spearman" not in [metric for _, metric in keys[1:]]:
        return ""
    stability = (source.inference or {}).get("stability", ())
    found = next((rule for rule in stability if rule["rule"] == "spearman"), None)
    if found is None or found["tau"] is None:
        return ""
    return f" Kendall's tau-b between the two rankings is {found['tau']:z.3f} ({found['systems']} systems)."


def systems(source: BoardSource) -> list[PaperTable] | Undefined:
    """List the systems by what their teams say about method and resources (CLSS, table 9)."""
    described = [(row, source.run_of(row)) for row in source.rows]
    rows = list[list[TableCell]](
        [row.team, row.run, run.method or run.description, run.resources]
        for row, run in described
        if run is not None and not run.baseline and (run.method or run.resources or run.description)
    )
    if not rows:
        return Undefined("no_descriptions", "no run of a team has a description, a method or resources")
    head = [*SYSTEM, "method", "resources"]
    headings = {name: name.capitalize() for name in head}
    table = ReportTable(
        "systems",
        "Methods and resources of the systems, as their teams describe them.",
        head,
        rows,
        head,
        {},
        headings,
    )
    return [PaperTable(table, f"scorer board {source.argument} --format json", wide=head[2:])]
