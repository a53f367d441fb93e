"""The parts of an inference, one for each column, which workers on PostgreSQL share.

The job of the inference adds a job for each part, with all that is requested. The last of these adds the job
of the inference again, which then joins the parts. Meanwhile no other parts of it are begun, so that a draft
is computed however often files arrive.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from scorer.boards.board import ColumnKey, columns_of
from scorer.boards.serialization import read_board
from server.jobs import service as jobs
from server.submissions.follow_up_jobs import INFERENCE_JOB

PART_JOB = "board.infer_part"
"""The kind of job that computes a part."""
_CAUSES = ("draft", "gold", "live", "inference")
_STATES: tuple[jobs.JobState, ...] = ("waiting", "running", "done", "failed")


def list_columns(request: Mapping[str, Any]) -> list[ColumnKey]:
    """List the columns of a request: the totals, which take longest, and those of levels with gold labels."""
    slugs = {None, *(level["slug"] for level in request["levels"])}
    keys = columns_of(read_board(request["board"].encode(), "the leaderboard").board)
    return sorted((key for key in keys if key[0] in slugs), key=lambda key: key[0] is not None)


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of what an inference was asked for last.

    `ids`: the jobs of all parts of the inference, older ones too; `columns`: None until all are computed;
    `computing`: whether one is computed, or will be soon, which is not the case after an error.
    """

    ids: tuple[int, ...]
    request: Mapping[str, Any]
    asked_at: datetime
    columns: list[dict[str, Any]] | None
    computing: bool


def find_parts(session: Session, payload: Mapping[str, Any]) -> Parts | None:
    """Return the parts for the job of an inference, or for that of a part; None: there are none."""
    job = jobs.find_job(session, payload["job"])
    known = [] if job is None or job.key is None else _list_jobs(session, payload, _key_of_whole(job.key))
    if not known:
        return None
    request = payload.get("request", known[-1].payload["request"])
    own = [part for part in known if part.payload["request"] == request]
    texts = {part.key: part.payload[jobs.RESULT]["column"] for part in own if jobs.RESULT in part.payload}
    return Parts(
        tuple(part.id for part in known),
        json.loads(request),
        datetime.fromisoformat(own[-1].payload["asked_at"]),
        list(map(json.loads, texts.values())) if texts.keys() == {*own[0].payload["keys"]} else None,
        any(part.state == "running" or (part.state == "waiting" and part.error is None) for part in own),
    )


def add_parts(
    session: Session,
    payload: Mapping[str, Any],
    columns: Sequence[ColumnKey],
    asked: Mapping[str, Any],
    now: datetime,
) -> None:
    """Add a job for each column of a request that is not computed, and delete the parts of other requests.

    The request is in their payloads as text, because PostgreSQL would change its order.
    """
    job = jobs.find_job(session, payload["job"])
    if job is None or job.key is None:  # deleted meanwhile, with its cause
        return
    cause = {name: payload[name] for name in _CAUSES if name in payload}
    keys = [f"{job.key}/{place}" for place in range(len(columns))]
    request = json.dumps(asked)
    values = {**cause, "keys": keys, "request": request, "asked_at": now.isoformat()}
    known = _list_jobs(session, cause, job.key)
    kept = [part for part in known if jobs.RESULT in part.payload and part.payload["request"] == request]
    jobs.delete_jobs(session, [part.id for part in known if part not in kept])
    there = {part.key for part in kept}
    new = [
        jobs.NewJob(PART_JOB, {**values, "column": column}, now, key)
        for key, column in zip(keys, columns, strict=True)
        if key not in there
    ]
    jobs.add_jobs(session, new, now)
    jobs.record_result(session, job.id, {jobs.PARTS: keys})
    if not new:
        add_whole(session, payload, now, now)


def record(session: Session, payload: Mapping[str, Any], text: str, now: datetime) -> None:
    """Record the column of a part; if no other part lacks its own, add the job that joins them."""
    jobs.record_result(session, payload["job"], {"column": text})
    parts = find_parts(session, payload)
    if parts is not None and parts.columns is not None:
        add_whole(session, payload, now, now)


def add_whole(session: Session, payload: Mapping[str, Any], now: datetime, due_at: datetime) -> None:
    """Add the job of an inference again, for that job or that of a part; it looks at its parts."""
    job = jobs.find_job(session, payload["job"])
    if job is not None and job.key is not None:
        cause = {name: payload[name] for name in _CAUSES if name in payload}
        jobs.add_job(session, INFERENCE_JOB, cause, now, due_at=due_at, key=_key_of_whole(job.key))


def _list_jobs(session: Session, cause: Mapping[str, Any], start: str) -> list[jobs.Job]:
    """List the jobs of the parts of an inference whose keys start like this."""
    name = next(name for name in _CAUSES if name in cause)
    listed = jobs.list_jobs_for(session, PART_JOB, name, cause[name], *_STATES)
    return [job for job in listed if job.key is not None and job.key.startswith(f"{start}/")]


def _key_of_whole(key: str) -> str:
    return key.partition("/")[0]
