"""The organizers' page of a campaign's results: progress, agreement, annotators, gold and the export."""

from collections.abc import Callable
from datetime import datetime

from flask import Response, flash, redirect, request, url_for
from flask.typing import ResponseReturnValue
from flask_wtf import FlaskForm
from sqlalchemy.orm import Session

from server.access import request_tasks
from server.annotation.answers import answered_steps
from server.annotation.assignments import plans
from server.annotation.campaigns import competing, erasure, exclusions, people, service as campaigns
from server.annotation.models import Annotator, Campaign, Step
from server.annotation.results import (
    answer_rows,
    export_zips,
    exports,
    figures,
    gold,
    progress,
    written_texts,
)
from server.annotation.results.figure_tables import PLAIN_COLUMNS
from server.annotation.results.forms import ExclusionForm
from server.core.actors import Actor
from server.core.errors import Conflict, InvalidFile
from server.core.i18n import _
from server.pages.annotation.campaign_people import PREFIX, get_campaign, get_round, render_campaign
from server.tasks.models import Task
from server.web import context
from server.web.downloads import send_file
from server.web.fields import ConfirmForm
from server.web.form_errors import flash_error
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("results", __name__, url_prefix=f"{PREFIX}/results")
PAGE_SIZE = 50
"""The maximum number of annotators, of comments or of written texts on a page."""
CampaignAction = Callable[[Session, Actor, Campaign, datetime], str]
"""Acts on a campaign, and returns a message about it; if that is empty, none is shown."""


@blueprint.get("")
def show(slug: str, campaign: str) -> str:
    """Show how far a round is, how much its annotators agree, and what the gold would be."""
    session, shown = context.session(), get_campaign(slug, campaign)
    round_ = get_round(shown)
    makes_gold = shown.gold_rule is not None and campaigns.get_gold_round(shown) is round_
    preview = gold.preview_gold(session, shown) if makes_gold else None
    now = context.arrival_time()
    measured = progress.measure_progress(session, round_, now)
    computed = figures.find_figures(session, round_)
    errors, page = {} if computed is None else figures.find_errors(computed), context.page_number()
    annotators = sorted(measured.annotators, key=lambda each: -errors.get(each.annotator.name, -1))
    return render_campaign(
        "annotation/results.html",
        shown,
        round=round_,
        state=campaigns.round_state(session, round_),
        progress=measured,
        export=export_zips.find_state(session, round_, now),
        annotators=annotators[(page - 1) * PAGE_SIZE : page * PAGE_SIZE],
        errors=errors,
        page=page,
        size=PAGE_SIZE,
        computed=computed,
        plain=PLAIN_COLUMNS,
        queued=figures.is_queued(session, round_),
        error=figures.find_error(session, round_),
        gold=preview,
        units=preview and plans.list_items(session, round_)[:20],
        spreads=preview and gold.find_spreads(preview),
        version=None if preview is None else gold.find_version(session, shown, preview),
        obstacle=preview and gold.explain_obstacle(session, shown, preview),
        form=ExclusionForm(formdata=None),
        hides_gold=competing.hides_gold(shown),
    )


@blueprint.get("/comments")
def remarks(slug: str, campaign: str) -> str:
    """List the comments of annotators, and the reasons why they could not judge."""
    session, shown = context.session(), get_campaign(slug, campaign)
    round_, page = get_round(shown), context.page_number()
    rows = answer_rows.list_remarks(session, round_, PAGE_SIZE, page)
    return render_campaign(
        "annotation/remarks.html",
        shown,
        round=round_,
        rows=rows[:PAGE_SIZE],
        page=page,
        has_next=len(rows) > PAGE_SIZE,
        here={"slug": slug, "campaign": campaign, "round": round_.slug},
    )


@blueprint.get("/texts")
def written(slug: str, campaign: str) -> str:
    """Count what annotators wrote by genre and wanted rating, and list it with what they left blank."""
    session, shown = context.session(), get_campaign(slug, campaign)
    round_, page = get_round(shown), context.page_number()
    counts = written_texts.count_texts(session, round_)
    chosen = {name: request.args.get(name) or None for name in ("genre", "wanted")}
    texts = written_texts.list_texts(session, round_, chosen, PAGE_SIZE, page)
    return render_campaign(
        "annotation/written.html",
        shown,
        round=round_,
        counts=counts,
        chosen=chosen,
        texts=texts[:PAGE_SIZE],
        page=page,
        has_next=len(texts) > PAGE_SIZE,
    )


@blueprint.post("/figures")
def compute_figures(slug: str, campaign: str) -> ResponseReturnValue:
    """Have the figures computed from the answers that count now."""

    def act(session: Session, _actor: Actor, shown: Campaign, now: datetime) -> str:
        figures.queue_figures(session, get_round(shown), now)
        return _("The figures are being computed.")

    return _apply_action(slug, campaign, act)


