"""Where a team's own systems stand in what is released: told to that team alone."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy.orm import Session

from server.domain.marked_boards import mark_board
from server.models import Phase, Team
from server.services import inferences, published, releases
from server.services.releases import ReleaseState


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """A system with its rank by the official total, `of` so many that have one; None: it has none."""

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


def list_places(session: Session, team: Team, phases: Sequence[Phase]) -> dict[int, OwnPlaces]:
    """Of each phase whose newest release was made by hand and stands, by the phase's id."""
    newest = releases.list_newest(session, phases)
    out = {
        phase_id: state
        for phase_id, state in newest.items()
        if state.withdrawal is None and state.release.feedback is None
    }
    shown = inferences.list_shown(session, {state.release.id: state.sha256 for state in out.values()})
    return {
        phase_id: _places(session, team, state, shown.get(state.release.id))
        for phase_id, state in out.items()
    }


def _places(session: Session, team: Team, state: ReleaseState, shown: dict[str, Any] | None) -> OwnPlaces:
    board, name = mark_board(state.board, shown), published.own_name(session, team, state)
    total = board["totals"][0]["name"] if board["totals"] else None
    cells = [(row, {} if total is None else row["total"][total]) for row in board["official"]]
    of = sum(cell.get("rank") is not None for _, cell in cells)
    own = [
        OwnPlace(row["run"], cell.get("rank"), of, cell.get("range"))
        for row, cell in cells
        if row["team"] == name
    ]
    return OwnPlaces(state, name, tuple(own))
