"""The figures of a leaderboard: intervals, stability of the ranks, scores by level, progress over time."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from math import nan
from operator import itemgetter
from textwrap import fill
from typing import TYPE_CHECKING, Any

from scorer.boards.board import Board, BoardLevel, ColumnKey, Row, boards_by_level, rank_values, rows_of
from scorer.metrics import METRICS
from scorer.paper.figures.records import (
    Record,
    group_rows,
    join_name,
    make_figure,
    name_system,
    split_systems,
)
from scorer.paper.figures.style import GREY, SERIES, name_rows, rows_height
from scorer.paper.sources import BoardSource
from scorer.proof.signing import format_instant
from scorer.reports.board_tables import metric_name
from scorer.reports.inference import METHODS, InferenceIndex
from scorer.reports.latex import transliterate
from scorer.reports.paper_elements import PaperFigure, Rows
from scorer.reports.scores import DASH
from scorer.reports.tables import cluster_starts
from scorer.statistics.adjustments import ADJUSTMENT_NAMES
from scorer.values import Undefined, number_or_none

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_KINDS = {"official": "ranked", "late": "late", "baseline": "baseline"}
_MARKS = {
    "official": ("official", "|", "black", 6.0),
    "spearman": ("by Spearman", "o", SERIES[0].color, 3.5),
    "mean_of_ranks": ("by the mean of the ranks", "^", SERIES[2].color, 3.5),
}
_RANGES = {
    "without_genre": ("without a genre", "0.8", 5.0),
    "without_level": ("without a level", SERIES[1].color, 1.2),
}
"""How ranks by a rule are drawn: a name in the legend, and a mark or a range with its color and its size."""
_RULES = {
    "spearman": "by Spearman",
    "mean_of_ranks": "by the mean of the ranks at the levels",
    "without_level": "the range if a level is left out",
    "without_genre": "the range if a genre is left out",
}
"""The other rules, for a caption."""
_TOTALS = {
    "sum": "sum over the levels",
    "mean": "mean over the levels",
    "weighted": "weighted mean of the levels",
}
_NO_VALUES = Undefined("no_values", "no system has a value in the column that ranks the systems")
_WIDE = 6
"""The columns of a heat map from which on it needs the width of a page."""


@dataclass(frozen=True, slots=True)
class _Ranking:
    """What ranks the systems: the column of the board, the board in its order, and its name for people."""

    key: ColumnKey
    board: Board
    title: str


def _find_ranking(board: Board) -> _Ranking:
    """Return the ranking of a leaderboard; that of its first level if the leaderboard has none."""
    if board.totals:
        total = board.totals[0]
        measure = "Official metric" if total.name == "official" else metric_name(total.name)
        title = f"{measure}, {_TOTALS[board.rules.total]}"
        return _Ranking((None, total.name), board, title)
    level = board.levels[0]
    metric = level.metrics[0]
    title = metric_name(metric) + (f", {level.title}" if len(board.levels) > 1 else "")
    return _Ranking((level.slug, metric), boards_by_level(board)[level.slug], title)


def intervals(source: BoardSource) -> list[PaperFigure] | Undefined:
    """Make the figure of the intervals of all systems, with a line between clusters."""
    inferred = InferenceIndex(source.inference)
    if not inferred.is_given:
        return Undefined("no_inference", "the evidence has no intervals (inference.json)")
    ranking = _find_ranking(source.board)
    records = list(_interval_records(source, ranking, inferred))
    if not records:
        return _NO_VALUES
    options = inferred.values["options"]
    caption = (
        f"Results of the systems ({ranking.title}) with {100 * options['level']:g} % intervals "
        f"({METHODS[options['interval']]}, {options['b']:,} resamples)."
    )
    if len({record["cluster"] for record in records} - {None}) > 1:
        caption += (
            " A solid line separates systems if each above it is significantly better than each below it "
            f"(paired permutation tests, {ADJUSTMENT_NAMES[options['adjust']]}, family-wise error rate "
            f"{options['alpha']:g})."
        )
    if len({record["kind"] for record in records}) > 1:
        caption += " Below the dotted line, systems have no rank."
    command = f"scorer board {source.argument} --bootstrap {options['b']} --significance"
    if not ranking.board.higher_is_better(ranking.key):
        caption += " Lower is better."
    return split_systems(make_figure("intervals", caption, records, command, _draw_intervals))


def _interval_records(source: BoardSource, ranking: _Ranking, inferred: InferenceIndex) -> Iterator[Record]:
    numbers = {row.key: number for number, row in enumerate(source.rows)}
    for row in rows_of(ranking.board):
        cell, number = ranking.board.cell(row, ranking.key), numbers[row.key]
        if cell is not None and not isinstance(cell.value, Undefined):
            interval = inferred.interval(ranking.key, number) or {}
            yield {
                **name_system(row),
                "measure": ranking.title,
                "rank": cell.rank,
                "value": cell.value,
                "low": interval.get("low"),
                "high": interval.get("high"),
                "cluster": inferred.clusters(ranking.key, [number])[0],
            }


def _draw_intervals(figure: "Figure", rows: Rows) -> None:
    figure.set_figheight(rows_height(len(rows)))
    axes = figure.subplots()
    name_rows(axes, [join_name(row) for row in rows])
    for (kind, name), series in zip(_KINDS.items(), SERIES, strict=False):
        places = [place for place, row in enumerate(rows) if row["kind"] == kind]
        for place in places:
            if rows[place]["low"] is not None:
                axes.hlines(place, rows[place]["low"], rows[place]["high"], series.color)
        axes.plot(
            [rows[place]["value"] for place in places],
            places,
            series.marker,
            color=series.color,
            markerfacecolor=series.color if kind == "official" else "white",
            label=name if places else None,
        )
    for start in cluster_starts([row["cluster"] for row in rows]):
        axes.axhline(start - 0.5, color="black", linewidth=0.6)
    _rule_kinds(axes, rows)
    figure.supxlabel(fill(transliterate(rows[0]["measure"]), 45), fontsize=7.5)
    if len({row["kind"] for row in rows}) > 1:
        figure.legend(loc="outside upper center", ncols=3)


def stability(source: BoardSource) -> list[PaperFigure] | Undefined:
    """Make the figure of the ranks of the systems under other rules."""
    orders = (source.inference or {}).get("stability", ())
    rules = [entry for entry in orders if entry["systems"] > 1 and "ranks" in entry]
    if not rules:
        return Undefined(
            "no_stability", "no two systems have ranks under other rules, or the release does not show them"
        )
    ranking = _find_ranking(source.board)
    records = list(_stability_records(source, ranking, rules))
    shown = {str(record["rule"]) for record in records}
    named = [text for rule, text in _RULES.items() if rule in shown]
    caption = (
        f"Rank of each system ({ranking.title}), and its ranks under other rules among the systems that "
        f"have both: {', '.join(named)}."
    )
    command = f"scorer board {source.argument} --significance --format json"
    return split_systems(make_figure("stability", caption, records, command, _draw_stability))


def _stability_records(
    source: BoardSource, ranking: _Ranking, rules: Sequence[Mapping[str, Any]]
) -> Iterator[Record]:
    """Yield the ranks under each rule, which are those among the systems with an official rank."""
    titles = {level.slug: level.title for level in source.board.levels}
    official = {
        system: ranking.board.cell(row, ranking.key) for system, row in enumerate(source.board.official)
    }
    ranks = {
        system: cell.rank for system, cell in official.items() if cell is not None and cell.rank is not None
    }
    for rule in ({"rule": "official", "name": None, "ranks": None}, *rules):
        found = ranks if rule["ranks"] is None else {each["system"]: each["rank"] for each in rule["ranks"]}
        shared = [system for system in ranks if system in found]
        again = rank_values([found[system] for system in shared], higher_is_better=False)
        for system, rank in zip(shared, again, strict=True):
            name = titles.get(rule["name"], rule["name"]) if rule["rule"] == "without_level" else rule["name"]
            yield {
                **name_system(source.board.official[system]),
                "rule": rule["rule"],
                "left out": name,
                "rank": rank,
            }


def _draw_stability(figure: "Figure", rows: Rows) -> None:
    first = [row for row in rows if row["rule"] == "official"]
    places = {(row["team"], row["system"]): place for place, row in enumerate(first)}
    figure.set_figheight(rows_height(len(first), above=0.5))
    axes = figure.subplots()
    name_rows(axes, [join_name(row) for row in first])
    for rule, (label, color, width) in _RANGES.items():
        ranks = dict[int, list[int]]()
        for row in rows:
            if row["rule"] == rule:
                ranks.setdefault(places[row["team"], row["system"]], []).append(row["rank"])
        for place, others in ranks.items():
            axes.hlines(place, min(others) - 0.4, max(others) + 0.4, color, linewidth=width)
        axes.plot([], [], color=color, linewidth=width, label=label if ranks else None)
    for rule, (label, marker, color, size) in _MARKS.items():
        shown = [row for row in rows if row["rule"] == rule]
        axes.plot(
            [row["rank"] for row in shown],
            [places[row["team"], row["system"]] for row in shown],
            marker,
            color=color,
            markerfacecolor="none",
            markersize=size,
            label=label if shown else None,
        )
    axes.locator_params("x", integer=True, nbins=6)
    axes.set_xlim(left=min(row["rank"] for row in rows) - 0.9)
    figure.supxlabel("Rank", fontsize=7.5)
    figure.legend(loc="outside upper center", ncols=2)


def heatmap(source: BoardSource) -> list[PaperFigure] | Undefined:
    """Make the heat map of the scores by system and level."""
    board = source.board
    if len(board.levels) < 2:
        return Undefined("one_level", "the leaderboard has one level")
    records = [record for level in board.levels for record in _level_records(board, level)]
    if not records:
        return _NO_VALUES
    metrics = list(dict.fromkeys(metric_name(level.metrics[0]) for level in board.levels))
    caption = (
        f"Scores by system and level ({', '.join(metrics)}). A cell is dark if its score is near the best "
        "of its level."
    )
    if board.late or board.baselines:
        caption += " Dotted lines separate ranked systems, late ones and baselines."
    command, is_wide = f"scorer board {source.argument} --format tsv", len(board.levels) > _WIDE
    return split_systems(make_figure("heatmap", caption, records, command, _draw_heatmap, is_wide=is_wide))


def _level_records(board: Board, level: BoardLevel) -> Iterator[Record]:
    """Yield the scores of a level with their shades, from 0 for the worst to 1 for the best."""
    metric = level.metrics[0]
    values = [number_or_none(row.cells[level.slug][metric].value) for row in rows_of(board)]
    present = [value for value in values if value is not None]
    worst, best = min(present, default=0.0), max(present, default=0.0)
    if not METRICS[metric].higher_is_better:
        worst, best = best, worst
    for row, value in zip(rows_of(board), values, strict=True):
        shade = None if value is None else (value - worst) / (best - worst) if best != worst else 1.0
        yield {
            **name_system(row),
            "level": level.title,
            "metric": metric_name(metric),
            "value": value,
            "shade": shade,
        }


def _draw_heatmap(figure: "Figure", rows: Rows) -> None:
    levels = group_rows(rows, "level")
    first = next(iter(levels.values()))
    figure.set_figheight(rows_height(len(first), above=0.6))
    axes = figure.subplots()
    shades = list[list[float]]()
    for column, shown in enumerate(levels.values()):
        shades.append([nan if row["shade"] is None else row["shade"] for row in shown])
        for place, row in enumerate(shown):
            text = DASH if row["value"] is None else f"{row['value']:z.3f}"
            axes.text(column, place, text, fontsize=6, ha="center", va="center_baseline")
    columns, places = ([place - 0.5 for place in range(count + 1)] for count in (len(levels), len(first)))
    by_row = list(zip(*shades, strict=True))
    axes.pcolormesh(columns, places, by_row, cmap="Blues", vmin=0, vmax=1.5, edgecolor="white", linewidth=0.5)
    name_rows(axes, [join_name(row) for row in first])
    _rule_kinds(axes, first)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    titles = [fill(transliterate(level), 24) for level in levels]
    axes.set_xticks(range(len(levels)), titles, rotation=45, ha="left", rotation_mode="anchor", fontsize=6.5)
    axes.tick_params(axis="x", length=0, top=False, labeltop=True, labelbottom=False)


def _rule_kinds(axes: "Axes", rows: Rows) -> None:
    """Draw a dotted line between ranked systems, late ones and baselines."""
    for place, (above, below) in enumerate(pairwise(rows)):
        if above["kind"] != below["kind"]:
            axes.axhline(place + 0.5, color=GREY, linewidth=0.6, linestyle=":")


def progress(source: BoardSource) -> list[PaperFigure] | Undefined:
    """Make the figure of the best value over time, from the receipts of the files that were released."""
    if source.evidence is None:
        return Undefined("no_receipts", "only the evidence of a release has receipts, with times")
    arrivals = [(level, sorted(_arrivals(source, level), key=itemgetter(0))) for level in source.board.levels]
    arrivals = [(level, files) for level, files in arrivals if len({time for time, _, _ in files}) > 1]
    if not arrivals:
        return Undefined("no_receipts", "no level has receipts of two files with values")
    first = min(files[0][0] for _, files in arrivals)
    records = [record for level, files in arrivals for record in _progress_records(level, files, first)]
    caption = (
        "Values of the files of the official systems by the time when they arrived (dots), and the best "
        f"value until then (line). The first arrived on {first.astimezone(UTC):%Y-%m-%d}. Replaced files "
        "are not shown."
    )
    return [make_figure("progress", caption, records, "", _draw_progress)]


def _progress_records(
    level: BoardLevel, files: Sequence[tuple[datetime, Row, float]], first: datetime
) -> Iterator[Record]:
    best, better = files[0][2], max if METRICS[level.metrics[0]].higher_is_better else min
    for time, row, value in files:
        best = better(best, value)
        yield {
            **name_system(row),
            "level": level.title,
            "metric": metric_name(level.metrics[0]),
            "time": format_instant(time),
            "days": (time - first) / timedelta(days=1),
            "value": value,
            "best": best,
        }


def _arrivals(source: BoardSource, level: BoardLevel) -> Iterator[tuple[datetime, Row, float]]:
    """Yield the time of each official file of a level that has a receipt, with its row and its value."""
    times = {entry.of: entry.receipt.arrived for entry in source.evidence.receipts} if source.evidence else {}
    for row in source.board.official:
        run = source.run_of(row)
        time = None if run is None else times.get(run.file(level.slug, late=False) or "")
        value = row.cells[level.slug][level.metrics[0]].value
        if time is not None and not isinstance(value, Undefined):
            yield time, row, value


def _draw_progress(figure: "Figure", rows: Rows) -> None:
    levels = group_rows(rows, "level")
    figure.set_figheight(0.4 + len(levels) * 0.95)
    panels = figure.subplots(len(levels), 1, sharex=True, squeeze=False)[:, 0]
    end = max(row["days"] for row in rows)
    for axes, (level, shown) in zip(panels, levels.items(), strict=True):
        days, best = [row["days"] for row in shown], [row["best"] for row in shown]
        axes.plot(days, [row["value"] for row in shown], ".", color=GREY, markersize=3)
        axes.step([*days, end], [*best, best[-1]], color=SERIES[0].color, where="post")
        axes.set_title(transliterate(level))
        axes.set_ylabel(shown[0]["metric"])
        axes.grid()
    panels[-1].set_xlabel("Days since the first file")


FIGURES = {"intervals": intervals, "stability": stability, "heatmap": heatmap, "progress": progress}
"""The figures of a leaderboard by name, in the order of a paper."""
