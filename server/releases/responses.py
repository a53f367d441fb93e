"""Responses that the pages and the API of released leaderboards share.

They are about the requested view, links, and downloads.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from flask import Response, current_app, request, url_for
from sqlalchemy.orm import Session

from server.access import request_tasks, tasks, terms
from server.boards import service as boards
from server.boards.board_table import BoardView, view_board
from server.boards.genres import GenreTable
from server.boards.inference_json import read_inference
from server.boards.inference_marks import MarkedBoard
from server.boards.neighbours import PAIRS_HEADER, list_pairs
from server.boards.query_parameters import read_query, select_genre_level
from server.core.actors import Actor
from server.core.errors import NotFound, ReleaseWithdrawn, require_found
from server.core.i18n import _
from server.core.table_formats import write_table
from server.phases.models import Phase
from server.releases import (
    exports as release_exports,
    inferences,
    public_releases,
    release_gold,
    seals,
    service as releases,
)
from server.runs.archives import RunArchive
from server.tasks.models import Task
from server.web import context
from server.web.caching import require_revalidation
from server.web.downloads import send_content, send_zip

CONTENT_TYPES: dict[release_exports.BoardFormat, str] = {
    "json": "application/json",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "csv": "text/csv; charset=utf-8; header=present",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
}


def read_task(slug: str) -> tuple[Task, list[releases.ReleasedPhase]]:
    """Return the task of the request's path and its phases with the newest releases.

    Raises:
        NotFound: there is no such task for the person; a preview begins only for people who see all of it.
    """
    session, is_checked = context.session(), context.preview() is not None
    now = context.arrival_time()
    return releases.read_task(session, context.actor(), slug, now, is_checked=is_checked)


@dataclass(frozen=True, slots=True)
class RequestedRelease:
    """The public release at an address, with its task and phase."""

    session: Session
    task: Task
    phase: Phase
    state: releases.ReleaseState

    @property
    def key(self) -> str:
        """The permanent name of its files and its BibTeX entry."""
        return f"{self.task.slug}-{self.phase.slug}-release-{self.state.release.number}"

    def read_inference(self) -> str:
        """Return its inference as JSON."""
        return inferences.get_text(self.session, self.state.release.id, self.state.sha256)

    def send(self, content: str | bytes, content_type: str, ending: str, *, public: bool = True) -> Response:
        """Send one of its files, which caches may store; shared caches too if it is public."""
        return require_revalidation(send_content(content, self.key + ending, content_type), public=public)


def get_requested_release(slug: str, phase: str, number: int) -> RequestedRelease:
    """Return the release of the address.

    Raises:
        NotFound, ReleaseWithdrawn: there is none, or it was withdrawn.
    """
    session, task, target = find_task_and_phase(slug, phase)
    return RequestedRelease(session, task, target, public_releases.get_release(session, target, number))


def send_board(
    slug: str, phase: str, number: int, ending: release_exports.BoardFormat, columns: Sequence[str] = ()
) -> Response:
    """Send the leaderboard in one of the formats of `scorer board`; JSON has the bytes that were hashed.

    `columns`: those of LaTeX, as lists with commas; all if there are none.
    """
    release = get_requested_release(slug, phase, number)
    if ending == "tex":
        names = [name.strip() for value in columns for name in value.split(",") if value]
        inference = inferences.find_text(release.session, release.state.release.id, release.state.sha256)
        content = release_exports.export_latex(release.state, inference, names)
    else:
        content = release_exports.export_board(release.state, ending)
    return release.send(content, CONTENT_TYPES[ending], f".{ending}")


def send_inference(slug: str, phase: str, number: int) -> Response:
    """Send intervals, tests, rank ranges, clusters and stability of the leaderboard, once computed."""
    release = get_requested_release(slug, phase, number)
    return release.send(release.read_inference(), CONTENT_TYPES["json"], "-inference.json")


def send_pairs(slug: str, phase: str, number: int) -> Response:
    """Send a line for each pair of systems that was tested, at each level and by the total."""
    release = get_requested_release(slug, phase, number)
    table = write_table("tsv", PAIRS_HEADER, list_pairs(read_inference(release.read_inference())))
    return release.send(table, CONTENT_TYPES["tsv"], "-pairs.tsv")


def send_genres(slug: str, phase: str, number: int, ending: Literal["tsv", "json"] = "tsv") -> Response:
    """Send the values of each system by genre, as `scorer board --by-genre` prints them, or as JSON."""
    release = get_requested_release(slug, phase, number)
    text = inferences.get_genres_text(release.session, release.state.release.id, release.state.sha256)
    content = text if ending == "json" else release_exports.export_genres(text)
    return release.send(content, CONTENT_TYPES[ending], f"-genres.{ending}")


def send_changes(slug: str, phase: str, number: int, ending: release_exports.ChangesFormat) -> Response:
    """Send the changes since the previous release, as `scorer changes` prints them."""
    release = get_requested_release(slug, phase, number)
    place = public_releases.find_context(release.session, release.phase, release.state)
    changes = find_changes(place, release.state)
    changes = require_found(changes, _("There is no earlier release to compare with."))
    content = release_exports.export_changes(changes, ending)
    return release.send(content, CONTENT_TYPES[ending], f"-changes.{ending}")


def send_statement(slug: str, phase: str, number: int) -> Response:
    """Send the signed statement of the release: the hashes of board and rules, and the gold version."""
    release = get_requested_release(slug, phase, number)
    seal = seals.get_seal(release.session, release.state.release.id, release.state.sha256)
    return release.send(seal.text, CONTENT_TYPES["json"], "-statement.json")


def send_bibtex(slug: str, phase: str, number: int) -> Response:
    """Send the entries of the task for BibTeX, if it has any, and that of the release."""
    release = get_requested_release(slug, phase, number)
    citation = build_citation(release.task, release.phase, release.state)
    entries = [
        release.task.citation.replace("\r\n", "\n").strip(),
        citation.bibtex(context.arrival_time().date()),
    ]
    return release.send("\n\n".join(filter(None, entries)), "text/x-bibtex; charset=utf-8", ".bib")


def send_run_file(slug: str, phase: str, number: int, path: str) -> Response:
    """Send a run file that was published with the release, as its team uploaded it."""
    release = get_requested_release(slug, phase, number)
    content = release_exports.read_run_file(context.storage(), release.state, path)
    content_type = CONTENT_TYPES["csv" if path.endswith(".csv") else "tsv"]
    return release.send(content, content_type, f"-{path.replace('/', '-')}")


def send_run_files(slug: str, phase: str, number: int) -> Response:
    """Send all run files that were published with the release, a table of them, and the leaderboard."""
    release = get_requested_release(slug, phase, number)
    archive = release_exports.archive_run_files(release.state, f"{release.key}-runs")
    return send_tagged_archive(archive, release_exports.archive_etag(archive), public=True)


def send_gold(
    slug: str, phase: str, number: int, level: str, actor: Actor, ending: str | None = None
) -> Response:
    """Send the gold file of a level to a person who accepted the terms; `ending` None: the original."""
    release = get_requested_release(slug, phase, number)
    session, task = release.session, release.task
    gold, content = release_gold.read_gold(
        session, release.phase, release.state, level, context.arrival_time()
    )
    if ending not in (None, gold.ending):
        raise NotFound.of("The gold standard of this release is a %(kind)s file.", kind=gold.ending.upper())
    terms.require_accepted(session, actor, task)
    public = terms.find_terms(session, task) is None
    return release.send(content, CONTENT_TYPES[gold.ending], f"-{level}.gold.{gold.ending}", public=public)


def find_task_and_phase(slug: str, phase: str) -> tuple[Session, Task, Phase]:
    """Return the session, and the task and phase of the address."""
    session, task = context.session(), request_tasks.get_task(slug)
    return session, task, tasks.get_phase(session, task, phase)


def find_changes(place: public_releases.ReleaseContext, state: releases.ReleaseState) -> Any:
    """Return the changes since the previous release; None: there is none, or it is not comparable."""
    by_hand = state.release.feedback is None
    return release_exports.compare_boards(place.before, state) if by_hand and place.before else None


def build_citation(task: Task, phase: Phase, state: releases.ReleaseState) -> release_exports.Citation:
    """Return the citation of a release."""
    file, number = state.file, state.release.number
    site = context.site_of(current_app).config.site_url
    path = url_for("releases.show", slug=task.slug, phase=phase.slug, number=number)
    return release_exports.Citation(
        key=f"{task.slug}-{phase.slug}-release-{number}",
        task=file.title,
        organizers=task.organizers,
        board=phase.title,
        number=number,
        made_at=state.release.made_at,
        url=site + path,
        sha256=state.sha256,
        scorer=file.scorer,
    )


def send_tagged_archive(archive: RunArchive, tag: str, *, public: bool) -> Response:
    """Send files as one zip, or 304 to clients that have it under this tag."""
    if request.if_none_match.contains_weak(tag):
        return require_revalidation(Response(), public=public, tag=tag)
    response = send_zip(archive.name, archive.readers(context.storage()))
    return require_revalidation(response, public=public, tag=tag)


def send_newest_board(slug: str, phase: str) -> Response:
    """Send the newest leaderboard as JSON: the bytes whose SHA-256 the page shows."""
    session, task = context.session(), request_tasks.get_task(slug)
    state = releases.get_public(session, tasks.get_phase(session, task, phase))
    return require_revalidation(Response(state.text, content_type="application/json"), public=True)


def send_withdrawn(error: ReleaseWithdrawn) -> Response:
    """Tell a program in a line of text that the release was withdrawn."""
    return Response(f"{error.message}\n", error.status, content_type="text/plain; charset=utf-8")


def requested_view(board: MarkedBoard, base: str) -> BoardView:
    """Return the view of a leaderboard that the request's address describes."""
    query = read_query(board, request.args.to_dict(flat=False))
    return view_board(board, select_genre_level(board, query) if query.genres else query, base)


