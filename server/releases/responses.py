"""What the pages and the API of released leaderboards share.

The view that a request asks for, links, and the files that are sent.
"""

from dataclasses import dataclass
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
from server.runs.archives import RunArchive
from server.tasks.models import Task
from server.web import context
from server.web.caching import require_revalidation
from server.web.downloads import send_content, send_zip

CONTENT_TYPES: dict[BoardFormat, str] = {
    "json": "application/json",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "csv": "text/csv; charset=utf-8; header=present",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True)
class RequestedRelease:
    """The release that stands at an address, with its task and phase."""

    session: Session
    task: Task
    phase: Phase
    state: ReleaseState

    @property
    def key(self) -> str:
        """What its files and its entry are called, for ever."""
        return f"{self.task.slug}-{self.phase.slug}-release-{self.state.release.number}"

    def read_inference(self) -> str:
        """What was computed of it, as JSON."""
        return inferences.get_text(self.session, self.state.release.id, self.state.sha256)

    def send(self, content: str | bytes, content_type: str, ending: str, *, public: bool = True) -> Response:
        """A file of it that caches may keep; shared ones too if it is for everybody."""
        return require_revalidation(send_content(content, self.key + ending, content_type), public=public)


def get_requested_release(slug: str, phase: str, number: int) -> RequestedRelease:
    """The release of the address.

    Raises:
        NotFound, ReleaseWithdrawn: there is none, or it was taken back.
    """
    session, task, target = find_task_and_phase(slug, phase)
    return RequestedRelease(session, task, target, public_releases.get_release(session, target, number))


def send_board(slug: str, phase: str, number: int, ending: BoardFormat) -> Response:
    """The board in one of the formats of `scorer board`, the same bytes; as JSON, those that were hashed."""
    release = get_requested_release(slug, phase, number)
    content = release_exports.export_board(release.state, ending)
    return release.send(content, CONTENT_TYPES[ending], f".{ending}")


def send_inference(slug: str, phase: str, number: int) -> Response:
    """Intervals, tests, rank ranges, clusters and stability of the board, once they are computed."""
    release = get_requested_release(slug, phase, number)
    return release.send(release.read_inference(), CONTENT_TYPES["json"], "-inference.json")


def send_pairs(slug: str, phase: str, number: int) -> Response:
    """A line for each pair of systems that was tested, at each level and by the total."""
    release = get_requested_release(slug, phase, number)
    table = write_table("tsv", PAIRS_HEADER, list_pairs(read_inference(release.read_inference())))
    return release.send(table, CONTENT_TYPES["tsv"], "-pairs.tsv")


def send_genres(slug: str, phase: str, number: int, ending: Literal["tsv", "json"] = "tsv") -> Response:
    """The values of each system by genre, as `scorer board --by-genre` prints them; as JSON, all digits."""
    release = get_requested_release(slug, phase, number)
    text = inferences.get_genres_text(release.session, release.state.release.id, release.state.sha256)
    content = text if ending == "json" else release_exports.export_genres(text)
    return release.send(content, CONTENT_TYPES[ending], f"-genres.{ending}")


def send_changes(slug: str, phase: str, number: int, ending: release_exports.ChangesFormat) -> Response:
    """What changed since the release before, as `scorer changes` prints it for the two."""
    release = get_requested_release(slug, phase, number)
    place = public_releases.find_context(release.session, release.phase, release.state)
    changes = find_changes(place, release.state)
    if changes is None:
        raise NotFound(_("There is no earlier release to compare with."))
    content = release_exports.export_changes(changes, ending)
    return release.send(content, CONTENT_TYPES[ending], f"-changes.{ending}")


def send_statement(slug: str, phase: str, number: int) -> Response:
    """What the site signed as it made the release: the hashes of board and rules, and which gold it was."""
    release = get_requested_release(slug, phase, number)
    seal = seals.get_seal(release.session, release.state.release.id, release.state.sha256)
    return release.send(seal.text, CONTENT_TYPES["json"], "-statement.json")


def send_bibtex(slug: str, phase: str, number: int) -> Response:
    """The release as an entry for BibTeX."""
    release = get_requested_release(slug, phase, number)
    citation = build_citation(release.task, release.phase, release.state)
    entry = citation.bibtex(context.arrival_time().date())
    return release.send(entry, "text/x-bibtex; charset=utf-8", ".bib")


def send_run_file(slug: str, phase: str, number: int, path: str) -> Response:
    """A file of a run that was published with the release, as its team sent it."""
    release = get_requested_release(slug, phase, number)
    content = release_exports.read_run_file(context.storage(), release.state, path)
    content_type = CONTENT_TYPES["csv" if path.endswith(".csv") else "tsv"]
    return release.send(content, content_type, f"-{path.replace('/', '-')}")


def send_run_files(slug: str, phase: str, number: int) -> Response:
    """All files of runs that were published with the release, a table of them, and the board they gave."""
    release = get_requested_release(slug, phase, number)
    archive = release_exports.archive_run_files(release.state, f"{release.key}-runs")
    return send_tagged_archive(archive, release_exports.archive_etag(archive), public=True)


def send_gold(
    slug: str, phase: str, number: int, level: str, actor: Actor, ending: str | None = None
) -> Response:
    """The gold of a level of a release, for somebody who accepted the terms; `ending` None: as it is."""
    release = get_requested_release(slug, phase, number)
    session, task = release.session, release.task
    gold, content = release_gold.read_gold(
        session, context.storage(), release.phase, release.state, level, context.arrival_time()
    )
    if ending not in (None, gold.ending):
        raise NotFound(_("The gold standard of this release is a %(kind)s file.", kind=gold.ending.upper()))
    terms.require_accepted(session, actor, task)
    public = terms.find_terms(session, task) is None
    return release.send(content, CONTENT_TYPES[gold.ending], f"-{level}.gold.{gold.ending}", public=public)


def find_task_and_phase(slug: str, phase: str) -> tuple[Session, Task, Phase]:
    """The session, and the task and phase of the address."""
    session, task = context.session(), request_tasks.get_task(slug)
    return session, task, tasks.get_phase(session, task, phase)


def find_changes(place: ReleaseContext, state: ReleaseState) -> Any:
    """What changed since the release that this one is compared with; None: there is none, or it cannot be."""
    by_hand = state.release.feedback is None
    return release_exports.compare_boards(place.before, state) if by_hand and place.before else None


def build_citation(task: Task, phase: Phase, state: ReleaseState) -> Citation:
    """How a release is cited."""
    board, number = state.board, state.release.number
    site = context.site_of(current_app).config.site_url
    path = url_for("published.show", slug=task.slug, phase=phase.slug, number=number)
    return Citation(
        key=f"{task.slug}-{phase.slug}-release-{number}",
        task=board["title"],
        board=phase.title,
        number=number,
        made_at=state.release.made_at,
        url=site + path,
        sha256=state.sha256,
        scorer=board["scorer"],
    )


def send_tagged_archive(archive: RunArchive, tag: str, *, public: bool) -> Response:
    """Files as one zip, which whoever has it under this tag is not sent again."""
    if request.if_none_match.contains_weak(tag):
        return require_revalidation(Response(), public=public, tag=tag)
    response = send_zip(archive.name, archive.readers(context.storage()))
    return require_revalidation(response, public=public, tag=tag)


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
