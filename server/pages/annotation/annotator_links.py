"""The page of a personal link: the consent text, and the button that begins or continues the work."""

from typing import Any

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from server.annotation.answers.questions import LANGUAGE_NAMES, in_language
from server.annotation.campaigns import competing, consents, personal_links
from server.annotation.models import Annotator, Campaign
from server.core import i18n
from server.core.errors import Conflict
from server.pages.annotation.annotator_responses import check_token, form_token, make_blueprint, remember
from server.web import context

blueprint = make_blueprint("annotator_links", __name__)
PURPOSE = "enter"


@blueprint.get("/me/<key>")
def show(key: str) -> str:
    """Show the consent text to the annotator of a link; opening the link changes nothing."""
    return _render_page(key, "")


@blueprint.post("/me/<key>")
def enter(key: str) -> ResponseReturnValue:
    """Record the consent, if it is new, and let the browser work as the annotator."""
    key_sha256 = personal_links.hash_key(key)
    check_token(PURPOSE, key_sha256)
    try:
        with context.writing() as session:
            annotator = personal_links.get_annotator_by_key(session, key)
            language = _read_language(annotator)
            if not consents.has_consented(session, annotator):
                give_consent(annotator, language)
            annotator.language = language
            campaign_id = annotator.campaign_id
    except Conflict as error:
        return _render_page(key, error.message), 409
    response = redirect(url_for("annotator_pages.show", campaign_id=campaign_id), 303)
    remember(response, campaign_id, key_sha256)
    return response


def _read_language(annotator: Annotator) -> str:
    """Return the language that the address or the form asks for, or else the annotator's, and speak it."""
    asked = request.values.get("language", "")
    language = asked if asked in annotator.campaign.languages else annotator.language
    i18n.speak(language)
    return language


def give_consent(annotator: Annotator, language: str) -> None:
    """Record the consent that the form of the text gives."""
    consents.give_consent(
        context.session(),
        annotator,
        request.form.get("version", 0, type=int),
        language,
        context.actor().user_id,
        context.arrival_time(),
        leave_team="leave_team" in request.form,
    )


def _render_page(key: str, problem: str) -> str:
    session = context.session()
    annotator = personal_links.get_annotator_by_key(session, key)
    return render_consent(
        annotator.campaign,
        _read_language(annotator),
        annotator=annotator,
        consented=consents.has_consented(session, annotator),
        withdrawn=consents.has_withdrawn(session, annotator),
        memberships=competing.find_memberships(session, annotator, context.actor().user_id),
        problem=problem,
        token=form_token(PURPOSE, personal_links.hash_key(key)),
        action="",
    )


def render_consent(campaign: Campaign, language: str, **values: Any) -> str:
    """Render the consent text of a campaign in a language, with the form that `values` are about.

    `action`: where the form goes if that is not the page's address; the language is then chosen by it, too.
    """
    version = consents.current_version(context.session(), campaign)
    return render_template(
        "annotation/annotators/consent.html",
        campaign=campaign,
        chosen=language,
        languages=LANGUAGE_NAMES,
        version=version,
        text=in_language(campaign, version.texts, language),
        hides_gold=competing.hides_gold(campaign),
        **values,
    )
