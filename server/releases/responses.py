"""What the pages and the API of released leaderboards share.

The view that a request asks for, links, and the files that are sent.
"""

from typing import Any, Literal

from flask import (
    Response,
    current_app,
    request,
    url_for,
)
from sqlalchemy.orm import Session

from server.access import request_tasks, tasks, terms
from server.boards.board_table import BoardView, view_board
from server.boards.genres import GenreTable
from server.boards.inference_json import read_inference
from server.boards.neighbours import PAIRS_HEADER, list_pairs
from server.boards.query_parameters import read_query, select_genre_level
from server.core.actors import Actor
from server.core.errors import NotFound, ReleaseWithdrawn
from server.core.i18n import _
from server.core.table_formats import write_table
from server.phases.models import Phase
from server.releases import exports as release_exports
from server.releases import inferences, public_releases, release_gold, seals
from server.releases import service as releases
from server.releases.exports import BoardFormat, Citation
from server.releases.public_releases import ReleaseContext
from server.releases.service import ReleaseState
from server.runs.responses import send_archive
from server.tasks.models import Task
from server.web import context
from server.web.caching import require_revalidation

CONTENT_TYPES: dict[BoardFormat, str] = {
    "json": "application/json",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "csv": "text/csv; charset=utf-8; header=present",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
}


def send_board(slug: str, phase: str, number: int, ending: BoardFormat) -> Response:
    """The board in one of the formats of `scorer board`, the same bytes; as JSON, those that were hashed."""
    session, task, target = find_task_and_phase(slug, phase)
    state = public_releases.get_release(session, target, number)
    content = release_exports.export_board(state, ending)
    return send_file(content, CONTENT_TYPES[ending], f"{release_key(task, target, number)}.{ending}")


def send_inference(slug: str, phase: str, number: int) -> Response:
    """Intervals, tests, rank ranges, clusters and stability of the board, once they are computed."""
    content, name = get_inference_text(slug, phase, number)
    return send_file(content.encode(), CONTENT_TYPES["json"], f"{name}-inference.json")


def send_pairs(slug: str, phase: str, number: int) -> Response:
    """A line for each pair of systems that was tested, at each level and by the total."""
    content, name = get_inference_text(slug, phase, number)
    table = write_table("tsv", PAIRS_HEADER, list_pairs(read_inference(content)))
    return send_file(table.encode(), CONTENT_TYPES["tsv"], f"{name}-pairs.tsv")


def send_genres(slug: str, phase: str, number: int, ending: Literal["tsv", "json"] = "tsv") -> Response:
    """The values of each system by genre, as `scorer board --by-genre` prints them; as JSON, all digits."""
    session, task, target = find_task_and_phase(slug, phase)
    state = public_releases.get_release(session, target, number)
    text = inferences.get_genres_text(session, state.release.id, state.sha256)
    content = text.encode() if ending == "json" else release_exports.export_genres(text)
    return send_file(content, CONTENT_TYPES[ending], f"{release_key(task, target, number)}-genres.{ending}")


def send_changes(slug: str, phase: str, number: int, ending: release_exports.ChangesFormat) -> Response:
    """What changed since the release before, as `scorer changes` prints it for the two."""
    session, task, target = find_task_and_phase(slug, phase)
    state = public_releases.get_release(session, target, number)
    changes = find_changes(public_releases.find_context(session, target, state), state)
    if changes is None:
        raise NotFound(_("There is no release before this one that it could be compared with."))
    content = release_exports.export_changes(changes, ending)
    return send_file(content, CONTENT_TYPES[ending], f"{release_key(task, target, number)}-changes.{ending}")


def send_statement(slug: str, phase: str, number: int) -> Response:
    """What the site signed as it made the release: the hashes of board and rules, and which gold it was."""
    session, task, target = find_task_and_phase(slug, phase)
    state = public_releases.get_release(session, target, number)
    seal = seals.get_seal(session, state.release.id, state.sha256)
    return send_file(
        seal.text.encode(), CONTENT_TYPES["json"], f"{release_key(task, target, number)}-statement.json"
    )


def send_bibtex(slug: str, phase: str, number: int) -> Response:
    """The release as an entry for BibTeX."""
    session, task, target = find_task_and_phase(slug, phase)
    state = public_releases.get_release(session, target, number)
    entry = build_citation(task, target, state).bibtex(context.arrival_time().date())
    return send_file(
        entry.encode(), "text/x-bibtex; charset=utf-8", f"{release_key(task, target, number)}.bib"
    )


def send_run_file(slug: str, phase: str, number: int, path: str) -> Response:
    """A file of a run that was published with the release, as its team sent it."""
    session, task, target = find_task_and_phase(slug, phase)
    state = public_releases.get_release(session, target, number)
    content = release_exports.read_run_file(context.storage(), state, path)
    name = f"{release_key(task, target, number)}-{path.replace('/', '-')}"
    return send_file(content, CONTENT_TYPES["csv" if path.endswith(".csv") else "tsv"], name)


