"""The annotators of a campaign, their personal links, and the consent text."""

from collections.abc import Sequence
from typing import Any

from flask import flash, redirect, render_template, request, url_for
from flask.typing import ResponseReturnValue

from server.access import request_tasks
from server.annotation.assignments import gates, leases, progress
from server.annotation.campaigns import (
    consents,
    link_mails,
    people,
    personal_links,
    rules,
    service as campaigns,
)
from server.annotation.campaigns.forms import EMAIL, TEXT_LIMIT, LinksForm
from server.annotation.models import AnnotationRound, AnnotatorIdentity, Campaign
from server.core.errors import Conflict
from server.core.i18n import _
from server.web import context
from server.web.form_errors import flash_error
from server.web.page_rules import SignedInBlueprint, takes_texts

PREFIX = "/tasks/<slug>/organize/campaigns/<campaign>"
"""Where the pages of a campaign are."""
blueprint = SignedInBlueprint("campaign_people", __name__, url_prefix=PREFIX)


limit_texts = request_tasks.limit_for_organizers(TEXT_LIMIT)
"""The maximum size of a form with names or texts."""


@blueprint.get("/people")
def show(slug: str, campaign: str) -> str:
    """List the annotators by their pseudonyms, with the form for more links."""
    return _render_people(slug, campaign, LinksForm(formdata=None))


@blueprint.post("/people/add/<entry>")
@takes_texts(limit_texts)
def add(slug: str, campaign: str, entry: str) -> ResponseReturnValue:
    """Add annotators, and show their links once or email them."""
    request_tasks.get_organized_task(slug)
    people.get_entry(get_campaign(slug, campaign), entry)
    form = LinksForm()
    if form.validate_on_submit():
        invitees = _read_invitees(form)
        if invitees is not None:
            try:
                return _add(slug, campaign, entry, invitees, by_email=form.delivery.data == EMAIL)
            except Conflict as error:
                form.people.errors = [error.message]
    return _render_people(slug, campaign, form), 422


@blueprint.post("/people/<name>/link")
def replace_link(slug: str, campaign: str, name: str) -> ResponseReturnValue:
    """Replace the link of an annotator, and show the new one once."""
    with context.writing() as session:
        row = get_campaign(slug, campaign)
        annotator = people.get_annotator(session, row, name)
        link = people.replace_link(session, context.actor(), annotator, context.arrival_time())
    return _render_links(slug, campaign, [link])


@blueprint.post("/people/<name>/email")
def email_link(slug: str, campaign: str, name: str) -> ResponseReturnValue:
    """Email an annotator a new link."""
    with flash_error():
        with context.writing() as session:
            row = get_campaign(slug, campaign)
            annotator = people.get_annotator(session, row, name)
            link_mails.email_links(session, context.actor(), row, [annotator], context.arrival_time())
        flash(_("%(name)s gets an email with a new link.", name=name), "success")
    return redirect(url_for("campaign_people.show", slug=slug, campaign=campaign))


@blueprint.post("/people/<name>/release")
def release(slug: str, campaign: str, name: str) -> ResponseReturnValue:
    """Let others have what an annotator has not answered."""
    with flash_error():
        with context.writing() as session:
            annotator = people.get_annotator(session, get_campaign(slug, campaign), name)
            leases.release_assignments(session, context.actor(), annotator, context.arrival_time())
        flash(_("Others now get what %(name)s has not answered.", name=name), "success")
    return redirect(url_for("campaign_people.show", slug=slug, campaign=campaign))


@blueprint.post("/people/names")
def show_names(slug: str, campaign: str) -> str:
    """List the annotators with their names, and note in the activity log who asked for them."""
    with context.writing() as session:
        row = get_campaign(slug, campaign)
        people.show_names(session, context.actor(), row, context.arrival_time())
    names = people.list_identities(context.session(), get_campaign(slug, campaign))
    return _render_people(slug, campaign, LinksForm(formdata=None), names)


def _read_invitees(form: LinksForm) -> Sequence[rules.Invitee] | None:
    """Return the people of the form; None: some lines cannot be read, and the form says which."""
    invitees, bad = rules.read_people(form.people.data or "")
    if bad:
        form.people.errors = [
            _("These lines cannot be read: %(lines)s", lines="; ".join(line[:80] for line in bad[:10]))
        ]
        return None
    return invitees or [rules.Invitee()] * (form.count.data or 0)


def _add(
    slug: str, campaign: str, entry: str, invitees: Sequence[rules.Invitee], *, by_email: bool
) -> ResponseReturnValue:
    with context.writing() as session:
        actor, now = context.actor(), context.arrival_time()
        row = get_campaign(slug, campaign)
        links = people.add_annotators(session, actor, people.get_entry(row, entry), invitees, now)
        if by_email:
            link_mails.email_links(session, actor, row, [link.annotator for link in links], now)
    if by_email:
        flash(_("The links are being sent. Reload this page to see which emails were sent."), "success")
        return redirect(url_for("campaign_people.show", slug=slug, campaign=campaign))
    return _render_links(slug, campaign, links)


def _render_links(slug: str, campaign: str, links: Sequence[people.NewLink]) -> str:
    row = get_campaign(slug, campaign)
    return render_campaign("annotation/links.html", row, links=links, path=personal_links.LINK_PATH)


def _render_people(
    slug: str, campaign: str, form: LinksForm, names: dict[int, AnnotatorIdentity] | None = None
) -> str:
    session, row = context.session(), get_campaign(slug, campaign)
    work: dict[int, list[tuple[AnnotationRound, progress.AssignmentProgress]]] = {}
    for round_ in row.rounds:
        for taken in progress.round_progress(session, round_, context.arrival_time()):
            work.setdefault(taken.assignment.annotator_id, []).append((round_, taken))
    return render_campaign(
        "annotation/people.html",
        row,
        annotators=people.list_annotators(session, row),
        addressed={key for key, who in people.list_identities(session, row).items() if who.email},
        mails=link_mails.list_link_mails(session, row),
        consented=consents.list_consented(session, row),
        work=work,
        failed={
            annotator_id
            for round_ in row.rounds
            for annotator_id, passed in gates.list_verdicts(session, round_).items()
            if not passed
        },
        is_over=all(campaigns.round_state(session, round_) == "closed" for round_ in row.rounds),
        names=names,
        form=form,
    )


def get_campaign(slug: str, campaign: str) -> Campaign:
    """Return the campaign of the address.

    Raises:
        Conflict: the form that was sent is of a deleted one.
    """
    task = request_tasks.get_task(slug)
    row = campaigns.get_campaign(context.session(), context.actor(), task, campaign)
    context.require_made_for(row.id)
    return row


def render_campaign(template: str, campaign: Campaign, **values: Any) -> str:
    """Render a page of a campaign."""
    return render_template(template, task=campaign.task, campaign=campaign, **values)


def get_round(campaign: Campaign) -> AnnotationRound:
    """Return the round that the address names; without a name, the first one."""
    return campaigns.get_round(campaign, request.args.get("round", ""))
