"""Boards: the standing of a phase, ranked by the scorer's one ranking function."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session, joinedload

from scorer.board import Board, BoardLevel, BoardRules, Entry, Kind, build_board
from scorer.board_report import board_dict, board_json
from scorer.evaluate import Result
from server.models import GoldVersion, Level, Phase, Run, Score, Split, Standing
from server.services import scoring, tasks


def phase_board(session: Session, phase: Phase) -> Board:
    """The board of a phase as it stands now, in a number of queries that does not grow with it."""
    levels = tasks.levels_of(phase)
    columns = [BoardLevel(level.slug, level.title, tuple(level.metrics), level.counts) for level in levels]
    return build_board(columns, BoardRules(**phase.task.board_rules), _entries(session, phase, levels))


def board_text(session: Session, phase: Phase) -> str:
    """The board of a phase as JSON: the bytes that `scorer board --format json` prints for the same files."""
    board = phase_board(session, phase)
    return board_json(board, task=phase.task.slug, title=phase.task.title, split=phase.split)


def board_values(session: Session, phase: Phase) -> dict[str, Any]:
    """The board of a phase as plain values, as a page shows it."""
    board = phase_board(session, phase)
    return board_dict(board, task=phase.task.slug, title=phase.task.title, split=phase.split)


def _entries(session: Session, phase: Phase, levels: Sequence[Level]) -> list[Entry]:
    slugs = {level.id: level.slug for level in levels}
    scores = _scores(session, phase, levels)
    query = select(Standing).join(Run).where(Run.phase_id == phase.id)
    results: dict[tuple[int, Kind], dict[str, dict[str, Result]]] = defaultdict(dict)
    for standing in session.scalars(query):
        kind: Kind = "late" if standing.late else "official"
        results[standing.run_id, kind][slugs[standing.level_id]] = scores[standing.submission_id]
    runs = session.scalars(select(Run).where(Run.phase_id == phase.id).options(joinedload(Run.team)))
    return [
        Entry(
            run.team.name, run.name, "baseline" if run.baseline is not None else kind, results[run.id, kind]
        )
        for run in runs
        for kind in ("official", "late")
        if (run.id, kind) in results
    ]


def _scores(session: Session, phase: Phase, levels: Sequence[Level]) -> dict[int, dict[str, Result]]:
    """Results by submission and metric, of what counts, against the gold in force."""
    newest = (
        select(func.max(GoldVersion.id))
        .join(Split)
        .where(Split.level_id.in_([level.id for level in levels]), Split.name == phase.split)
        .group_by(GoldVersion.split_id)
    )
    query = (
        select(Score)
        .join(Standing, Standing.submission_id == Score.submission_id)
        .join(Run, Run.id == Standing.run_id)
        .where(Run.phase_id == phase.id, Score.gold_version_id.in_(newest))
    )
    scores: dict[int, dict[str, Result]] = defaultdict(dict)
    for score in session.scalars(query):
        scores[score.submission_id][score.metric] = scoring.result_of(score)
    return scores
