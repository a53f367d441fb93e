"""Where a team's own systems stand in what is released: told to that team alone."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from server.models import Phase, Team
from server.services import published, releases
from server.services.releases import ReleaseState


@dataclass(frozen=True, slots=True)
class OwnPlace:
    """A system with its rank by the official total, `of` so many that have one; None: it has none."""

    run: str
    rank: int | None
    of: int


@dataclass(frozen=True, slots=True)
class OwnPlaces:
    """A release by hand that the public sees, and one's own systems in it; `name`: as it calls the team."""

    state: ReleaseState
    name: str | None
    places: tuple[OwnPlace, ...]


def list_places(session: Session, team: Team, phases: Sequence[Phase]) -> dict[int, OwnPlaces]:
    """Of each phase whose newest release was made by hand and stands, by the phase's id."""
    newest = releases.list_newest(session, phases)
    return {
        phase_id: _places(session, team, state)
        for phase_id, state in newest.items()
        if state.withdrawal is None and state.release.feedback is None
    }


def _places(session: Session, team: Team, state: ReleaseState) -> OwnPlaces:
    board, name = state.board, published.own_name(session, team, state)
    total = board["totals"][0]["name"] if board["totals"] else None
    ranks = {
        (row["team"], row["run"]): None if total is None else row["total"][total]["rank"]
        for row in board["official"]
    }
    of = sum(rank is not None for rank in ranks.values())
    own = [OwnPlace(run, rank, of) for (owner, run), rank in ranks.items() if owner == name]
    return OwnPlaces(state, name, tuple(own))