def send_run_files(slug: str, phase: str, number: int) -> Response:
    """All files of runs that were published with the release, a table of them, and the board they gave."""
    session, task, target = find_task_and_phase(slug, phase)
    state = public_releases.get_release(session, target, number)
    archive = release_exports.archive_run_files(state, f"{release_key(task, target, number)}-runs")
    tag = release_exports.archive_etag(archive)
    if request.if_none_match.contains_weak(tag):
        return require_revalidation(Response(), public=True, tag=tag)
    return require_revalidation(send_archive(archive), public=True, tag=tag)


def send_gold(
    slug: str, phase: str, number: int, level: str, actor: Actor, ending: str | None = None
) -> Response:
    """The gold of a level of a release, for somebody who accepted the terms; `ending` None: as it is."""
    session, task, target = find_task_and_phase(slug, phase)
    state, storage = public_releases.get_release(session, target, number), context.storage()
    gold, content = release_gold.read_gold(session, storage, target, state, level, context.arrival_time())
    if ending not in (None, gold.ending):
        raise NotFound(_("The gold of this release is a %(kind)s file.", kind=gold.ending.upper()))
    terms.require_accepted(session, actor, task)
    name = f"{release_key(task, target, number)}-{level}.gold.{gold.ending}"
    return send_file(
        content, CONTENT_TYPES[gold.ending], name, public=terms.find_terms(session, task) is None
    )


def get_inference_text(slug: str, phase: str, number: int) -> tuple[str, str]:
    """What was computed of a release that stands, and what its files are called."""
    session, task, target = find_task_and_phase(slug, phase)
    state = public_releases.get_release(session, target, number)
    content = inferences.get_text(session, state.release.id, state.sha256)
    return content, release_key(task, target, number)


def find_task_and_phase(slug: str, phase: str) -> tuple[Session, Task, Phase]:
    """The session, and the task and phase of the address."""
    session, task = context.session(), request_tasks.get_task(slug)
    return session, task, tasks.get_phase(session, task, phase)


def find_changes(place: ReleaseContext, state: ReleaseState) -> Any:
    """What changed since the release that this one is compared with; None: there is none, or it cannot be."""
    by_hand = state.release.feedback is None
    return release_exports.compare_boards(place.before, state) if by_hand and place.before else None


def release_key(task: Task, phase: Phase, number: int) -> str:
    """What its files and its entry are called, for ever."""
    return f"{task.slug}-{phase.slug}-release-{number}"


def build_citation(task: Task, phase: Phase, state: ReleaseState) -> Citation:
    """How a release is cited."""
    board, number = state.board, state.release.number
    site = context.site_of(current_app).config.site_url
    path = url_for("published.show", slug=task.slug, phase=phase.slug, number=number)
    return Citation(
        key=release_key(task, phase, number),
        task=board["title"],
        board=phase.title,
        number=number,
        made_at=state.release.made_at,
        url=site + path,
        sha256=state.sha256,
        scorer=board["scorer"],
    )


def send_file(content: bytes, content_type: str, filename: str, *, public: bool = True) -> Response:
    """A file that caches may keep; shared ones too if it is for everybody. Its name is made of slugs."""
    headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return require_revalidation(Response(content, content_type=content_type, headers=headers), public=public)


def send_newest_board(slug: str, phase: str) -> Response:
    """The released board as JSON: the bytes whose SHA-256 the page shows."""
    session, task = context.session(), request_tasks.get_task(slug)
    state = releases.get_public(session, tasks.get_phase(session, task, phase))
    return require_revalidation(Response(state.text, content_type="application/json"), public=True)


def send_withdrawn(error: ReleaseWithdrawn) -> Response:
    """For a program that asks for what was taken back: a line of text."""
    return Response(f"{error.message}\n", error.status, content_type="text/plain; charset=utf-8")


def requested_view(board: dict[str, Any], base: str) -> BoardView:
    """The view of a board that the request's address asks for."""
    query = read_query(board, request.args.to_dict(flat=False))
    return view_board(board, select_genre_level(board, query) if query.genres else query, base)


def board_links(state: ReleaseState, slug: str, phase: str) -> dict[str, str] | None:
    """Where a board leads to; a live one is over too soon for pages of its own."""
    if state.release.feedback is not None:
        return None
    parts: dict[str, Any] = {"slug": slug, "phase": phase, "number": state.release.number}
    return {
        "system": url_for("release_systems.show", **parts),
        "compare": url_for("comparisons.show", **parts),
        "genres": url_for("published.genres", **parts),
    }


def requested_genres(state: ReleaseState, view: BoardView) -> GenreTable | None:
    """The values by genre, where the request's address asks for them."""
    return (
        inferences.find_genres(context.session(), state.release.id, state.sha256)
        if view.query.genres
        else None
    )
