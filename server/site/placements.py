"""The rank of a run, or of a team’s systems, in the newest releases, for their pages."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy.orm import Session

from server.boards.inference_json import read_inference
from server.boards.inference_marks import mark_board
from server.boards.neighbours import ColumnPlacement, list_column_placements
from server.boards.systems import cell_at, format_system_key, ranking_column
from server.core.cache import CacheByHash
from server.releases import inferences, public_releases
from server.releases import service as releases
from server.releases.inferences import StoredInference
from server.releases.models import Inference
from server.releases.service import ReleasedPhase, ReleaseState
from server.runs.models import Run
from server.teams.models import Team


@dataclass(frozen=True, slots=True)
class RunPlacement:
    """A release by hand that the public sees, and a run in it: by the total first, then by level."""

    state: ReleaseState
    points: tuple[ColumnPlacement, ...]
    key: str
    """What it is called there, in addresses."""


def find_run_placement(session: Session, run: Run) -> RunPlacement | None:
    """The place of a run in the newest release of its phase; None: it has none, or it is not computed yet."""
    newest = releases.find_newest(session, run.phase)
    if newest is None or newest.withdrawal is not None or newest.release.feedback is not None:
        return None
    row = inferences.find_row(session, newest.release.id, newest.sha256)
    if row is None or row.text is None:
        return None
    called = _shown_names(row, run)
    points = list_column_placements(read_inference(row.text), *called)
    return RunPlacement(newest, tuple(points), format_system_key("official", *called)) if points else None


def _shown_names(row: Inference, run: Run) -> tuple[str, str]:
    """The names that a run has there: of its instant, or letters; of what was brought along, its own."""
    systems = [] if row.inputs is None else row.inputs["systems"]
    names = [(system["team"], system["run"]) for system in systems if system["run_id"] == run.id]
    return names[0] if names else (run.team.name, run.name)


@dataclass(frozen=True, slots=True)
class SystemPlacement:
    """A system with its overall rank, `of` so many that have one; None: it has none."""

    run: str
    rank: int | None
    of: int
    range: tuple[int, int] | None = None
    """The ranks that the tests leave open, once they are done."""


@dataclass(frozen=True, slots=True)
class TeamPlacements:
    """A release by hand that the public sees, and one's own systems in it; `name`: as it calls the team."""

    state: ReleaseState
    name: str | None
    places: tuple[SystemPlacement, ...]


PlacementsByTeam = dict[str, tuple[SystemPlacement, ...]]
"""Of all systems of one board, by the names of the teams."""
PLACEMENTS_CACHE: CacheByHash[tuple[str, str], PlacementsByTeam] = CacheByHash(16)
"""By the hashes of a board and of what was inferred of it, so that nothing of it can be out of date."""


def list_team_placements(
    session: Session, team: Team, phases: Sequence[ReleasedPhase]
) -> dict[int, TeamPlacements]:
    """Of each phase whose newest release was made by hand and stands, by the phase's id."""
    return {
        phase.view.phase.id: _team_placements(session, team, phase.newest, phase.inference)
        for phase in phases
        if phase.newest and phase.newest.withdrawal is None and phase.newest.release.feedback is None
    }


def _team_placements(
    session: Session, team: Team, state: ReleaseState, inference: StoredInference | None
) -> TeamPlacements:
    name = public_releases.find_own_name(session, team, state)
    inference_sha256 = None if inference is None else inference.sha256
    places = PLACEMENTS_CACHE.get(
        (state.sha256, inference_sha256 or ""),
        lambda: _placements_by_team(session, state, inference_sha256 is not None),
    )
    return TeamPlacements(state, name, places.get(name or "", ()))


def _placements_by_team(session: Session, state: ReleaseState, inferred: bool) -> PlacementsByTeam:
    """Where every system of a board stands, by the names of the teams; empty: levels rank, not the board."""
    inference = inferences.find_inference(session, state.release.id, state.sha256) if inferred else None
    board = mark_board(state.board, None if inference is None else inference.shown)
    column = ranking_column(board)
    if column is None:
        return {}
    cells = [(row, cell_at(row, column) or {}) for row in board["official"]]
    of = sum(cell.get("rank") is not None for _, cell in cells)
    places: dict[str, list[SystemPlacement]] = defaultdict(list)
    for row, cell in cells:
        places[row["team"]].append(SystemPlacement(row["run"], cell.get("rank"), of, cell.get("range")))
    return {name: tuple(team_places) for name, team_places in places.items()}
