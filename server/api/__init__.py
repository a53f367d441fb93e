"""What the pages do, as JSON for programs: the same services, the same codes and texts."""

from collections.abc import Callable, Mapping

from apiflask import APIFlask
from apiflask.exceptions import HTTPError
from flask import Response
from flask_wtf import CSRFProtect

from server.api import (
    announcements,
    boards,
    bundles,
    documents,
    drafts,
    dry_runs,
    edits,
    gold,
    invitations,
    keys,
    log,
    me,
    memberships,
    organizing,
    people,
    phases,
    refusals,
    released,
    run_edits,
    runs,
    scheduling,
    submissions,
    tasks,
    teams,
    terms,
    tokens,
    uploads,
    withdrawals,
)
from server.api.answers import conditional
from server.api.description import finish
from server.views import problems

PARTS = (
    announcements,
    boards,
    bundles,
    documents,
    drafts,
    dry_runs,
    edits,
    gold,
    invitations,
    keys,
    log,
    me,
    memberships,
    organizing,
    people,
    phases,
    refusals,
    released,
    run_edits,
    runs,
    scheduling,
    submissions,
    tasks,
    teams,
    terms,
    tokens,
    uploads,
    withdrawals,
)
LIMITS: Mapping[str, Callable[[], int | None]] = {
    "api_bundles.host": bundles.limit_upload,
    "api_dry_runs.test": dry_runs.limit_upload,
    "api_edits.edit": edits.limit_body,
    "api_organizing.bring_gold": organizing.limit_upload,
    **dict.fromkeys((f"api_uploads.{name}" for name in uploads.NAMES), uploads.limit_upload),
}
"""How many bytes the bodies of some operations may have; None: no more than others, from whoever asks."""


def init_api(app: APIFlask, csrf: CSRFProtect) -> None:
    """Put the API on an app. It knows tokens alone, so that no other site can act by somebody's cookie."""
    app.config.update(
        OPENAPI_VERSION="3.1.0",
        SPEC_FORMAT="json",
        AUTO_SERVERS=False,
        AUTO_404_RESPONSE=False,
        AUTO_OPERATION_ID=True,
        VALIDATION_ERROR_STATUS_CODE=422,
    )
    app.error_callback = _refuse
    app.spec_processor(finish)
    app.after_request(conditional)
    for module in PARTS:
        csrf.exempt(module.blueprint)
        app.register_blueprint(module.blueprint)


def _refuse(error: HTTPError) -> Response:
    return problems.of_input(error)
