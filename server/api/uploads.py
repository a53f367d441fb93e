"""Uploading the files of a run: each is scored in the answer, or refused with every bad line."""

from typing import Any

from apiflask import APIBlueprint
from flask import request
from werkzeug.datastructures import FileStorage

from server.api.callers import auth, caller, early_caller
from server.api.schemas.uploads import KeyHeader, StoredSubmission, UploadSchema
from server.api.submissions import outcome_of
from server.errors import Refused
from server.forms.submissions import clean_filename
from server.services import refusals, repeats, runs, submissions
from server.services.repeats import Stored
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
    runs.get_run(context.session(), actor, run_id)
    named = repeats.name_request(head["key"], request.path, data) if head["key"] else None
    stored = repeats.find_first(context.session(), actor, named, now)
    if stored is None:
        try:
            prepared = submissions.prepare(
                context.session(), context.storage(), actor, run_id, level, data, filename, now
            )
            with context.writing() as session:
                stored = repeats.submit_once(session, context.storage(), actor, prepared, named, now)
        except Refused as refused:
            with context.writing() as session:
                refusals.record_refusal(session, actor, run_id, level, data, filename, refused, now)
            raise
    replayed = {"Idempotency-Replayed": "true"} if stored.replayed else {}
    return _answer(stored), 201 if stored.new else 200, replayed


def _answer(stored: Stored) -> dict[str, Any]:
    session, actor = context.session(), caller()
    submission = submissions.get_submission(session, actor, None, stored.submission_id)
    return {**outcome_of(session, actor, submission), "new": stored.new}


def limit_upload() -> int | None:
    """The most bytes that the body of this upload may have; None: whoever asks may upload nothing."""
    actor, values = early_caller(), request.view_args or {}
    if actor.user_id is None:
        return None
    limit = submissions.limit_for(context.session(), actor, values["run_id"], values["level"])
    return limit + FORM_OVERHEAD
