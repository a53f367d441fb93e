"""The organizers' page of the data set of a round: its options, how far it is, and the download."""

from io import BytesIO

from flask import Response, redirect, request, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks
from server.annotation.campaigns.forms import FORM_OVERHEAD
from server.annotation.models import AnnotationRound
from server.annotation.results import datasets, forms
from server.pages.annotation.campaign_people import PREFIX, get_campaign, get_round, render_campaign
from server.web import context
from server.web.downloads import send_file
from server.web.form_errors import flash_error
from server.web.page_rules import SignedInBlueprint, takes_files

blueprint = SignedInBlueprint("datasets", __name__, url_prefix=f"{PREFIX}/results")


@blueprint.get("/dataset")
def show(slug: str, campaign: str) -> str:
    """Show the newest data set of a round, and the form for another one."""
    request_tasks.get_observed_task(slug)
    round_ = get_round(get_campaign(slug, campaign))
    return _render(round_, _make_form(round_))


@blueprint.post("/dataset")
@takes_files(request_tasks.limit_for_organizers(forms.CHOICES_LIMIT + FORM_OVERHEAD))
def make(slug: str, campaign: str) -> ResponseReturnValue:
    """Have a data set made."""
    request_tasks.get_organized_task(slug)
    round_ = get_round(get_campaign(slug, campaign))
    form = _make_form(round_)
    if not form.validate_on_submit():
        return _render(round_, form), 422
    with flash_error(), context.writing() as session:
        datasets.request_data_set(
            session,
            context.actor(),
            get_round(get_campaign(slug, campaign)),
            form.read_options(),
            form.read_choices(),
            context.arrival_time(),
        )
    chosen = request.args.get("round")
    return redirect(url_for(".show", slug=slug, campaign=campaign, round=chosen))


@blueprint.get("/dataset.zip")
def download(slug: str, campaign: str) -> Response:
    """Download the data set, as long as it has the answers that count."""
    request_tasks.get_observed_task(slug)
    round_ = get_round(get_campaign(slug, campaign))
    data = datasets.read_data_set(context.session(), context.actor(), round_)
    file = BytesIO()
    file.write(data)
    return send_file(file, f"{datasets.name_folder(round_)}.zip", "application/zip")


def _make_form(round_: AnnotationRound) -> forms.DataSetForm:
    options = datasets.suggest_options(context.session(), round_)
    return forms.DataSetForm.of_kind(round_.kind, round_.n_passes, options)


def _render(round_: AnnotationRound, form: forms.DataSetForm) -> str:
    return render_campaign(
        "annotation/dataset.html",
        round_.campaign,
        round=round_,
        dataset=datasets.find_data_set(context.session(), round_),
        form=form,
        limit=forms.CHOICES_LIMIT,
    )
