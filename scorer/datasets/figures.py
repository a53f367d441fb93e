"""The figures of a campaign's round or of a data set: tables whose rows have stable codes."""

import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from scorer.annotation.agreement import MEASURES, intra_annotator_closeness
from scorer.annotation.agreement_report import ALL, COMPARISONS, AgreementRules, agreement_report
from scorer.annotation.bias_report import bias_report
from scorer.annotation.choice_filter import FilterRules, filter_report
from scorer.annotation.context_effect_report import ContextRules, context_report
from scorer.annotation.exact_arithmetic import unit_moments
from scorer.annotation.ratings import Ratings
from scorer.annotation.rounds import align_rounds
from scorer.annotation.rounds_report import RoundsRules, rounds_report
from scorer.bws.answers import Answers
from scorer.bws.reliability import split_half
from scorer.bws.report import reliability_report, score_report
from scorer.bws.scores import bws_scores
from scorer.datasets import stage_figures
from scorer.datasets.figure_inputs import CLOCKS, FigureInputs
from scorer.errors import ScorerError
from scorer.reports.table_report import DECIMALS, ReportTable, TableCell, TableReport
from scorer.statistics.intervals import Resampling

SCHEMA = "assay.figures/1"
RESAMPLING = Resampling(1000)
CURVE_STEP = 10
"""The number of ratings for each point of a calibration curve."""
SPLITS, STRONG = 100, 0.8
"""The splits for split-half reliability, and the share of equal answers that is strong agreement."""
ONLY = "only pass"
"""Stands for the name of a single pass that has none; no row shows it."""
UNDECIDED = "without a decision"
"""The units that needed no decision of the organizers."""
_FIGURES = {
    "alpha": ("alpha", "units of"),
    "closeness": ("closeness", "units of", "compared"),
    "expected_mse": ("expected_mse", "units of"),
    "annotators": ("annotators", "annotator"),
    "bias": ("bias", "units of"),
    "increase": ("increase", "units of"),
    "quantiles": ("quantiles", "units of"),
    "histogram": ("histogram", "from"),
    "r": ("significance", "test", "units of", "x"),
    "left_out": ("untested", "test", "code"),
    "correlation": ("correlation", "units of"),
    "thinking_time": ("thinking", "pass", "seconds"),
    "calibration": ("calibration", "pass", "t"),
    "pauses": ("pause_hours",),
    "pause_shares": ("pauses", "days"),
    "round_correlation": ("rounds", "units of"),
    "first_correlation": ("first", "units of"),
    "first_partial": ("partial", "given", "units of"),
    "first_thinking_time": ("first_thinking", "seconds"),
    "first_calibration": ("first_calibration", "t"),
    "kept": ("kept", "pairs of"),
    "second": ("second", "pairs of"),
    "reliability": ("reliability", "answers of"),
    "agreement": ("choices", "answers of", "question"),
    "expert": ("expert", "expert says"),
    "differences": ("differences", "annotator", "item"),
}
"""By table of a report: the name of the figure, and the columns that tell its rows apart."""
_SUBSET = re.compile(r"^(genre|control|level)( of)? ")
_WORDED = ("units of", "answers of", "pairs of", "texts of", "wanted", "compared", "expert says")
"""Columns whose cells are words or names of subsets, which have shorter codes."""
_WORDS = (*_WORDED, "annotator", "missing", "reason", "file")
_CODES = {words: code for code, words in COMPARISONS.items()}
_CODES |= {ALL: "", UNDECIDED: "undecided", "above .5": "above", "below .5": "below"}
_NUMBERS = ("rounds", "beside", "after", "before")
"""Columns with numbers of rounds, which a figure says by its name and its labels."""
Labels = Mapping[str, str]
"""Columns that have the same cell in all rows of a table, such as the pass; empty ones are left out."""


