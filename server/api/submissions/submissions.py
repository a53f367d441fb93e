"""API: submissions with their scores or "stored", their files and receipts."""

from typing import Any

from apiflask.schemas import FileSchema
from flask import Response
from sqlalchemy.orm import Session

from server.access import tasks
from server.access.api_auth import READ_SCOPES, ApiBlueprint, caller
from server.api.runs.schemas import ScoredSubmission, SubmissionsPage, SubmissionsQuery
from server.core.actors import Actor
from server.submissions import feedback, listings, receipts, service as submissions, standings
from server.submissions.models import Submission
from server.web import context
from server.web.downloads import send_json, send_tsv
from server.web.rest.responses import limit_and_offset, page_values

blueprint = ApiBlueprint("api_submissions", tag="Submissions", scopes=READ_SCOPES)


@blueprint.get("/tasks/<slug>/submissions")
@blueprint.input(SubmissionsQuery, location="query", arg_name="query")
@blueprint.output(SubmissionsPage)
def index(slug: str, query: dict[str, Any]) -> dict[str, Any]:
    """List submissions, the newest first: of your team, or of all teams if you may see all of the task."""
    listing_query = listings.ListingQuery(
        *limit_and_offset(query),
        team_id=query.get("team"),
        phase=query.get("phase"),
        run_id=query.get("run"),
        level=query.get("level"),
    )
    session = context.session()
    rows, total = listings.list_submissions(session, caller(), tasks.get_task(session, slug), listing_query)
    return page_values(rows, total, query)


@blueprint.get("/submissions/<int:submission_id>")
@blueprint.output(ScoredSubmission)
def show(submission_id: int) -> dict[str, Any]:
    """Read one submission: its scores as the phase shows them, or “stored” if it hides them."""
    session = context.session()
    return outcome_of(session, caller(), _submission(submission_id))


@blueprint.get("/submissions/<int:submission_id>/file")
@blueprint.output(
    FileSchema(), content_type="text/tab-separated-values", description="The file as it was sent."
)
def file(submission_id: int) -> Response:
    """Download the file as it was uploaded."""
    submission = _submission(submission_id)
    return send_tsv(context.storage().get(submission.sha256), submission.filename)


@blueprint.get("/submissions/<int:submission_id>/receipt")
@blueprint.output(
    FileSchema(type="object", format="json"),
    content_type="application/json",
    description="The receipt, byte for byte as it was signed.",
)
def receipt(submission_id: int) -> Response:
    """Download the signed receipt, which `scorer verify` checks."""
    signed_receipt = receipts.get_receipt(context.session(), _submission(submission_id))
    return send_json(signed_receipt.text, receipts.filename_of(signed_receipt))


def outcome_of(session: Session, actor: Actor, submission: Submission) -> dict[str, Any]:
    """Return the outcome of a submission as its page shows it."""
    scores = feedback.visible_scores(session, actor, submission)
    gone = standings.is_run_withdrawn(session, submission.run)
    return {
        "submission": submission,
        "withdrawn": gone or standings.is_withdrawn(session, submission),
        "counts": standings.does_count(session, submission),
        "state": "stored" if scores is None else "scored",
        "scores": scores,
        "receipt": receipts.find_receipt(session, submission),
    }


def _submission(submission_id: int) -> Submission:
    return submissions.get_submission(context.session(), caller(), None, submission_id)
