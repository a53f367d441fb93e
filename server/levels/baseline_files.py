"""The files of baselines: computed from the items, and computed again when items or metrics change.

They are derived data, so those of earlier items are deleted; the audit log names them. Files that organizers
uploaded are deleted with their items, and otherwise stored again.
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from server.access import tasks
from server.core import db
from server.core.actors import WORKER, Actor
from server.core.belonging import delete_with_rows
from server.core.errors import Conflict, InvalidFile
from server.core.site_resources import Site
from server.core.storage import storage_of
from server.corrections import scoring_jobs
from server.gold import versions as gold_versions
from server.jobs import service as jobs
from server.phases.models import Phase
from server.runs.models import Run
from server.scoring import service as scoring
from server.scoring.baselines import BASELINES, OWN_BASELINE, compute_baseline, get_baseline_name
from server.submissions import follow_up_jobs, service as submissions, standings
from server.submissions.models import Submission
from server.tasks.models import Level, Split, Task


@dataclass(frozen=True, slots=True)
class BaselineFile:
    """The file of a baseline for a level, by its slug."""

    level: str
    data: bytes
    filename: str


def compute_again(
    session: Session,
    actor: Actor,
    task: Task,
    levels: Sequence[Level],
    now: datetime,
    split: str | None = None,
    *,
    same_items: bool = True,
) -> list[int]:
    """Delete the files of baselines at levels, on a split or all, and have them computed; return the ids.

    Those that organizers uploaded for the `same_items` are scored again, unless they are invalid now.
    """
    own = [file for level in levels for file in _read_own_files(session, level, split)] if same_items else []
    deleted = [number for level in levels for number in delete_files(session, level, split)]
    for run_id, file in own:
        with suppress(InvalidFile):
            add_file(session, actor, session.get_one(Run, run_id), file, now, "rescored")
    add_job(session, task, now)
    return deleted


def _read_own_files(session: Session, level: Level, split: str | None) -> list[tuple[int, BaselineFile]]:
    """Read the newest file of each baseline that is not computed, at a level, on a split or all."""
    query = select(Submission).join(Submission.run).join(Run.phase)
    query = query.where(Submission.level_id == level.id, Run.baseline == OWN_BASELINE)
    if split is not None:
        query = query.where(Phase.split == split)
    newest = {file.run_id: file for file in session.scalars(query.order_by(Submission.id))}
    read = storage_of(session).get
    return [
        (run_id, BaselineFile(level.slug, read(file.sha256), file.filename))
        for run_id, file in newest.items()
    ]


def add_job(session: Session, task: Task, now: datetime) -> None:
    """Add the job that computes what the baselines of a task lack, if it has any."""
    of_task = select(Run.id).join(Run.phase).where(Phase.task_id == task.id, Run.baseline.in_(BASELINES))
    if session.scalar(select(exists(of_task))):
        follow_up_jobs.add_baseline_job(session, task.id, now)


def find_error(session: Session, task: Task) -> str | None:
    """Return why baselines could not be computed; None: they were, or are still to come."""
    error = jobs.find_error(session, follow_up_jobs.baseline_key(task.id))
    return error and error.removeprefix(f"{Conflict.__name__}: ")


def delete_files(session: Session, level: Level, split: str | None = None) -> list[int]:
    """Delete the files that baselines have at a level, on a split or all, with their scores."""
    query = select(Submission.id).join(Run).join(Run.phase)
    query = query.where(Submission.level_id == level.id, Run.baseline.is_not(None))
    if split is not None:
        query = query.where(Phase.split == split)
    deleted = list(session.scalars(query.order_by(Submission.id)))
    session.flush()
    for number in deleted:
        delete_with_rows(session, Submission.__table__, number)
    session.expire_all()
    return deleted


def list_missing(session: Session, task: Task) -> list[tuple[Run, Level, Split]]:
    """List the baselines of a task with the levels and splits for which they are not computed yet."""
    query = select(Run).join(Run.phase).where(Phase.task_id == task.id, Run.baseline.in_(BASELINES))
    runs = session.scalars(query.where(standings.RUN_WITHDRAWN.is_not(True)).order_by(Run.id)).all()
    ids = [run.id for run in runs]
    present = select(Submission.run_id, Submission.level_id).where(Submission.run_id.in_(ids))
    computed = {(row[0], row[1]) for row in session.execute(present)}
    return [
        (run, level, split)
        for run in runs
        for level, split in tasks.splits_of(run.phase)
        if (run.id, level.id) not in computed
    ]


def compute_missing(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Compute each file that a baseline of the task lacks, outside any lock, and store it.

    Raises:
        Conflict: some cannot be computed; the others are.
    """
    session, skipped = site.session(), dict[tuple[int, int], str]()
    while True:
        with db.reading(session):
            task = session.get_one(Task, payload["task"])
            missing = [
                each for each in list_missing(session, task) if (each[0].id, each[1].id) not in skipped
            ]
            if not missing:
                break
            run, level, split = missing[0]
            key, items = (run.id, level.id), split.items_sha256
            try:
                data = compute_baseline(site.session(), split, get_baseline_name(run.baseline or ""))
            except Conflict as error:
                skipped[key] = error.message
                continue
        with db.writing(session):
            task = session.get_one(Task, payload["task"])
            for run, level, split in list_missing(session, task):
                if (run.id, level.id) == key and split.items_sha256 == items:
                    file = BaselineFile(level.slug, data, f"{run.name}.{level.slug}.tsv")
                    add_file(session, WORKER, run, file, now, "computed")
                    follow_up_jobs.add_follow_up_jobs(session, run.phase, now)
    if skipped:
        raise Conflict(" ".join(dict.fromkeys(skipped.values())))


def add_file(
    session: Session, actor: Actor, run: Run, file: BaselineFile, now: datetime, how: submissions.Origin
) -> None:
    """Store a file of a baseline with its scores; jobs score it against a gold candidate.

    Raises:
        InvalidFile: with every problem of the file.
    """
    level, split = tasks.get_level_split(run.phase.task, file.level, run.phase.split)
    parsed = scoring.parse_run(session, split, file.data, file.filename, baseline=True)
    gold, scored = gold_versions.find_gold(session, split), None
    if gold is not None:
        labels, parts = scoring.gold_of(session, split, gold), scoring.parts_of(session, split)
        results = scoring.evaluate_run(labels, parsed, level.metrics, parts)
        scored = submissions.ResultsWithGold(gold, results)
    upload = submissions.Upload(run, level, file.data, file.filename, parsed.warnings, late=False)
    submissions.add_imported_submission(session, actor, upload, scored, now, how)
    candidate = gold_versions.find_candidate(session, split)
    if candidate is not None:
        scoring_jobs.add_jobs(session, candidate, now)
