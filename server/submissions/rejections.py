"""Rejected uploads: their problems are stored, their files are not; the number in an hour is limited."""

import hashlib
from dataclasses import asdict
from datetime import datetime

from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session, joinedload

from server.access import service as access, tasks
from server.core.actors import Actor
from server.core.db import UtcDateTime
from server.core.errors import InvalidFile, NotFound
from server.phases.quotas import MAX_REJECTIONS, REJECTION_WINDOW
from server.runs import service as runs
from server.submissions.models import Rejection

MISPLACED = "misplaced"
"""The code of the question whether a file is for another level or run, which is no rejection."""
LAST_ALLOWED_REJECTION = (
    select(func.max(Rejection.arrived_at))
    .where(
        Rejection.run_id == bindparam("run_id"),
        Rejection.arrived_at > bindparam("hour_ago", type_=UtcDateTime),
    )
    .group_by(Rejection.sha256)
    .order_by(func.max(Rejection.arrived_at).desc())
    .offset(MAX_REJECTIONS - 1)
    .limit(1)
    .scalar_subquery()
)
"""As a column: when the MAX_REJECTIONS-th newest rejected file of the run `run_id` arrived after `hour_ago`.

Equal files count once. NULL: the limit is not reached.
"""


def rejection_window_start(now: datetime) -> dict[str, datetime]:
    """Return the `hour_ago` of `LAST_ALLOWED_REJECTION`."""
    return {"hour_ago": now - REJECTION_WINDOW}


def record_rejection(
    session: Session,
    actor: Actor,
    run_id: int,
    level_slug: str,
    data: bytes,
    filename: str,
    refused: InvalidFile,
    now: datetime,
) -> None:
    """Record that a file was rejected, and why; the file is not stored and uses up no quota.

    Nothing is recorded of a question whether the file is misplaced.
    """
    if MISPLACED in refused.codes:
        return
    run = runs.get_run(session, actor, run_id)
    level, _ = tasks.get_level_split(run.team.task, level_slug, run.phase.split)
    rejection = Rejection(
        run_id=run.id,
        level_id=level.id,
        sha256=hashlib.sha256(data).hexdigest(),
        filename=filename,
        problems=[asdict(problem) for problem in refused.problems],
        count=refused.count,
        submitted_by=actor.user_id,
        arrived_at=now,
    )
    session.add(rejection)
    session.flush()


def list_rejections(
    session: Session, actor: Actor, run_id: int, limit: int, after: int
) -> tuple[list[Rejection], int]:
    """List rejected uploads of a run, the newest first, and return how many there are in total.

    Raises:
        NotFound: there is no such run, or this person may not see it.
    """
    run = runs.read_run(session, actor, None, run_id)
    query = select(Rejection).where(Rejection.run_id == run.id).options(joinedload(Rejection.level))
    newest_first = query.order_by(Rejection.id.desc())
    total = select(func.count()).where(Rejection.run_id == run.id)
    return list(session.scalars(newest_first.offset(after).limit(limit))), session.scalar(total) or 0


def get_rejection(session: Session, actor: Actor, task_id: int | None, rejection_id: int) -> Rejection:
    """Return a rejected upload of the task (None: of any), for its team and people who see all of the task.

    Raises:
        NotFound: there is none, or this person may not see it.
    """
    rejection = session.get(Rejection, rejection_id)
    if rejection is None or task_id not in (None, rejection.run.team.task_id):
        raise NotFound.of("There is no such upload.")
    access.require_reader(session, actor, rejection.run.team, "upload")
    return rejection
