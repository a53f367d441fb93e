"""API: the annotation campaigns of a task, for people who may see all of it."""

from typing import Any

from apiflask.schemas import FileSchema
from flask import Response
from sqlalchemy.orm import Session

from server.access.api_auth import ApiBlueprint, caller, get_observed_task
from server.annotation.campaigns import service as campaigns
from server.annotation.models import AnnotationRound
from server.annotation.results import export_zips, exports, progress
from server.api.annotation.schemas import CampaignProgress, CampaignsPage, RoundQuery
from server.web import context
from server.web.downloads import send_file
from server.web.rest.responses import PageQuery, cut_page

blueprint = ApiBlueprint(
    "api_campaigns", url_prefix="/tasks/<slug>/campaigns", tag="Annotation", scopes=["organize"]
)


@blueprint.get("")
@blueprint.input(PageQuery, location="query", arg_name="query")
@blueprint.output(CampaignsPage)
def index(slug: str, query: dict[str, int]) -> dict[str, Any]:
    """List the annotation campaigns of a task, the oldest first."""
    session = context.session()
    rows = campaigns.list_campaigns(session, caller(), get_observed_task(slug))
    listed = [
        {"campaign": campaign, "rounds": [_state_values(session, round_) for round_ in campaign.rounds]}
        for campaign in rows
    ]
    return cut_page(listed, query)


@blueprint.get("/<campaign>")
@blueprint.output(CampaignProgress)
def show(slug: str, campaign: str) -> dict[str, Any]:
    """Read one campaign: how far each of its rounds is, with the work of each annotator."""
    session = context.session()
    shown = campaigns.get_campaign(session, caller(), get_observed_task(slug), campaign)
    rounds = [_round_values(session, round_) for round_ in shown.rounds]
    return {"campaign": shown, "rounds": rounds}


@blueprint.get("/<campaign>/export.zip")
@blueprint.input(RoundQuery, location="query", arg_name="query")
@blueprint.output(FileSchema(), content_type="application/zip", description="The files of the round.")
def export(slug: str, campaign: str, query: dict[str, str]) -> Response:
    """Download the answers, the plans and the gold of a round, for the scorer's commands."""
    round_, now = _get_round(slug, campaign, query), context.arrival_time()
    file = export_zips.open_zip(context.session(), caller(), round_, now)
    return send_file(file, f"{exports.name_folder(round_)}.zip", "application/zip")


@blueprint.post("/<campaign>/export")
@blueprint.input(RoundQuery, location="query", arg_name="query")
def make_export(slug: str, campaign: str, query: dict[str, str]) -> None:
    """Have the download of a round made, if it has more than 5,000 answers.

    Until it is made, and again when answers have changed, the download is refused with status 409.
    """
    with context.writing() as session:
        round_ = _get_round(slug, campaign, query)
        export_zips.request_zip(session, caller(), round_, context.arrival_time())


def _get_round(slug: str, campaign: str, query: dict[str, str]) -> AnnotationRound:
    shown = campaigns.get_campaign(context.session(), caller(), get_observed_task(slug), campaign)
    return campaigns.get_round(shown, query["round"])


def _state_values(session: Session, round_: AnnotationRound) -> dict[str, Any]:
    return {"round": round_, "state": campaigns.round_state(session, round_)}


def _round_values(session: Session, round_: AnnotationRound) -> dict[str, Any]:
    measured = progress.measure_progress(session, round_, context.arrival_time())
    return {**_state_values(session, round_), "progress": measured}
