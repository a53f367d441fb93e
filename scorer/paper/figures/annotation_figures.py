"""The figures of annotation. Their data is that of `scorer figures`; r(x) has more values of x."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import TYPE_CHECKING

from scorer.annotation.agreement_report import ALL
from scorer.annotation.context_effect_report import context_report
from scorer.annotation.rounds import align_rounds
from scorer.datasets.figure_inputs import CLOCKS
from scorer.paper.figures.records import Record, group_rows, make_figure
from scorer.paper.figures.style import GREY, PANEL_ROW, SERIES, draw_boxes, name_rows, series_of
from scorer.paper.sources import CampaignSource, Sources
from scorer.reports.latex import transliterate
from scorer.reports.paper_elements import PaperFigure, Rows
from scorer.values import Undefined

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SHARES = tuple(round(0.005 * step, 3) for step in range(1, 41))
"""The values of x in the figure of r(x)."""


@dataclass(frozen=True, slots=True)
class FigurePlan:
    """How a figure is made from the figures of an export.

    Parameters
    ----------
    name : str
        The name of the figure.
    records : callable
        Returns the data of an export; empty if it lacks what the figure needs.
    caption : callable
        Writes the caption for the data.
    lacks : str
        What an export without data lacks.
    draw : callable
        Draws the data.
    command : str
        What prints the same values; {} is the name of the export.
    """

    name: str
    records: Callable[[CampaignSource, Sources], Sequence[Record]]
    caption: Callable[[Sequence[Record]], str]
    lacks: str
    draw: Callable[["Figure", Rows], None]
    command: str = "scorer figures {}"


def make_figures(plan: FigurePlan, sources: Sources) -> list[PaperFigure] | Undefined:
    """Make a figure of each export that has its data."""
    found = [(source, plan.records(source, sources)) for source in sources.campaigns]
    found = [(source, records) for source, records in found if records]
    if not found:
        return Undefined("no_figure", f"no export has {plan.lacks}")
    figures = []
    for number, (source, records) in enumerate(found, start=1):
        name = plan.name if number == 1 else f"{plan.name}-{number}"
        caption = (f"{source.title}. " if len(found) > 1 else "") + plan.caption(records)
        figures.append(make_figure(name, caption, records, plan.command.format(source.name), plan.draw))
    return figures


def _pick(records: Iterable[Record], *columns: str) -> list[Record]:
    """Return some columns of the records; an export with one pass has no column of the pass."""
    return [{column: record.get(column) for column in columns} for record in records]


def _columns(figure: str, *names: str) -> Callable[[CampaignSource, Sources], list[Record]]:
    """Return what reads some columns of a figure."""
    return lambda source, _: _pick(source.report.records(figure), *names)


def _bias(source: CampaignSource, sources: Sources) -> list[Record]:
    """Return the deviations by level and genre; without levels, by genre."""
    board = sources.board
    titles = {} if board is None else {level.slug: level.title for level in board.bundle.levels}
    columns = ("n", "mean", "low", "high", "whisker low", "q1", "median", "q3", "whisker high", "outside")
    records = list[Record]()
    for row in source.report.records("bias"):
        level, _, genre = str(row["units of"]).removeprefix("level ").partition(", genre ")
        if not str(row["units of"]).startswith("level "):
            level, genre = "", "" if row["units of"] == ALL else str(row["units of"]).removeprefix("genre ")
        named = {"pass": row.get("pass"), "level": titles.get(level, _spell(level)), "genre": genre}
        records.append(named | {column: row[column] for column in columns})
    return [record for record in records if record["level"]] or records


def _spell(slug: str) -> str:
    """Write the slug of a level as words, if no source has its title.

    >>> _spell("phrase2word"), _spell("news-pairs"), _spell("")
    ('Phrase to word', 'News pairs', '')
    """
    return re.sub(r"(?<=[a-z])2(?=[a-z])", " to ", slug).replace("-", " ").replace("_", " ").capitalize()


def _draw_bias(figure: "Figure", rows: Rows) -> None:
    panels = group_rows(rows, "pass", "level")
    heights = [0.35 + len(part) * PANEL_ROW for part in panels.values()]
    figure.set_figheight(0.3 + sum(heights))
    axes_of = figure.subplots(
        len(panels), 1, sharex=True, squeeze=False, gridspec_kw={"height_ratios": heights}
    )[:, 0]
    for axes, (title, part) in zip(axes_of, panels.items(), strict=True):
        columns = ("whisker low", "q1", "median", "q3", "whisker high", "mean")
        draw_boxes(axes, part, columns, range(len(part)), "horizontal")
        axes.axvline(0, color="black", linewidth=0.6, linestyle=":")
        axes.set_title(transliterate(title))
        name_rows(axes, [f"{row['genre'] or 'all'} ({row['n']})" for row in part])
    axes_of[-1].set_xlabel("Rating minus gold")


def _rounds(name: str) -> Callable[[CampaignSource, Sources], list[Record]]:
    """Return what reads a comparison with the ratings from before the campaign, or with the other pass."""

    def read(source: CampaignSource, _: Sources) -> list[Record]:
        position = {"thinking": "seconds", "calibration": "t"}[name]
        for figure, compared in (
            (f"first_{name}", "the ratings from before the campaign"),
            (name, "the other pass"),
        ):
            every = source.report.records(figure)
            clock = CLOCKS[-1] if any(row.get("clock") == CLOCKS[-1] for row in every) else CLOCKS[0]
            rows = [row for row in every if row.get("clock", clock) == clock]
            if len({row[position] for row in rows}) > 1:
                picked = _pick(rows, "pass", position, "below", "n", "pearson", "rmse")
                return [{"compared with": compared, "clock": clock, **record} for record in picked]
        return []

    return read


def _draw_calibration(figure: "Figure", rows: Rows) -> None:
    figure.set_figheight(2.2)
    axes = figure.subplots()
    for number, (name, part) in enumerate(group_rows(rows, "pass").items()):
        series = series_of(number)
        shown = [row for row in part if isinstance(row["pearson"], float)]
        axes.plot(
            [(row["t"] + row["below"] - 1) / 2 for row in shown],
            [row["pearson"] for row in shown],
            marker=series.marker,
            linestyle=series.line,
            color=series.color,
            label=transliterate(name),
        )
    axes.set_xlabel("Position of the rating in the work of its annotator")
    axes.set_ylabel("Pearson")
    axes.grid()
    _name_passes(figure, rows)


def _name_passes(figure: "Figure", rows: Rows) -> None:
    if len({row["pass"] for row in rows}) > 1:
        figure.legend(loc="outside upper center", ncols=2)


def _draw_thinking(figure: "Figure", rows: Rows) -> None:
    """Draw the RMSE by time; the size of a mark is the number of ratings."""
    figure.set_figheight(2.2)
    axes = figure.subplots()
    most, usual = max(row["n"] for row in rows), _usual_seconds(rows)
    shown = [row for row in rows if row["seconds"] < usual]
    for number, (name, part) in enumerate(group_rows(shown, "pass").items()):
        series = series_of(number)
        axes.scatter(
            [row["seconds"] for row in part],
            [row["rmse"] for row in part],
            [3 + 40 * row["n"] / most for row in part],
            marker=series.marker,
            facecolors="none",
            edgecolors=series.color,
            linewidths=0.8,
            label=transliterate(name),
        )
    axes.set_xlim(0, usual + 1)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("Seconds")
    axes.set_ylabel("RMSE")
    axes.grid()
    _name_passes(figure, rows)


def _usual_seconds(rows: Rows) -> float:
    """Return the time in which 95 % of the ratings were made."""
    total, count, seconds = sum(row["n"] for row in rows), 0, 0.0
    for row in sorted(rows, key=itemgetter("seconds")):
        count, seconds = count + row["n"], row["below"]
        if count >= 0.95 * total:
            break
    return seconds


def _draw_increase(figure: "Figure", rows: Rows) -> None:
    figure.set_figheight(1.9)
    axes = figure.subplots()
    width = rows[0]["below"] - rows[0]["from"]
    axes.bar(
        [row["from"] for row in rows],
        [row["units"] for row in rows],
        0.9 * width,
        align="edge",
        color=SERIES[0].color,
    )
    axes.axvline(0, color="black", linewidth=0.6, linestyle=":")
    axes.set_xlabel("Increase of the mean rating")
    axes.set_ylabel("Units")
    axes.locator_params("y", integer=True)
    axes.grid(axis="y")


def _significance(source: CampaignSource, _: Sources) -> list[Record]:
    """Compute r(x) at many values of x, as `scorer context --at` does."""
    if not source.report.records("significance"):
        return []
    pair = align_rounds(list(source.inputs.ratings.values()))
    report = context_report((pair[0], pair[1]), [], replace(source.inputs.context, levels=_SHARES), (0, 0))
    rows = [row for row in report.records("r") if isinstance(row["r(x)"], float)]
    return _pick(rows, "test", "x", "tested", "p <= x", "r(x)")


def _draw_significance(figure: "Figure", rows: Rows) -> None:
    figure.set_figheight(2.4)
    axes = figure.subplots()
    for number, (test, shown) in enumerate(group_rows(rows, "test").items()):
        series = series_of(number)
        axes.plot(
            [0, *(row["x"] for row in shown)],
            [0, *(row["r(x)"] for row in shown)],
            linestyle=series.line,
            color=series.color,
            label=f"{test} t test",
            drawstyle="steps-post",
        )
    ends = (0, rows[-1]["x"])
    axes.plot(ends, ends, color=GREY, linestyle=":", linewidth=0.8, label="by chance")
    axes.set_xlim(ends)
    axes.set_ylim(bottom=0)
    axes.locator_params(nbins=5)
    axes.set_xlabel("x")
    axes.set_ylabel("r(x)")
    axes.grid()
    figure.legend(loc="outside upper center", ncols=3)


def _draw_wanted(figure: "Figure", rows: Rows) -> None:
    parts = group_rows(rows, "pass")
    figure.set_figheight(0.2 + 2.0 * len(parts))
    panels = figure.subplots(len(parts), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (name, part) in zip(panels, parts.items(), strict=True):
        wanted = [float(row["wanted"]) for row in part]
        ends = min(wanted), max(wanted)
        axes.plot(ends, ends, color=GREY, linestyle=":", linewidth=0.8)
        draw_boxes(axes, part, ("min", "25%", "median", "75%", "max", "mean"), wanted, "vertical")
        axes.set_xticks(wanted, [f"{row['wanted']}\n({row['n']})" for row in part])
        axes.set_title(transliterate(name))
        axes.set_ylabel("Mean rating")
        axes.grid(axis="y")
    panels[-1].set_xlabel("Wanted rating")


def _draw_scores(figure: "Figure", rows: Rows) -> None:
    parts = group_rows(rows, "pass")
    figure.set_figheight(0.3 + 1.4 * len(parts))
    panels = figure.subplots(len(parts), 1, sharex=True, squeeze=False)[:, 0]
    for axes, (name, part) in zip(panels, parts.items(), strict=True):
        axes.bar([row["scaled"] for row in part], [row["n"] for row in part], 0.085, color=SERIES[0].color)
        axes.set_title(transliterate(name))
        axes.set_ylabel("Items")
        axes.locator_params("y", integer=True)
        axes.grid(axis="y")
    panels[-1].set_xlabel("Best-worst score")


def _total(records: Sequence[Record], column: str) -> int:
    return sum(value for record in records if isinstance(value := record[column], int))


_TIMES = {
    "visible": "while the page was visible",
    "since": "since the page was opened, with breaks",
}
"""What the times of a clock are."""
FIGURES = (
    FigurePlan(
        "bias-boxes",
        _bias,
        lambda _: (
            "Ratings minus the gold that was known before, by genre (number of ratings): quartiles, "
            "median, mean (diamond), and whiskers that end at most 1.5 interquartile ranges from the "
            "quartiles; what lies outside is not drawn."
        ),
        "gold from before the campaign (known-gold.tsv)",
        _draw_bias,
    ),
    FigurePlan(
        "calibration",
        _rounds("calibration"),
        lambda records: (
            "Calibration curve: Pearson correlation of all annotators' ratings with "
            f"{records[0]['compared with']}, by the position of the rating."
        ),
        "more than ten comparable ratings of an annotator, which are the first point of the curve",
        _draw_calibration,
    ),
    FigurePlan(
        "thinking",
        _rounds("thinking"),
        lambda records: (
            f"Root mean squared difference between ratings and {records[0]['compared with']}, by thinking "
            f"time in seconds ({_TIMES[str(records[0]['clock'])]}). The area of a mark grows with the "
            "number of ratings; the longest 5 % of the times are not shown."
        ),
        "thinking times with ratings to compare the ratings with",
        _draw_thinking,
    ),
    FigurePlan(
        "increase-histogram",
        _columns("histogram", "from", "below", "units"),
        lambda records: (
            "Increase of the mean rating of a unit from the first pass to the second "
            f"({_total(records, 'units')} units). Each bar begins at its left value, so that the first "
            "one right of the dotted line has the unchanged units, too."
        ),
        "two passes",
        _draw_increase,
    ),
    FigurePlan(
        "significance-curve",
        _significance,
        lambda records: (
            "Share r(x) of the units whose ratings differ between the passes with p ≤ x "
            f"({records[0]['tested']} units). The dotted line is the share that is expected by chance."
        ),
        "two passes",
        _draw_significance,
        "",
    ),
    FigurePlan(
        "wanted-boxes",
        _columns("wanted", "pass", "wanted", "n", "mean", "min", "25%", "median", "75%", "max"),
        lambda _: (
            "Mean ratings of pairs by the rating for which their text was written (number of pairs): "
            "quartiles, median, mean (diamond) and range. On the dotted line, they are equal."
        ),
        "written.tsv of the round before",
        _draw_wanted,
    ),
    FigurePlan(
        "best-worst-scores",
        _columns("scores", "pass", "scaled", "n"),
        lambda records: (
            f"Best-worst scores of {_total(records, 'n')} items, from 0 (always worst) to 1 (always best)."
        ),
        "best-worst answers",
        _draw_scores,
    ),
)
"""The figures of annotation, in the order of a paper."""