class _Figures:
    """Collects tables: each row gets a code, and rows of the same figure are joined."""

    def __init__(self) -> None:
        self.tables: dict[str, ReportTable] = {}
        self.notes: dict[str, str] = {}

    def add(self, figure: str, table: ReportTable, keys: Sequence[str], labels: Labels) -> None:
        """Add the rows of a table, each after its code and the labels."""
        named = {name: value for name, value in labels.items() if value}
        # The table of units without a t value has a column "code" of its own.
        head = ["code", *named, *("reason code" if name == "code" else name for name in table.head)]
        rows = []
        for row, cells in zip(table.rows, table.records, strict=True):
            code = _join_code(figure, *named.values(), *(_make_part(key, cells[key]) for key in keys))
            rows.append([code, *named.values(), *row])
        new = replace(table, name=figure, head=head, rows=rows, words=("code", *named, *table.words))
        self.tables[figure] = _join_tables(self.tables[figure], new) if figure in self.tables else new

    def add_rows(
        self, figure: str, title: str, columns: str, rows: Sequence[Sequence[Any]], labels: Labels
    ) -> None:
        """Add rows that are no table of a report; the columns before n, or the first one, tell them apart."""
        head = columns.split(", ")
        keys = head[: head.index("n")] if "n" in head else head[:1]
        words = [
            name for name in head if name in _WORDED or name in ("missing", "reason", "file", "annotator")
        ]
        self.add(figure, ReportTable("", title, head, rows, words, {"rating": 2, "scaled": 1}), keys, labels)

    def add_missing(self, figure: str, labels: Labels, reason: str) -> None:
        """Add the reason why there is no figure."""
        row = _join_code(figure, *labels.values()), reason
        self.add_rows("missing", "Figures that have no value", "missing, reason", [row], {})

    def add_report(
        self, figure: str, labels: Labels, compute: Callable[..., TableReport], *arguments: Any
    ) -> None:
        """Add the tables of a report, its notes and its signature; or the reason why there is no figure."""
        code = _join_code(figure, *labels.values())
        try:
            report = compute(*arguments)
        except ScorerError as error:
            self.add_missing(figure, labels, str(error))
            return
        for table in report.tables:
            if table.name in _FIGURES:
                name, *keys = _FIGURES[table.name]
                self.add(name, table, keys, labels)
        for note in (*report.notes, report.signature):
            self.notes.setdefault(note, code)


def _join_code(*parts: str) -> str:
    return ".".join(filter(None, parts))


def _make_part(column: str, cell: TableCell) -> str:
    if isinstance(cell, float):
        return f"{cell:g}"
    words = str(cell)
    return (
        _CODES.get(words, _SUBSET.sub(r"\1.", words).replace(", genre ", ".genre."))
        if column in _WORDED
        else words
    )


def _join_tables(first: ReportTable, second: ReportTable) -> ReportTable:
    """Join the rows of two tables; a row has an empty cell in a column that only the other table has."""
    head = list(dict.fromkeys((*first.head, *second.head)))
    rows = [[cells.get(name) for name in head] for cells in (*first.records, *second.records)]
    return replace(second, head=head, rows=rows, decimals={**first.decimals, **second.decimals})


