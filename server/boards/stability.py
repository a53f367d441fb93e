"""The ranking of a leaderboard under other rules: which systems would move, and how far."""

from collections.abc import Mapping
from dataclasses import dataclass

from scorer.boards.board import Board, SystemKey
from server.boards.inference_json import BoardInference, RankingByRule
from server.boards.systems import official_ranks


@dataclass(frozen=True, slots=True)
class RankMove:
    """A system with another rank under another rule."""

    key: SystemKey
    before: int
    after: int


@dataclass(frozen=True, slots=True)
class AlternativeRanking:
    """The ranking of the systems under another rule."""

    rule: str
    name: str | None
    """The level or the genre that is left out."""
    tau: float | None
    reason: str | None
    """Why there is no Kendall's tau."""
    systems: int
    """The number of systems with a value by both rules."""
    ranks: Mapping[SystemKey, int]
    """The ranks, among themselves, of the systems with an official rank."""
    moved: int
    furthest: RankMove | None


def list_alternative_rankings(board: Board, inference: BoardInference | None) -> list[AlternativeRanking]:
    """List the ranking under each alternative rule; without ranks if only tau was stored."""
    if inference is None:
        return []
    official = official_ranks(board)
    return [_alternative_ranking(entry, inference.keys, official) for entry in inference.stability]


def _alternative_ranking(
    ranking: RankingByRule, keys: list[SystemKey], official: Mapping[SystemKey, int]
) -> AlternativeRanking:
    ranks_by_system = {keys[entry.system]: entry.rank for entry in ranking.ranks}
    ranks_on_board = {key: rank for key, rank in ranks_by_system.items() if key in official}
    ranks = {
        key: 1 + sum(other < rank for other in ranks_on_board.values())
        for key, rank in ranks_on_board.items()
    }
    moves = [
        RankMove(key, rank, ranks[key]) for key, rank in official.items() if ranks.get(key, rank) != rank
    ]
    return AlternativeRanking(
        ranking.rule,
        ranking.name,
        ranking.tau,
        None if ranking.undefined is None else ranking.undefined.reason,
        ranking.systems,
        ranks,
        len(moves),
        max(moves, key=lambda move: abs(move.after - move.before), default=None),
    )


def count_same_first(orders: list[AlternativeRanking], official: Mapping[SystemKey, int]) -> tuple[int, int]:
    """Count the alternative rules under which the first system stays first, and the rules with ranks."""
    ranked_orders = [order for order in orders if order.ranks]
    best = {key for key, rank in official.items() if rank == 1}
    same = [
        order for order in ranked_orders if {key for key, rank in order.ranks.items() if rank == 1} & best
    ]
    return len(same), len(ranked_orders)
