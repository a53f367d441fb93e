"""Uploading the files of a run: each is scored in the answer, or refused with every bad line."""

from typing import Any

from apiflask import APIBlueprint
from flask import request
from werkzeug.datastructures import FileStorage

from server.api.callers import auth, caller, early_caller
from server.api.schemas.uploads import KeyHeader, StoredRun, StoredSubmission, UploadSchema, WholeRunSchema
from server.api.submissions import outcome_of
from server.errors import Refused, RunRefused
from server.forms.submissions import clean_filename, clean_path
from server.services import refusals, repeats, runs, submissions, whole_runs
from server.services.repeats import Stored
from server.services.whole_runs import SentFile
from server.views import context
from server.views.submissions import FORM_OVERHEAD

blueprint = APIBlueprint("api_uploads", __name__, url_prefix="/api/v1/runs/<int:run_id>", tag="Runs")


@blueprint.post("/files/<level>")
@blueprint.auth_required(auth, roles=["submit"])
@blueprint.input(UploadSchema, location="files", arg_name="sent")
@blueprint.input(KeyHeader, location="headers", arg_name="head")
@blueprint.output(StoredSubmission, status_code=201)
def upload(
    run_id: int, level: str, sent: dict[str, FileStorage], head: dict[str, str | None]
) -> tuple[dict[str, Any], int, dict[str, str]]:
    """Upload a run file for a level: the answer has its scores, or "stored", or every bad line.

    With a key, the same file sent again is answered as the first time (header `Idempotency-Replayed`).
    """
    actor, now = caller(), context.arrived()
    filename, data = clean_filename(sent["file"].filename), sent["file"].stream.read()
    run = runs.get_run(context.session(), actor, run_id)
    named = repeats.name_request(head["key"], request.path, data) if head["key"] else None
    stored = repeats.find_first(context.session(), actor, named, now)
    if stored is None:
        try:
            prepared = submissions.prepare_own(
                context.session(), context.storage(), actor, run, level, data, filename, now
            )
            with context.writing() as session:
                stored = repeats.submit_once(session, context.storage(), actor, prepared, named, now)
        except Refused as refused:
            with context.writing() as session:
                refusals.record_refusal(session, actor, run_id, level, data, filename, refused, now)
            raise
    replayed = {"Idempotency-Replayed": "true"} if stored.replayed else {}
    return _answer(stored), 201 if stored.new else 200, replayed


@blueprint.post("/files")
@blueprint.auth_required(auth, roles=["submit"])
@blueprint.input(WholeRunSchema, location="files", arg_name="sent")
@blueprint.output(StoredRun, status_code=201)
def upload_all(run_id: int, sent: dict[str, list[FileStorage]]) -> dict[str, Any]:
    """Upload the files of several levels, or zips of them, each named by its level: all are stored, or none.

    What counts already, sent again, is stored no second time; so it takes no key.
    """
    actor, now = caller(), context.arrived()
    files = [SentFile(clean_path(file.filename), file.stream.read()) for file in sent["file"]]
    try:
        prepared = whole_runs.prepare(context.session(), context.storage(), actor, run_id, files, now)
        with context.writing() as session:
            stored = [
                Stored(one.id, one.arrived_at == now)
                for one in whole_runs.submit(session, context.storage(), actor, prepared, now)
            ]
    except RunRefused as refused:
        with context.writing() as session:
            whole_runs.record_refusals(session, actor, run_id, refused, now)
        raise
    return {"files": [_answer(one) for one in stored], "ignored": prepared.ignored}


def _answer(stored: Stored) -> dict[str, Any]:
    session, actor = context.session(), caller()
    submission = submissions.get_submission(session, actor, None, stored.submission_id)
    return {**outcome_of(session, actor, submission), "new": stored.new}


def limit_upload() -> int | None:
    """The most bytes that the body of an upload may have; None: whoever asks may upload nothing."""
    actor, values = early_caller(), request.view_args or {}
    if actor.user_id is None:
        return None
    if "level" not in values:
        return whole_runs.limit_for(context.session(), actor, values["run_id"]) + 2 * FORM_OVERHEAD
    limit = submissions.limit_for(context.session(), actor, values["run_id"], values["level"])
    return limit + FORM_OVERHEAD
