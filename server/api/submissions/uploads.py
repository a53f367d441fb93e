"""API: uploading the files of a run, which are scored or rejected at once, or only checked."""

from typing import Any

from flask import request

from server.access.api_auth import ApiBlueprint, caller, early_caller
from server.api.submissions.schemas import (
    CheckedFile,
    CheckedRunSchema,
    KeyHeader,
    RunFileSchema,
    StoredRun,
    StoredSubmission,
    WholeRunSchema,
)
from server.api.submissions.submissions import outcome_of
from server.runs import service as runs
from server.submissions import eligibility, service as submissions, uploads, whole_runs
from server.submissions.forms import FORM_OVERHEAD, clean_filename, clean_path
from server.submissions.whole_runs import RunFiles, SentFile
from server.web import context
from server.web.page_rules import takes_files

blueprint = ApiBlueprint("api_uploads", url_prefix="/runs/<int:run_id>", tag="Runs", scopes=["submit"])
REPLAYED = {"Idempotency-Replayed": "true"}
UNCHANGED_RESPONSE: dict[int | str, dict[str, str | dict[str, dict[str, Any]]]] = {
    200: {
        "description": "This file already counted, so nothing was stored.",
        "content": {"application/json": {"schema": StoredSubmission}},
    }
}


def limit_upload() -> int | None:
    """The maximum size of the body of an upload; None: the caller may upload nothing."""
    actor, values = early_caller(), context.path_values()
    if actor.user_id is None:
        return None
    if "level" not in values:
        return whole_runs.get_run_size_limit(context.session(), actor, values["run_id"]) + 2 * FORM_OVERHEAD
    limit = submissions.get_size_limit(context.session(), actor, values["run_id"], values["level"])
    return limit + FORM_OVERHEAD


@blueprint.post("/files/<level>")
@blueprint.input(RunFileSchema, location="form_and_files", arg_name="sent")
@blueprint.input(KeyHeader, location="headers", arg_name="head")
@blueprint.output(StoredSubmission, status_code=201)
@blueprint.doc(responses=UNCHANGED_RESPONSE)
@takes_files(limit_upload, scored=True)
def upload(
    run_id: int, level: str, sent: dict[str, Any], head: dict[str, str]
) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Upload a run file for a level. The response has its scores, or "stored", or every bad line.

    If you retry with the same key, you get the first response (header `Idempotency-Replayed`).
    """
    actor, now = caller(), context.arrival_time()
    target = eligibility.find_own_target(context.session(), actor, run_id, level, now)
    file = _read_file(target, sent)
    named = uploads.make_request_key(head["key"], request.path, file.data) if "key" in head else None
    stored = uploads.receive_file(context.session(), actor, file, now, named)
    return _answer(stored), 201 if stored.new else 200, REPLAYED if stored.replayed else {}


@blueprint.post("/files")
@blueprint.input(WholeRunSchema, location="form_and_files", arg_name="sent")
@blueprint.input(KeyHeader, location="headers", arg_name="head")
@blueprint.output(StoredRun, status_code=201)
@takes_files(limit_upload, scored=True)
def upload_all(
    run_id: int, sent: dict[str, Any], head: dict[str, str]
) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Upload files for several levels, or zips of them, each named by its level. All are stored, or none.

    Only files for levels with a used-up quota are left out, and listed in `left_out`.

    If you retry with the same key, you get the first response (header `Idempotency-Replayed`).
    """
    actor, now = caller(), context.arrival_time()
    files = _read_files(sent)
    runs.get_run(context.session(), actor, run_id)
    named = uploads.make_run_request_key(head["key"], request.path, files) if "key" in head else None
    stored = uploads.receive_run(context.session(), actor, run_id, files, now, named)
    files_stored = [_answer(result) for result in stored.files]
    answer = {"files": files_stored, "ignored": stored.ignored, "left_out": stored.left_out}
    return answer, 201, REPLAYED if stored.replayed else {}


@blueprint.post("/check/<level>")
@blueprint.input(RunFileSchema, location="form_and_files", arg_name="sent")
@blueprint.output(CheckedFile)
@takes_files(limit_upload, scored=True)
def check(run_id: int, level: str, sent: dict[str, Any]) -> submissions.UploadCheck:
    """Check a run file as an upload would, without storing it. The response has every bad line, or warnings.

    The file is not scored, and uses up no quota.
    """
    session, actor, now = context.session(), caller(), context.arrival_time()
    target = eligibility.find_own_target(session, actor, run_id, level, now)
    return submissions.check_file(session, actor, _read_file(target, sent), now)


@blueprint.post("/check")
@blueprint.input(WholeRunSchema, location="form_and_files", arg_name="sent")
@blueprint.output(CheckedRunSchema)
@takes_files(limit_upload, scored=True)
def check_all(run_id: int, sent: dict[str, Any]) -> RunFiles[submissions.UploadCheck]:
    """Check files for several levels, or zips of them, as an upload would, without storing them."""
    session, now = context.session(), context.arrival_time()
    return whole_runs.check_run(session, caller(), run_id, _read_files(sent), now)


def _read_file(target: eligibility.UploadTarget, sent: dict[str, Any]) -> eligibility.ReceivedFile:
    file, confirmed = sent["file"], (sent["first_is_score"], sent["sure"])
    return eligibility.ReceivedFile(target, file.stream.read(), clean_filename(file.filename), *confirmed)


def _read_files(sent: dict[str, Any]) -> list[SentFile]:
    confirmed = sent["first_is_score"], sent["sure"]
    return [SentFile(clean_path(file.filename), file.stream.read(), *confirmed) for file in sent["file"]]


def _answer(stored: uploads.UploadResult) -> dict[str, Any]:
    session, actor = context.session(), caller()
    submission = submissions.get_submission(session, actor, None, stored.submission_id)
    return {**outcome_of(session, actor, submission), "new": stored.new}
