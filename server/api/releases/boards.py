"""API: the public leaderboard of a phase, its releases, and one of them."""

from typing import Any

from flask import Response

from server.access import service as access, tasks
from server.access.api_auth import ApiBlueprint, caller
from server.api.releases.schemas import ReleasesPage, ReleaseWithPlace
from server.evidence import service as evidence
from server.releases import (
    inferences,
    public_releases,
    release_gold,
    responses,
    scheduling as release_scheduling,
)
from server.web import context
from server.web.rest.responses import JSON_FILE, PageQuery, cut_page

blueprint = ApiBlueprint("api_boards", url_prefix="/tasks/<slug>/phases/<phase>", tag="Leaderboards")


@blueprint.get("/board")
@blueprint.output(JSON_FILE, content_type="application/json", description="The board as it was published.")
def show(slug: str, phase: str) -> Response:
    """Download the current public leaderboard: the bytes whose SHA-256 the release has.

    The status is 404 before the first release, and 410 with the reason if the newest was withdrawn.
    """
    return responses.send_newest_board(slug, phase)


@blueprint.get("/releases")
@blueprint.input(PageQuery, location="query", arg_name="query")
@blueprint.output(ReleasesPage)
def releases(slug: str, phase: str, query: dict[str, int]) -> dict[str, Any]:
    """List the manual releases of a phase, the newest first, including withdrawn ones."""
    session = context.session()
    task = tasks.get_task(session, slug)
    target = tasks.get_phase(session, task, phase)
    listed = [
        summary for summary in public_releases.list_summaries(session, task) if summary.phase.id == target.id
    ]
    sees = access.sees_all(session, caller(), task)
    return {
        **cut_page(listed[::-1], query),
        "planned": release_scheduling.find_plan(session, target) if sees else None,
    }


@blueprint.get("/releases/<int:number>")
@blueprint.output(ReleaseWithPlace)
def release(slug: str, phase: str, number: int) -> dict[str, Any]:
    """Read the facts about one release. The status is 410, with the reason, if it was withdrawn."""
    session, now = context.session(), context.arrival_time()
    requested = responses.get_requested_release(slug, phase, number)
    task, target, state = requested.task, requested.phase, requested.state
    return {
        "phase": target,
        "state": state,
        "place": public_releases.find_context(session, target, state),
        "live": state.release.feedback is not None,
        "own_name": public_releases.find_own_name(session, access.find_team(session, caller(), task), state),
        "gold": release_gold.list_gold(session, target, state, now),
        "inference": inferences.find_inference(session, state.release.id, state.sha256),
        "has_evidence": evidence.explain_missing_evidence(target, state, now) is None,
        "people": [] if state.people is None else state.people.records,
    }
