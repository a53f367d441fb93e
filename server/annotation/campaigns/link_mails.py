"""Emails with personal links. A link is made when its email is sent, so its key is stored nowhere."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access
from server.annotation import campaign_log
from server.annotation.campaigns import overview, personal_links, service as campaigns
from server.annotation.models import Annotator, AnnotatorIdentity, Campaign
from server.core import i18n
from server.core.actors import Actor
from server.core.errors import Conflict
from server.core.mailer import OutgoingMail
from server.core.site_resources import Site
from server.jobs import service as jobs
from server.mail.rendering import render_mail
from server.mail.service import make_message_id

LINK_JOB = "annotation.link"
"""The kind of job that sends one annotator a new personal link."""
MailStanding = Literal["waiting", "sent", "failed"]


@dataclass(frozen=True, slots=True)
class LinkMail:
    """What became of the newest email with an annotator's link; `error`: why it was not sent yet."""

    state: MailStanding
    error: str | None


def email_links(
    session: Session, actor: Actor, campaign: Campaign, annotators: Collection[Annotator], now: datetime
) -> None:
    """Email a new personal link to annotators with an address; it ends their earlier links.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: one of them has no email address.
    """
    access.require_organizer(session, actor, campaign.task)
    for annotator in annotators:
        identity = session.get_one(AnnotatorIdentity, annotator.id)
        if identity.email is None:
            raise Conflict.of(
                "%(name)s has no email address. Nothing was sent. Choose to see the links, and pass them "
                "on yourself.",
                name=identity.label or annotator.name,
            )
    jobs.add_jobs(
        session,
        [
            jobs.NewJob(LINK_JOB, {"annotator": annotator.id}, now, key=f"{LINK_JOB} {annotator.id}")
            for annotator in annotators
        ],
        now,
    )
    campaign_log.record(session, actor, now, "campaign.mail", campaign, mails=len(annotators))


def send_link(site: Site, payload: Mapping[str, Any], now: datetime) -> None:
    """Send an annotator a new personal link, unless their address was erased.

    Raises:
        MailFailed: the mail server did not accept the email; the next attempt sends another link.
    """
    with site.writing() as session:
        annotator = session.get_one(Annotator, payload["annotator"])
        personal_links.end_keys(session, annotator, now)
        mail = write_mail(site, session, annotator, "annotator_link", now)
    if mail is not None:
        site.mailer.deliver(mail)


def write_mail(
    site: Site, session: Session, annotator: Annotator, template: str, now: datetime
) -> OutgoingMail | None:
    """Write an email with a new personal link, beside which earlier ones stay valid; None: no address."""
    identity = session.get_one(AnnotatorIdentity, annotator.id)
    if identity.email is None:
        return None
    key = personal_links.make_key(session, annotator, now)
    with i18n.speaking(annotator.language):
        written = render_mail(
            template,
            campaign=annotator.campaign,
            label=identity.label,
            work=[
                (round_.rules.title.get(annotator.language, ""), figures)
                for round_ in annotator.campaign.rounds
                if campaigns.is_for(round_, annotator)
                and campaigns.round_state(session, round_) != "closed"
                and (figures := overview.read_figures(session, round_))
            ],
            link=personal_links.link_of(site.config.site_url, key),
        )
    return OutgoingMail(
        recipient=identity.email,
        subject=written.subject,
        text=written.text,
        html=written.html,
        message_id=make_message_id(site.config, f"annotator link {key}", annotator.id),
        title=annotator.campaign.title,
        contact=annotator.campaign.contact,
    )


def list_link_mails(session: Session, campaign: Campaign) -> dict[int, LinkMail]:
    """Return what became of the newest email with the link of each annotator who got one, by their ids."""
    ids = select(Annotator.id).where(Annotator.campaign_id == campaign.id)
    standings: dict[jobs.JobState, MailStanding] = {"done": "sent", "failed": "failed"}
    return {
        annotator_id: LinkMail(standings.get(job.state, "waiting"), jobs.find_failure(job))
        for annotator_id, job in jobs.find_newest(session, LINK_JOB, "annotator", ids).items()
    }
