"""The campaigns of a task: creating them, their texts, and opening, pausing and closing their rounds."""

from collections.abc import Sequence
from io import BytesIO

from flask import current_app, flash, redirect, render_template, url_for
from flask.typing import ResponseReturnValue
from sqlalchemy.orm import Session
from werkzeug.datastructures import FileStorage

from server.access import request_tasks, service as access
from server.annotation.assignments import plans
from server.annotation.campaigns import (
    competing,
    consents,
    crowd,
    forms,
    overview,
    people,
    personal_links,
    service as campaigns,
    uploads,
)
from server.annotation.campaigns.uploads import CampaignUpload
from server.annotation.drafts import tables
from server.annotation.models import Campaign
from server.annotation.results import campaign_needs, gold
from server.annotation.results.progress import count_answers
from server.core import db
from server.core.errors import Conflict, InvalidFile, NotFound
from server.core.i18n import _
from server.core.zips import pack_files
from server.pages.annotation.campaign_people import get_campaign, get_round, render_campaign
from server.submissions.forms import clean_filename
from server.tasks.models import Task
from server.web import context
from server.web.downloads import send_json
from server.web.fields import ConfirmForm
from server.web.form_errors import flash_error, render_form
from server.web.page_rules import SignedInBlueprint, takes_files

blueprint = SignedInBlueprint("campaigns", __name__, url_prefix="/tasks/<slug>/organize/campaigns")

UNITS_PER_PAGE = 50


@blueprint.get("/")
def index(slug: str) -> str:
    """List the campaigns of the task."""
    session, task = context.session(), request_tasks.get_observed_task(slug)
    rows = campaigns.list_campaigns(session, context.actor(), task)
    return render_template(
        "annotation/campaigns.html",
        task=task,
        campaigns=[
            (campaign, [(round_, campaigns.round_state(session, round_)) for round_ in campaign.rounds])
            for campaign in rows
        ],
    )


@blueprint.route("/new", methods=["GET", "POST"])
@takes_files(request_tasks.limit_for_organizers(forms.UPLOAD_LIMIT + forms.FORM_OVERHEAD))
def create(slug: str) -> ResponseReturnValue:
    """Have a campaign created from its files, or go on with a table."""
    task, form, refused = request_tasks.get_organized_task(slug), forms.CampaignForm(), None
    if form.validate_on_submit():
        db.end_reading(context.session())  # storing large files takes a while, so no transaction stays open
        try:
            if _is_table(form.file.data):
                return redirect(_keep_table(slug, form.file.data[0]))
            return redirect(queue_upload(slug, CampaignUpload(context.storage().put(_pack(form.file.data)))))
        except InvalidFile as error:
            refused = error
        except Conflict as error:
            form.file.errors = [*form.file.errors, error.message]
        task = request_tasks.get_task(slug)
    return _render_new(task, form, refused)


def _render_new(task: Task, form: forms.CampaignForm, refused: InvalidFile | None) -> tuple[str, int]:
    return render_form(
        "annotation/new_campaign.html", form, task=task, refused=refused, limit=forms.UPLOAD_LIMIT
    )


def _is_table(files: Sequence[FileStorage]) -> bool:
    """Whether the only file is neither annotation.toml nor a zip."""
    return len(files) == 1 and not (files[0].filename or "").lower().endswith((".zip", ".toml"))


def _keep_table(slug: str, file: FileStorage) -> str:
    """Store a table whose first rows can be shown, and return the address of the page that does so."""
    table = tables.UploadedTable(clean_filename(file.filename), file.stream.read())
    table.draft()
    task = request_tasks.get_task(slug)
    signed = tables.keep_table(context.session(), context.actor(), task, table)
    return url_for("campaign_drafts.create", slug=slug, table=signed)


def _pack(files: Sequence[FileStorage]) -> bytes:
    """Return the files as one zip."""
    if len(files) == 1 and (files[0].filename or "").lower().endswith(".zip"):
        return files[0].stream.read()
    target = BytesIO()
    pack_files(target, ((file.filename or "", file.stream.read) for file in files))
    return target.getvalue()


def queue_upload(slug: str, upload: CampaignUpload) -> str:
    """Have an upload read, and return the address of the page that shows what becomes of it."""
    with context.writing() as session:
        task, now = request_tasks.get_task(slug), context.arrival_time()
        job_id = uploads.queue_upload(session, context.actor(), task, upload, now)
        return url_for("campaigns.show_upload", slug=slug, job_id=job_id)


@blueprint.get("/new/<int:job_id>")
def show_upload(slug: str, job_id: int) -> ResponseReturnValue:
    """Show that an upload is being read, then go to its campaign, or show every problem of its files."""
    session, task = context.session(), request_tasks.get_organized_task(slug)
    result = uploads.get_result(session, context.actor(), task, job_id)
    if result.campaign is not None and not result.notes:
        flash(_("The campaign was created. Try it, then create links and open it."), "success")
        return redirect(url_for("campaigns.show", slug=slug, campaign=result.campaign))
    if result.refused is None:
        return render_template("annotation/creating.html", task=task, result=result)
    if (asked := result.upload.next) is not None:
        form = url_for(
            "next_campaigns.create", slug=slug, campaign=asked.campaign, round=asked.round, upload=job_id
        )
        return redirect(form)
    if result.upload.draft is None:
        return _render_new(task, forms.CampaignForm(), result.refused)[0]
    sha256, draft = result.upload.sha256, result.upload.draft
    signed = tables.sign_table(session, context.actor(), task, sha256, draft.table)
    return redirect(url_for("campaign_drafts.create", slug=slug, table=signed, upload=job_id))


