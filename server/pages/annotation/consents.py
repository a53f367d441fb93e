"""The consent text of a campaign, in its versions."""

from flask import flash, redirect, url_for
from flask.typing import ResponseReturnValue

from server.access import service as access
from server.annotation.campaigns import consents
from server.annotation.campaigns.forms import ConsentForm
from server.core.i18n import _
from server.pages.annotation.campaign_people import PREFIX, get_campaign, limit_texts, render_campaign
from server.web import context
from server.web.form_errors import flash_error
from server.web.page_rules import SignedInBlueprint, takes_texts

blueprint = SignedInBlueprint("consents", __name__, url_prefix=PREFIX)


@blueprint.route("/consent", methods=["GET", "POST"])
@takes_texts(limit_texts)
def edit(slug: str, campaign: str) -> ResponseReturnValue:
    """Show the consent text in its versions, and add a version."""
    session, row = context.session(), get_campaign(slug, campaign)
    asked = {language: ConsentForm(prefix=f"{language}-") for language in row.languages}
    if next(iter(asked.values())).is_submitted():
        access.require_organizer(session, context.actor(), row.task)
        valid = [form.validate() for form in asked.values()]  # each, so that all errors are shown
        if all(valid):
            return _add_version(slug, campaign, asked)
    else:
        for language, form in asked.items():
            form.text.data = consents.current_version(session, row).texts[language]
    page = render_campaign(
        "annotation/consent.html",
        row,
        forms=asked,
        versions=consents.list_versions(session, row),
    )
    return page, 422 if any(form.errors for form in asked.values()) else 200


def _add_version(slug: str, campaign: str, asked: dict[str, ConsentForm]) -> ResponseReturnValue:
    with flash_error():
        with context.writing() as session:
            row = get_campaign(slug, campaign)
            words = {language: form.text.data or "" for language, form in asked.items()}
            consents.add_version(session, context.actor(), row, words, context.arrival_time())
        flash(_("The new version is in force. Annotators have to accept it at their next visit."), "success")
    return redirect(url_for("consents.edit", slug=slug, campaign=campaign))
