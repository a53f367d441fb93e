"""API: rejected uploads of a run."""

from typing import Any

from server.access.api_auth import READ_SCOPES, ApiBlueprint, caller
from server.api.submissions.schemas import RefusalsPage, RefusalWithProblems
from server.submissions import rejections
from server.submissions.models import Rejection
from server.web import context
from server.web.rest.responses import PageQuery, limit_and_offset, page_values

blueprint = ApiBlueprint("api_rejections", tag="Submissions", scopes=READ_SCOPES)


@blueprint.get("/runs/<int:run_id>/rejections")
@blueprint.input(PageQuery, location="query", arg_name="query")
@blueprint.output(RefusalsPage)
def index(run_id: int, query: dict[str, int]) -> dict[str, Any]:
    """List the rejected uploads of a run, the newest first. They use up no quota."""
    rows, total = rejections.list_rejections(context.session(), caller(), run_id, *limit_and_offset(query))
    return page_values(rows, total, query)


@blueprint.get("/rejections/<int:rejection_id>")
@blueprint.output(RefusalWithProblems)
def show(rejection_id: int) -> Rejection:
    """Read why an upload was rejected: each problem once, with the number of lines that have it."""
    return rejections.get_rejection(context.session(), caller(), None, rejection_id)
