"""The leaderboard of a phase, ranked by the scorer's one ranking function."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, select
from sqlalchemy.orm import Session, joinedload

from scorer.boards.board import Board, BoardLevel, BoardRules, Entry, Kind, build_board
from scorer.boards.changes import BoardChanges, board_changes
from scorer.boards.serialization import BoardFile, board_json
from scorer.errors import RequestError
from scorer.reports.changes import render_changes
from scorer.scoring.evaluate import Result
from server.access import tasks
from server.core.errors import Conflict
from server.core.storage import text_sha256
from server.gold.models import GoldVersion
from server.phases.feedback import Part
from server.phases.models import Phase
from server.runs.models import Run
from server.scoring import service as scoring
from server.submissions import feedback
from server.submissions.models import Standing, Submission
from server.tasks.models import Level

ResultsByMetric = dict[str, Result]
"""The results of a submission by metric."""


RunNames = Mapping[int, tuple[str, str]]
"""The names to show for a run's team and the run, by the run's id; baselines keep their names."""
Changes = BoardChanges
"""The differences between two leaderboards."""


@dataclass(frozen=True, slots=True)
class BoardComparison:
    """The differences between two leaderboards, and the hash of each."""

    changes: Changes
    hashes: tuple[str, str]


def phase_board(
    session: Session,
    phase: Phase,
    *,
    baselines: bool = True,
    names: RunNames | None = None,
    instead: GoldVersion | None = None,
) -> Board:
    """Compute the current leaderboard of a phase, in a constant number of queries.

    If teams have seen scores on a public part of the items, the rest of the items decides. `instead`: a gold
    version to use in place of the one in force.
    """
    part: Part | None = "rest" if phase.feedback == "public-part" else None
    scores_by_submission = feedback.scores_in_force(
        session, [phase], part, _counted_submissions(phase), instead
    )
    results = {
        submission_id: {metric: scoring.result_of(score) for metric, score in scores.items()}
        for submission_id, scores in scores_by_submission.items()
    }
    return _board(session, phase, results, {}, baselines=baselines, names=names)


def feedback_board(session: Session, phase: Phase, *, baselines: bool = True) -> Board:
    """Compute the leaderboard of a phase from only those scores that its feedback shows."""
    scores_by_submission = feedback.shown_scores(session, phase, _counted_submissions(phase))
    results = {
        submission_id: {score.metric: scoring.result_of(score) for score in scores}
        for submission_id, scores in scores_by_submission.items()
    }
    levels = tasks.levels_of(phase)
    only = {level.slug: (level.metrics[0],) for level in levels} if phase.feedback == "ladder" else {}
    return _board(session, phase, results, only, baselines=baselines)


def serialize_board(board: Board, phase: Phase) -> str:
    """Serialize a leaderboard as the bytes that `scorer board --format json` prints for the same files."""
    return board_json(board, task=phase.task.slug, title=phase.task.title, split=phase.split)


def board_text(
    session: Session, phase: Phase, *, baselines: bool = True, names: RunNames | None = None
) -> str:
    """Compute the leaderboard of a phase as JSON."""
    return serialize_board(phase_board(session, phase, baselines=baselines, names=names), phase)


def board_and_hash(
    session: Session, phase: Phase, instead: GoldVersion | None = None
) -> tuple[BoardFile, str]:
    """Compute the leaderboard of a phase, and the hash that identifies what is computed from it.

    `instead`: a gold version to use in place of the one in force.
    """
    board = phase_board(session, phase, instead=instead)
    file = BoardFile(board, phase.task.slug, phase.task.title, phase.split)
    return file, text_sha256(serialize_board(board, phase))


def compare_gold(session: Session, phase: Phase, instead: GoldVersion) -> BoardComparison:
    """Compare the leaderboard of a phase with that under another gold version."""
    (before, old), (after, new) = (board_and_hash(session, phase, gold) for gold in (None, instead))
    return BoardComparison(board_changes(before, after), (old, new))


def changes_values(changes: Changes) -> dict[str, Any]:
    """Convert the differences between two leaderboards to plain values."""
    values: dict[str, Any] = json.loads(render_changes(changes, "json"))
    return values


def changes_text(changes: Changes) -> str:
    """Describe the differences between two leaderboards like `scorer changes`."""
    return render_changes(changes, "text")


def _counted_submissions(phase: Phase) -> ColumnElement[bool]:
    """Select the submissions that count."""
    return Submission.id.in_(select(Standing.submission_id).join(Run).where(Run.phase_id == phase.id))


def _board(
    session: Session,
    phase: Phase,
    scores: Mapping[int, ResultsByMetric],
    only: Mapping[str, tuple[str, ...]],
    *,
    baselines: bool,
    names: RunNames | None = None,
) -> Board:
    levels = tasks.levels_of(phase)
    columns = [
        BoardLevel(level.slug, level.title, only.get(level.slug, tuple(level.metrics)), level.counts)
        for level in levels
    ]
    entries = _entries(session, phase, levels, scores, names or {})
    shown_entries = [entry for entry in entries if baselines or entry.kind != "baseline"]
    try:
        return build_board(columns, BoardRules(**phase.task.board_rules), shown_entries)
    except RequestError as error:  # of a draft: the rules of a published task fit its levels
        raise Conflict.of("The total does not fit the levels: %(reason)s.", reason=str(error)) from error


def _entries(
    session: Session,
    phase: Phase,
    levels: Sequence[Level],
    scores: Mapping[int, ResultsByMetric],
    names: RunNames,
) -> list[Entry]:
    slugs = {level.id: level.slug for level in levels}
    query = select(Standing).join(Run).where(Run.phase_id == phase.id)
    results: dict[tuple[int, Kind], dict[str, ResultsByMetric]] = defaultdict(dict)
    for standing in session.scalars(query):
        kind: Kind = "late" if standing.late else "official"
        results[standing.run_id, kind][slugs[standing.level_id]] = scores.get(standing.submission_id, {})
    runs = session.scalars(select(Run).where(Run.phase_id == phase.id).options(joinedload(Run.team)))
    return [
        Entry(
            *names.get(run.id, (run.team.name, run.name)),
            "baseline" if run.baseline is not None else kind,
            results[run.id, kind],
        )
        for run in runs
        for kind in ("official", "late")
        if (run.id, kind) in results
    ]
