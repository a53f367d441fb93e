"""The page of a personal link: the consent text, and the button that begins or continues the work."""

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from server.annotation.answers import own_work
from server.annotation.answers.questions import in_language
from server.annotation.answers.responses import check_token, form_token, make_blueprint, remember
from server.annotation.campaigns import competing, consents, people
from server.annotation.models import Annotator
from server.core.errors import Conflict
from server.web import context

blueprint = make_blueprint("annotator_links", __name__)
PURPOSE = "enter"


@blueprint.get("/me/<key>")
def show(key: str) -> str:
    """Show the consent text to the annotator of a link; opening the link changes nothing."""
    annotator = people.get_annotator_by_key(context.session(), key)
    return _render_page(annotator, "")


@blueprint.post("/me/<key>")
def enter(key: str) -> ResponseReturnValue:
    """Record the consent, if it is new, and let the browser work as the annotator."""
    check_token(PURPOSE, people.get_annotator_by_key(context.session(), key).id)
    try:
        with context.writing() as session:
            annotator = people.get_annotator_by_key(session, key)
            _require_consent(annotator)
            entrance = own_work.get_entrance(session, annotator)
            campaign_id = annotator.campaign_id
    except Conflict as error:
        return _render_page(people.get_annotator_by_key(context.session(), key), error.message), 409
    response = redirect(url_for("annotator_pages.show", campaign_id=campaign_id), 303)
    remember(response, campaign_id, entrance)
    return response


def _require_consent(annotator: Annotator) -> None:
    session = context.session()
    if consents.has_consented(session, annotator):
        return
    consents.give_consent(
        session,
        annotator,
        request.form.get("version", 0, type=int),
        annotator.language,
        context.actor().user_id,
        context.arrival_time(),
        leave_team="leave_team" in request.form,
    )


def _render_page(annotator: Annotator, problem: str) -> str:
    session, campaign = context.session(), annotator.campaign
    version = consents.current_version(session, campaign)
    return render_template(
        "annotation/annotators/consent.html",
        campaign=campaign,
        annotator=annotator,
        version=version,
        text=in_language(campaign, version.texts, annotator.language),
        consented=consents.has_consented(session, annotator),
        withdrawn=consents.has_withdrawn(session, annotator),
        memberships=competing.find_memberships(session, annotator, context.actor().user_id),
        hides_gold=competing.hides_gold(campaign),
        problem=problem,
        token=form_token(PURPOSE, annotator.id),
    )
