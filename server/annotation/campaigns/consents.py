"""The consent text of a campaign in its versions, and who consented to which."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import Select, func, select
from sqlalchemy.orm import Session, aliased

from server.access import service as access
from server.annotation import campaign_log
from server.annotation.campaigns import competing, erasure
from server.annotation.models import Annotator, AnnotatorIdentity, Campaign, Consent, ConsentVersion
from server.core.actors import VISITOR, Actor
from server.core.errors import Conflict


def list_versions(session: Session, campaign: Campaign) -> Sequence[ConsentVersion]:
    """List the versions of the consent text, the newest first."""
    query = select(ConsentVersion).where(ConsentVersion.campaign_id == campaign.id)
    return session.scalars(query.order_by(ConsentVersion.number.desc())).all()


def current_version(session: Session, campaign: Campaign) -> ConsentVersion:
    """Return the newest version of the consent text; each campaign has one from its creation on."""
    return list_versions(session, campaign)[0]


def add_version(
    session: Session, actor: Actor, campaign: Campaign, texts: Mapping[str, str], now: datetime
) -> ConsentVersion:
    """Add a version of the consent text, which annotators have to accept at their next visit.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: a language of the campaign has no text, or the texts are those of the current version.
    """
    access.require_organizer(session, actor, campaign.task)
    if any(not texts.get(language, "").strip() for language in campaign.languages):
        raise Conflict.of("Enter the consent text in each language of the campaign.")
    versions = list_versions(session, campaign)
    written = {language: texts[language] for language in campaign.languages}
    if versions and versions[0].texts == written:
        raise Conflict.of("This is the text of the current version.")
    version = ConsentVersion(
        campaign_id=campaign.id, number=len(versions) + 1, texts=written, **actor.made(now)
    )
    session.add(version)
    campaign_log.record(session, actor, now, "campaign.consent-text", campaign, version=version.number)
    return version


def find_consent(session: Session, annotator: Annotator) -> Consent | None:
    """Return what the annotator last decided: the consent to a version, or its withdrawal."""
    query = select(Consent).where(Consent.annotator_id == annotator.id)
    return session.scalar(query.order_by(Consent.id.desc()).limit(1))


def list_consented(session: Session, campaign: Campaign) -> dict[int, bool]:
    """Return what each annotator last decided, by their ids: whether they gave or withdrew their consent."""
    query = select(Consent.annotator_id, Consent.given).join(Annotator, Annotator.id == Consent.annotator_id)
    rows = session.execute(query.where(Annotator.campaign_id == campaign.id).order_by(Consent.id))
    return {row[0]: row[1] for row in rows}


def has_consented(session: Session, annotator: Annotator) -> bool:
    """Whether the annotator consented to the current version and did not withdraw the consent."""
    versions = select(ConsentVersion.id).where(ConsentVersion.campaign_id == annotator.campaign_id)
    newest = versions.order_by(ConsentVersion.number.desc()).limit(1).scalar_subquery()
    is_current = Consent.given & (Consent.consent_version_id == newest)
    query = select(is_current).where(Consent.annotator_id == annotator.id).order_by(Consent.id.desc())
    return bool(session.scalar(query.limit(1)))


def has_withdrawn(session: Session, annotator: Annotator) -> bool:
    """Whether the annotator withdrew their consent: then no answer of theirs is used."""
    consent = find_consent(session, annotator)
    return consent is not None and not consent.given


def select_withdrawn(campaign_id: int | None = None) -> Select[int]:
    """Select the ids of annotators who withdrew their consent: that is what they decided last.

    None: of all campaigns.
    """
    newest = select(func.max(Consent.id)).group_by(Consent.annotator_id)
    if campaign_id is not None:
        newest = newest.join(Annotator, Annotator.id == Consent.annotator_id)
        newest = newest.where(Annotator.campaign_id == campaign_id)
    consent = aliased(Consent)
    return select(consent.annotator_id).where(consent.id.in_(newest), consent.given.is_(False))


def list_withdrawn(session: Session, campaign: Campaign) -> set[int]:
    """Return the ids of annotators who withdrew their consent."""
    return {annotator_id for annotator_id, given in list_consented(session, campaign).items() if not given}


def give_consent(
    session: Session,
    annotator: Annotator,
    version_number: int,
    language: str,
    user_id: int | None,
    now: datetime,
    *,
    leave_team: bool = False,
) -> Consent:
    """Record that an annotator consented to the text that they read; a second click changes nothing.

    `user_id`: the account that they are signed in to, which then cannot compete in the task if the gold is
    hidden; `leave_team`: they agreed to leave their teams (`competing.find_memberships`).

    Raises:
        Conflict: the text was changed meanwhile; or they are in a team with a scored file, or in a team that
            they did not agree to leave.
    """
    version = current_version(session, annotator.campaign)
    if version.number != version_number:
        raise Conflict.of("The text was changed meanwhile. Read it again.")
    if language not in annotator.campaign.languages:
        language = annotator.campaign.languages[0]
    found = competing.find_memberships(session, annotator, user_id)
    competing.require_no_scored_file(found)
    if found and not leave_team:
        raise Conflict.of(
            "You are a member of %(team)s. Confirm that you want to leave it.", team=found[0].team.name
        )
    competing.leave_teams(session, annotator, found, now)
    if user_id is not None and not annotator.trial:
        _note_account(session, annotator, user_id)
    if has_consented(session, annotator):
        consent = find_consent(session, annotator)
        assert consent is not None  # noqa: S101  (for mypy)
        return consent
    annotator.language = language
    return _add(session, annotator, version, language, now, given=True)


def withdraw_consent(session: Session, annotator: Annotator, now: datetime) -> None:
    """Record that an annotator withdrew their consent: no answer counts any more, and texts are erased."""
    consent = find_consent(session, annotator)
    if consent is None or not consent.given:
        return
    version = session.get_one(ConsentVersion, consent.consent_version_id)
    _add(session, annotator, version, annotator.language, now, given=False)
    erasure.erase_texts(session, annotator)


def _note_account(session: Session, annotator: Annotator, user_id: int) -> None:
    """Note the account of an annotator; the first one stays."""
    identity = session.get_one(AnnotatorIdentity, annotator.id)
    if identity.user_id is None:
        identity.user_id = user_id
        session.flush()


def _add(
    session: Session,
    annotator: Annotator,
    version: ConsentVersion,
    language: str,
    now: datetime,
    *,
    given: bool,
) -> Consent:
    consent = Consent(
        annotator_id=annotator.id, consent_version_id=version.id, language=language, given=given, made_at=now
    )
    session.add(consent)
    action = "annotator.consent" if given else "annotator.withdraw"
    campaign_log.record_annotator(session, VISITOR, now, action, annotator, version=version.number)
    return consent
