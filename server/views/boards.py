"""The public board: the newest release, or the word that there is none."""

from typing import Any

from flask import Blueprint, Response, render_template, request, url_for

from server.domain.board_queries import at_genres, read_query
from server.domain.board_views import BoardView, view_board
from server.domain.feedback import places_of
from server.domain.genre_tables import GenreTable
from server.domain.marked_boards import mark_board
from server.services import access, genres, gold_opening, inferences, live_boards, published, releases, tasks
from server.services.releases import ReleaseState
from server.views import context
from server.views.caching import revalidated

blueprint = Blueprint("boards", __name__, url_prefix="/tasks/<slug>/boards")


@blueprint.app_context_processor
def _by_hand() -> dict[str, object]:
    """What pages ask before they call a board live."""
    return {"by_hand": lambda phase: live_boards.is_by_hand(context.session(), phase)}


@blueprint.get("/<phase>")
def show(slug: str, phase: str) -> str:
    """The released board of a phase; before that, when it may come."""
    session, task = context.session(), context.task(slug)
    target = tasks.get_phase(session, task, phase)
    newest = releases.find_newest(session, target)
    out = newest is not None and newest.withdrawal is None
    team = access.find_team(session, context.actor(), task)
    live = newest.release.feedback if newest is not None else None
    found, board, view = None, None, None
    if newest is not None and out:
        found = inferences.find_of(session, newest.release.id, newest.sha256)
        board = mark_board(newest.board, None if found is None else found.shown)
        view = view_asked(board, url_for("boards.show", slug=slug, phase=phase))
    return render_template(
        "boards/show.html",
        task=task,
        phases=context.phases(task),
        phase=target,
        state=newest,
        board=board,
        view=view,
        at=None if newest is None or view is None else addresses_of(newest, slug, phase),
        table=None if newest is None or view is None else genres_asked(newest, view),
        found=found,
        gold_open=gold_opening.is_open(target),
        places=places_of(live, target.feedback_places, target.ladder_step),
        team=team,
        own=published.own_name(session, team, newest) if newest is not None else None,
    )


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
    session, task = context.session(), context.task(slug)
    state = releases.get_public(session, tasks.get_phase(session, task, phase))
    return revalidated(Response(state.text, content_type="application/json"), public=True)
