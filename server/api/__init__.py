"""What the pages do, as JSON for programs: the same services, the same codes and texts."""

from collections.abc import Callable, Mapping

from apiflask import APIFlask
from apiflask.exceptions import HTTPError
from flask import Response, abort, current_app, request
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
from server.language import _
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
    app.before_request(_require_kind)
    app.after_request(conditional)
    for module in PARTS:
        csrf.exempt(module.blueprint)
        app.register_blueprint(module.blueprint)
    for rule in app.url_map.iter_rules():
        if rule.rule.startswith(problems.PREFIX):
            rule.strict_slashes = False  # a redirect would be a page, and some clients drop the token at one


def _require_kind() -> None:
    """Refuse a body of another kind than the operation takes: its fields would be left out in silence."""
    view = current_app.view_functions.get(request.endpoint or "")
    wanted = getattr(view, "_spec", {}).get("content_type")
    if wanted is None or not (request.content_length or "Transfer-Encoding" in request.headers):
        return
    if not (request.is_json if wanted == "application/json" else request.mimetype == wanted):
        abort(415, _("Send the body as %(wanted)s, and say so in the header Content-Type.", wanted=wanted))


def _refuse(error: HTTPError) -> Response:
    return problems.of_input(error)
