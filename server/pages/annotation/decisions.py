"""Disagreements of annotators on a closed round of ratings, and the organizers' decisions."""

from dataclasses import dataclass, replace
from http import HTTPStatus
from typing import Any

from flask import flash, jsonify, redirect, request, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks
from server.annotation.answers import questions
from server.annotation.campaigns import service as campaigns
from server.annotation.models import AnnotationRound, Campaign
from server.annotation.results import decisions, figures
from server.annotation.results.forms import DecisionForm
from server.core.errors import Conflict
from server.core.i18n import _
from server.pages.annotation.campaign_people import PREFIX, get_campaign, render_campaign
from server.web import context
from server.web.fields import ConfirmForm
from server.web.form_errors import flash_error
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("decisions", __name__, url_prefix=f"{PREFIX}/disagreements")
MAX_SHOWN = 100
"""The maximum number of pairs on the page."""
USUAL_GAP = 1.0
"""From this difference of two ratings up, a pair is shown, unless the reader chooses another one."""


@dataclass(frozen=True, slots=True)
class Place:
    """What the address names: a campaign, a round, a pass, and the smallest spread."""

    campaign: Campaign
    round: AnnotationRound
    pass_number: int
    gap: float

    @property
    def here(self) -> dict[str, Any]:
        """The values with which addresses of these pages are built."""
        slug = self.round.pass_slugs[self.pass_number - 1]
        return {"slug": self.campaign.task.slug, "campaign": self.campaign.slug, "round": self.round.slug} | {
            "pass": slug or None, "gap": None if self.gap == USUAL_GAP else f"{self.gap:g}"
        }  # fmt: skip

    def list_open(self, units: list[decisions.RatedUnit]) -> list[decisions.RatedUnit]:
        """Return the units to decide."""
        return [rated for rated in units if rated.decision is None and rated.spread >= self.gap]


@blueprint.get("")
def show(slug: str, campaign: str) -> str:
    """List the pairs on which annotators disagree, those with the largest difference first."""
    place, obstacle = _get_place(slug, campaign), None
    try:
        units = decisions.list_rated_units(context.session(), place.round, place.pass_number)
    except Conflict as error:
        units, obstacle = [], error.message
    shown = [rated for rated in units if rated.decision is not None or rated.spread >= place.gap]
    computed = figures.find_figures(context.session(), place.round)
    slug_of_pass = place.round.pass_slugs[place.pass_number - 1]
    return render_campaign(
        "annotation/disagreements.html",
        place.campaign,
        place=place,
        obstacle=obstacle,
        agreement=computed and figures.select_agreement(computed, slug_of_pass),
        is_current=computed is not None and computed.current,
        n_units=len(units),
        n_open=len(place.list_open(units)),
        units=shown[:MAX_SHOWN],
        n_shown=len(shown),
        show=place.round.rules.passes[place.pass_number - 1].show,
        causes=decisions.count_causes(units),
        words=_cause_words(),
    )


@blueprint.get("/<int:unit_id>")
def edit(slug: str, campaign: str, unit_id: int) -> str:
    """Show one pair with its ratings, and the form to decide on it."""
    request_tasks.get_organized_task(slug)
    return _render_form(_get_place(slug, campaign), unit_id, reveals=False)


@blueprint.post("/<int:unit_id>")
def decide(slug: str, campaign: str, unit_id: int) -> ResponseReturnValue:
    """Store a decision, or take one back, and go on to the next undecided pair."""
    request_tasks.get_organized_task(slug)
    address = url_for(".edit", unit_id=unit_id, **_get_place(slug, campaign).here)
    is_program = request.accept_mimetypes.best == "application/json"
    try:
        _store_decision(slug, campaign, unit_id, DecisionForm())
        address = _next_address(_get_place(slug, campaign))
    except Conflict as error:
        if is_program:
            return jsonify(error=error.message), HTTPStatus.CONFLICT
        flash(error.message, "error")
    return jsonify(location=address) if is_program else redirect(address)


def _store_decision(slug: str, campaign: str, unit_id: int, form: DecisionForm) -> None:
    if not form.validate_on_submit():
        raise Conflict.of("The note can have at most 2000 characters. Nothing was changed.")
    value = None if form.take_back.data else form.value.data or ""
    new = decisions.NewDecision(value, form.cause.data or "", form.note.data or "")
    with context.writing() as session:
        place = _get_place(slug, campaign)
        units = decisions.list_rated_units(session, place.round, place.pass_number)
        rated = decisions.get_rated_unit(units, unit_id)
        decisions.decide_unit(
            session, context.actor(), place.round, rated, place.pass_number, new, context.arrival_time()
        )


@blueprint.post("/<int:unit_id>/who")
def reveal(slug: str, campaign: str, unit_id: int) -> ResponseReturnValue:
    """Show which annotator gave which rating of a decided pair, and note in the log who asked."""
    request_tasks.get_organized_task(slug)
    place = _get_place(slug, campaign)
    with flash_error(Conflict):
        if ConfirmForm().validate_on_submit():
            with context.writing() as session:
                place = _get_place(slug, campaign)
                units = decisions.list_rated_units(session, place.round, place.pass_number)
                rated = decisions.get_rated_unit(units, unit_id)
                decisions.record_reveal(session, context.actor(), place.round, rated, context.arrival_time())
            return _render_form(_get_place(slug, campaign), unit_id, reveals=True)
    return redirect(url_for(".show", **place.here))


def _get_place(slug: str, campaign: str) -> Place:
    row = get_campaign(slug, campaign)
    round_ = campaigns.get_round(row, request.args.get("round", ""))
    slugs, named = round_.pass_slugs, request.args.get("pass", "")
    number = slugs.index(named) + 1 if named in slugs else 1
    gap = request.args.get("gap", USUAL_GAP, type=float)
    return Place(row, round_, number, gap if gap >= 0 else USUAL_GAP)


def _next_address(place: Place) -> str:
    """Return the address of the next pair to decide, or of the list if there is none."""
    units = decisions.list_rated_units(context.session(), place.round, place.pass_number)
    left = place.list_open(units)
    if not left:
        return url_for(".show", **place.here)
    return url_for(".edit", unit_id=left[0].unit.id, **place.here)


def _render_form(place: Place, unit_id: int, *, reveals: bool) -> str:
    units = decisions.list_rated_units(context.session(), place.round, place.pass_number)
    rated = decisions.get_rated_unit(units, unit_id)
    left = [each for each in place.list_open(units) if each is not rated]
    after = [each for each in left if units.index(each) > units.index(rated)]
    language = place.campaign.languages[0]
    question = questions.build_rate_question(place.round, place.pass_number, language)
    return render_campaign(
        "annotation/decision.html",
        place.campaign,
        place=place,
        rated=rated,
        skip=next(iter(after or left), None),
        n_open=len(place.list_open(units)),
        question=replace(question, one_press=False),
        stage=questions.build_stage(place.round.rules.passes[place.pass_number - 1].show, rated.unit),
        annotator={"language": language},
        words=_cause_words(),
        reveals=reveals,
        form=DecisionForm(formdata=None, note="" if rated.decision is None else rated.decision.note),
    )


def _cause_words() -> dict[str, str]:
    """Return the causes in words."""
    words = (_("overlooked"), _("misunderstood"), _("unclear text"), _("guideline"), _("other"))
    return dict(zip(decisions.CAUSES, words, strict=True))
