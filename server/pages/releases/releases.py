"""The page of a release: its leaderboard, changes, citation, and tables."""

from typing import Any

from flask import (
    Blueprint,
    flash,
    make_response,
    redirect,
    render_template,
    request,
    url_for,
)
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session

from server.access import service as access
from server.boards.inference_marks import mark_board
from server.boards.systems import rows_by_key
from server.core.errors import ReleaseWithdrawn, TermsNotAccepted
from server.core.i18n import _
from server.evidence import responses as evidence_responses, service as evidence
from server.phases.feedback import decimal_places
from server.phases.models import Phase
from server.releases import exports as release_exports, inferences, public_releases, release_gold, responses
from server.releases.public_releases import ReleaseContext
from server.releases.service import ReleaseState
from server.tasks.models import Task
from server.web import context
from server.web.caching import require_revalidation
from server.web.page_rules import has_views

blueprint = Blueprint("releases", __name__, url_prefix="/tasks/<slug>/boards/<phase>/releases")
blueprint.register_error_handler(ReleaseWithdrawn, responses.send_withdrawn)


@blueprint.get("/<int:number>")
@has_views
def show(slug: str, phase: str, number: int) -> ResponseReturnValue:
    """Show a release at its permanent address; 410 with the reason if it was withdrawn."""
    session, task, target = responses.find_task_and_phase(slug, phase)
    state = public_releases.get_any_release(session, target, number)
    place = public_releases.find_context(session, target, state)
    if state.withdrawal is not None:
        page = _page("releases/withdrawn.html", task, target, state, place)
        return page, ReleaseWithdrawn.status
    live = state.release.feedback
    board_inference = inferences.find_inference(session, state.release.id, state.sha256)
    board = mark_board(state.file, None if board_inference is None else board_inference.shown)
    view = responses.requested_view(board, url_for("releases.show", slug=slug, phase=phase, number=number))
    page = _page(
        "releases/show.html",
        task,
        target,
        state,
        place,
        board=board,
        view=view,
        at=responses.board_links(state, slug, phase),
        table=responses.requested_genres(state, view),
        found=board_inference,
        gold_open=release_gold.is_open(target),
        **_read_proof(session, target, state),
        titles={level.slug: level.title for level in board.levels},
        changes=responses.find_changes(place, state),
        rule_changes=release_exports.compare_rules(place.before, state) if place.before else [],
        golds=release_gold.list_gold(session, target, state, context.arrival_time()),
        several=len(rows_by_key(board)) > 1,
        places=decimal_places(live, target.feedback_places, target.ladder_step),
        own=public_releases.find_own_name(session, access.find_team(session, context.actor(), task), state),
        latex_columns=release_exports.list_latex_columns(board),
        citation=responses.build_citation(task, target, state),
        today=context.arrival_time().date(),
    )
    response = make_response(page)
    return response if context.actor().user_id is not None else require_revalidation(response, public=False)


_CHANGES = ",".join(release_exports.CHANGES_FORMATS)
for endpoint, path, send in (
    ("inference", "/inference.json", responses.send_inference),
    ("pairs", "/pairs.tsv", responses.send_pairs),
    ("genres", "/genres.tsv", responses.send_genres),
    ("changes", f"/changes.<any({_CHANGES}):ending>", responses.send_changes),
    ("statement", "/release.json", responses.send_statement),
    ("bibtex", ".bib", responses.send_bibtex),
    ("run_file", "/runs/<path:path>", responses.send_run_file),
    ("run_files", "/runs.zip", responses.send_run_files),
):
    blueprint.add_url_rule(f"/<int:number>{path}", endpoint, send)


@blueprint.get(f"/<int:number>.<any({','.join(release_exports.BOARD_FORMATS)}):ending>")
@has_views
def export(slug: str, phase: str, number: int, ending: release_exports.BoardFormat) -> ResponseReturnValue:
    """Send the leaderboard in a format; `columns` in the address are those of LaTeX."""
    return responses.send_board(slug, phase, number, ending, request.args.getlist("columns"))


@blueprint.get("/<int:number>/evidence.zip")
def proof(slug: str, phase: str, number: int) -> ResponseReturnValue:
    """Send everything public about the release, with a signed list; the terms have to be accepted first."""
    try:
        accepts_terms = request.args.get("terms") == "accepted"
        return evidence_responses.evidence_for(
            slug, phase, number, context.actor(), accepts_terms=accepts_terms
        )
    except TermsNotAccepted:
        return _redirect_to_terms(slug)


@blueprint.get(f"/<int:number>/gold/<level>.<any({','.join(release_gold.GOLD_FORMATS)}):ending>")
def gold(slug: str, phase: str, number: int, level: str, ending: str) -> ResponseReturnValue:
    """Send the public gold file of a level for the release; the terms have to be accepted first."""
    try:
        return responses.send_gold(slug, phase, number, level, context.actor(), ending)
    except TermsNotAccepted:
        return _redirect_to_terms(slug)


def _redirect_to_terms(slug: str) -> ResponseReturnValue:
    """The terms come first."""
    flash(_("Read and accept the terms before you download the data."), "info")
    return redirect(url_for("terms.show", slug=slug))


def _page(
    template: str, task: Task, phase: Phase, state: ReleaseState, place: ReleaseContext, **facts: Any
) -> str:
    """Render a page without a current time, which would be wrong in a cached copy."""
    return render_template(template, task=task, phase=phase, state=state, place=place, still=True, **facts)


def _read_proof(session: Session, phase: Phase, state: ReleaseState) -> dict[str, Any]:
    """Return why there is no evidence; people who may see all of the task see what the evidence omits."""
    now = context.arrival_time()
    why = evidence.explain_missing_evidence(phase, state, now)
    shows_left_out = why is None and access.sees_all(session, context.actor(), phase.task)
    left_out = evidence.list_left_out(session, phase, state, now) if shows_left_out else []
    return {"no_evidence": why, "left_out": left_out}
