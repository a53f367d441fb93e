"""Uploaded campaigns: a job reads them and plans their rounds in a process with limits, then creates them.

Pages and their processes do neither, because both can take a minute. What was uploaded is in the file store,
and no row refers to it, so that the sweep deletes it after a day. The job's row has the result. A campaign
that follows a round is created in the same way, from the round's export, which the job writes.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy.orm import Session

from scorer.campaigns.assignments import Plan
from scorer.campaigns.drafts.draft import CampaignDraft
from scorer.campaigns.drafts.next_stage import NextOptions
from scorer.campaigns.reader import CONFIG_NAME
from scorer.typed_json import PLAIN_READER, Fault
from server.access import service as access
from server.annotation.campaigns import creation, service as campaigns
from server.annotation.campaigns.planning_process import (
    DRAFT,
    EXPORT,
    NEXT,
    NOTES,
    TABLE,
    TIME_LIMIT,
    plan_path,
)
from server.annotation.drafts.stored import read_draft
from server.annotation.drafts.tables import UploadedTable, check_table
from server.annotation.results import exports
from server.core import child_processes, db
from server.core.actors import Actor
from server.core.errors import Conflict, FileProblem, InvalidFile, ServerError, require_found
from server.core.i18n import _
from server.core.site_resources import Site
from server.core.storage import Storage
from server.core.zips import MEGABYTE, WEB_LIMITS, unpacked
from server.jobs import service as jobs
from server.tasks.models import Task

UPLOAD_JOB = "campaign.create"
"""The kind of job that creates an uploaded campaign."""
COMMAND = (sys.executable, "-m", "server.annotation.campaigns.planning_process")
PATIENCE = 2
"""The process may take so many times as long as its limit on the processor: no page waits for it."""
LIMITS = replace(WEB_LIMITS, unpacked=64 * MEGABYTE)
MAX_NOTES = 20
"""The maximum number of notes in the row of a job."""
_MAX_TEXT = 1000
"""The maximum length of a message and of a bad line in the row of a job."""


@dataclass(frozen=True, slots=True)
class NextCampaign:
    """A campaign to make from what annotators chose or wrote in a round; both by their slugs."""

    campaign: str
    round: str
    options: NextOptions


@dataclass(frozen=True, slots=True)
class CampaignUpload:
    """What was uploaded: a zip, or a table with its draft, by its SHA-256; with `next`, nothing was."""

    sha256: str = ""
    draft: CampaignDraft | None = None
    next: NextCampaign | None = None


@dataclass(frozen=True, slots=True)
class CampaignUploadResult:
    """An upload and what became of it: a campaign by its slug, or why there is none; else it is being read.

    `failure` is a fault of the site, which tries again. `notes`: what the round before lacked, at most
    `MAX_NOTES` of `n_notes` sentences.
    """

    upload: CampaignUpload
    campaign: str | None
    notes: Sequence[str]
    n_notes: int
    refused: InvalidFile | None
    failure: str | None


def queue_upload(session: Session, actor: Actor, task: Task, upload: CampaignUpload, now: datetime) -> int:
    """Have a campaign created from what was uploaded, by the job returned; the same upload twice is one.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the task is archived, or another campaign of it is being read.
    """
    access.require_organizer(session, actor, task)
    access.require_not_archived(task)
    payload = json.loads(json.dumps({"task": task.id, "user": actor.user_id, **asdict(upload)}))
    for job in jobs.list_jobs_for(session, UPLOAD_JOB, "task", task.id, "waiting", "running"):
        if job.payload == payload:
            return job.id
        if jobs.find_failure(job) is None:
            raise Conflict.of(
                "The site is still reading the files of another campaign of this task. Wait a minute, "
                "and try again."
            )
    return jobs.add_job(session, UPLOAD_JOB, payload, now)


def get_result(session: Session, actor: Actor, task: Task, job_id: int) -> CampaignUploadResult:
    """Return what became of an upload by this person.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task, or uploaded nothing by this job.
    """
    access.require_organizer(session, actor, task)
    job = jobs.find_job(session, job_id)
    is_own = job is not None and job.kind == UPLOAD_JOB and _is_of(job.payload, actor, task)
    job = require_found(job if is_own else None, _("There is no such upload. Upload the files again."))
    result = job.payload.get(jobs.RESULT, {})
    refused = result.get("refused")
    return CampaignUploadResult(
        _read_upload(job.payload),
        result.get("campaign"),
        result.get("notes", ()),
        result.get("n_notes", 0),
        None if refused is None else _read_rejection(refused),
        jobs.find_failure(job),
    )


def _is_of(payload: Mapping[str, Any], actor: Actor, task: Task) -> bool:
    return (payload["task"], payload["user"]) == (task.id, actor.user_id)


def _read_upload(payload: Mapping[str, Any]) -> CampaignUpload:
    draft, following = payload["draft"], payload.get("next")
    return CampaignUpload(
        payload["sha256"],
        None if draft is None else read_draft(draft),
        None if following is None else PLAIN_READER.read(NextCampaign, following, list[Fault]()),
    )


def create_uploaded(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Create a campaign from what was uploaded, or record why there is none."""
    session, job_id, upload = site.session(), payload["job"], _read_upload(payload)
    try:
        if upload.next is None:
            prepared = _prepare(site.storage, upload)
        else:
            prepared = _prepare_next(site, Actor(payload["user"]), payload["task"], upload.next)
        with db.writing(session):
            if jobs.find_result(session, job_id) is not None:
                return  # another worker was faster
            task, actor = session.get_one(Task, payload["task"]), Actor(payload["user"])
            campaign = creation.add_campaign(session, actor, task, prepared, now)
            notes = {"notes": prepared.notes[:MAX_NOTES], "n_notes": len(prepared.notes)}
            jobs.record_result(session, job_id, {"campaign": campaign.slug, **notes})
    except ServerError as error:
        with db.writing(session):
            jobs.record_result(session, job_id, {"refused": _write_rejection(error)})


