"""Would another rule have ranked the systems differently? Kendall's tau with the official order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import Any, Literal

from scorer.boards.board import DECIMALS, Board, BoardLevel, Entry, Row, build_board, rank_values, row_worth
from scorer.errors import UndefinedError
from scorer.inference.board_entries import LevelEntries
from scorer.metrics import kendall
from scorer.scoring.evaluate import Result

StabilityRule = Literal["spearman", "mean_of_ranks", "without_level", "without_genre"]
RankingValues = Mapping[int, float]
"""What orders the official systems, by their row: more is better."""


def board_stability(board: Board, entered: Sequence[LevelEntries]) -> list[dict[str, Any]]:
    """How far the official order stays under other rules, as plain values.

    Parameters
    ----------
    board : Board
        Its official order is that of the first total, or of the first level where there is none.
    entered : sequence of LevelEntries
        The files, a level each.

    Returns
    -------
    list of dict
        "rule", "name" (the level or genre that was left out), "systems" (that have a value under both),
        "tau" (Kendall's tau-b; None where it has no value), "undefined", why so, and "ranks" of the systems
        that have one by that rule ("system", its place among the board's rows, and "rank"). The rules: every
        level by Spearman; the mean of a system's ranks at the levels that it entered; without each level that
        counts, where there are two or more; without each genre of a level that has two or more.

    References
    ----------
    Kendall (1945), doi:10.1093/biomet/33.3.239. Ranks under other metrics, by genre and by level: Jurgens,
    Pilehvar & Navigli (2016), Language Resources and Evaluation 50, 5-33, doi:10.1007/s10579-014-9289-2.
    """
    official = _ranking_values(board)
    return [
        _compare_rankings(official, rule, name, other)
        for rule, name, other in _other_rankings(board, entered)
    ]


def _other_rankings(
    board: Board, entered: Sequence[LevelEntries]
) -> Iterator[tuple[StabilityRule, str | None, RankingValues]]:
    data = {each.slug: each for each in entered}
    levels = [replace(level, metrics=level.metrics[:1]) for level in board.levels]
    yield (
        "spearman",
        None,
        _rebuild_ranking(board, [replace(each, metrics=("spearman",)) for each in levels], data),
    )
    yield "mean_of_ranks", None, _mean_of_ranks(board)
    counted = [level for level in levels if level.counts]
    for left_out in counted if board.totals and len(counted) > 1 else []:
        yield (
            "without_level",
            left_out.slug,
            _rebuild_ranking(board, [each for each in levels if each != left_out]),
        )
    divided = [each for each in entered if len({*each.genres}) > 1]
    for genre in dict.fromkeys(genre for each in divided for genre in each.genres if genre):
        without = {slug: each.without(genre) for slug, each in data.items()}
        yield "without_genre", genre, _rebuild_ranking(board, levels, without)


def _ranking_values(board: Board) -> RankingValues:
    """The official total or value of each system that has one, turned so that higher is better."""
    worths = [row_worth(row, board.levels, board.totals) for row in board.official]
    return {system: worth for system, worth in enumerate(worths) if worth is not None}


def _mean_of_ranks(board: Board) -> RankingValues:
    """The mean of a system's ranks at the levels that count and that it entered, lower is better."""
    levels = [level for level in board.levels if level.counts]
    worth = {}
    for system, row in enumerate(board.official):
        ranks = [row.cells[level.slug][level.metrics[0]].rank for level in levels]
        entered = [rank for rank in ranks if rank is not None]
        if entered:
            worth[system] = -fsum(entered) / len(entered)
    return worth


def _rebuild_ranking(
    board: Board, levels: Sequence[BoardLevel], data: Mapping[str, LevelEntries] | None = None
) -> RankingValues:
    """The order of the same systems on a board with other levels; recomputed from `data` if given."""
    counted = sum(level.counts for level in levels)
    rules = replace(board.rules, enter_at_least=min(board.rules.enter_at_least, max(1, counted)))
    entries = []
    for system, row in enumerate(board.official):
        results = {level.slug: _result(row, system, level, data) for level in levels}
        results_by_level = {
            slug: {result.metric: result} for slug, result in results.items() if result is not None
        }
        entries.append(Entry(row.team, row.run, "official", results_by_level))
    rebuilt = build_board(levels, rules, entries)
    rows = {(row.team, row.run): system for system, row in enumerate(board.official)}
    worth = _ranking_values(rebuilt)
    return {rows[row.team, row.run]: worth[at] for at, row in enumerate(rebuilt.official) if at in worth}


def _result(
    row: Row, system: int, level: BoardLevel, data: Mapping[str, LevelEntries] | None
) -> Result | None:
    metric = level.metrics[0]
    if data is None:
        cell = row.cells[level.slug][metric]
        return None if cell.n is None else Result(metric, cell.value, cell.n, "")
    entries = data[level.slug]
    return Result(metric, entries.value(system, metric), entries.n, "") if system in entries.preds else None


def _compare_rankings(
    official: RankingValues, rule: StabilityRule, name: str | None, other: RankingValues
) -> dict[str, Any]:
    shared_systems = [system for system in official if system in other]
    tau: float | None = None
    undefined: dict[str, str] | None = None
    try:
        tau = kendall(
            *([round(worth[system], DECIMALS) for system in shared_systems] for worth in (official, other))
        )
    except UndefinedError as error:
        reasons = {"constant_gold": "all share one rank", "constant_run": "all share one rank by this rule"}
        undefined = {"code": error.code, "reason": reasons.get(error.code, "fewer than two systems")}
    ranks = zip(other, rank_values([*other.values()]), strict=True)
    return {
        "rule": rule,
        "name": name,
        "systems": len(shared_systems),
        "tau": tau,
        "undefined": undefined,
        "ranks": [{"system": system, "rank": rank} for system, rank in sorted(ranks)],
    }
