"""The stability of a ranking: Kendall's tau between the official ranking and rankings under other rules."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import fsum
from typing import Any, Literal

from scorer.boards.board import Board, BoardLevel, Entry, Row, build_board, row_worth
from scorer.errors import UndefinedError
from scorer.inference.board_entries import LevelEntries
from scorer.metrics import kendall
from scorer.scoring.evaluate import Result

StabilityRule = Literal["spearman", "mean_of_ranks", "without_level", "without_genre"]
RankingValues = Mapping[int, float]
"""The values by which the official systems are ranked, by row index. Higher is better."""


def board_stability(board: Board, entered: Sequence[LevelEntries]) -> list[dict[str, Any]]:
    """Compare the official ranking of a board with its rankings under other rules.

    Parameters
    ----------
    board : Board
        The board. Its official ranking is that of the first total or, if there is no total, of the first
        level.
    entered : sequence of LevelEntries
        The data of each level.

    Returns
    -------
    list of dict
        An entry for each rule, with JSON values: "rule", "name" (the level or genre that was left out),
        "systems" (the number of systems that have a value under both rules), "tau" (Kendall's tau-b, or None
        if it is undefined), "undefined" (the reason), and "ranks" of the systems that have a rank by that
        rule ("system", its row index on the board, and "rank"). The rules are: rank every level by Spearman;
        rank by the mean of a system's ranks at the levels that it entered; leave out each level that counts,
        if there are two or more; leave out each genre of levels with two or more genres.

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
    data = {level_data.slug: level_data for level_data in entered}
    levels = [replace(level, metrics=level.metrics[:1]) for level in board.levels]
    yield (
        "spearman",
        None,
        _rebuild_ranking(board, [replace(level, metrics=("spearman",)) for level in levels], data),
    )
    yield "mean_of_ranks", None, _mean_of_ranks(board)
    counted = [level for level in levels if level.counts]
    for left_out in counted if board.totals and len(counted) > 1 else []:
        yield (
            "without_level",
            left_out.slug,
            _rebuild_ranking(board, [level for level in levels if level != left_out]),
        )
    divided = [level_data for level_data in entered if len({*level_data.genres}) > 1]
    for genre in dict.fromkeys(genre for level_data in divided for genre in level_data.genres if genre):
        without = {slug: level_data.without(genre) for slug, level_data in data.items()}
        yield "without_genre", genre, _rebuild_ranking(board, levels, without)


def _ranking_values(board: Board) -> RankingValues:
    """Return the official total or value of each system that has one, rounded for comparisons."""
    worths = [row_worth(row, board.levels, board.totals) for row in board.official]
    return {system: worth for system, worth in enumerate(worths) if worth is not None}


def _mean_of_ranks(board: Board) -> RankingValues:
    """Return the negated mean of each system's ranks at the levels that count and that it entered."""
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
    """Rank the same systems on a board with other levels. The values are recomputed if `data` is given."""
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
        tau = kendall(*([worth[system] for system in shared_systems] for worth in (official, other)))
    except UndefinedError as error:
        reasons = {"constant_gold": "all share one rank", "constant_run": "all share one rank by this rule"}
        undefined = {"code": error.code, "reason": reasons.get(error.code, "fewer than two systems")}
    ordered = sorted(other.values())
    ranks = {system: 1 + len(ordered) - bisect_right(ordered, worth) for system, worth in other.items()}
    return {
        "rule": rule,
        "name": name,
        "systems": len(shared_systems),
        "tau": tau,
        "undefined": undefined,
        "ranks": [{"system": system, "rank": rank} for system, rank in sorted(ranks.items())],
    }
