"""What several pages with a leaderboard share: the view that the address asks for, and where it leads."""

from typing import Any

from flask import Response, request, url_for

from server.boards.genres import GenreTable
from server.boards.queries import at_genres, read_query
from server.boards.tables import BoardView, view_board
from server.core.errors import Withdrawn
from server.releases import genres
from server.releases.service import ReleaseState
from server.web import context


def withdrawn(error: Withdrawn) -> Response:
    """For a program that asks for what was taken back: a line of text."""
    return Response(f"{error.message}\n", error.status, content_type="text/plain; charset=utf-8")


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
