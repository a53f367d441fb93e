"""Feedback: which scores of a submission a phase shows while it is open, and how exactly."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import cast

from sqlalchemy import ColumnElement, CompoundSelect, Select, select, true
from sqlalchemy.orm import Session, contains_eager, joinedload

from server.access import service as access, tasks
from server.core.actors import Actor
from server.gold import versions as gold_versions
from server.gold.models import GoldVersion
from server.phases.feedback import Feedback, Part, ShownScore, decimal_places, ladder
from server.phases.models import Phase
from server.runs import permissions
from server.runs.models import Run
from server.scoring import service as scoring
from server.scoring.models import PartScore, Score, ScoreColumns
from server.submissions.models import Submission
from server.tasks.models import Level, Split

ScoresByMetric = dict[str, ScoreColumns]


def visible_scores(session: Session, actor: Actor, submission: Submission) -> list[ShownScore] | None:
    """Return the scores of a submission, the official metric first; None if the phase hides them.

    People who may see all of the task see unrounded scores, over all items and over each part.
    """
    phase = submission.run.phase
    if access.sees_all(session, actor, phase.task):
        return _all_scores(session, phase, submission)
    if not permissions.sees_scores(session, actor, submission):
        return None
    return shown_scores(session, phase, Submission.id == submission.id).get(submission.id, [])


def shown_scores(session: Session, phase: Phase, which: ColumnElement[bool]) -> dict[int, list[ShownScore]]:
    """Return the scores of some submissions that the phase's feedback shows, by their ids."""
    if phase.feedback == "hidden":
        return {}
    submissions = _submissions(session, phase, which)
    if phase.feedback == "ladder":
        return _ladders(session, phase, submissions)
    part: Part | None = "public" if phase.feedback == "public-part" else None
    places = phase.feedback_places if phase.feedback == "rounded" else None
    scores = scores_in_force(session, [phase], part, which)
    return {
        submission.id: [
            _shown_score(score, places, part) for score in _ordered(submission.level, scores[submission.id])
        ]
        for submission in submissions
    }


def official_scores(session: Session, files: Mapping[int, tuple[Phase, Level]]) -> dict[int, ShownScore]:
    """Return the official scores that the phases' feedback shows, by submission id.

    Asks once for exact and rounded scores, once for public parts, and for each phase with the Ladder.
    """
    shown: dict[int, ShownScore] = {}
    parts: tuple[tuple[Part | None, tuple[Feedback, ...]], ...] = (
        (None, ("scores", "rounded")),
        ("public", ("public-part",)),
    )
    for part, kinds in parts:
        wanted = {file_id: place for file_id, place in files.items() if place[0].feedback in kinds}
        phases = {phase for phase, _level in wanted.values()}
        scores = scores_in_force(session, phases, part, Submission.id.in_(wanted)) if wanted else {}
        for file_id, (phase, level) in wanted.items():
            score = scores.get(file_id, {}).get(level.metrics[0])
            if score is not None:
                places = phase.feedback_places if phase.feedback == "rounded" else None
                shown[file_id] = _shown_score(score, places, part)
    for phase in {phase for phase, _level in files.values() if phase.feedback == "ladder"}:
        which = Submission.id.in_([file_id for file_id, place in files.items() if place[0] is phase])
        ladders = shown_scores(session, phase, which)
        shown |= {file_id: scores[0] for file_id, scores in ladders.items() if scores}
    return shown


def scores_in_force(
    session: Session,
    phases: Collection[Phase],
    part: Part | None,
    which: ColumnElement[bool],
    instead: GoldVersion | None = None,
) -> dict[int, ScoresByMetric]:
    """Return scores against the gold in force, by submission and metric: over all items, or over one part.

    The phases belong to one task. `instead`: a version to use in place of the one in force.
    """
    table = Score if part is None else cast(type[Score], PartScore)  # both have the same columns
    task_ids, splits = {phase.task_id for phase in phases}, {phase.split for phase in phases}
    task = Split.level_id.in_(select(Level.id).where(Level.task_id.in_(task_ids)))
    others = true() if instead is None else Split.id != instead.split_id
    golds: Select[int] | CompoundSelect[int]
    golds = gold_versions.select_in_force(task, Split.name.in_(splits), others)
    if instead is not None:
        golds = golds.union(select(GoldVersion.id).where(GoldVersion.id == instead.id))
    query = (
        select(table)
        .join(Submission, Submission.id == table.submission_id)
        .join(Run, Run.id == Submission.run_id)
        .where(Run.phase_id.in_([phase.id for phase in phases]), table.gold_version_id.in_(golds), which)
    )
    if part is not None:
        query = query.where(PartScore.part == part)
    scores: dict[int, ScoresByMetric] = defaultdict(dict)
    for score in session.scalars(query):
        scores[score.submission_id][score.metric] = score
    return scores


