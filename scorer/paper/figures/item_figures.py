"""The figures of the gold and of scores by genre: distribution, genres, held-out against seen genres."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import median
from typing import TYPE_CHECKING, Any

from scorer.boards.board import rows_of
from scorer.boards.board_data import LevelData
from scorer.boards.genres import board_by_genre
from scorer.bundles.bundle import ScaleSpec
from scorer.bundles.recompute import Recomputation
from scorer.campaigns.config import scale_points
from scorer.files.reading import Gold
from scorer.paper.figures.records import Record, group_rows, join_name, make_figure, name_system
from scorer.paper.figures.style import BOX, GREY, PANEL_ROW, SERIES, figure_name, name_rows, series_of
from scorer.paper.sources import BoardSource
from scorer.reports.board_tables import metric_name
from scorer.reports.latex import transliterate
from scorer.reports.paper_elements import PaperFigure, Rows
from scorer.scoring.held_out import evaluate_held_out
from scorer.values import Undefined

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NO_FILES = Undefined("no_files", "the evidence lacks gold or runs")
_BINS, _MOST_BINS = 20, 41
_MARKED = 3
"""The number of systems with marks of their own; all, if there is one more."""


def gold(source: BoardSource) -> list[PaperFigure] | Undefined:
    """Make the figure of the distribution of the gold by level (CLSS, figure 1)."""
    if source.work is None:
        return _NO_FILES
    titles = {level.slug: level.title for level in source.work.levels}
    records = list[Record]()
    for data in source.work.level_data():
        centres, counts = _count_values(data.gold, source.bundle.task.scale)
        n = counts.total()
        records += [
            {
                "level": titles[data.slug],
                "n": n,
                "rating": centre,
                "pairs": counts[centre],
                "share": counts[centre] / n if n else 0.0,
            }
            for centre in centres
        ]
    caption = f"Distribution of the gold ratings of the {source.split} data" + (
        f" by level ({', '.join(f'{title}: {n} pairs' for title, n in _sizes(records))})."
        if len(titles) > 1
        else f" ({records[0]['n']} pairs)."
    )
    return [make_figure("gold", caption, records, "", _draw_gold)]


def _sizes(records: Sequence[Record]) -> list[tuple[object, object]]:
    return list(dict.fromkeys((record["level"], record["n"]) for record in records))


def _count_values(gold: Gold, scale: ScaleSpec) -> tuple[Sequence[float], Counter[float]]:
    """Count the values by the nearest point of the scale; of a fine scale, by the centre of a bin."""
    points = scale_points(scale) if scale.step else ()
    if not 1 < len(points) <= _MOST_BINS:
        width = (scale.max - scale.min) / _BINS
        points = tuple(scale.min + width * (place + 0.5) for place in range(_BINS))
    values = (value for value in gold.values if value is not None)
    return points, Counter(min(points, key=lambda point: abs(point - value)) for value in values)


def _draw_gold(figure: "Figure", rows: Rows) -> None:
    levels = group_rows(rows, "level")
    figure.set_figheight(0.45 + 0.85 * max(len(levels), 2))
    panels = figure.subplots(len(levels), 1, sharex=True, sharey=True, squeeze=False)[:, 0]
    for axes, (level, shown) in zip(panels, levels.items(), strict=True):
        centres = [row["rating"] for row in shown]
        width = 0.85 * (centres[1] - centres[0])
        axes.bar(centres, [100 * row["share"] for row in shown], width, color=SERIES[0].color)
        if len(levels) > 1:
            axes.set_title(transliterate(level))
        axes.grid(axis="y")
    panels[-1].set_xlabel("Gold rating")
    figure.supylabel("Pairs (%)", fontsize=7.5)


def genre_boxes(source: BoardSource) -> list[PaperFigure] | Undefined:
    """Make the figure of the results by genre, with box plots and named systems (CLSS, figure 3)."""
    if source.work is None:
        return _NO_FILES
    records = list(_genre_records(source, source.work))
    if not records:
        return Undefined("no_genres", "no system has values on two or more genres of a level")
    levels = {record["level"] for record in records}
    has_boxes = any(record["mark"] is None for record in records)
    has_held_out = any(record["held out"] for record in records)
    systems = len({(record["team"], record["system"]) for record in records})
    metrics = ", ".join(dict.fromkeys(str(record["metric"]) for record in records))
    caption = f"Results by genre ({metrics}) of {systems} systems"
    if has_boxes:
        caption += (
            ": a box has the quartiles and the median, its whiskers end at most 1.5 interquartile ranges "
            "from them, dots are systems beyond the whiskers, and marks are the three best systems"
        )
    caption += ". Genres with an asterisk are in the test data only." if has_held_out else "."
    return [
        make_figure(
            "genre-boxes",
            caption,
            records,
            f"scorer board {source.argument} --by-genre",
            _draw_genres,
            is_wide=len(levels) > 1,
        )
    ]


def _genre_records(source: BoardSource, work: Recomputation) -> Iterator[Record]:
    """Yield the values of the official systems by level and genre; marked ones have a number."""
    board, all_rows = source.board, rows_of(source.board)
    found = board_by_genre(board, work.level_data(), work.systems())
    levels = {level.slug: level for level in source.bundle.levels}
    official = len(board.official)
    marked = official if official <= _MARKED + 1 else _MARKED
    for values in found["levels"]:
        level = levels[values["level"]]
        new = level.splits[source.split].held_out_genres
        official_metric = level.metrics[0]
        for row in values["rows"]:
            number = row["system"]
            if number >= official:
                continue
            for column, value in zip(values["columns"], row["values"], strict=True):
                if column["metric"] == official_metric and isinstance(value, float):
                    yield {
                        **name_system(all_rows[number]),
                        "level": level.title,
                        "genre": column["genre"],
                        "held out": "yes" if column["genre"] in new else "",
                        "n": column["n"],
                        "metric": metric_name(official_metric),
                        "mark": number + 1 if number < marked else None,
                        "value": value,
                    }


def _draw_genres(figure: "Figure", rows: Rows) -> None:
    levels = group_rows(rows, "level")
    columns = len(levels) if len(levels) < 4 else 2
    lines = -(-len(levels) // columns)
    most = max(len(group_rows(shown, "genre")) for shown in levels.values())
    figure.set_figheight((0.4 if columns > 1 else 0.8) + lines * (0.5 + most * PANEL_ROW))
    is_shared = len({row["metric"] for row in rows}) == 1
    panels = figure.subplots(lines, columns, squeeze=False, sharex=is_shared).ravel()
    for axes, (level, shown) in zip(panels, levels.items(), strict=False):
        _draw_genre_panel(axes, shown)
        axes.set_title(transliterate(level))
        if not is_shared:
            axes.set_xlabel(shown[0]["metric"])
    for axes in panels[len(levels) :]:
        axes.set_visible(False)
    for axes in panels[len(levels) - columns : len(levels)]:
        axes.tick_params(labelbottom=True)
    if is_shared:
        figure.supxlabel(rows[0]["metric"], fontsize=7.5)
    marked = {row["mark"]: join_name(row) for row in rows if row["mark"] is not None}
    for mark, name in sorted(marked.items()):
        panels[0].plot([], [], **_mark(mark), label=figure_name(name))
    length = sum(8 + len(figure_name(name)) for name in marked.values())
    per_line = 1 if columns == 1 else len(marked) if length < 100 else 2
    figure.legend(loc="outside upper center", ncols=per_line)


def _draw_genre_panel(axes: "Axes", rows: Rows) -> None:
    labels = {row["genre"]: row["genre"] + ("*" if row["held out"] else "") for row in rows}
    name_rows(axes, list(labels.values()))
    for place, shown in enumerate(group_rows(rows, "genre").values()):
        if any(row["mark"] is None for row in shown):
            axes.boxplot(
                [row["value"] for row in shown],
                positions=[place],
                orientation="horizontal",
                widths=0.6,
                **BOX,
                flierprops={"marker": ".", "markersize": 2, "markerfacecolor": GREY, "markeredgecolor": GREY},
            )
        for row in shown:
            if row["mark"] is not None:
                axes.plot(row["value"], place, **_mark(row["mark"]), zorder=3)


def _mark(number: int) -> dict[str, Any]:
    """Return how a named system is marked: in grey, marks differ in shape and filling."""
    series = series_of(number - 1)
    return {
        "marker": series.marker,
        "linestyle": "none",
        "color": series.color,
        "markerfacecolor": series.color if number % 2 else "white",
    }


def held_out(source: BoardSource) -> list[PaperFigure] | Undefined:
    """Make the figure of the scores on held-out genres against seen genres (CLSS, figure 4).

    There is a figure for each official metric, because levels with different ones have no common axes.
    """
    if source.work is None:
        return _NO_FILES
    records = list(_held_out_records(source, source.work))
    if not records:
        reason = f"no level has held_out_genres in its {source.split} data, or no system has values there"
        return Undefined("no_held_out", reason)
    figures = []
    for number, (metric, shown) in enumerate(group_rows(records, "metric").items(), start=1):
        name = "held-out" if number == 1 else f"held-out-{number}"
        caption = (
            f"{metric} of the official systems on held-out genres, which are not in the training data, "
            f"against the other genres, by level. {_differences(shown)}."
        )
        figures.append(
            make_figure(
                name, caption, shown, "scorer score RUN GOLD --items ITEMS --held-out GENRE", _draw_held_out
            )
        )
    return figures


def _differences(records: Sequence[Record]) -> str:
    """Describe the median relative difference of each level."""
    defined = group_rows([record for record in records if isinstance(record["difference"], float)], "level")
    medians = {level: median(row["difference"] for row in rows) for level, rows in defined.items()}
    texts = [f"{level} {100 * difference:z.0f} %" for level, difference in medians.items()]
    return f"Median of (seen – held-out) / |seen|: {', '.join(texts).replace(' -', ' –')}"


def _held_out_records(source: BoardSource, work: Recomputation) -> Iterator[Record]:
    rows = {row.key: row for row in source.board.official}
    for level, data in zip(work.levels, work.level_data(), strict=True):
        scored = _scored_gold(data)
        present = {
            genre for genre, value in zip(data.genres, scored.values, strict=True) if value is not None
        }
        chosen = [genre for genre in level.splits[source.split].held_out_genres if genre in present]
        if not chosen or present == set(chosen):
            continue
        runs = {(system.kind, system.team, system.run): system.runs for system in work.systems()}
        for key, row in rows.items():
            run = runs.get(key, {}).get(level.slug)
            if run is None:
                continue
            report = evaluate_held_out(scored, run, level.metrics[:1], data.genres, chosen)
            (new, seen), (difference,) = report.results, report.differences
            if isinstance(new.value, float) and isinstance(seen.value, float):
                yield {
                    **name_system(row),
                    "level": level.title,
                    "metric": metric_name(level.metrics[0]),
                    "held-out genres": ", ".join(chosen),
                    "n held out": new.n,
                    "n seen": seen.n,
                    "held out": new.value,
                    "seen": seen.value,
                    "difference": difference.value,
                }


def _scored_gold(data: LevelData) -> Gold:
    """Return the gold without the items that the leaderboard does not score."""
    if data.part is None:
        return data.gold
    places = data.part.places
    values = (value if place in places else None for place, value in enumerate(data.gold.values))
    return replace(data.gold, values=tuple(values))


def _draw_held_out(figure: "Figure", rows: Rows) -> None:
    axes = figure.subplots()
    for number, (level, shown) in enumerate(group_rows(rows, "level").items()):
        series = series_of(number)
        axes.plot(
            [row["seen"] for row in shown],
            [row["held out"] for row in shown],
            series.marker,
            color=series.color,
            markerfacecolor="none",
            label=transliterate(level),
        )
    values = [row[name] for row in rows for name in ("seen", "held out")]
    low, high = min(values), max(values)
    margin = 0.05 * (high - low) or 0.1
    ends = low - margin, high + margin
    axes.plot(ends, ends, color=GREY, linewidth=0.6, linestyle=":")
    axes.set_xlim(ends)
    axes.set_ylim(ends)
    axes.set_aspect("equal")
    axes.set_xlabel(f"{rows[0]['metric']}, seen genres")
    axes.set_ylabel(f"{rows[0]['metric']}, held-out genres")
    axes.grid()
    is_short = all(len(row["level"]) <= 22 for row in rows)
    figure.legend(loc="outside upper center", ncols=2 if is_short else 1)


FIGURES = {"genre-boxes": genre_boxes, "held-out": held_out}
"""The figures by genre, in the order of a paper."""
