"""The annotators of a campaign: their pseudonyms, and who they are."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.access import service as access
from server.annotation import campaign_log
from server.annotation.campaigns import consents, personal_links, rules
from server.annotation.campaigns.rules import Invitee
from server.annotation.models import Annotator, AnnotatorIdentity, Campaign, Entry
from server.core.actors import Actor
from server.core.errors import Conflict, require_found
from server.core.i18n import _


@dataclass(frozen=True, slots=True)
class NewLink:
    """A personal link when it is created, the only time that its key is known."""

    annotator: Annotator
    invitee: Invitee
    key: str


def get_annotator(session: Session, campaign: Campaign, name: str) -> Annotator:
    """Return the annotator with a pseudonym; the caller checks who may see it.

    Raises:
        NotFound: the campaign has no such annotator.
    """
    query = select(Annotator).where(Annotator.campaign_id == campaign.id, Annotator.name == name)
    return require_found(session.scalar(query), _("There is no such annotator."))


def get_entry(campaign: Campaign, slug: str | None) -> Entry:
    """Return an entry of a campaign whose annotators get personal links, the first one if none is named.

    Raises:
        NotFound: the campaign has no such entry.
    """
    personal = [entry for entry in campaign.entries if entry.kind == "personal"]
    entry = next((entry for entry in personal if slug in (None, entry.slug)), None)
    return require_found(entry, _("There is no such entry."))


def list_annotators(session: Session, campaign: Campaign) -> Sequence[Annotator]:
    """List the annotators of a campaign by their pseudonyms, without trials."""
    query = select(Annotator).where(Annotator.campaign_id == campaign.id, Annotator.trial.is_(False))
    return sorted(session.scalars(query), key=lambda annotator: (len(annotator.name), annotator.name))


def list_identities(session: Session, campaign: Campaign) -> dict[int, AnnotatorIdentity]:
    """Return who the annotators are, by their ids; `show_names` is for people who ask."""
    query = select(AnnotatorIdentity).join(AnnotatorIdentity.annotator)
    rows = session.scalars(query.where(Annotator.campaign_id == campaign.id, Annotator.trial.is_(False)))
    return {identity.annotator_id: identity for identity in rows}


def has_email(session: Session, annotator: Annotator) -> bool:
    """Whether the site knows an email address of an annotator."""
    return session.get_one(AnnotatorIdentity, annotator.id).email is not None


def add_annotators(
    session: Session, actor: Actor, entry: Entry, people: Sequence[Invitee], now: datetime
) -> list[NewLink]:
    """Add annotators with a personal link each; lots decide who gets which pseudonym.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: there is nobody to add, or too many; or a person is listed twice, or has a link already.
    """
    campaign = entry.campaign
    access.require_organizer(session, actor, campaign.task)
    access.require_not_archived(campaign.task)
    _require_new_people(session, campaign, people)
    first = _count_annotators(session, campaign) + 1
    names = [rules.name_annotator(number) for number in range(first, first + len(people))]
    random.SystemRandom().shuffle(names)
    links = [
        add_annotator(session, entry, person, now, name)
        for name, person in sorted(zip(names, people, strict=True), key=lambda pair: pair[0])
    ]
    campaign_log.record(session, actor, now, "campaign.links", campaign, entry=entry.slug, links=len(links))
    return sorted(links, key=lambda link: people.index(link.invitee))


def replace_link(session: Session, actor: Actor, annotator: Annotator, now: datetime) -> NewLink:
    """Give an annotator a new link, and end the earlier one. The new link does not say whose it is.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the annotator came by the link of a crowd.
    """
    access.require_organizer(session, actor, annotator.campaign.task)
    if annotator.is_of_crowd:
        raise Conflict.of(
            "%(name)s came by a link for all, and has none that could be replaced.", name=annotator.name
        )
    personal_links.end_keys(session, annotator, now)
    key = personal_links.make_key(session, annotator, now)
    campaign_log.record_annotator(session, actor, now, "campaign.link", annotator)
    return NewLink(annotator, Invitee(), key)


def begin_trial(session: Session, actor: Actor, campaign: Campaign, now: datetime) -> NewLink:
    """Return a link by which an organizer works as an annotator; those answers count nowhere.

    Each organizer is one trial annotator of a campaign; its earlier link ends.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, campaign.task)
    query = select(Annotator).join(AnnotatorIdentity, AnnotatorIdentity.annotator_id == Annotator.id)
    annotator = session.scalar(
        query.where(
            Annotator.campaign_id == campaign.id,
            Annotator.trial.is_(True),
            AnnotatorIdentity.user_id == actor.user_id,
        )
    )
    if annotator is not None:
        personal_links.end_keys(session, annotator, now)
        return NewLink(annotator, Invitee(), personal_links.make_key(session, annotator, now))
    link = add_annotator(session, campaign.entries[0], Invitee(), now, trial=True)
    session.get_one(AnnotatorIdentity, link.annotator.id).user_id = actor.user_id
    campaign_log.record(session, actor, now, "campaign.try", campaign)
    return link


