"""Campaigns of a task, and the states of their rounds. Organizers change them; observers see them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

from sqlalchemy import Select, delete, select
from sqlalchemy.orm import Session

from server.access import service as access
from server.annotation import campaign_log
from server.annotation.models import (
    AnnotationRound,
    Annotator,
    Assignment,
    Campaign,
    RoundDataSet,
    RoundEvent,
    RoundEventName,
    Step,
    UnitAnswer,
)
from server.core.actors import Actor
from server.core.belonging import list_belonging_rows
from server.core.db import Base
from server.core.errors import Conflict, require_found
from server.core.i18n import _
from server.jobs import service as jobs
from server.tasks.models import Task

ANSWERS_JOB = "campaign.answers"
"""The kind of job that records a hash over the answers of a campaign in the audit log."""
RoundState = Literal["planned", "open", "paused", "closed"]
_STATES: dict[RoundEventName, RoundState] = {"opened": "open", "paused": "paused", "closed": "closed"}


def list_campaigns(session: Session, actor: Actor, task: Task) -> Sequence[Campaign]:
    """List the campaigns of a task, the oldest first.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    access.require_observer(session, actor, task)
    query = select(Campaign).where(Campaign.task_id == task.id).order_by(Campaign.id)
    return session.scalars(query).all()


def get_campaign(session: Session, actor: Actor, task: Task, slug: str) -> Campaign:
    """Return a campaign of the task, for people who may see all of it.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task, or there is no such campaign.
    """
    access.require_observer(session, actor, task)
    campaign = session.scalar(select(Campaign).where(Campaign.task_id == task.id, Campaign.slug == slug))
    return require_found(campaign, _("There is no such campaign."))


def get_round(campaign: Campaign, slug: str = "") -> AnnotationRound:
    """Return a round of a campaign; without a slug, the first one.

    Raises:
        NotFound: there is no such round.
    """
    found = next((round_ for round_ in campaign.rounds if slug in ("", round_.slug)), None)
    return require_found(found, _("There is no such round."))


def get_gold_round(campaign: Campaign) -> AnnotationRound:
    """Return the round that gives the gold; without a rule for gold, the first one."""
    return get_round(campaign, "" if campaign.gold_rule is None else campaign.gold_rule.round)


def is_for(round_: AnnotationRound, annotator: Annotator) -> bool:
    """Whether the round is for people of the annotator's entry; a trial can be made in every round."""
    return annotator.trial or not round_.rules.entries or annotator.entry.slug in round_.rules.entries


def round_state(session: Session, round_: AnnotationRound) -> RoundState:
    """Return the state of a round: that of its newest event, and planned before the first one."""
    query = select(RoundEvent.event).where(RoundEvent.round_id == round_.id)
    event = session.scalar(query.order_by(RoundEvent.id.desc()).limit(1))
    return "planned" if event is None else _STATES[event]


def accepts_work(session: Session, round_: AnnotationRound, annotator: Annotator) -> bool:
    """Whether the annotator may work in the round now: it is open; or it is a trial, and it is not closed."""
    state = round_state(session, round_)
    return state == "open" or (annotator.trial and state != "closed")


def list_by_level(session: Session, task: Task) -> dict[str, Campaign]:
    """Return the campaigns that make items and gold of a level, by its short name; the newest of each."""
    query = select(Campaign).where(Campaign.task_id == task.id, Campaign.level.is_not(None))
    return {campaign.level or "": campaign for campaign in session.scalars(query.order_by(Campaign.id))}


def has_answers(session: Session, task: Task) -> bool:
    """Whether annotators have answered in a campaign of the task; trials do not count."""
    query = (
        select(UnitAnswer.id)
        .join(UnitAnswer.step)
        .join(Annotator, Annotator.id == Step.annotator_id)
        .join(Annotator.campaign)
        .where(Campaign.task_id == task.id, Annotator.trial.is_(False))
    )
    return session.scalar(query.limit(1)) is not None


def open_round(session: Session, actor: Actor, round_: AnnotationRound, now: datetime) -> None:
    """Open a planned or paused round, so that annotators can work in it; an open one does not change.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the round is closed, or the task is archived.
    """
    access.require_organizer(session, actor, round_.campaign.task)
    access.require_not_archived(round_.campaign.task)
    if round_state(session, round_) == "closed":
        raise Conflict.of("This round is closed and cannot be opened again.")
    _add_event(session, actor, round_, "opened", now)


def pause_round(session: Session, actor: Actor, round_: AnnotationRound, now: datetime) -> None:
    """Pause an open round: annotators get no assignments and no steps; answers that arrive still count.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the round is not open.
    """
    access.require_organizer(session, actor, round_.campaign.task)
    if round_state(session, round_) not in ("open", "paused"):
        raise Conflict.of("Only an open round can be paused.")
    _add_event(session, actor, round_, "paused", now)


def close_round(session: Session, actor: Actor, round_: AnnotationRound, now: datetime) -> None:
    """Close a round for good: answers that arrive later are kept, and never count.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the round was never opened.
    """
    access.require_organizer(session, actor, round_.campaign.task)
    if round_state(session, round_) == "planned":
        raise Conflict.of("This round was never opened.")
    _add_event(session, actor, round_, "closed", now)
    jobs.add_job(session, ANSWERS_JOB, {"campaign": round_.campaign_id}, now)


def is_deletable(session: Session, campaign: Campaign) -> bool:
    """Whether nobody has taken an assignment of the campaign; trials do not count."""
    taken = (
        select(Assignment.id)
        .join(Assignment.annotator)
        .where(Annotator.campaign_id == campaign.id, Annotator.trial.is_(False))
    )
    return session.scalar(taken.limit(1)) is None


def delete_campaign(session: Session, actor: Actor, campaign: Campaign, now: datetime) -> None:
    """Delete a campaign in which nobody has begun, with its links and trials; its entries in the log stay.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: an annotator has begun.
    """
    access.require_organizer(session, actor, campaign.task)
    if not is_deletable(session, campaign):
        raise Conflict.of("An annotator has begun, so the campaign cannot be deleted. You can close it.")
    campaign_log.record(session, actor, now, "campaign.delete", campaign)
    jobs.delete_jobs_about(session, jobs.select_ids(select_rows(), campaign.id))
    owner = Base.metadata.tables[Campaign.__tablename__]
    for table, belongs in reversed(list_belonging_rows(owner, campaign.id, ()).items()):
        session.execute(table.delete().where(belongs))
    session.execute(delete(Campaign).where(Campaign.id == campaign.id))
    session.expire_all()


def select_rows() -> dict[str, Select[int, int]]:
    """Select the ids of the rows that jobs may name, each with that of its campaign, by the kind of row."""
    return {
        "campaign": select(Campaign.id, Campaign.id.label("campaign_id")),
        "round": select(AnnotationRound.id, AnnotationRound.campaign_id),
        "data_set": select(RoundDataSet.id, AnnotationRound.campaign_id).join(RoundDataSet.round),
        "annotator": select(Annotator.id, Annotator.campaign_id),
        "assignment": select(Assignment.id, Annotator.campaign_id).join(Assignment.annotator),
    }


def _add_event(
    session: Session, actor: Actor, round_: AnnotationRound, event: RoundEventName, now: datetime
) -> None:
    if round_state(session, round_) == _STATES[event]:
        return
    session.add(RoundEvent(round_id=round_.id, event=event, **actor.made(now)))
    action = {"opened": "campaign.open", "paused": "campaign.pause", "closed": "campaign.close"}[event]
    campaign = round_.campaign
    campaign_log.record(session, actor, now, action, campaign, round=round_.slug)