@blueprint.post("/gold")
def make_gold(slug: str, campaign: str) -> ResponseReturnValue:
    """Make the gold of the campaign a candidate."""

    def act(session: Session, actor: Actor, shown: Campaign, now: datetime) -> str:
        version = gold.add_gold(session, actor, shown, now)
        if version.number == 1:
            return _("Gold version 1 was made from the answers and is now in force.")
        return _(
            "Gold version %(number)d was made from the answers and is now a candidate. Nothing has "
            "changed for teams: look at it under Gold standard, then put it in force.",
            number=version.number,
        )

    return _apply_action(slug, campaign, act)


@blueprint.post("/annotators/<name>/<any(exclude, include):action>")
def exclude(slug: str, campaign: str, name: str, action: str) -> ResponseReturnValue:
    """Exclude an annotator's answers, or include them again."""
    form = ExclusionForm()

    def act(session: Session, actor: Actor, shown: Campaign, now: datetime) -> str:
        annotator = people.get_annotator(session, shown, name)
        excluded = action == "exclude"
        exclusions.exclude_annotator(
            session, actor, annotator, excluded=excluded, reason=form.reason.data or "", now=now
        )
        if excluded:
            return _("The answers of %(name)s no longer count.", name=name)
        return _("The answers of %(name)s count again.", name=name)

    return _apply_action(slug, campaign, act, form)


@blueprint.post("/annotators/<name>/answers")
def view_answers(slug: str, campaign: str, name: str) -> ResponseReturnValue:
    """Show the steps of an annotator with their answers, and note in the activity log who looked at them."""
    request_tasks.get_organized_task(slug)
    if not ConfirmForm().validate_on_submit():
        return redirect(url_for(".show", slug=slug, campaign=campaign))
    with flash_error():
        with context.writing() as session:
            annotator = _get_annotator(slug, campaign, name)
            people.record_view(session, context.actor(), annotator, context.arrival_time())
        annotator = _get_annotator(slug, campaign, name)
        return render_campaign(
            "annotation/answers.html",
            annotator.campaign,
            annotator=annotator,
            steps=answered_steps.list_steps(context.session(), Step.annotator_id == annotator.id),
        )
    return redirect(url_for(".show", slug=slug, campaign=campaign))


@blueprint.post("/annotators/<name>/erase")
def erase(slug: str, campaign: str, name: str) -> ResponseReturnValue:
    """Erase who an annotator is, and what they wrote."""

    def act(session: Session, actor: Actor, shown: Campaign, now: datetime) -> str:
        erasure.erase_annotator(session, actor, people.get_annotator(session, shown, name), now)
        erased = _("The personal data of %(name)s was erased. Their ratings stay.", name=name)
        if any(round_.kind == "write" for round_ in shown.rounds):
            erased += " " + _("Texts that they wrote stay in campaigns that were made from them before.")
        return erased

    return _apply_action(slug, campaign, act)


@blueprint.get("/export.zip")
def export(slug: str, campaign: str) -> Response:
    """Download the answers, the plan and the gold, for the scorer's commands."""
    session, shown = context.session(), get_campaign(slug, campaign)
    round_, now = get_round(shown), context.arrival_time()
    file = export_zips.open_zip(session, context.actor(), round_, now)
    return send_file(file, f"{exports.name_folder(round_)}.zip", "application/zip")


@blueprint.post("/export")
def make_export(slug: str, campaign: str) -> ResponseReturnValue:
    """Have the download of a large round made."""

    def act(session: Session, actor: Actor, shown: Campaign, now: datetime) -> str:
        export_zips.request_zip(session, actor, get_round(shown), now)
        return ""  # the page says below that it is being made

    return _apply_action(slug, campaign, act, get_task=request_tasks.get_observed_task)


def _get_annotator(slug: str, campaign: str, name: str) -> Annotator:
    session, shown = context.session(), get_campaign(slug, campaign)
    return people.get_annotator(session, shown, name)


def _apply_action(
    slug: str,
    name: str,
    act: CampaignAction,
    form: FlaskForm | None = None,
    get_task: Callable[[str], Task] = request_tasks.get_organized_task,
) -> ResponseReturnValue:
    """Act on a campaign in one transaction, and redirect to its results; `get_task` checks who may."""
    get_task(slug)
    form = ConfirmForm() if form is None else form
    chosen = request.args.get("round")
    response = redirect(url_for("results.show", slug=slug, campaign=name, round=chosen))
    if not form.validate_on_submit():
        flash(_("Enter a reason. Nothing was changed."), "error")
        return response
    try:
        with flash_error(Conflict):
            with context.writing() as session:
                shown = get_campaign(slug, name)
                message = act(session, context.actor(), shown, context.arrival_time())
            if message:
                flash(message, "success")
    except InvalidFile as error:
        problems = " ".join(problem.said for problem in error.problems[:3])
        flash(f"{error.message} {problems}", "error")
    return response
