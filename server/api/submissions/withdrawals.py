"""API: withdrawing and restoring submissions."""

from server.access.api_auth import ApiBlueprint, caller
from server.submissions import service as submissions, withdrawals
from server.web import context

blueprint = ApiBlueprint(
    "api_withdrawals", url_prefix="/submissions/<int:submission_id>", tag="Submissions", scopes=["submit"]
)


@blueprint.post("/withdraw")
def withdraw(submission_id: int) -> None:
    """Withdraw a submission: the one before it counts again. It stays listed, and can be restored."""
    with context.writing() as session:
        submission = submissions.get_submission(session, caller(), None, submission_id)
        withdrawals.withdraw_submission(session, caller(), submission, context.arrival_time())


@blueprint.post("/restore")
def restore(submission_id: int) -> None:
    """Restore a withdrawn submission."""
    with context.writing() as session:
        submission = submissions.get_submission(session, caller(), None, submission_id)
        withdrawals.restore_submission(session, caller(), submission, context.arrival_time())
