"""The public leaderboard of a phase: its newest release, or a page that says that there is none.

A release never changes, so its table is rendered once and cached by everything that it is made of. The view
checks that the release is public before it asks for the table. A reader whose team has a row of its own gets
a table that is not cached.

The page around it is rendered for each request, but all visitors get the same page for a second, unless one
of the rows that tell what it shows has changed: each request reads these. Other things on it can be a second
late, such as the time, and why an inference failed.
"""

from dataclasses import dataclass

from flask import (
    Blueprint,
    Response,
    current_app,
    get_template_attribute,
    render_template,
    request,
    session as cookie,
    url_for,
)
from markupsafe import Markup

from server.access import service as access, tasks
from server.boards.inference_marks import MarkedBoard, mark_board
from server.boards.systems import rows_by_key
from server.core.cache import CacheByHash
from server.core.errors import ReleaseWithdrawn
from server.core.i18n import get_language
from server.phases.feedback import decimal_places
from server.phases.models import Phase
from server.releases import (
    inferences,
    live_boards,
    public_releases,
    release_gold,
    responses,
    service as releases,
)
from server.releases.service import ReleaseState
from server.web import context
from server.web.page_rules import has_views


@dataclass(frozen=True, slots=True)
class RenderedBoard:
    """The table with its tools and legend, and its leaderboard."""

    table: Markup
    board: MarkedBoard
    by_genre: bool
    several: bool
    """Whether it has more than one system."""


BOARD_CACHE: CacheByHash[tuple[object, ...], RenderedBoard] = CacheByHash(6)
"""Rendered tables by everything that they are made of, for readers without a team on them."""
PAGE_CACHE: CacheByHash[tuple[object, ...], bytes] = CacheByHash(4)
"""Whole pages by address, second and version, for visitors: nobody with anything in their cookie."""


def render_board_table(
    board: MarkedBoard,
    view: object,
    own: str | None,
    places: int | None,
    table: object,
    at: object,
    people: object = None,
) -> RenderedBoard:
    """Render a marked leaderboard for its page."""
    whole = get_template_attribute("boards/_table.html", "whole")
    markup = whole(board, view, own, places, table, at, people)
    return RenderedBoard(markup, board, table is not None, len(rows_by_key(board)) > 1)


blueprint = Blueprint("boards", __name__, url_prefix="/tasks/<slug>/boards")
blueprint.register_error_handler(ReleaseWithdrawn, responses.send_withdrawn)


@blueprint.app_context_processor
def _template_functions() -> dict[str, object]:
    """Return the functions with which templates check whether a leaderboard is live."""
    return {"by_hand": lambda phase: live_boards.is_paused(context.session(), phase)}


@blueprint.get("/<phase>")
@has_views
def show(slug: str, phase: str) -> str | bytes:
    """Show the released leaderboard of a phase; before that, when to expect it."""
    version = None if cookie else releases.find_version(context.session(), slug)
    if not version:
        return _render_page(slug, phase)
    config, second = context.site_of(current_app).config, context.arrival_time().replace(microsecond=0)
    made_of = (config, get_language(), request.root_path, request.full_path, second, version)
    return PAGE_CACHE.get(made_of, lambda: _render_page(slug, phase).encode())


def _render_page(slug: str, phase: str) -> str:
    session, actor = context.session(), context.actor()
    task, released = responses.read_task(slug)
    phases = [entry.view for entry in released]
    target = tasks.pick_phase(phases, phase)
    chosen = next(entry for entry in released if entry.view.phase is target)
    newest = chosen.newest
    team = access.find_team(session, actor, task)
    status, shown, gold_open = None, None, False
    if newest is not None and newest.withdrawal is None:
        stored = chosen.inference
        status = None if stored is None else inferences.get_status(session, stored)
        shown = _render_release(
            newest, status, public_releases.find_own_name(session, team, newest), slug, target
        )
        gold_open = status is None and release_gold.is_open(target)
    return render_template(
        "releases/board.html",
        task=task,
        phases=phases,
        phase=target,
        state=newest,
        board=None if shown is None else shown.board,
        shown=shown,
        found=status,
        gold_open=gold_open,
        team=team,
    )


def _render_release(
    state: ReleaseState, noted: inferences.InferenceStatus | None, own: str | None, slug: str, phase: Phase
) -> RenderedBoard:
    """Render the leaderboard of a release as the request's address describes it."""
    session, base = context.session(), url_for("boards.show", slug=slug, phase=phase.slug)
    at = responses.board_links(state, slug, phase.slug)
    places = decimal_places(state.release.feedback, phase.feedback_places, phase.ladder_step)

    def make() -> RenderedBoard:
        inference = inferences.find_inference(session, state.release.id, state.sha256)
        board = mark_board(state.file, None if inference is None else inference.shown)
        view = responses.requested_view(board, base)
        genres = responses.requested_genres(state, view)
        return render_board_table(board, view, own, places, genres, at, state.people)

    if own is not None:
        return make()
    version = None if noted is None else noted.version
    made_of = (
        get_language(),
        state.release.id,
        state.sha256,
        version,
        base,
        request.query_string,
        places,
        at and tuple(at.values()),
    )
    return BOARD_CACHE.get(made_of, make)


@blueprint.get("/<phase>.json")
def as_json(slug: str, phase: str) -> Response:
    """Send the released leaderboard as JSON: the bytes whose SHA-256 the page shows."""
    return responses.send_newest_board(slug, phase)
