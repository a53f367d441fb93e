"""API: importing and exporting whole tasks, and all runs of a phase, as zips."""

from typing import Any

from apiflask.schemas import FileSchema
from flask import Response
from werkzeug.datastructures import FileStorage

from server.access import service as access, tasks
from server.access.api_auth import ApiBlueprint, caller, early_caller, get_observed_task, organizers_only
from server.api.bundles.schemas import ExportSchema, HostedTask
from server.api.submissions.schemas import UploadSchema
from server.bundles import forms, responses
from server.runs import responses as run_responses
from server.web import context
from server.web.page_rules import takes_files

blueprint = ApiBlueprint("api_bundles", url_prefix="/tasks", tag="Organizing", scopes=["organize"])
ZIP = "application/zip"


def limit_upload() -> int | None:
    """The maximum size of a bundle; None: that of other requests."""
    actor = early_caller("organize")
    may = access.may_import(context.session(), actor, everybody=responses.is_import_open())
    return forms.IMPORT_LIMIT + forms.FORM_OVERHEAD if may else None


@blueprint.post("/")
@blueprint.input(UploadSchema, location="files", arg_name="sent")
@blueprint.output(HostedTask, status_code=201)
@takes_files(limit_upload)
def host(sent: dict[str, FileStorage]) -> dict[str, str]:
    """Import a task from a zip file, and become its organizer.

    An invalid zip file is rejected, with its errors.
    """
    access.require_import(context.session(), caller(), everybody=responses.is_import_open())
    return {"slug": responses.host_task(sent["file"].stream, caller())}


@blueprint.post("/<slug>/export")
@organizers_only
@blueprint.input(ExportSchema, arg_name="given")
@blueprint.output(FileSchema(), content_type=ZIP, description="The task as a bundle.")
def export(slug: str, given: dict[str, Any]) -> Response:
    """Export everything in the task, including the gold standard. The activity log records the download."""
    return responses.send_export(slug, caller(), given["people"])


@blueprint.post("/<slug>/phases/<phase>/runs.zip")
@blueprint.output(FileSchema(), content_type=ZIP, description="The files, and what teams say of their runs.")
def runs(slug: str, phase: str) -> Response:
    """Download all submissions of a phase, those that count in a folder of their own.

    The activity log records it.
    """
    tasks.get_phase(context.session(), get_observed_task(slug), phase)
    return run_responses.send_run_archive(slug, phase, caller())
