"""The ranking of a leaderboard under other rules: which systems would move, and how far."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from server.boards.systems import SystemKey, cell_at, columns_of


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


def official_ranks(board: Mapping[str, Any]) -> dict[SystemKey, int]:
    """Return the ranks of a leaderboard by its first column, the best first."""
    column = columns_of(board)[0]
    cells = {("official", row["team"], row["run"]): cell_at(row, column) for row in board["official"]}
    ranks = {key: cell["rank"] for key, cell in cells.items() if cell and cell["rank"] is not None}
    return dict(sorted(ranks.items(), key=lambda pair: pair[1]))


def list_alternative_rankings(
    board: Mapping[str, Any], values: Mapping[str, Any] | None
) -> list[AlternativeRanking]:
    """List the ranking under each alternative rule; without ranks if only tau was stored."""
    if values is None:
        return []
    systems = [(entry["kind"], entry["team"], entry["run"]) for entry in values["systems"]]
    official = official_ranks(board)
    return [_alternative_ranking(entry, systems, official) for entry in values["stability"]]


def _alternative_ranking(
    ranking: Mapping[str, Any], who: list[SystemKey], official: Mapping[SystemKey, int]
) -> AlternativeRanking:
    ranks_by_system = {who[entry["system"]]: entry["rank"] for entry in ranking.get("ranks") or ()}
    ranks_on_board = {key: rank for key, rank in ranks_by_system.items() if key in official}
    ranks = {
        key: 1 + sum(other < rank for other in ranks_on_board.values())
        for key, rank in ranks_on_board.items()
    }
    moves = [
        RankMove(key, rank, ranks[key]) for key, rank in official.items() if ranks.get(key, rank) != rank
    ]
    reason = ranking["undefined"]["reason"] if ranking["undefined"] else None
    return AlternativeRanking(
        ranking["rule"],
        ranking["name"],
        ranking["tau"],
        reason,
        ranking["systems"],
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
