"""The organizers' page of the data set of a round: its options, how far it is, and the download."""

from io import BytesIO

from flask import Blueprint, Response, flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue
from flask_security import auth_required

from server.access import request_tasks
from server.access import service as access
from server.annotation.campaigns import service as campaigns
from server.annotation.campaigns.forms import FORM_OVERHEAD
from server.annotation.models import AnnotationRound
from server.annotation.results import datasets, forms
from server.annotation.results.forms import DataSetForm
from server.core.i18n import _
from server.web import context
from server.web.downloads import send_file
from server.web.form_errors import flash_error
from server.web.page_rules import takes_files

blueprint = Blueprint("datasets", __name__, url_prefix="/tasks/<slug>/organize/campaigns/<campaign>/results")


def limit_upload() -> int | None:
    """The maximum size of this upload; None: that of other forms."""
    task = request_tasks.get_task((request.view_args or {})["slug"])
    organizes = access.is_organizer(context.session(), context.actor(), task)
    return forms.CHOICES_LIMIT + FORM_OVERHEAD if organizes else None


@blueprint.get("/dataset")
@auth_required("session")
def show(slug: str, campaign: str) -> str:
    """Show the newest data set of a round, and the form for another one."""
    request_tasks.get_observed_task(slug)
    of_round = _get_round(slug, campaign)
    return _render(of_round, _make_form(of_round))


@blueprint.post("/dataset")
@auth_required("session")
@takes_files(limit_upload)
def make(slug: str, campaign: str) -> ResponseReturnValue:
    """Have a data set made."""
    request_tasks.get_organized_task(slug)
    of_round = _get_round(slug, campaign)
    form = _make_form(of_round)
    if not form.validate_on_submit():
        return _render(of_round, form), 422
    with flash_error():
        with context.writing() as session:
            datasets.request_data_set(
                session,
                context.storage(),
                context.actor(),
                _get_round(slug, campaign),
                form.read_options(),
                form.read_choices(),
                context.arrival_time(),
            )
        flash(_("The data set is being made. Reload the page in a few seconds."), "success")
    chosen = request.args.get("round")
    return redirect(url_for(".show", slug=slug, campaign=campaign, round=chosen))


@blueprint.get("/dataset.zip")
@auth_required("session")
def download(slug: str, campaign: str) -> Response:
    """Download the data set, as long as it has the answers that count."""
    request_tasks.get_observed_task(slug)
    of_round = _get_round(slug, campaign)
    data = datasets.read_data_set(context.session(), context.storage(), context.actor(), of_round)
    file = BytesIO()
    file.write(data)
    return send_file(file, f"{datasets.name_folder(of_round)}.zip", "application/zip")


def _get_round(slug: str, campaign: str) -> AnnotationRound:
    """Return the round that the request names, by default the first one."""
    session, task = context.session(), request_tasks.get_task(slug)
    shown = campaigns.get_campaign(session, context.actor(), task, campaign)
    return campaigns.get_round(shown, request.args.get("round", ""))


def _make_form(of_round: AnnotationRound) -> DataSetForm:
    options = datasets.suggest_options(context.session(), of_round)
    return DataSetForm.of_kind(of_round.kind, of_round.n_passes, options)


def _render(of_round: AnnotationRound, form: DataSetForm) -> str:
    return render_template(
        "annotation/dataset.html",
        task=of_round.campaign.task,
        campaign=of_round.campaign,
        round=of_round,
        dataset=datasets.find_data_set(context.session(), of_round),
        form=form,
        limit=forms.CHOICES_LIMIT,
    )
