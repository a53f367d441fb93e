"""The page of the link of a crowd: the consent text, and the button that begins or continues the work.

The platform's id of the person is in the address of this page alone. The form has its keyed hash, signed.
"""

from http import HTTPStatus

from flask import redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from server.annotation.campaigns import competing, consents, crowd
from server.annotation.models import Entry
from server.core import i18n
from server.core.errors import Conflict
from server.pages.annotation.annotator_links import give_consent, render_consent
from server.pages.annotation.annotator_responses import (
    current_key,
    find_current_annotator,
    form_token,
    make_blueprint,
    read_token,
    remember,
)
from server.web import context

blueprint = make_blueprint("annotator_crowd", __name__)
PURPOSE = "join"


@blueprint.get("/<int:campaign_id>/join/<key>")
def show(campaign_id: int, key: str) -> ResponseReturnValue:
    """Show the consent text, or go on to the person's own page; opening the link changes nothing."""
    session = context.session()
    entry = crowd.get_entry(session, campaign_id, key)
    person = crowd.read_person(request.args.get(entry.person or "", ""))
    if person is None:
        return _render_missing_id(entry, key), HTTPStatus.BAD_REQUEST
    person_hash = crowd.hash_person(session, entry, person)
    annotator = find_current_annotator(campaign_id)
    if (
        annotator is not None
        and annotator == crowd.find_annotator(session, person_hash)
        and consents.has_consented(session, annotator)
    ):
        return redirect(url_for("annotator_pages.show", campaign_id=campaign_id))
    return _render_consent(entry, key, person_hash, "")


@blueprint.post("/<int:campaign_id>/join/<key>")
def enter(campaign_id: int, key: str) -> ResponseReturnValue:
    """Record the consent, and let the browser work as the annotator; or show the text in another language."""
    person_hash = read_token(f"{PURPOSE} {campaign_id}")
    if "version" not in request.form:
        return _render_consent(crowd.get_entry(context.session(), campaign_id, key), key, person_hash, "")
    try:
        with context.writing() as session:
            key_sha256 = _join(crowd.get_entry(session, campaign_id, key), person_hash)
    except Conflict as error:
        entry = crowd.get_entry(context.session(), campaign_id, key)
        return _render_consent(entry, key, person_hash, error.message), error.status
    response = redirect(url_for("annotator_pages.show", campaign_id=campaign_id), HTTPStatus.SEE_OTHER)
    remember(response, campaign_id, key_sha256)
    return response


def _join(entry: Entry, person_hash: str) -> str:
    """Return the hash of the key with which the browser works from now on."""
    session, now = context.session(), context.arrival_time()
    annotator, key_sha256 = crowd.join(session, entry, person_hash, current_key(), now)
    annotator.language = _read_language(entry)
    give_consent(annotator, annotator.language)
    return key_sha256


def _read_language(entry: Entry) -> str:
    """Return the language that the form asks for, or else the browser's or the first one, and speak it."""
    languages = entry.campaign.languages
    asked = request.form.get("language", "")
    language = asked if asked in languages else request.accept_languages.best_match(languages, languages[0])
    i18n.speak(language)
    return str(language)


def _render_consent(entry: Entry, key: str, person_hash: str, problem: str) -> str:
    language = _read_language(entry)
    return render_consent(
        entry.campaign,
        language,
        consented=False,
        withdrawn=False,
        problem=problem,
        memberships=competing.list_memberships(context.session(), entry.campaign, [context.actor().user_id]),
        token=form_token(f"{PURPOSE} {entry.campaign_id}", person_hash),
        action=url_for(".enter", campaign_id=entry.campaign_id, key=key),
    )


def _render_missing_id(entry: Entry, key: str) -> str:
    _read_language(entry)
    address = url_for(".show", campaign_id=entry.campaign_id, key=key, _external=True)
    return render_template(
        "annotation/annotators/no_id.html",
        campaign=entry.campaign,
        parameter=entry.person,
        example=f"{address}?{entry.person}={crowd.EXAMPLE}",
    )