def show_names(
    session: Session, actor: Actor, campaign: Campaign, now: datetime
) -> dict[int, AnnotatorIdentity]:
    """Return who the annotators are, by their ids, and note in the activity log who asked.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
    """
    access.require_organizer(session, actor, campaign.task)
    campaign_log.record(session, actor, now, "campaign.names", campaign)
    return list_identities(session, campaign)


def record_view(session: Session, actor: Actor, annotator: Annotator, now: datetime) -> None:
    """Record that an organizer looks at an annotator's answers, which `answered_steps` lists.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the annotator withdrew their consent.
    """
    task = annotator.campaign.task
    access.require_organizer(session, actor, task)
    if consents.has_withdrawn(session, annotator):
        raise Conflict.of(
            "%(name)s withdrew their consent, so their answers are not shown.", name=annotator.name
        )
    campaign_log.record_annotator(session, actor, now, "annotator.view", annotator)


def _require_new_people(session: Session, campaign: Campaign, people: Sequence[Invitee]) -> None:
    if not people:
        raise Conflict.of("Enter at least one name or address, or a number of links.")
    if len(people) > rules.MAX_LINKS:
        raise Conflict.of("You can create at most %(most)d links at once.", most=rules.MAX_LINKS)
    existing = [
        Invitee(identity.label, identity.email) for identity in list_identities(session, campaign).values()
    ]
    repeated = rules.find_repeated(people, existing)
    if repeated:
        raise Conflict.of(
            "These people are listed twice or have a link already: %(names)s. To give them a new link, "
            "replace theirs.",
            names=", ".join(repeated[:10]),
        )


def _count_annotators(session: Session, campaign: Campaign, *, trial: bool = False) -> int:
    """Count the annotators of a campaign, or the trials."""
    query = select(func.count(Annotator.id))
    query = query.where(Annotator.campaign_id == campaign.id, Annotator.trial.is_(trial))
    return session.scalar(query) or 0


def add_annotator(
    session: Session, entry: Entry, person: Invitee, now: datetime, name: str = "", *, trial: bool = False
) -> NewLink:
    """Add an annotator with a key; without a name, they get the next pseudonym."""
    annotator = Annotator(
        campaign=entry.campaign,
        entry=entry,
        name=name
        or rules.name_annotator(_count_annotators(session, entry.campaign, trial=trial) + 1, trial=trial),
        language=entry.campaign.languages[0],
        trial=trial,
        made_at=now,
    )
    session.add(annotator)
    session.flush()
    identity = AnnotatorIdentity(annotator_id=annotator.id, label=person.label, email=person.email)
    session.add(identity)
    return NewLink(annotator, person, personal_links.make_key(session, annotator, now))
