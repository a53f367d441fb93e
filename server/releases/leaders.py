"""The first systems of released leaderboards, for the cards of the home page."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from scorer.boards.board import Row
from server.boards.board_table import view_board
from server.boards.inference_json import BoardInference
from server.boards.inference_marks import Mark, mark_board
from server.boards.interval_bars import Axis, round_axis
from server.boards.query_parameters import BoardQuery
from server.core.cache import CacheByHash
from server.releases import inferences
from server.releases.models import Inference, Release
from server.releases.service import ReleaseState

MAX_LEADERS = 5


@dataclass(frozen=True, slots=True)
class Leader:
    """One system with its value in the column that ranks the leaderboard."""

    row: Row
    rank: int
    value: float
    mark: Mark


@dataclass(frozen=True, slots=True)
class Leaders:
    """The first systems, an axis for their intervals, and the number of systems on the leaderboard."""

    systems: tuple[Leader, ...]
    axis: Axis | None
    of: int


LEADERS: CacheByHash[tuple[str, str | None], Leaders] = CacheByHash(500)
"""The first systems by the hashes of the leaderboard and of its inference."""


def list_leaders(session: Session, states: Iterable[ReleaseState]) -> dict[int, Leaders]:
    """Return the first systems of the public releases by the release's id, in three queries at most."""
    public = {state.release.id: state for state in states if state.withdrawal is None}
    columns = Inference.release_id, Inference.board_sha256, Inference.sha256, Inference.id
    computed = session.execute(
        select(*columns).where(Inference.release_id.in_(public), Inference.made_at.is_not(None))
    )
    rows = {
        id_: (sha256, row)
        for id_, board, sha256, row in computed
        if id_ is not None and public[id_].sha256 == board
    }
    keys = {id_: (state.sha256, rows.get(id_, (None, 0))[0]) for id_, state in public.items()}
    found = {id_: leaders for id_, key in keys.items() if (leaders := LEADERS.find(key)) is not None}
    new = [id_ for id_ in public if id_ not in found]
    summaries = inferences.list_summaries(session, [rows[id_][1] for id_ in new if id_ in rows])
    if new:
        texts = undefer(Release.board), undefer(Release.named_board)
        query = select(Release).where(Release.id.in_(new)).options(*texts)
        session.scalars(query.execution_options(populate_existing=True)).all()
    for id_ in new:
        found[id_] = LEADERS.get(keys[id_], partial(_pick_leaders, public[id_], summaries.get(id_)))
    return found


def _pick_leaders(state: ReleaseState, inference: BoardInference | None) -> Leaders:
    board = mark_board(state.file, inference)
    view = view_board(board, BoardQuery(), "")
    if view.rank is None or not view.values:
        return Leaders((), None, len(board.official))
    column, systems = view.values[0], list[Leader]()
    for row in (row.record for group, rows in view.groups if group == "official" for row in rows):
        place, cell = view.rank.cell(row), column.cell(row)
        if (
            place is not None
            and place.rank is not None
            and cell is not None
            and isinstance(cell.value, float)
        ):
            systems.append(Leader(row, place.rank, cell.value, column.mark(row)))
    first = tuple(systems[:MAX_LEADERS])
    ends = [end for one in first for end in (one.value, *(one.mark.interval or ()))]
    return Leaders(first, round_axis(ends) if ends else None, len(board.official))
