"""A campaign that begins with a table: its first rows, and what the table does not say."""

from collections.abc import Mapping
from typing import get_args

from flask import Blueprint, redirect, render_template, request
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from scorer.files.tables import Delimiter
from server.access import request_tasks
from server.annotation.campaigns import creation, service as campaigns, uploads
from server.annotation.drafts import inputs, tables
from server.annotation.drafts.forms import DraftForm
from server.core import db
from server.core.errors import Conflict, InvalidFile, NameTaken
from server.pages.annotation.campaign_people import limit_texts
from server.pages.annotation.campaigns import queue_upload
from server.web import context
from server.web.form_errors import flash_error, show_error_at
from server.web.page_rules import takes_texts

blueprint = Blueprint("campaign_drafts", __name__, url_prefix="/tasks/<slug>/organize/campaigns")

DELIMITERS: Mapping[str, Delimiter] = {name: name for name in get_args(Delimiter)}
SHOWN_ROWS = 5


@blueprint.route("/new-from-table", methods=["GET", "POST"])
@auth_required("session")
@takes_texts(limit_texts)
def create(slug: str) -> ResponseReturnValue:
    """Show the first rows of an uploaded table with the guessed columns, and have a campaign created from it.

    After a rejection it shows the problems, and what was entered before.
    """
    session, task = context.session(), request_tasks.get_organized_task(slug)
    signed = request.args.get("table", "")
    table = tables.get_table(session, context.actor(), task, signed)
    refused = None
    try:
        draft = table.draft(DELIMITERS.get(request.args.get("delimiter", "")))
    except InvalidFile as error:
        draft, refused = table.draft(), error
    taken = {campaign.slug for campaign in campaigns.list_campaigns(session, context.actor(), task)}
    values = inputs.suggest_values(task, draft, taken)
    upload = request.args.get("upload", type=int)
    if upload is not None and request.method == "GET":
        result = uploads.get_result(session, context.actor(), task, upload)
        draft, refused = result.upload.draft or draft, result.refused
        values = inputs.draft_values(draft)
    form = DraftForm(draft, data=values)
    form.gold.choices = inputs.list_targets(task)
    db.end_reading(session)  # reading a table takes a while, so no transaction stays open
    try:
        if not form.is_submitted() and refused is None and table.is_small:
            tables.check_table(draft, table)
        elif form.validate():
            chosen = form.correct_draft()
            with show_error_at({NameTaken: form.slug, Conflict: form.gold}):
                gold = inputs.gold_scale(chosen)
                creation.require_fitting(session, request_tasks.get_task(slug), chosen.slug, gold)
            if not form.errors:
                with flash_error():
                    kept = uploads.CampaignUpload(context.storage().put(table.data), chosen)
                    return redirect(queue_upload(slug, kept))
    except InvalidFile as error:
        refused = error
    has_names = bool(form.header.data)
    page = render_template(
        "annotation/draft_campaign.html",
        task=request_tasks.get_task(slug),
        table=table,
        draft=draft,
        signed=signed,
        form=form,
        names=draft.rows[0] if has_names else (),
        rows=draft.rows[has_names : has_names + SHOWN_ROWS],
        refused=refused,
    )
    return page, 422 if form.errors or (refused is not None and form.is_submitted()) else 200