@blueprint.get("/<campaign>/")
def show(slug: str, campaign: str) -> str:
    """Show a campaign: the state and the plan's arithmetic of each round, and what to do next."""
    session, row = context.session(), get_campaign(slug, campaign)
    rounds = [
        {
            "round": round_,
            "state": campaigns.round_state(session, round_),
            "figures": overview.read_figures(session, round_),
            "plans": plans.list_plans(session, round_),
            "progress": count_answers(session, round_),
        }
        for round_ in row.rounds
    ]
    states = {one["state"] for one in rounds}
    return render_campaign(
        "annotation/campaign.html",
        row,
        rounds=rounds,
        annotators=len(people.list_annotators(session, row)),
        consent=consents.current_version(session, row),
        crowds=crowd.list_links(session, row, context.site_of(current_app).config.site_url),
        hides_gold=competing.hides_gold(row),
        notes=_list_notes(session, row) if states == {"planned"} else (),
        lacks_gold=states == {"closed"} and campaign_needs.lacks_gold(session, row),
        deletable=campaigns.is_deletable(session, row),
    )


@blueprint.get("/<campaign>/texts")
def texts(slug: str, campaign: str) -> str:
    """Show the texts and the question as annotators see them, and the guide and consent text."""
    session, row = context.session(), get_campaign(slug, campaign)
    round_ = get_round(row)
    n_units, page = overview.count_units(session, round_), context.page_number()
    return render_campaign(
        "annotation/texts.html",
        row,
        round=round_,
        units=overview.list_page(session, round_, page, UNITS_PER_PAGE),
        page=page,
        pages=max(1, -(-n_units // UNITS_PER_PAGE)),
        columns=overview.list_shown(round_),
        unseen=overview.list_columns(session, round_),
    )


@blueprint.post("/<campaign>/<any(open, pause):change>")
def change_state(slug: str, campaign: str, change: str) -> ResponseReturnValue:
    """Open or pause the round."""
    access.require_organizer(context.session(), context.actor(), request_tasks.get_task(slug))
    with flash_error(), context.writing() as session:
        round_ = get_round(get_campaign(slug, campaign))
        act = {"open": campaigns.open_round, "pause": campaigns.pause_round}[change]
        act(session, context.actor(), round_, context.arrival_time())
    return redirect(url_for("campaigns.show", slug=slug, campaign=campaign))


@blueprint.route("/<campaign>/close", methods=["GET", "POST"])
def close(slug: str, campaign: str) -> ResponseReturnValue:
    """Close the round for good, after a question."""
    session, row = context.session(), get_campaign(slug, campaign)
    access.require_organizer(session, context.actor(), row.task)
    form = ConfirmForm()
    if not form.validate_on_submit():
        round_ = get_round(row)
        progress = count_answers(session, round_)
        gives_gold = row.gold_rule is not None and campaigns.get_gold_round(row) is round_
        return render_campaign(
            "annotation/close.html",
            row,
            round=round_,
            form=form,
            progress=progress,
            gold=gold.preview_gold(session, row) if gives_gold else None,
        )
    with flash_error(), context.writing() as session:
        round_ = get_round(get_campaign(slug, campaign))
        campaigns.close_round(session, context.actor(), round_, context.arrival_time())
    return redirect(url_for("campaigns.show", slug=slug, campaign=campaign))


@blueprint.route("/<campaign>/delete", methods=["GET", "POST"])
def delete(slug: str, campaign: str) -> ResponseReturnValue:
    """Delete a campaign in which nobody has begun, after a confirmation."""
    session, row = context.session(), get_campaign(slug, campaign)
    access.require_organizer(session, context.actor(), row.task)
    form = ConfirmForm()
    if not form.validate_on_submit():
        deletable = campaigns.is_deletable(session, row)
        return render_campaign("annotation/delete_campaign.html", row, form=form, deletable=deletable)
    with flash_error():
        with context.writing() as session:
            row = get_campaign(slug, campaign)
            title = row.title
            campaigns.delete_campaign(session, context.actor(), row, context.arrival_time())
        flash(_("The campaign “%(title)s” was deleted.", title=title), "success")
        return redirect(url_for("campaigns.index", slug=slug))
    return redirect(url_for("campaigns.show", slug=slug, campaign=campaign))


@blueprint.post("/<campaign>/try")
def try_it(slug: str, campaign: str) -> ResponseReturnValue:
    """Enter the campaign as an annotator whose answers count nowhere."""
    with context.writing() as session:
        row = get_campaign(slug, campaign)
        link = people.begin_trial(session, context.actor(), row, context.arrival_time())
    return redirect(personal_links.LINK_PATH + link.key)


@blueprint.get("/<campaign>/plan-<int:number>.json")
def plan(slug: str, campaign: str, number: int) -> ResponseReturnValue:
    """Download a plan of the round."""
    session, row = context.session(), get_campaign(slug, campaign)
    for plan_row in plans.list_plans(session, get_round(row)):
        if plan_row.number == number:
            name = f"{row.slug}-{plan_row.round.slug}-plan-{number}.json"
            return send_json(context.storage().get(plan_row.sha256).decode(), name)
    raise NotFound.of("There is no such plan.")


def _list_notes(session: Session, campaign: Campaign) -> list[str]:
    """Say what an organizer may want to fix before the campaign opens."""
    notes = overview.list_notes(session, campaign)
    if campaign.gold_rule is not None:
        obstacle = gold.explain_obstacle(session, campaign)
        notes += [obstacle] if obstacle else []
    return notes
