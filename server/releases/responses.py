"""The files of a release, as its page and the API send them."""

from tempfile import SpooledTemporaryFile
from typing import Any, Literal

from flask import (
    Response,
    current_app,
    request,
    url_for,
)
from sqlalchemy.orm import Session

from server.access import request_tasks, tasks, terms
from server.boards.inferences import read_inference
from server.boards.neighbours import PAIRS_HEAD, list_pairs
from server.core.actors import Actor
from server.core.errors import NotFound
from server.core.i18n import _
from server.core.tables import write_table
from server.core.zips import MEGABYTE, write_zip
from server.phases.models import Phase
from server.releases import changes as release_changes
from server.releases import exports as release_exports
from server.releases import genres as genre_tables
from server.releases import inferences, published, published_files, published_gold, seals
from server.releases import service as releases
from server.releases.citations import Citation
from server.releases.exports import Ending
from server.releases.published import ReleaseContext
from server.releases.service import ReleaseState
from server.runs.archives import RunArchive
from server.tasks.models import Task
from server.web import context
from server.web.caching import revalidated
from server.web.downloads import send_zip

TYPES: dict[Ending, str] = {
    "json": "application/json",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "csv": "text/csv; charset=utf-8; header=present",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
}


def export(slug: str, phase: str, number: int, ending: Ending) -> Response:
    """The board in one of the formats of `scorer board`, the same bytes; as JSON, those that were hashed."""
    session, task, target = find_target(slug, phase)
    state = published.get_standing(session, target, number)
    content = release_exports.export_board(state, ending)
    return send_file(content, TYPES[ending], f"{file_key(task, target, number)}.{ending}")


def inference(slug: str, phase: str, number: int) -> Response:
    """Intervals, tests, rank ranges, clusters and stability of the board, once they are computed."""
    content, name = inferred_text(slug, phase, number)
    return send_file(content.encode(), TYPES["json"], f"{name}-inference.json")


def pairs(slug: str, phase: str, number: int) -> Response:
    """A line for each pair of systems that was tested, at each level and by the total."""
    content, name = inferred_text(slug, phase, number)
    table = write_table("tsv", PAIRS_HEAD, list_pairs(read_inference(content)))
    return send_file(table.encode(), TYPES["tsv"], f"{name}-pairs.tsv")


def genres(slug: str, phase: str, number: int, ending: Literal["tsv", "json"] = "tsv") -> Response:
    """The values of each system by genre, as `scorer board --by-genre` prints them; as JSON, all digits."""
    session, task, target = find_target(slug, phase)
    state = published.get_standing(session, target, number)
    text = genre_tables.get_text(session, state.release.id, state.sha256)
    content = text.encode() if ending == "json" else release_exports.export_genres(text)
    return send_file(content, TYPES[ending], f"{file_key(task, target, number)}-genres.{ending}")


def changes(slug: str, phase: str, number: int, ending: release_changes.Ending) -> Response:
    """What changed since the release before, as `scorer changes` prints it for the two."""
    session, task, target = find_target(slug, phase)
    state = published.get_standing(session, target, number)
    found = changes_before(published.place_of(session, target, state), state)
    if found is None:
        raise NotFound(_("There is no release before this one that it could be compared with."))
    content = release_changes.export_changes(found, ending)
    return send_file(content, TYPES[ending], f"{file_key(task, target, number)}-changes.{ending}")


def statement(slug: str, phase: str, number: int) -> Response:
    """What the site signed as it made the release: the hashes of board and rules, and which gold it was."""
    session, task, target = find_target(slug, phase)
    state = published.get_standing(session, target, number)
    seal = seals.get_seal(session, state.release.id, state.sha256)
    return send_file(seal.text.encode(), TYPES["json"], f"{file_key(task, target, number)}-statement.json")


def bibtex(slug: str, phase: str, number: int) -> Response:
    """The release as an entry for BibTeX."""
    session, task, target = find_target(slug, phase)
    state = published.get_standing(session, target, number)
    entry = citation_of(task, target, state).bibtex(context.arrived().date())
    return send_file(entry.encode(), "text/x-bibtex; charset=utf-8", f"{file_key(task, target, number)}.bib")