def figures_report(inputs: FigureInputs) -> TableReport:
    """Compute every figure of a round or of a data set.

    Parameters
    ----------
    inputs : FigureInputs
        What `read_figure_inputs` returns.

    Returns
    -------
    TableReport
        A table for each figure that the answers allow. The first column, "code", has a stable name for each
        row, which begins with the name of the table. See Notes.

    Notes
    -----
    PASS is the slug of a pass, and left out if the pass has none. SUBSET is ``genre.GENRE``, and left out in
    the row of all units. Where organizers decided, the agreement (``alpha`` to
    ``expected_mse``) has the subset ``undecided``, too; an increase also has the subset ``significant``.

    ================================= ==================================================================
    code                              row
    ================================= ==================================================================
    alpha.PASS.SUBSET                 Krippendorff's alpha with an interval, and strong agreement
    closeness.PASS.SUBSET.WHAT        correlations and errors: ``annotators``, ``others``, ``unit-mean``
                                      or ``repeats``, which the column "compared" explains
    expected_mse.PASS.SUBSET          expected MSE of a system that predicts the true mean of each unit
    annotators.PASS.ANNOTATOR         an annotator compared with the others
    bias.PASS.SUBSET                  deviation of ratings from known gold (exports); the SUBSET can be
                                      ``level.LEVEL`` or ``level.LEVEL.genre.GENRE``, too
    intra.PASS, intra_joined          first and second ratings by the same annotator; of both passes
    values.RATING                     how often a point of the scale was given in each pass
    means.RATING                      units by mean rating, rounded to a point of the scale (exports)
    increase.SUBSET                   mean of the second pass minus mean of the first, by unit
    quantiles.SUBSET                  quantiles of the increase
    histogram.FROM                    units by increase, in bins of a quarter of a point
    significance.TEST.SUBSET.X        share of units with p <= X in the ``independent`` or ``paired`` test
    untested.TEST.REASON              units without a t value; ``no_variance`` counts as p = 0
    correlation.SUBSET                mean ratings of the units in both passes
    thinking.PASS.SECONDS             ratings compared with the other pass, by thinking time
    calibration.PASS.POSITION         ratings compared with the other pass, by position in the work
    pause_hours, pauses.DAYS          time between the passes; share of annotators by number of days
    rounds.ROUND.PASS.SUBSET          mean ratings of the units in another round and in this one
    first.PASS.SUBSET                 ratings before the campaign and mean ratings of the units
    partial.GIVEN.SUBSET              correlation of two of ``first`` and the passes, given the third one
    first_thinking.PASS.CLOCK.SECONDS ratings compared with those before the campaign, by thinking time
    first_calibration.PASS.POSITION   the same, by position in the work
    kept.FILE.PAIRS                   pairs whose rating is close to the one expected for their choice:
                                      ``N1``, ``N2``, and random controls such as ``control.N1``
    second.FILE.PAIRS                 earlier ratings of these pairs, compared with the mean ratings
    sorted.FILE.RATING                pairs with this rating, by choice
    seconds.POSITIONS                 quantiles of the seconds for an answer (choices, texts)
    answers.ANNOTATOR                 answers of an annotator, blanks, and pasted texts
    written.SUBSET.WANTED             texts for this wanted rating, blanks, and words of a text
    wanted.PASS.WANTED                mean ratings of the pairs whose text was written for this rating
    wanted_means.PASS.RATING          pairs with this mean rating, by wanted rating
    reliability.GENRE                 split-half reliability of best-worst scores
    choices.GENRE.QUESTION            alpha of the answers: ``both``, ``best`` or ``worst``
    scores.SCORE                      items by score, rounded to tenths
    expert.ROUND.SIDE                 an expert compared with the scores: ``above`` or ``below`` .5
    differences.ROUND.ANNOTATOR.ITEM  an item whose score is on the other side of .5
    missing.FIGURE                    why a figure has no value
    empty.FILE                        a table that has no answers
    ================================= ==================================================================

    Examples
    --------
    >>> from scorer.annotation.ratings import ratings_of
    >>> inputs = FigureInputs(("free",), ratings={"free": ratings_of([[1, 2], [4, 4]])})
    >>> report = figures_report(inputs)
    >>> [row[0] for row in report.tables[4].rows]
    ['values.1', 'values.2', 'values.4']
    """
    figures, passes = _Figures(), dict(inputs.ratings)
    for slug, ratings in passes.items():
        decided = inputs.decided.get(slug)
        parts = [] if decided is None else [(UNDECIDED, _take_other_units(ratings, decided))]
        parts += [(f"genre {genre}", ratings.of_genre(genre)) for genre in ratings.genre_names()]
        rules = AgreementRules(resampling=RESAMPLING, strong=STRONG)
        figures.add_report("alpha", {"pass": slug}, agreement_report, ratings, parts, rules)
    _add_bias(figures, inputs)
    _add_repeats(figures, inputs)
    _add_values(figures, inputs)
    _add_means(figures, inputs)
    if len(passes) > 1:
        figures.add_report("increase", {}, _test_context, list(passes.values()), inputs.context)
        figures.add_report("correlation", {}, _compare_passes, passes)
    for (other, slug), theirs in inputs.compared.items():
        labels = {"round": other, "pass": slug}
        if slug in inputs.answers:
            figures.add_report("expert", labels, score_report, inputs.answers[slug], theirs)
        elif slug in passes:
            pair = {"": theirs, slug or ONLY: passes[slug]}
            figures.add_report("rounds", labels, _compare, pair, ["correlation"], "round_")
    if inputs.first is not None:
        _add_first(figures, {"first": inputs.first, **passes}, inputs)
    for name, choices in inputs.choices.items():
        labels = {"file": name.removesuffix(".tsv")}
        figures.add_report("kept", labels, filter_report, choices, FilterRules())
        by_choice = zip(choices.choice, choices.rating.tolist(), strict=True)
        _add_counts(figures, "sorted", "Pairs by rating and choice", labels, inputs.points, by_choice)
    for slug, answers in inputs.answers.items():
        figures.add_report("reliability", {"pass": slug}, _measure_reliability, answers)
        # Rounded as reports are, because a score of .35 can be .35000000000000003.
        tenths = Counter(round(round(score.scaled, DECIMALS), 1) for score in bws_scores(answers))
        scores = [(tenth / 10, tenths[tenth / 10]) for tenth in range(11)]
        figures.add_rows("scores", "Items by score, rounded to tenths", "scaled, n", scores, {"pass": slug})
    _add_stage(figures, inputs)
    if inputs.empty:
        figures.add_rows("empty", "Files that have no answers", "file", [[name] for name in inputs.empty], {})
    options = f"{RESAMPLING.signature()}|strong:{STRONG!r}|step:{CURVE_STEP}|splits:{SPLITS}"
    notes = tuple(f"{code}: {note}" for note, code in figures.notes.items())
    return TableReport(SCHEMA, f"figures|{options}", tuple(figures.tables.values()), notes=notes)


