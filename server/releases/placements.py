"""The rank of a run, or of a team’s systems, in the newest releases, for their pages."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from sqlalchemy.orm import Session

from server.boards.inference_marks import mark_board
from server.boards.neighbours import ColumnPlacement, list_column_placements
from server.boards.systems import format_system_key, official_ranks
from server.core.cache import CacheByHash
from server.phases.feedback import ShownScore
from server.releases import inferences, public_releases, service as releases
from server.releases.models import Inference
from server.releases.service import ReleasedPhase, ReleaseState
from server.runs.models import Run
from server.runs.service import RunState
from server.teams.models import Team


@dataclass(frozen=True, slots=True)
class RunPlacement:
    """A public manual release, and a run's ranks in it: by the total first, then by level."""

    state: ReleaseState
    points: tuple[ColumnPlacement, ...]
    key: str
    """The key of its system in addresses."""


def find_run_placement(session: Session, run: Run) -> RunPlacement | None:
    """Return the ranks of a run in the newest release of its phase; None: it has none, or not yet."""
    newest = releases.find_newest(session, run.phase)
    if newest is None or newest.withdrawal is not None or newest.release.feedback is not None:
        return None
    row = inferences.find_row(session, newest.release.id, newest.sha256)
    if row is None or row.text is None:
        return None
    called = _shown_names(row, run)
    points = list_column_placements(inferences.parse_text(row.text), *called)
    return RunPlacement(newest, tuple(points), format_system_key("official", *called)) if points else None


def _shown_names(row: Inference, run: Run) -> tuple[str, str]:
    """Return the names of a run in the release: those of its time, or pseudonyms; or those of an import."""
    systems = [] if row.inputs is None else row.inputs["systems"]
    names = [(system["team"], system["run"]) for system in systems if system["run_id"] == run.id]
    return names[0] if names else (run.team.name, run.name)


@dataclass(frozen=True, slots=True)
class SystemPlacement:
    """A system with its overall rank among `of` ranked systems; None: it has none."""

    run: str
    rank: int | None
    of: int
    range: tuple[int, int] | None = None
    """The range of ranks that the tests allow, once they are computed."""


@dataclass(frozen=True, slots=True)
class TeamPlacements:
    """A public manual release, and a team's systems in it; `name`: the team's name there."""

    state: ReleaseState
    name: str | None
    places: tuple[SystemPlacement, ...]


PlacementsByTeam = dict[str, tuple[SystemPlacement, ...]]
"""All systems of one leaderboard, by the names of the teams."""
PLACEMENTS_CACHE: CacheByHash[tuple[str, str], PlacementsByTeam] = CacheByHash(16)
"""Cached by the hashes of a leaderboard and its inference, so that no entry can be stale."""


@dataclass(frozen=True, slots=True)
class LiveRank:
    """The rank of a score at a level of a live leaderboard, among `of` ranked systems."""

    value: float
    rank: int
    of: int


LiveRanks = dict[tuple[str, str, str], LiveRank]
"""The ranks of a live leaderboard by team, run and level."""
LIVE_RANKS_CACHE: CacheByHash[str, LiveRanks] = CacheByHash(16)
"""Cached by the hash of the leaderboard."""


def list_live_ranks(
    session: Session,
    team: Team,
    phases: Sequence[ReleasedPhase],
    runs: Mapping[int, Sequence[RunState]],
    scores: Mapping[int, ShownScore],
) -> dict[int, LiveRank]:
    """Return the ranks of a team's files on the live leaderboards, by submission id.

    A leaderboard follows a minute after a file, so a file has the rank there only if it shows its score.
    """
    ranks: dict[int, LiveRank] = {}
    for phase in phases:
        newest = phase.newest
        if newest is None or newest.withdrawal is not None or newest.release.feedback is None:
            continue
        name = public_releases.find_own_name(session, team, newest) or ""
        on_board = LIVE_RANKS_CACHE.get(newest.sha256, partial(_live_ranks, newest))
        for run in runs[phase.view.phase.id]:
            for at in run.levels:
                if at.on_time is None or (score := scores.get(at.on_time.id)) is None:
                    continue
                rank = on_board.get((name, run.run.name, at.level.slug))
                if rank is not None and score.value == rank.value:
                    ranks[at.on_time.id] = rank
    return ranks


def _live_ranks(state: ReleaseState) -> LiveRanks:
    ranks: LiveRanks = {}
    board = state.file.board
    for level in board.levels:
        cells = [(row, row.cells[level.slug][level.metrics[0]]) for row in board.official]
        of = sum(cell.rank is not None for _, cell in cells)
        for row, cell in cells:
            if cell.rank is not None and isinstance(cell.value, float):
                ranks[row.team, row.run, level.slug] = LiveRank(cell.value, cell.rank, of)
    return ranks


def list_team_placements(
    session: Session, team: Team, phases: Sequence[ReleasedPhase]
) -> dict[int, TeamPlacements]:
    """Return a team's ranks in each phase whose newest release is a public manual one, by the phase's id."""
    return {
        phase.view.phase.id: _team_placements(session, team, phase.newest, phase.inference)
        for phase in phases
        if phase.newest and phase.newest.withdrawal is None and phase.newest.release.feedback is None
    }


def _team_placements(
    session: Session, team: Team, state: ReleaseState, inference: inferences.StoredInference | None
) -> TeamPlacements:
    name = public_releases.find_own_name(session, team, state)
    inference_sha256 = None if inference is None else inference.sha256
    places = PLACEMENTS_CACHE.get(
        (state.sha256, inference_sha256 or ""),
        lambda: _placements_by_team(session, state, inference_sha256 is not None),
    )
    return TeamPlacements(state, name, places.get(name or "", ()))


def _placements_by_team(session: Session, state: ReleaseState, inferred: bool) -> PlacementsByTeam:
    """Return every system's rank by team name; empty if levels are ranked, not the whole leaderboard."""
    inference = inferences.find_inference(session, state.release.id, state.sha256) if inferred else None
    board = mark_board(state.file, None if inference is None else inference.shown)
    if board.ranking is None:
        return {}
    of = len(official_ranks(board))
    places: dict[str, list[SystemPlacement]] = defaultdict(list)
    for row in board.official:
        rank_range = board.mark(row, board.ranking).range
        places[row.team].append(SystemPlacement(row.run, board.rank(row), of, rank_range))
    return {name: tuple(team_places) for name, team_places in places.items()}