def run_file(slug: str, phase: str, number: int, path: str) -> Response:
    """A file of a run that was published with the release, as its team sent it."""
    session, task, target = find_target(slug, phase)
    state = published.get_standing(session, target, number)
    content = published_files.read_file(context.storage(), state, path)
    name = f"{file_key(task, target, number)}-{path.replace('/', '-')}"
    return send_file(content, TYPES["csv" if path.endswith(".csv") else "tsv"], name)


def run_files(slug: str, phase: str, number: int) -> Response:
    """All files of runs that were published with the release, a table of them, and the board they gave."""
    session, task, target = find_target(slug, phase)
    state = published.get_standing(session, target, number)
    archive = published_files.archive_files(state, f"{file_key(task, target, number)}-runs")
    tag = published_files.tag_of(archive)
    if request.if_none_match.contains_weak(tag):
        return revalidated(Response(), public=True, tag=tag)
    return revalidated(send_archive(archive), public=True, tag=tag)


def gold_for(
    slug: str, phase: str, number: int, level: str, actor: Actor, ending: str | None = None
) -> Response:
    """The gold of a level of a release, for somebody who accepted the terms; `ending` None: as it is."""
    session, task, target = find_target(slug, phase)
    state, storage = published.get_standing(session, target, number), context.storage()
    found, content = published_gold.read_gold(session, storage, target, state, level, context.arrived())
    if ending not in (None, found.ending):
        raise NotFound(_("The gold of this release is a %(kind)s file.", kind=found.ending.upper()))
    terms.require_accepted(session, actor, task)
    name = f"{file_key(task, target, number)}-{level}.gold.{found.ending}"
    return send_file(content, TYPES[found.ending], name, public=terms.find_terms(session, task) is None)


def inferred_text(slug: str, phase: str, number: int) -> tuple[str, str]:
    """What was computed of a release that stands, and what its files are called."""
    session, task, target = find_target(slug, phase)
    state = published.get_standing(session, target, number)
    content = inferences.get_text(session, state.release.id, state.sha256)
    return content, file_key(task, target, number)


def find_target(slug: str, phase: str) -> tuple[Session, Task, Phase]:
    """The session, and the task and phase of the address."""
    session, task = context.session(), request_tasks.get_task(slug)
    return session, task, tasks.get_phase(session, task, phase)


def changes_before(place: ReleaseContext, state: ReleaseState) -> Any:
    """What changed since the release that this one is compared with; None: there is none, or it cannot be."""
    by_hand = state.release.feedback is None
    return release_changes.changes_between(place.before, state) if by_hand and place.before else None


def file_key(task: Task, phase: Phase, number: int) -> str:
    """What its files and its entry are called, for ever."""
    return f"{task.slug}-{phase.slug}-release-{number}"


def citation_of(task: Task, phase: Phase, state: ReleaseState) -> Citation:
    """How a release is cited."""
    board, number = state.board, state.release.number
    site = context.site_of(current_app).config.site_url
    path = url_for("published.show", slug=task.slug, phase=phase.slug, number=number)
    return Citation(
        key=file_key(task, phase, number),
        task=board["title"],
        board=phase.title,
        number=number,
        made_at=state.release.made_at,
        url=site + path,
        sha256=state.sha256,
        scorer=board["scorer"],
    )


def send_archive(archive: RunArchive) -> Response:
    """Files as one zip."""
    file = SpooledTemporaryFile(max_size=8 * MEGABYTE)  # noqa: SIM115  (the server closes it when it is sent)
    write_zip(file, archive.name, archive.readers(context.storage()))
    return send_zip(file, f"{archive.name}.zip")


def send_file(content: bytes, content_type: str, filename: str, *, public: bool = True) -> Response:
    """A file that caches may keep; shared ones too if it is for everybody. Its name is made of slugs."""
    headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return revalidated(Response(content, content_type=content_type, headers=headers), public=public)


def board_json(slug: str, phase: str) -> Response:
    """The released board as JSON: the bytes whose SHA-256 the page shows."""
    session, task = context.session(), request_tasks.get_task(slug)
    state = releases.get_public(session, tasks.get_phase(session, task, phase))
    return revalidated(Response(state.text, content_type="application/json"), public=True)
