"""Where a team's own systems stand in what is released: told to that team alone."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from server.boards.marked import mark_board
from server.boards.systems import cell_at, ranking_column
from server.core.by_hash import CacheByHash
from server.releases import inferences, published
from server.releases.service import ReleasedPhase, ReleaseState
from server.teams.models import Team


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """A system with its overall rank, `of` so many that have one; None: it has none."""

    run: str
    rank: int | None
    of: int
    range: tuple[int, int] | None = None
    """The ranks that the tests leave open, once they are done."""


@dataclass(frozen=True, slots=True)
class OwnPlaces:
    """A release by hand that the public sees, and one's own systems in it; `name`: as it calls the team."""

    state: ReleaseState
    name: str | None
    places: tuple[OwnPlace, ...]


Places = dict[str, tuple[OwnPlace, ...]]
"""Of all systems of one board, by the names of the teams."""
PLACES: CacheByHash[tuple[str, str], Places] = CacheByHash(16)
"""By the hashes of a board and of what was inferred of it, so that nothing of it can be out of date."""


def list_places(session: Session, team: Team, phases: Sequence[ReleasedPhase]) -> dict[int, OwnPlaces]:
    """Of each phase whose newest release was made by hand and stands, by the phase's id."""
    return {
        phase.view.phase.id: _own(session, team, phase.newest, phase.inference_sha256)
        for phase in phases
        if phase.newest and phase.newest.withdrawal is None and phase.newest.release.feedback is None
    }


def _own(session: Session, team: Team, state: ReleaseState, inference_sha256: str | None) -> OwnPlaces:
    name = published.own_name(session, team, state)
    places = PLACES.get(
        (state.sha256, inference_sha256 or ""), lambda: _places(session, state, inference_sha256 is not None)
    )
    return OwnPlaces(state, name, places.get(name or "", ()))


def _places(session: Session, state: ReleaseState, inferred: bool) -> Places:
    """Where every system of a board stands, by the names of the teams; empty: levels rank, not the board."""
    found = inferences.find_of(session, state.release.id, state.sha256) if inferred else None
    board = mark_board(state.board, None if found is None else found.shown)
    column = ranking_column(board)
    if column is None:
        return {}
    cells = [(row, cell_at(row, column) or {}) for row in board["official"]]
    of = sum(cell.get("rank") is not None for _, cell in cells)
    places: dict[str, list[OwnPlace]] = defaultdict(list)
    for row, cell in cells:
        places[row["team"]].append(OwnPlace(row["run"], cell.get("rank"), of, cell.get("range")))
    return {name: tuple(own) for name, own in places.items()}