def _prepare(storage: Storage, upload: CampaignUpload) -> creation.PreparedCampaign:
    """Return an uploaded campaign with its plans, which are made in a process with limits.

    Raises:
        InvalidFile: with every problem; or it takes too much memory or time, or is no longer stored.
    """
    if not storage.has(upload.sha256):
        raise InvalidFile(_("The uploaded files are no longer there. Upload them again."), (), 0)
    data, draft = storage.get(upload.sha256), upload.draft
    with TemporaryDirectory(prefix="assay-campaign-") as name:
        work = Path(name)
        if draft is None:
            with unpacked(BytesIO(data), LIMITS) as folder:
                return _plan(folder, work)
        (work / TABLE).write_bytes(data)
        (work / DRAFT).write_text(json.dumps(asdict(draft)), encoding="utf-8")
        (folder := work / "campaign").mkdir()
        return _plan(folder, work, lambda: check_table(draft, UploadedTable(draft.table, data)))


def _prepare_next(site: Site, actor: Actor, task_id: int, asked: NextCampaign) -> creation.PreparedCampaign:
    """Return the campaign that follows a round, with its plan, both made in a process with limits.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task, or the round is no longer there.
        InvalidFile: no campaign can be made from the answers that count; or it takes too much memory or time.
    """
    session = site.session()
    with TemporaryDirectory(prefix="assay-campaign-") as name:
        work = Path(name)
        export, folder = work / EXPORT, work / "campaign"
        for path in (export, folder):
            path.mkdir()
        with db.reading(session):
            task = session.get_one(Task, task_id)
            access.require_organizer(session, actor, task)
            campaign = campaigns.get_campaign(session, actor, task, asked.campaign)
            exports.write_files(session, campaigns.get_round(campaign, asked.round), export)
        (work / NEXT).write_text(json.dumps(asdict(asked.options)), encoding="utf-8")
        prepared = _plan(folder, work, lambda: creation.check_next(export, asked.options))
        return replace(prepared, notes=tuple(json.loads((work / NOTES).read_bytes())))


def _plan(folder: Path, work: Path, check: Callable[[], None] = lambda: None) -> creation.PreparedCampaign:
    """Plan the rounds of a campaign in a process with limits, and read the campaign.

    `check` raises an error if the process could not write the files of a draft.
    """
    try:
        child_processes.run_limited((*COMMAND, str(folder), str(work)), timeout=TIME_LIMIT * PATIENCE)
    except child_processes.LimitsExceeded as error:
        words = _(
            "Reading the campaign and planning who gets which texts takes more than %(memory)d MB of memory "
            "or %(seconds)d seconds. Use fewer texts or fewer answers, or make several campaigns.",
            memory=child_processes.MEMORY_LIMIT >> 20,
            seconds=TIME_LIMIT,
        )
        raise InvalidFile(words, (), 0) from error
    if not (folder / CONFIG_NAME).exists():
        check()
    config = creation.read_config(folder)
    files = [plan_path(work, number) for number in range(len(config.rounds))]
    plans = tuple(Plan.from_json(file.read_bytes()) for file in files)
    return creation.PreparedCampaign(config, plans, creation.pack_files(folder, config))


def _write_rejection(error: ServerError) -> dict[str, Any]:
    """Return an error as JSON, with messages and lines of files cut, which can have megabytes."""
    problems = error.problems if isinstance(error, InvalidFile) else ()
    return {
        "message": _cut(error.message),
        "problems": [_cut(asdict(problem)) for problem in problems],
        "count": error.count if isinstance(error, InvalidFile) else 0,
    }


def _cut(value: Any) -> Any:
    """Cut all texts of a JSON value."""
    if isinstance(value, str):
        return value if len(value) <= _MAX_TEXT else f"{value[:_MAX_TEXT]}…"
    if isinstance(value, dict):
        return {name: _cut(inner) for name, inner in value.items()}
    return [_cut(inner) for inner in value] if isinstance(value, list | tuple) else value


def _read_rejection(values: Mapping[str, Any]) -> InvalidFile:
    faults = list[Fault]()
    problems = [PLAIN_READER.read(FileProblem, problem, faults) for problem in values["problems"]]
    return InvalidFile(values["message"], problems, values["count"])
