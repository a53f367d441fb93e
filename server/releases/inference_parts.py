"""The parts of an inference, which workers on PostgreSQL share: columns that have draws in common.

The job of the inference adds a job for each part. The last of these adds the job of the inference again,
which then joins the parts. A part has a hash of the leaderboard and inputs, so that no two boards are mixed.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session

from scorer.boards.board import ColumnKey, column_groups
from scorer.boards.serialization import read_board
from server.core.storage import text_sha256
from server.jobs import service as jobs
from server.scoring import service as scoring
from server.submissions.follow_up_jobs import INFERENCE_JOB

PART_JOB = "board.infer_part"
"""The kind of job that computes a part."""
_CAUSES = ("draft", "gold", "live", "inference")
_STATES: tuple[jobs.JobState, ...] = ("waiting", "running", "done", "failed")


def hash_inputs(board_sha256: str, inputs: Mapping[str, Any], left_out: Sequence[Mapping[str, Any]]) -> str:
    """Return the hash of all that the columns of an inference depend on."""
    return text_sha256(json.dumps([scoring.VERSION, board_sha256, inputs, left_out], sort_keys=True))


def list_parts(request: Mapping[str, Any]) -> list[list[ColumnKey]]:
    """List the columns of each part of a request: those of levels with gold labels, and the totals."""
    slugs = {None, *(level["slug"] for level in request["levels"])}
    groups = column_groups(read_board(request["board"].encode(), "the leaderboard").board)
    parts = [[key for key in group if key[0] in slugs] for group in groups]
    return [keys for keys in parts if keys]


def find_or_add(
    session: Session,
    payload: Mapping[str, Any],
    sha256: str,
    parts: Sequence[Sequence[ColumnKey]],
    left_out: Sequence[Mapping[str, Any]],
    now: datetime,
) -> list[dict[str, Any]] | None:
    """Return the columns of all parts for the job of an inference; None: jobs compute those that lack.

    Parts of another leaderboard, and those that failed, are deleted.
    """
    job = jobs.find_job(session, payload["job"])
    if job is None or job.key is None:  # deleted meanwhile, with its cause
        return None
    cause = {name: payload[name] for name in _CAUSES if name in payload}
    values = {**cause, "sha256": sha256, "left_out": list(left_out)}
    new = [
        jobs.NewJob(PART_JOB, {**values, "columns": keys}, now, f"{job.key}/{sha256[:16]}/{place}")
        for place, keys in enumerate(parts)
    ]
    keys = [part.key for part in new if part.key is not None]
    known = {part.key: part for part in _list_jobs(session, cause, job.key)}
    kept = {key: part for key, part in known.items() if key in keys and (_is_there(part) or _is_queued(part))}
    jobs.delete_jobs(session, [part for part in known.values() if part not in kept.values()])
    if all(key in kept and _is_there(kept[key]) for key in keys):
        texts = [kept[key].payload[jobs.RESULT]["columns"] for key in keys]
        return [json.loads(line) for text in texts for line in text.removesuffix("\n").split("\n")]
    jobs.add_jobs(session, [part for part in new if part.key not in kept], now)
    jobs.record_result(session, job.id, {jobs.PARTS: keys})
    return None


def record(session: Session, payload: Mapping[str, Any], text: str, now: datetime) -> None:
    """Record the columns of a part; if no other part lacks its own, add the job that joins them."""
    jobs.record_result(session, payload["job"], {"columns": text})
    job = jobs.find_job(session, payload["job"])
    if job is not None and job.key is not None:
        start = job.key.rpartition("/")[0]
        if all(_is_there(part) for part in _list_jobs(session, payload, start)):
            add_joining(session, payload, now)


def delete_parts(session: Session, payload: Mapping[str, Any]) -> None:
    """Delete the parts of an inference that is computed, as their results are in it."""
    job = jobs.find_job(session, payload["job"])
    if job is not None and job.key is not None:
        jobs.delete_jobs(session, _list_jobs(session, payload, job.key))


def add_joining(session: Session, payload: Mapping[str, Any], due_at: datetime) -> None:
    """Add the job of the inference that a part belongs to, which adds parts that lack, or joins them."""
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


def _is_queued(part: jobs.Job) -> bool:
    return part.state in ("waiting", "running")