def _submissions(session: Session, phase: Phase, which: ColumnElement[bool]) -> list[Submission]:
    query = select(Submission).join(Run).where(Run.phase_id == phase.id, which).order_by(Submission.id)
    return list(session.scalars(query.options(contains_eager(Submission.run), joinedload(Submission.level))))


def _ordered(level: Level, scores: ScoresByMetric) -> list[ScoreColumns]:
    """Sort the official metric first."""
    return [scores[metric] for metric in level.metrics if metric in scores]


def _all_scores(session: Session, phase: Phase, submission: Submission) -> list[ShownScore]:
    """Return unrounded scores over all items, and over each part if there are parts."""
    split, which = tasks.find_split(submission.level, phase.split), Submission.id == submission.id
    parts: tuple[Part | None, ...] = (None,)
    if split is not None and split.public_items_sha256 is not None:
        parts = (None, "public", "rest")
    return [
        _shown_score(score, None, part)
        for part in parts
        for score in _ordered(submission.level, scores_in_force(session, [phase], part, which)[submission.id])
    ]


def _shown_score(score: ScoreColumns, places: int | None, part: Part | None) -> ShownScore:
    value = score.value
    return ShownScore(
        metric=score.metric,
        value=value if value is None or places is None else round(value, places),
        undefined_code=score.undefined_code,
        undefined_reason=score.undefined_reason,
        n=score.n,
        signature=score.signature if places is None else _add_option(score.signature, f"places:{places}"),
        exact=places is None,
        places=places,
        part=part,
    )


def _ladders(
    session: Session, phase: Phase, submissions: Sequence[Submission]
) -> dict[int, list[ShownScore]]:
    """Return what the ladder showed after each submission of a team and level, by the official metric."""
    rivals = Run.team_id.in_({submission.run.team_id for submission in submissions})
    which = rivals & Submission.level_id.in_({submission.level_id for submission in submissions})
    scores = scores_in_force(session, [phase], None, which)
    histories: dict[tuple[int, int | None, int], list[Submission]] = defaultdict(list)
    for file in _submissions(session, phase, which):
        run_key = file.run_id if file.run.baseline is not None else None  # each baseline counts as a team
        histories[file.run.team_id, run_key, file.level_id].append(file)
    submission_ids, shown = {submission.id for submission in submissions}, {}
    for history in histories.values():
        official = [scores[file.id].get(file.level.metrics[0]) for file in history]
        for file, score, value in zip(history, official, _ladder_values(phase, official), strict=True):
            if file.id in submission_ids:
                shown[file.id] = [] if score is None else [_ladder_score(phase, score, value)]
    return shown


def _ladder_values(phase: Phase, official: Sequence[ScoreColumns | None]) -> list[float | None]:
    metric = next((score.metric for score in official if score is not None), None)
    higher = metric is None or scoring.is_higher_better(metric)
    values = [None if score is None else score.value for score in official]
    return ladder(values, phase.ladder_step or 0.0, higher_is_better=higher)


def _ladder_score(phase: Phase, score: ScoreColumns, value: float | None) -> ShownScore:
    undefined = value is None
    return ShownScore(
        metric=score.metric,
        value=value,
        undefined_code=score.undefined_code if undefined else None,
        undefined_reason=score.undefined_reason if undefined else None,
        n=score.n,
        signature=_add_option(score.signature, f"ladder:{phase.ladder_step!r}"),
        exact=False,
        places=decimal_places(phase.feedback, None, phase.ladder_step),
    )


def _add_option(signature: str, option: str) -> str:
    """Add an option to a signature, before the version."""
    before, version = signature.rsplit("|v:", 1)
    return f"{before}|{option}|v:{version}"
