"""The public board: the newest release, or the word that there is none."""

from flask import Blueprint, Response, render_template, request, url_for

from server.access import service as access
from server.access import tasks
from server.boards.marked import mark_board
from server.core.errors import Withdrawn
from server.phases.feedback import decimal_places
from server.phases.models import Phase
from server.releases import inferences, live_boards, published, responses
from server.releases import opening as gold_opening
from server.releases import service as releases
from server.releases.inferences import InferenceStatus
from server.releases.pages import addresses_of, genres_asked, view_asked, withdrawn
from server.releases.service import ReleaseState
from server.releases.views.rendered import ShownBoard, find_shown, show_board
from server.web import context

blueprint = Blueprint("boards", __name__, url_prefix="/tasks/<slug>/boards")
blueprint.register_error_handler(Withdrawn, withdrawn)


@blueprint.app_context_processor
def _by_hand() -> dict[str, object]:
    """What pages ask before they call a board live."""
    return {"by_hand": lambda phase: live_boards.is_by_hand(context.session(), phase)}


@blueprint.get("/<phase>")
def show(slug: str, phase: str) -> str:
    """The released board of a phase; before that, when it may come."""
    session, actor = context.session(), context.actor()
    task, released = releases.read_task(session, actor, slug, context.arrived())
    phases = [one.view for one in released]
    target = tasks.pick_phase(phases, phase)
    newest = next(one.newest for one in released if one.view.phase is target)
    team = access.find_team(session, actor, task)
    found, shown, gold_open = None, None, False
    if newest is not None and newest.withdrawal is None:
        found = inferences.find_noted(session, newest.release.id, newest.sha256)
        shown = _shown(newest, found, published.own_name(session, team, newest), slug, target)
        gold_open = found is None and gold_opening.is_open(target)
    return render_template(
        "releases/board.html",
        task=task,
        phases=phases,
        phase=target,
        state=newest,
        board=None if shown is None else shown.facts,
        shown=shown,
        found=found,
        gold_open=gold_open,
        team=team,
    )


def _shown(
    state: ReleaseState, noted: InferenceStatus | None, own: str | None, slug: str, phase: Phase
) -> ShownBoard:
    """The board of a release as the request's address asks for it."""
    session, base = context.session(), url_for("boards.show", slug=slug, phase=phase.slug)
    at = addresses_of(state, slug, phase.slug)
    places = decimal_places(state.release.feedback, phase.feedback_places, phase.ladder_step)

    def make() -> ShownBoard:
        found = inferences.find_of(session, state.release.id, state.sha256)
        board = mark_board(state.board, None if found is None else found.shown)
        view = view_asked(board, base)
        return show_board(board, view, own, places, genres_asked(state, view), at)

    version = None if noted is None else noted.version
    made_of = (
        state.release.id,
        state.sha256,
        version,
        base,
        request.query_string,
        places,
        at and tuple(at.values()),
    )
    return find_shown(made_of, own, make)


@blueprint.get("/<phase>.json")
def as_json(slug: str, phase: str) -> Response:
    """The released board as JSON: the bytes whose SHA-256 the page shows."""
    return responses.board_json(slug, phase)