def _take_other_units(ratings: Ratings, decided: Ratings) -> Ratings:
    with_value = {decided.units[place] for place in decided.unit.tolist()}
    return ratings.of_units(set(ratings.units) - with_value)


def _add_bias(figures: _Figures, inputs: FigureInputs) -> None:
    """Compare the ratings of each pass with the gold that was known before the campaign."""
    if inputs.known_gold is not None:
        rules = replace(RESAMPLING, interval="percentile")
        for slug, ratings in inputs.ratings.items():
            figures.add_report(
                "bias", {"pass": slug}, bias_report, ratings, inputs.known_gold, rules, inputs.known_levels
            )


def _add_repeats(figures: _Figures, inputs: FigureInputs) -> None:
    """Compare annotators with themselves, in each pass and in both."""
    title, columns = "First and second ratings by the same annotator", ", ".join(("n", *MEASURES))
    for slug, ratings in inputs.repeats.items():
        rows = [intra_annotator_closeness(ratings).cells]
        figures.add_rows("intra", title, columns, rows, {"pass": slug})
    if len(inputs.repeats) > 1:
        rows = [intra_annotator_closeness(*inputs.repeats.values()).cells]
        figures.add_rows("intra_joined", f"{title}, in both passes", columns, rows, {})


def _add_values(figures: _Figures, inputs: FigureInputs) -> None:
    """Count how often each point of the scale was given in each pass, and each other rating."""
    counts = {slug: Counter(ratings.value.tolist()) for slug, ratings in inputs.ratings.items()}
    columns = [f"ratings {slug}" for slug in inputs.passes] if len(inputs.passes) > 1 else ["ratings"]
    values = sorted(set(inputs.points).union(*counts.values())) if counts else []
    rows = [[value, *(counts.get(slug, Counter())[value] for slug in inputs.passes)] for value in values]
    if rows:
        figures.add_rows(
            "values", "How often each rating was given", ", ".join(("rating", *columns)), rows, {}
        )