def board_links(state: releases.ReleaseState, slug: str, phase: str) -> dict[str, str] | None:
    """Return the links of a leaderboard; a live one has none, because it becomes obsolete too soon."""
    if state.release.feedback is not None:
        return None
    parts: dict[str, Any] = {"slug": slug, "phase": phase, "number": state.release.number}
    return {
        "system": url_for("release_systems.show", **parts),
        "compare": url_for("comparisons.show", **parts),
        "genres": url_for("releases.genres", **parts),
    }


def requested_genres(state: releases.ReleaseState, view: BoardView) -> GenreTable | None:
    """Return the values by genre, if the request's address asks for them."""
    return (
        inferences.find_genres(context.session(), state.release.id, state.sha256)
        if view.query.genres
        else None
    )


def send_draft_board(task: Task, phase: str) -> Response:
    """Send the current leaderboard, always with the baselines, which a release may not show yet."""
    session = context.session()
    text = boards.board_text(session, tasks.get_phase(session, task, phase))
    return Response(text, content_type="application/json")


def send_draft_inference(task: Task, phase: str) -> Response:
    """Send the newest inference of the leaderboard that is not released yet."""
    session = context.session()
    text = inferences.get_draft_text(session, tasks.get_phase(session, task, phase))
    return Response(text, content_type="application/json")
