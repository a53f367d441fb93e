"""Boards: the one that the public sees now, all releases of a phase, and one of them."""

from typing import Any

from apiflask import APIBlueprint
from flask import Response

from server.access import service as access
from server.access import tasks
from server.access.api_auth import TOKEN_OPTIONAL, auth, caller
from server.evidence import service as evidence
from server.releases import inferences, published, published_gold, responses, seals
from server.releases import plans as release_plans
from server.releases.schemas import ReleasesPage, ReleaseWithPlace
from server.web import context
from server.web.rest.answers import BYTES, PageQuery, cut, paged

blueprint = APIBlueprint(
    "api_boards", __name__, url_prefix="/api/v1/tasks/<slug>/phases/<phase>", tag="Boards"
)


@blueprint.get("/board")
@blueprint.output(BYTES, content_type="application/json", description="The board as it was published.")
@blueprint.auth_required(auth, optional=TOKEN_OPTIONAL)
def show(slug: str, phase: str) -> Response:
    """Download the board that the public sees now: the bytes whose SHA-256 the release has.

    404 before there is a release; 410 with the reason once the newest was withdrawn.
    """
    return responses.board_json(slug, phase)


@blueprint.get("/releases")
@blueprint.input(PageQuery, location="query", arg_name="query")
@blueprint.output(ReleasesPage)
@blueprint.auth_required(auth, optional=TOKEN_OPTIONAL)
def releases(slug: str, phase: str, query: dict[str, int]) -> dict[str, Any]:
    """List the releases of a phase by hand, the newest first; those that were withdrawn too."""
    session = context.session()
    task = tasks.get_task(session, slug)
    target = tasks.get_phase(session, task, phase)
    listed = [one for one in published.list_released(session, task) if one.phase.id == target.id]
    rows, total = cut(listed[::-1], query)
    sees = access.sees_all(session, caller(), task)
    return {
        **paged(rows, total, query),
        "planned": release_plans.find_plan(session, target) if sees else None,
    }


@blueprint.get("/releases/<int:number>")
@blueprint.output(ReleaseWithPlace)
@blueprint.auth_required(auth, optional=TOKEN_OPTIONAL)
def release(slug: str, phase: str, number: int) -> dict[str, Any]:
    """Read what is said of one release; 410 with the reason once it was withdrawn."""
    session, now = context.session(), context.arrived()
    task = tasks.get_task(session, slug)
    target = tasks.get_phase(session, task, phase)
    state = published.get_standing(session, target, number)
    place = published.place_of(session, target, state)
    found = inferences.find_of(session, state.release.id, state.sha256)
    sealed = seals.find_seal(session, state.release.id, state.sha256) is not None
    return {
        "phase": target.slug,
        "number": number,
        "made_at": state.release.made_at,
        "live": state.release.feedback is not None,
        "anonymous": state.anonymous,
        "sha256": state.sha256,
        "note": state.release.note,
        "superseded_by": place.superseded_by,
        "before": None if place.before is None else place.before.release.number,
        "own_name": published.own_name(session, access.find_team(session, caller(), task), state),
        "gold": published_gold.list_gold(session, target, state, now),
        "inference": None if found is None else found.state,
        "has_evidence": sealed and evidence.why_none(target, state, now) is None,
    }
