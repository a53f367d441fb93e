"""The page that compares systems of a release."""

from typing import Any

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from server.boards.query_parameters import MAX_FILTER_LENGTH
from server.boards.systems import SystemKey, list_pairs_among, list_systems_without_value, rows_by_key
from server.core.errors import ReleaseWithdrawn, ServerError
from server.pages.releases import release_page
from server.releases import item_results
from server.web import context
from server.web.page_rules import has_views

blueprint = Blueprint(
    "comparisons", __name__, url_prefix="/tasks/<slug>/boards/<phase>/releases/<int:number>"
)
blueprint.register_error_handler(ReleaseWithdrawn, release_page.show_withdrawn)

MAX_SYSTEMS = 10
"""The maximum number of systems to compare: they have 45 pairs."""


@blueprint.get("/compare")
@has_views
def show(slug: str, phase: str, number: int) -> ResponseReturnValue:
    """Show values and differences of the systems in the address, and the items on which two differ most."""
    opened = release_page.open_release(slug, phase, number)
    keys = list(dict.fromkeys(opened.get_key(text) for text in request.args.getlist("of")))
    if len(keys) > MAX_SYSTEMS:
        raise ServerError.of(
            "You can compare at most %(most)d systems at once. Go back and choose fewer.", most=MAX_SYSTEMS
        )
    column, rows = opened.column, rows_by_key(opened.board)
    q = request.args.get("q", "").strip()[:MAX_FILTER_LENGTH]
    return opened.page(
        "releases/comparison.html",
        keys=keys,
        rows=rows,
        q=q,
        choices=[key for key in rows if key in keys or q.lower() in f"{key[1]} {key[2]}".lower()],
        without=list_systems_without_value(opened.board, keys, column),
        column=column,
        pairs=list_pairs_among(opened.board, opened.inference, keys, column),
        **(_compare_items(opened, keys) if len(keys) > 1 else {}),
    )


def _compare_items(opened: release_page.ReleasePage, keys: list[SystemKey]) -> dict[str, Any]:
    """Compare two of the systems item by item, if the reader may read the files of both."""
    chosen = [opened.get_key(text) for text in request.args.getlist("pair")[:2]]
    pair = (chosen[0], chosen[1]) if len(set(chosen)) == 2 else (keys[0], keys[1])
    actor, now = context.actor(), context.arrival_time()
    disclosed = item_results.find_readable_items(opened.session, actor, opened.phase, opened.state, now)
    slugs = [slug for slug in disclosed.entered(pair[0]) if slug in disclosed.entered(pair[1])]
    column_level = opened.column.level
    level = column_level if column_level in slugs else next(iter(slugs), None)
    page_values = {"pair": pair, "disclosed": disclosed, "there": slugs, "level": level}
    return page_values | {"two": None if level is None else _compare_pair(disclosed, pair, level)}


def _compare_pair(
    disclosed: item_results.ReadableItems, pair: tuple[SystemKey, SystemKey], level: str
) -> item_results.RunComparison | None:
    files = disclosed.files[pair[0]][level], disclosed.files[pair[1]][level]
    split, gold = disclosed.splits[level], disclosed.golds.get(level)
    return item_results.compare_files(context.session(), split, files, gold)
