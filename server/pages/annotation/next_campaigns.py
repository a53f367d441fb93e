"""The organizers' page from which the campaign that follows a round is made."""

from dataclasses import asdict

from flask import redirect, request
from flask.typing import ResponseReturnValue

from scorer.campaigns.drafts.next_stage import OPTIONS, name_next
from server.access import request_tasks
from server.annotation.campaigns import creation, service as campaigns, uploads
from server.annotation.drafts.inputs import find_free_slug
from server.annotation.results.forms import NextCampaignForm
from server.core.errors import NameTaken, NotFound
from server.pages.annotation.campaign_people import PREFIX, get_campaign, get_round, render_campaign
from server.pages.annotation.campaigns import queue_upload
from server.web import context
from server.web.form_errors import flash_error, show_error_at
from server.web.page_rules import SignedInBlueprint

blueprint = SignedInBlueprint("next_campaigns", __name__, url_prefix=f"{PREFIX}/results")


@blueprint.route("/next", methods=["GET", "POST"])
def create(slug: str, campaign: str) -> ResponseReturnValue:
    """Have the next campaign made from what annotators chose or wrote in a round.

    After a rejection it shows the reason, and what was entered before.
    """
    request_tasks.get_organized_task(slug)
    session, shown = context.session(), get_campaign(slug, campaign)
    round_ = get_round(shown)
    if round_.kind not in OPTIONS:
        raise NotFound.of("No campaign is made from a round in which annotators rate pairs.")
    upload, refused = request.args.get("upload", type=int), None
    if upload is None:
        taken = {each.slug for each in campaigns.list_campaigns(session, context.actor(), shown.task)}
        following = find_free_slug(name_next(shown.slug, round_.kind), taken)
        values = {"slug": following, "title": shown.title}
    else:
        result = uploads.get_result(session, context.actor(), shown.task, upload)
        refused = result.refused
        values = {} if result.upload.next is None else asdict(result.upload.next.options)
    form = NextCampaignForm.of_kind(round_.kind, values)
    if form.validate_on_submit():
        options = form.read_options()
        with show_error_at({NameTaken: form.slug}):
            creation.require_fitting(session, shown.task, str(options.slug), None)
        if not form.errors:
            asked = uploads.NextCampaign(campaign, round_.slug, options)
            with flash_error():
                return redirect(queue_upload(slug, uploads.CampaignUpload(next=asked)))
            shown = get_campaign(slug, campaign)
    page = render_campaign(
        "annotation/next_campaign.html",
        shown,
        round=get_round(shown),
        form=form,
        refused=refused,
    )
    return page, 422 if form.errors else 200