def _add_means(figures: _Figures, inputs: FigureInputs) -> None:
    """Count the units by their mean rating, rounded to a point of the scale, in each pass."""
    counts = {slug: _count_means(ratings, inputs.points) for slug, ratings in inputs.ratings.items()}
    columns = [f"units {slug}" for slug in inputs.passes] if len(inputs.passes) > 1 else ["units"]
    points = inputs.points if counts else ()
    rows = [[point, *(counts.get(slug, Counter())[point] for slug in inputs.passes)] for point in points]
    if rows:
        title = "Units by mean rating, rounded to a point of the scale"
        figures.add_rows("means", title, ", ".join(("rating", *columns)), rows, {})


def _count_means(ratings: Ratings, points: Sequence[float]) -> Counter[float]:
    """Count the units that were rated by the point that is next to their mean; none if no scale is known."""
    means = _find_means(ratings).values() if points else ()
    return Counter(_find_point(mean, points) for mean in means)


def _find_means(ratings: Ratings) -> dict[str, float]:
    """Return the mean rating of each unit that was rated."""
    rated = ratings.of_units({ratings.units[place] for place in ratings.unit.tolist()})
    return dict(zip(rated.units, unit_moments(rated).mean.tolist(), strict=True))


def _find_point(mean: float, points: Sequence[float]) -> float:
    return min(points, key=lambda point: abs(point - mean))


def _add_counts(
    figures: _Figures,
    figure: str,
    title: str,
    labels: Labels,
    points: Sequence[float],
    pairs: Iterable[tuple[str, float]],
) -> None:
    """Count pairs of each name by rating; points of the scale without a pair are rows, too."""
    counts = Counter(pairs)
    names = sorted({name for name, _ in counts})
    ratings = sorted({*points, *(rating for _, rating in counts)})
    rows = [[rating, *(counts[name, rating] for name in names)] for rating in ratings]
    figures.add_rows(figure, title, ", ".join(("rating", *(f"pairs {name}" for name in names))), rows, labels)


def _add_stage(figures: _Figures, inputs: FigureInputs) -> None:
    """Describe answers that make pairs to rate, and ratings of pairs by the rating they were made for."""
    counted = [answer for answer in inputs.stage if answer.outcome == "counted"]
    if counted:
        rows, columns = stage_figures.measure_seconds(counted), stage_figures.SECONDS_COLUMNS
        figures.add_rows("seconds", "Seconds for an answer, by position in the assignment", columns, rows, {})
    if inputs.stage:
        writes = bool(inputs.units)
        columns = stage_figures.WRITING_COLUMNS if writes else stage_figures.WORK_COLUMNS
        rows = stage_figures.count_work(inputs.stage, writes=writes)
        figures.add_rows("answers", "Answers by annotator, with the median of the seconds", columns, rows, {})
    if inputs.units:
        rows, columns = stage_figures.count_written(inputs.stage, inputs.units), stage_figures.WRITTEN_COLUMNS
        title = "Written texts by genre and wanted rating, with the mean number of words"
        figures.add_rows("written", title, columns, rows, {})
    if inputs.wanted is not None:
        for slug, ratings in inputs.ratings.items():
            _add_wanted(figures, {"pass": slug}, ratings, inputs.wanted, inputs.points)


