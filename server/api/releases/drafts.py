"""API: the leaderboard that is not released yet, its inference, and the table of systems."""

from apiflask.schemas import FileSchema
from flask import Response

from server.access.api_auth import OrganizerBlueprint, caller, get_observed_task
from server.releases.responses import send_draft_board, send_draft_inference
from server.runs.responses import FORMAT_BY_ENDING, send_systems_table
from server.web.rest.responses import JSON_FILE

blueprint = OrganizerBlueprint("api_drafts", "/phases/<phase>")


@blueprint.get("/draft")
@blueprint.output(JSON_FILE, content_type="application/json", description="The board, not released.")
def show(slug: str, phase: str) -> Response:
    """Read the current leaderboard before its release.

    It always includes the baselines; a release shows them only if the rules of the phase allow it.
    """
    return send_draft_board(get_observed_task(slug), phase)


@blueprint.get("/draft/inference.json")
@blueprint.output(
    JSON_FILE, content_type="application/json", description="Intervals, tests, ranks, clusters."
)
def inference(slug: str, phase: str) -> Response:
    """Download the newest significance tests and intervals of the leaderboard that is not released yet."""
    return send_draft_inference(get_observed_task(slug), phase)


@blueprint.get(f"/systems.<any({','.join(FORMAT_BY_ENDING)}):ending>")
@blueprint.output(FileSchema(), content_type="*/*", description="A line for each system.")
def table(slug: str, phase: str, ending: str) -> Response:
    """Download the table of systems for the overview paper, with their teams' descriptions."""
    return send_systems_table(get_observed_task(slug), phase, caller(), ending)
