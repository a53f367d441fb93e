"""Scoring a stored file again, against another version of its gold or with other public items."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import case, exists, func, select
from sqlalchemy.orm import Session

from server.core.storage import storage_of
from server.gold.models import GoldVersion
from server.phases.models import Phase
from server.runs.models import Run
from server.scoring.models import Score
from server.scoring.service import ItemsParts, ParsedGold, RunResults, evaluate_run, parse_run
from server.submissions.models import Submission
from server.tasks.models import Split


def score_stored_file(
    session: Session, split: Split, gold: ParsedGold, parts: ItemsParts, submission: Submission
) -> RunResults:
    """Score a stored file against a gold version; the submission's run must be loaded.

    Raises:
        InvalidFile: the installed scorer rejects a file that an older one accepted.
    """
    data, baseline = storage_of(session).get(submission.sha256), submission.run.baseline is not None
    run = parse_run(session, split, data, submission.filename, baseline=baseline)
    return evaluate_run(gold, run, split.level.metrics, parts)


@dataclass(frozen=True, slots=True)
class ScoringProgress:
    """How many of a split's files have a score against a gold version."""

    scored: int = 0
    of: int = 0

    @property
    def lacking(self) -> int:
        """The number of files without one."""
        return self.of - self.scored


def count_scored(session: Session, version_ids: Sequence[int]) -> dict[int, ScoringProgress]:
    """Return the progress of scoring against each of the versions."""
    scored = exists().where(Score.submission_id == Submission.id, Score.gold_version_id == GoldVersion.id)
    query = (
        select(GoldVersion.id, func.sum(case((scored, 1), else_=0)), func.count())
        .join(Split, Split.id == GoldVersion.split_id)
        .join(Submission, Submission.level_id == Split.level_id)
        .join(Run, Run.id == Submission.run_id)
        .join(Phase, (Phase.id == Run.phase_id) & (Phase.split == Split.name))
        .where(GoldVersion.id.in_(version_ids))
        .group_by(GoldVersion.id)
    )
    progress_by_version = {row[0]: ScoringProgress(row[1], row[2]) for row in session.execute(query)}
    return {version_id: progress_by_version.get(version_id, ScoringProgress()) for version_id in version_ids}
