"""The page that shows how much the ranking of a release depends on its rules."""

from flask import Blueprint
from flask.typing import ResponseReturnValue

from server.boards.stability import count_same_first, list_alternative_rankings
from server.boards.systems import official_ranks
from server.core.errors import ReleaseWithdrawn
from server.pages.releases import release_page

blueprint = Blueprint("stability", __name__, url_prefix="/tasks/<slug>/boards/<phase>/releases/<int:number>")
blueprint.register_error_handler(ReleaseWithdrawn, release_page.show_withdrawn)

MAX_LINES = 40
"""The maximum number of lines that readers can distinguish in the plot; the table has all."""


@blueprint.get("/stability")
def show(slug: str, phase: str, number: int) -> ResponseReturnValue:
    """Show the ranks of a release under other rules; the address is permanent."""
    opened = release_page.open_release(slug, phase, number)
    official = official_ranks(opened.board)
    orders = list_alternative_rankings(opened.board, opened.inference)
    ranked = [order for order in orders if order.ranks]
    same, of = count_same_first(orders, official)
    moves = [(abs(order.furthest.after - order.furthest.before), order) for order in ranked if order.furthest]
    return opened.page(
        "releases/stability.html",
        official=official,
        orders=orders,
        ranked=ranked,
        same=same,
        of=of,
        most=MAX_LINES,
        widest=max(moves, key=lambda move: move[0])[1] if moves else None,
        titles={level.slug: level.title for level in opened.board.levels},
    )
