"""A release at its own address: its board, what changed, how to cite it, and its tables."""

from tempfile import SpooledTemporaryFile
from typing import Any, Literal

from flask import (
    Blueprint,
    Response,
    current_app,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from server.access import requests, tasks, terms
from server.access import service as access
from server.boards.inferences import read_inference
from server.boards.marked import mark_board
from server.boards.neighbours import PAIRS_HEAD, list_pairs
from server.core.actors import Actor
from server.core.errors import NotFound, TermsNotAccepted, Withdrawn
from server.core.i18n import _
from server.core.tables import write_table
from server.core.zips import MEGABYTE, write_zip
from server.evidence import service as evidence
from server.phases.feedback import places_of
from server.phases.models import Phase
from server.releases import changes as release_changes
from server.releases import exports as release_exports
from server.releases import genres as genre_tables
from server.releases import inferences, published, published_files, published_gold, seals
from server.releases import opening as gold_opening
from server.releases.citations import Citation
from server.releases.exports import ENDINGS, Ending
from server.releases.published import Place
from server.releases.service import ReleaseState
from server.releases.views.board import addresses_of, genres_asked, view_asked, withdrawn
from server.signing import service as keys
from server.submissions.run_archives import Archive
from server.tasks.models import Task
from server.web import context
from server.web.caching import revalidated
from server.web.downloads import send_zip

blueprint = Blueprint("published", __name__, url_prefix="/tasks/<slug>/boards/<phase>/releases")
blueprint.register_error_handler(Withdrawn, withdrawn)

TYPES: dict[Ending, str] = {
    "json": "application/json",
    "tsv": "text/tab-separated-values; charset=utf-8",
    "csv": "text/csv; charset=utf-8; header=present",
    "md": "text/markdown; charset=utf-8",
    "tex": "application/x-tex; charset=utf-8",
    "txt": "text/plain; charset=utf-8",
}


@blueprint.get("/<int:number>")
def show(slug: str, phase: str, number: int) -> ResponseReturnValue:
    """A release: for ever, also when a newer one is there; 410 with the reason once it was withdrawn."""
    session, task, target = _target(slug, phase)
    state = published.get_at(session, target, number)
    place = published.place_of(session, target, state)
    if state.withdrawal is not None:
        page = _page("releases/withdrawn.html", task, target, state, place)
        return page, Withdrawn.status
    live, found = state.release.feedback, inferences.find_of(session, state.release.id, state.sha256)
    board = mark_board(state.board, None if found is None else found.shown)
    view = view_asked(board, url_for("published.show", slug=slug, phase=phase, number=number))
    page = _page(
        "releases/show.html",
        task,
        target,
        state,
        place,
        board=board,
        view=view,
        at=addresses_of(state, slug, phase),
        table=genres_asked(state, view),
        found=found,
        gold_open=gold_opening.is_open(target),
        **_proof(session, target, state),
        titles={level["slug"]: level["title"] for level in board["levels"]},
        changes=_changes(place, state),
        rule_changes=release_changes.rules_between(place.before, state) if place.before else [],
        golds=published_gold.list_gold(session, target, state, context.arrived()),
        places=places_of(live, target.feedback_places, target.ladder_step),
        own=published.own_name(session, access.find_team(session, context.actor(), task), state),
        citation=_citation(task, target, state),
        today=context.arrived().date(),
    )
    response = make_response(page)
    return response if context.actor().user_id is not None else revalidated(response, public=False)


@blueprint.get(f"/<int:number>.<any({','.join(ENDINGS)}):ending>")
def export(slug: str, phase: str, number: int, ending: Ending) -> Response:
    """The board in one of the formats of `scorer board`, the same bytes; as JSON, those that were hashed."""
    session, task, target = _target(slug, phase)
    state = published.get_standing(session, target, number)
    content = release_exports.export_board(state, ending)
    return _download(content, TYPES[ending], f"{_key(task, target, number)}.{ending}")


@blueprint.get("/<int:number>/inference.json")
def inference(slug: str, phase: str, number: int) -> Response:
    """Intervals, tests, rank ranges, clusters and stability of the board, once they are computed."""
    content, name = _inferred(slug, phase, number)
    return _download(content.encode(), TYPES["json"], f"{name}-inference.json")


@blueprint.get("/<int:number>/pairs.tsv")
def pairs(slug: str, phase: str, number: int) -> Response:
    """A line for each pair of systems that was tested, at each level and by the total."""
    content, name = _inferred(slug, phase, number)
    table = write_table("tsv", PAIRS_HEAD, list_pairs(read_inference(content)))
    return _download(table.encode(), TYPES["tsv"], f"{name}-pairs.tsv")


@blueprint.get("/<int:number>/genres.tsv")
def genres(slug: str, phase: str, number: int, ending: Literal["tsv", "json"] = "tsv") -> Response:
    """The values of each system by genre, as `scorer board --by-genre` prints them; as JSON, all digits."""
    session, task, target = _target(slug, phase)
    state = published.get_standing(session, target, number)
    text = genre_tables.get_text(session, state.release.id, state.sha256)
    content = text.encode() if ending == "json" else release_exports.export_genres(text)
    return _download(content, TYPES[ending], f"{_key(task, target, number)}-genres.{ending}")


@blueprint.get(f"/<int:number>/changes.<any({','.join(release_changes.ENDINGS)}):ending>")
def changes(slug: str, phase: str, number: int, ending: release_changes.Ending) -> Response:
    """What changed since the release before, as `scorer changes` prints it for the two."""
    session, task, target = _target(slug, phase)
    state = published.get_standing(session, target, number)
    found = _changes(published.place_of(session, target, state), state)
    if found is None:
        raise NotFound(_("There is no release before this one that it could be compared with."))
    content = release_changes.export_changes(found, ending)
    return _download(content, TYPES[ending], f"{_key(task, target, number)}-changes.{ending}")


@blueprint.get("/<int:number>/release.json")
def statement(slug: str, phase: str, number: int) -> Response:
    """What the site signed as it made the release: the hashes of board and rules, and which gold it was."""
    session, task, target = _target(slug, phase)
    state = published.get_standing(session, target, number)
    seal = seals.get_seal(session, state.release.id, state.sha256)
    return _download(seal.text.encode(), TYPES["json"], f"{_key(task, target, number)}-statement.json")


@blueprint.get("/<int:number>.bib")
def bibtex(slug: str, phase: str, number: int) -> Response:
    """The release as an entry for BibTeX."""
    session, task, target = _target(slug, phase)
    state = published.get_standing(session, target, number)
    entry = _citation(task, target, state).bibtex(context.arrived().date())
    return _download(entry.encode(), "text/x-bibtex; charset=utf-8", f"{_key(task, target, number)}.bib")


@blueprint.get("/<int:number>/runs/<path:path>")
def run_file(slug: str, phase: str, number: int, path: str) -> Response:
    """A file of a run that was published with the release, as its team sent it."""
    session, task, target = _target(slug, phase)
    state = published.get_standing(session, target, number)
    content = published_files.read_file(context.storage(), state, path)
    name = f"{_key(task, target, number)}-{path.replace('/', '-')}"
    return _download(content, TYPES["csv" if path.endswith(".csv") else "tsv"], name)


@blueprint.get("/<int:number>/runs.zip")
def run_files(slug: str, phase: str, number: int) -> Response:
    """All files of runs that were published with the release, a table of them, and the board they gave."""
    session, task, target = _target(slug, phase)
    state = published.get_standing(session, target, number)
    archive = published_files.archive_files(state, f"{_key(task, target, number)}-runs")
    tag = published_files.tag_of(archive)
    if request.if_none_match.contains_weak(tag):
        return revalidated(Response(), public=True, tag=tag)
    return revalidated(_packed(archive), public=True, tag=tag)


@blueprint.get("/<int:number>/evidence.zip")
def proof(slug: str, phase: str, number: int) -> ResponseReturnValue:
    """All that is public of the release, with a signed list of it; the terms come first, as for all data."""
    try:
        return evidence_for(slug, phase, number, context.actor())
    except TermsNotAccepted:
        return _to_terms(slug)


def evidence_for(slug: str, phase: str, number: int, actor: Actor) -> Response:
    """The evidence of a release, for somebody who accepted the terms."""
    session, task, target = _target(slug, phase)
    state = published.get_standing(session, target, number)
    evidence.require_any(session, target, state, context.arrived())
    terms.require_accepted(session, actor, task)
    return _send_evidence(slug, phase, number, public=terms.find_terms(session, task) is None)


def _send_evidence(slug: str, phase: str, number: int, *, public: bool) -> Response:
    """The evidence of a release, for whoever may have it."""
    session, _, target = _target(slug, phase)
    if not keys.list_keys(session):  # the release came from another site, and this one has signed nothing yet
        with context.writing() as session:
            keys.add_first(session, context.arrived())
        session, _, target = _target(slug, phase)
    state = published.get_standing(session, target, number)
    archive = evidence.collect_evidence(session, context.storage(), target, state, context.arrived())
    tag = evidence.tag_of(archive)
    if request.if_none_match.contains_weak(tag):
        return revalidated(Response(), public=public, tag=tag)
    return revalidated(_packed(archive), public=public, tag=tag)


@blueprint.get(f"/<int:number>/gold/<level>.<any({','.join(published_gold.ENDINGS)}):ending>")
def gold(slug: str, phase: str, number: int, level: str, ending: str) -> ResponseReturnValue:
    """The gold of a level that the release was made with, once it is public; the terms come first."""
    try:
        return gold_for(slug, phase, number, level, context.actor(), ending)
    except TermsNotAccepted:
        return _to_terms(slug)


def gold_for(
    slug: str, phase: str, number: int, level: str, actor: Actor, ending: str | None = None
) -> Response:
    """The gold of a level of a release, for somebody who accepted the terms; `ending` None: as it is."""
    session, task, target = _target(slug, phase)
    state, storage = published.get_standing(session, target, number), context.storage()
    found, content = published_gold.read_gold(session, storage, target, state, level, context.arrived())
    if ending not in (None, found.ending):
        raise NotFound(_("The gold of this release is a %(kind)s file.", kind=found.ending.upper()))
    terms.require_accepted(session, actor, task)
    name = f"{_key(task, target, number)}-{level}.gold.{found.ending}"
    return _download(content, TYPES[found.ending], name, public=terms.find_terms(session, task) is None)


def _to_terms(slug: str) -> ResponseReturnValue:
    """The terms come first."""
    flash(_("Read and accept the terms first; then the data is yours."), "info")
    return redirect(url_for("terms.show", slug=slug))


def _inferred(slug: str, phase: str, number: int) -> tuple[str, str]:
    """What was computed of a release that stands, and what its files are called."""
    session, task, target = _target(slug, phase)
    state = published.get_standing(session, target, number)
    content = inferences.get_text(session, state.release.id, state.sha256)
    return content, _key(task, target, number)


def _target(slug: str, phase: str) -> tuple[Session, Task, Phase]:
    session, task = context.session(), requests.task(slug)
    return session, task, tasks.get_phase(session, task, phase)


def _page(template: str, task: Task, phase: Phase, state: ReleaseState, place: Place, **facts: Any) -> str:
    """Without a clock on it, for what lay in a cache would show it wrong."""
    phases = requests.phases(task)
    return render_template(
        template, task=task, phases=phases, phase=phase, state=state, place=place, still=True, **facts
    )


def _changes(place: Place, state: ReleaseState) -> Any:
    """What changed since the release that this one is compared with; None: there is none, or it cannot be."""
    by_hand = state.release.feedback is None
    return release_changes.changes_between(place.before, state) if by_hand and place.before else None


def _key(task: Task, phase: Phase, number: int) -> str:
    """What its files and its entry are called, for ever."""
    return f"{task.slug}-{phase.slug}-release-{number}"


def _citation(task: Task, phase: Phase, state: ReleaseState) -> Citation:
    board, number = state.board, state.release.number
    site = context.site_of(current_app).config.site_url
    path = url_for("published.show", slug=task.slug, phase=phase.slug, number=number)
    return Citation(
        key=_key(task, phase, number),
        task=board["title"],
        board=phase.title,
        number=number,
        made_at=state.release.made_at,
        url=site + path,
        sha256=state.sha256,
        scorer=board["scorer"],
    )


def _proof(session: Session, phase: Phase, state: ReleaseState) -> dict[str, Any]:
    """What was signed, and where the evidence is; whoever sees all is told what that leaves out."""
    seal, now = seals.find_seal(session, state.release.id, state.sha256), context.arrived()
    why = None if seal is None else evidence.why_none(phase, state, now)
    told = seal is not None and why is None and access.sees_all(session, context.actor(), phase.task)
    left = evidence.list_left_out(session, context.storage(), phase, state, now) if told else []
    return {"seal": seal, "no_evidence": why, "left_out": left}


def _packed(archive: Archive) -> Response:
    """Files as one zip."""
    file = SpooledTemporaryFile(max_size=8 * MEGABYTE)  # noqa: SIM115  (the server closes it when it is sent)
    write_zip(file, archive.name, archive.readers(context.storage()))
    return send_zip(file, f"{archive.name}.zip")


def _download(content: bytes, content_type: str, filename: str, *, public: bool = True) -> Response:
    """A file that caches may keep; shared ones too if it is for everybody. Its name is made of slugs."""
    headers = {"Content-Disposition": f'attachment; filename="{filename}"'}
    return revalidated(Response(content, content_type=content_type, headers=headers), public=public)
