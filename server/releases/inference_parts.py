"""The parts of an inference, which workers on PostgreSQL share: columns that have draws in common.

The job of the inference adds a job for each part, with all that is requested. The last of these adds the job
of the inference again, which then joins the parts. Meanwhile no other parts of it are begun, so that an
inference is computed however often files arrive.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from scorer.boards.board import ColumnKey, column_groups
from scorer.boards.serialization import read_board
from server.jobs import service as jobs
from server.submissions.follow_up_jobs import INFERENCE_JOB

PART_JOB = "board.infer_part"
"""The kind of job that computes a part."""
_CAUSES = ("draft", "gold", "live", "inference")
_STATES: tuple[jobs.JobState, ...] = ("waiting", "running", "done", "failed")


def list_parts(request: Mapping[str, Any]) -> list[list[ColumnKey]]:
    """List the columns of each part of a request: those of levels with gold labels, and the totals."""
    slugs = {None, *(level["slug"] for level in request["levels"])}
    groups = column_groups(read_board(request["board"].encode(), "the leaderboard").board)
    parts = [[key for key in group if key[0] in slugs] for group in groups]
    return [keys for keys in parts if keys]


def find_parts(session: Session, payload: Mapping[str, Any]) -> list[jobs.Job]:
    """Return the jobs of all parts for the job of an inference, in order."""
    job = jobs.find_job(session, payload["job"])
    return [] if job is None or job.key is None else _list_jobs(session, payload, job.key)


def are_computing(parts: Sequence[jobs.Job]) -> bool:
    """Whether a part is computed, or will be soon; one that went wrong and is retried later is neither."""
    return any(part.state == "running" or (part.state == "waiting" and part.error is None) for part in parts)


def are_computed(parts: Sequence[jobs.Job]) -> bool:
    """Whether all parts of one request have their columns; one may be left of a request before."""
    return (
        bool(parts)
        and all(_is_there(part) and _is_of(part, parts[0].payload["request"]) for part in parts)
        and len({part.key for part in parts}) == parts[0].payload["of"]
    )


def read_columns(parts: Sequence[jobs.Job]) -> list[dict[str, Any]]:
    """Return the columns of computed parts."""
    texts = [part.payload[jobs.RESULT]["columns"] for part in parts]
    return [json.loads(line) for text in texts for line in text.removesuffix("\n").split("\n")]


def add_parts(
    session: Session,
    payload: Mapping[str, Any],
    parts: Sequence[Sequence[ColumnKey]],
    request: Mapping[str, Any],
    now: datetime,
) -> None:
    """Add a job for each part of a request, but for those that are there; others are deleted."""
    job = jobs.find_job(session, payload["job"])
    if job is None or job.key is None:  # deleted meanwhile, with its cause
        return
    cause = {name: payload[name] for name in _CAUSES if name in payload}
    new = [
        jobs.NewJob(
            PART_JOB,
            {**cause, "of": len(parts), "columns": keys, "request": request},
            now,
            f"{job.key}/{place}",
        )
        for place, keys in enumerate(parts)
    ]
    known = _list_jobs(session, cause, job.key)
    kept = [part for part in known if _is_there(part) and _is_of(part, request)]
    jobs.delete_jobs(session, [part for part in known if part not in kept])
    jobs.add_jobs(session, [part for part in new if part.key not in {each.key for each in kept}], now)
    jobs.record_result(session, job.id, {jobs.PARTS: [part.key for part in new]})


def record(session: Session, payload: Mapping[str, Any], text: str, now: datetime) -> None:
    """Record the columns of a part; if no other part lacks its own, add the job that joins them."""
    jobs.record_result(session, payload["job"], {"columns": text})
    job = jobs.find_job(session, payload["job"])
    if job is not None and job.key is not None:
        start = job.key.rpartition("/")[0]
        if are_computed(_list_jobs(session, payload, start)):
            add_joining(session, payload, now)


def delete_parts(session: Session, payload: Mapping[str, Any]) -> None:
    """Delete the parts of an inference that is computed, as their results are in it."""
    jobs.delete_jobs(session, find_parts(session, payload))


def add_joining(session: Session, payload: Mapping[str, Any], due_at: datetime) -> None:
    """Add the job of an inference again, which looks at its parts."""
    job = jobs.find_job(session, payload["job"])
    if job is not None and job.key is not None:
        cause = {name: payload[name] for name in _CAUSES if name in payload}
        jobs.add_job(session, INFERENCE_JOB, cause, due_at, key=job.key.partition("/")[0])


def _list_jobs(session: Session, cause: Mapping[str, Any], start: str) -> list[jobs.Job]:
    """List the jobs of the parts of an inference whose keys start like this."""
    name = next(name for name in _CAUSES if name in cause)
    listed = jobs.list_jobs_for(session, PART_JOB, name, cause[name], *_STATES)
    return [job for job in listed if job.key is not None and job.key.startswith(f"{start}/")]


def _is_there(part: jobs.Job) -> bool:
    return jobs.RESULT in part.payload


def _is_of(part: jobs.Job, request: Mapping[str, Any]) -> bool:
    return bool(part.payload["request"] == request)
