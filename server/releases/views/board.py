"""The public board: the newest release, or the word that there is none."""

from typing import Any

from flask import Blueprint, Response, render_template, request, url_for

from server.access import requests, tasks
from server.access import service as access
from server.boards.genres import GenreTable
from server.boards.marked import mark_board
from server.boards.queries import at_genres, read_query
from server.boards.tables import BoardView, view_board
from server.core.errors import Withdrawn
from server.phases.feedback import places_of
from server.phases.models import Phase
from server.releases import genres, inferences, live_boards, published
from server.releases import opening as gold_opening
from server.releases import service as releases
from server.releases.inferences import Noted
from server.releases.service import ReleaseState
from server.releases.views.rendered import ShownBoard, find_shown, show_board
from server.web import context
from server.web.caching import revalidated

blueprint = Blueprint("boards", __name__, url_prefix="/tasks/<slug>/boards")


@blueprint.app_context_processor
def _by_hand() -> dict[str, object]:
    """What pages ask before they call a board live."""
    return {"by_hand": lambda phase: live_boards.is_by_hand(context.session(), phase)}


@blueprint.errorhandler(Withdrawn)
def withdrawn(error: Withdrawn) -> Response:
    """For a program that asks for what was taken back: a line of text."""
    return Response(f"{error.message}\n", error.status, content_type="text/plain; charset=utf-8")


@blueprint.get("/<phase>")
def show(slug: str, phase: str) -> str:
    """The released board of a phase; before that, when it may come."""
    session, actor = context.session(), context.actor()
    task = requests.task(slug)
    phases = requests.phases(task)
    target = tasks.pick_phase(phases, phase)
    newest = releases.list_newest(session, [target]).get(target.id)
    out = newest is not None and newest.withdrawal is None
    team = access.find_team(session, actor, task)
    found, shown = None, None
    if newest is not None and out:
        found = inferences.find_noted(session, newest.release.id, newest.sha256)
        shown = _shown(newest, found, published.own_name(session, team, newest), slug, target)
    return render_template(
        "releases/board.html",
        task=task,
        phases=phases,
        phase=target,
        state=newest,
        board=None if shown is None else shown.facts,
        shown=shown,
        found=found,
        gold_open=gold_opening.is_open(target),
        team=team,
    )


def _shown(state: ReleaseState, noted: Noted | None, own: str | None, slug: str, phase: Phase) -> ShownBoard:
    """The board of a release as the request's address asks for it."""
    session, base = context.session(), url_for("boards.show", slug=slug, phase=phase.slug)
    at = addresses_of(state, slug, phase.slug)
    places = places_of(state.release.feedback, phase.feedback_places, phase.ladder_step)

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


def view_asked(board: dict[str, Any], base: str) -> BoardView:
    """The view of a board that the request's address asks for."""
    query = read_query(board, request.args.to_dict(flat=False))
    return view_board(board, at_genres(board, query) if query.genres else query, base)


def addresses_of(state: ReleaseState, slug: str, phase: str) -> dict[str, str] | None:
    """Where a board leads to; a live one is over too soon for pages of its own."""
    if state.release.feedback is not None:
        return None
    parts: dict[str, Any] = {"slug": slug, "phase": phase, "number": state.release.number}
    return {
        "system": url_for("release_systems.show", **parts),
        "compare": url_for("comparisons.show", **parts),
        "genres": url_for("published.genres", **parts),
    }


def genres_asked(state: ReleaseState, view: BoardView) -> GenreTable | None:
    """The values by genre, where the request's address asks for them."""
    return genres.find_of(context.session(), state.release.id, state.sha256) if view.query.genres else None


@blueprint.get("/<phase>.json")
def as_json(slug: str, phase: str) -> Response:
    """The released board as JSON: the bytes whose SHA-256 the page shows."""
    session, task = context.session(), requests.task(slug)
    state = releases.get_public(session, tasks.get_phase(session, task, phase))
    return revalidated(Response(state.text, content_type="application/json"), public=True)
