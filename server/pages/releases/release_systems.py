"""The page of one system of a release: values, ranks, differences from others, and its largest errors."""

from flask import Blueprint, request
from flask.typing import ResponseReturnValue

from server.boards.genres import LevelByGenre, list_levels_by_genre
from server.boards.systems import (
    SystemKey,
    list_differences,
    list_release_placements,
    list_systems_without_value,
    official_ranks,
    other_metrics,
    rows_by_key,
)
from server.core.errors import ReleaseWithdrawn
from server.pages.releases import release_page
from server.planning import baselines
from server.releases import inferences, item_results, service as releases
from server.releases.item_results import LevelResults, ReadableItems
from server.runs.models import Run
from server.web import context

blueprint = Blueprint(
    "release_systems", __name__, url_prefix="/tasks/<slug>/boards/<phase>/releases/<int:number>"
)
blueprint.register_error_handler(ReleaseWithdrawn, release_page.show_withdrawn)

MAX_RELEASES = 20
"""In how many of the newest releases the system's rank is looked up."""


@blueprint.get("/system")
def show(slug: str, phase: str, number: int) -> ResponseReturnValue:
    """Show a system of a release at a permanent address; items only if the reader may read file and gold."""
    opened = release_page.open_release(slug, phase, number)
    session, actor = opened.session, context.actor()
    key = opened.get_key(request.args.get("of", ""))
    disclosed = item_results.find_readable_items(
        session, actor, opened.phase, opened.state, context.arrival_time()
    )
    column = opened.column
    level = _level(disclosed, key, column.level)
    rows = rows_by_key(opened.board)
    if key[0] == "baseline":
        run = baselines.find_own(session, opened.phase, key[2])
    else:
        run_id = disclosed.runs.get(key)
        run = None if run_id is None else session.get(Run, run_id)
    return opened.page(
        "releases/system.html",
        key=key,
        row=rows[key],
        own=key[0] != "baseline" and key[1] == opened.own,
        column=column,
        others=other_metrics(opened.board),
        ranked_systems=len(official_ranks(opened.board)),
        differences=list_differences(opened.board, opened.inference, key, column),
        left_out=len(list_systems_without_value(opened.board, set(rows) - {key}, column)),
        by_genre=_by_genre(opened, key),
        placings=list(_release_placements(opened, key)),
        disclosed=disclosed,
        level=level,
        results=None if level is None else _results(disclosed, key, level),
        run=run,
        charts=True,
    )


def _by_genre(opened: release_page.ReleasePage, key: SystemKey) -> list[LevelByGenre]:
    """List the system's values by genre; empty if they are not computed, or not public."""
    table = inferences.find_genres(opened.session, opened.state.release.id, opened.state.sha256)
    return [] if table is None else list_levels_by_genre(table, opened.board, key)


def _release_placements(opened: release_page.ReleasePage, key: SystemKey) -> list[object]:
    """Return the system's ranks in releases with the same names; pseudonyms elsewhere mean other teams."""
    states = releases.list_newest_manual(opened.session, opened.phase, MAX_RELEASES)
    same = [state for state in states if state.anonymous == opened.state.anonymous]
    boards = [(state.release.number, state.release.made_at, state.file.board) for state in same]
    return [*list_release_placements(boards, key)]


def _level(disclosed: ReadableItems, key: SystemKey, preferred: str | None) -> str | None:
    """Return the level whose items are shown: the requested one, or the first that can be."""
    slugs = [slug for slug in disclosed.entered(key) if slug in disclosed.golds]
    return preferred if preferred in slugs else next(iter(slugs), None)


def _results(disclosed: ReadableItems, key: SystemKey, level: str) -> LevelResults | None:
    split, gold = disclosed.splits[level], disclosed.golds[level]
    return item_results.find_results(context.session(), split, gold, disclosed.files[key][level])