def _add_wanted(
    figures: _Figures, labels: Labels, ratings: Ratings, wanted: Mapping[str, str], points: Sequence[float]
) -> None:
    """Compare the mean ratings of pairs with the ratings for which their texts were written."""
    means = {unit: mean for unit, mean in _find_means(ratings).items() if unit in wanted}
    if not means:
        reason = "no rated pair has texts that are in written.tsv; use the export of the round before"
        figures.add_missing("wanted", labels, reason)
        return
    rows, columns = stage_figures.describe_wanted(means, wanted), stage_figures.WANTED_COLUMNS
    figures.add_rows("wanted", "Mean ratings of pairs by wanted rating", columns, rows, labels)
    pairs = ((wanted[unit], _find_point(mean, points)) for unit, mean in means.items())
    title = "Pairs by mean rating, rounded to a point of the scale, and wanted rating"
    _add_counts(figures, "wanted_means", title, labels, points, pairs)


def _test_context(pair: Sequence[Ratings], rules: ContextRules) -> TableReport:
    first, second = align_rounds(pair)
    parts = [(f"genre {g}", (first.of_genre(g), second.of_genre(g))) for g in first.genre_names()]
    dropped = len(pair[0].units) - len(first.units), len(pair[1].units) - len(first.units)
    return context_report((first, second), parts, rules, dropped)


def _compare_passes(passes: Mapping[str, Ratings]) -> TableReport:
    tables = ["correlation", "thinking_time", "calibration", "pauses", "pause_shares"]
    is_timed = all(ratings.time is not None for ratings in passes.values())
    rules = RoundsRules(step=CURVE_STEP if is_timed else None, pauses=is_timed)
    return _compare(passes, tables, "", rules)


def _compare(
    rounds: Mapping[str, Ratings], tables: Container[str], prefix: str, rules: RoundsRules | None = None
) -> TableReport:
    """Compare rounds, by genre if there are genres, and choose tables; those without a name are not named."""
    by_genre = any(ratings.genres is not None for ratings in rounds.values())
    report = rounds_report(list(rounds.values()), {}, replace(rules or RoundsRules(), by_genre=by_genre))
    names = {number: name for number, name in enumerate(rounds, start=1) if name}
    chosen = (_name_rounds(table, names) for table in report.tables if table.name in tables)
    return replace(report, tables=tuple(replace(table, name=f"{prefix}{table.name}") for table in chosen))


def _name_rounds(table: ReportTable, names: Mapping[int, str]) -> ReportTable:
    """Name the rounds that a table numbers, and leave out rows about a round without a name."""
    places = [place for place, name in enumerate(table.head) if name not in _NUMBERS]
    head, words = [table.head[place] for place in places], [*table.words]
    rows = [[row[place] for place in places] for row in table.rows]
    if head[0] in ("answers of", "given"):
        rows = [[names[number], *row] for number, *row in rows if isinstance(number, int) and number in names]
        head[0] = head[0].replace("answers of", "pass")
        words.append(head[0])
        if len(names) == 1:  # a label of the figure says it
            head, rows = head[1:], [row[1:] for row in rows]
    return replace(table, head=head, rows=rows, words=words)


def _add_first(figures: _Figures, rounds: Mapping[str, Ratings], inputs: FigureInputs) -> None:
    """Compare the passes with the ratings from before the campaign."""
    first, *passes = rounds
    for slug in passes:
        pair = {first: rounds[first], slug: rounds[slug]}
        figures.add_report("first", {"pass": slug}, _compare, pair, ["correlation"], "first_")
    if len(passes) > 1:
        figures.add_report("partial", {}, _compare, rounds, ["partial"], "first_")
    for (slug, clock), ratings in inputs.timed.items():
        pair, labels = {slug or ONLY: ratings, "": rounds[first]}, {"pass": slug, "clock": clock}
        figures.add_report("first_thinking", labels, _compare, pair, ["thinking_time"], "first_")
        if clock == CLOCKS[0]:
            rules = RoundsRules(step=CURVE_STEP)
            figures.add_report(
                "first_calibration", {"pass": slug}, _compare, pair, ["calibration"], "first_", rules
            )


def _measure_reliability(answers: Answers) -> TableReport:
    halves = split_half(answers, SPLITS, 0)
    return reliability_report(answers, halves, repeats=SPLITS, seed=0, missing="left-out", strong=STRONG)
