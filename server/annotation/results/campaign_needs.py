"""What an organizer has to do in the campaigns of a task, for the to-do list on the overview."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.annotation.assignments import plans, progress
from server.annotation.assignments.progress import AssignmentProgress
from server.annotation.campaigns import people, standing
from server.annotation.campaigns import service as campaigns
from server.annotation.models import AnnotationRound, Campaign, RoundEvent
from server.annotation.results import answer_rows
from server.annotation.results.progress import count_units
from server.core.actors import Actor
from server.gold.models import GoldVersion
from server.tasks.models import Level, Split, Task

NeedKind = Literal["campaign planned", "campaign stalled", "campaign complete", "campaign gold"]
"""planned: it is not open yet. stalled: answers are missing, and nobody may give them. complete: every unit
has all its answers, and the round is not closed. gold: the round is closed, and its gold was not made.
"""


@dataclass(frozen=True, slots=True)
class CampaignNeed:
    """One thing to do in one campaign."""

    kind: NeedKind
    campaign: Campaign


def list_campaign_needs(session: Session, actor: Actor, task: Task, now: datetime) -> list[CampaignNeed]:
    """List what there is to do in the campaigns of a task; nothing in those of an archived one.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    rows = campaigns.list_campaigns(session, actor, task)
    kinds = [] if task.state == "archived" else [(_find_kind(session, row, now), row) for row in rows]
    return [CampaignNeed(kind, campaign) for kind, campaign in kinds if kind is not None]


def _find_kind(session: Session, campaign: Campaign, now: datetime) -> NeedKind | None:
    of_round = campaigns.get_round(campaign)
    state = campaigns.round_state(session, of_round)
    if state == "planned":
        return "campaign planned"
    if state == "closed":
        return "campaign gold" if _lacks_gold(session, campaign, of_round) else None
    return _judge_work(session, campaign, of_round, now)


def _judge_work(
    session: Session, campaign: Campaign, of_round: AnnotationRound, now: datetime
) -> NeedKind | None:
    """Return whether an open round is complete or stalled; its answers are loaded only if nobody works."""
    works = progress.round_progress(session, of_round, now)
    first = plans.list_plans(session, of_round)[0]
    n_taken = sum(work.assignment.plan_id == first.id for work in works)
    is_left = any(work.n_open for work in works if work.state in ("expired", "left"))
    if not is_left and n_taken == first.n_assignments:
        if any(work.n_open for work in works):
            return None
        units = count_units(session, of_round, answer_rows.load_answers(session, of_round))
        if units.complete == units.units:
            return "campaign complete"
    return None if _has_helpers(session, campaign, works) else "campaign stalled"


def _has_helpers(session: Session, campaign: Campaign, works: Sequence[AssignmentProgress]) -> bool:
    """Whether an annotator may take an assignment that they do not have yet."""
    barred = standing.list_excluded(session, campaign) | standing.list_withdrawn(session, campaign)
    taken = Counter(work.assignment.annotator_id for work in works)
    return any(
        annotator.id not in barred
        and (annotator.entry.assignments_each == 0 or taken[annotator.id] < annotator.entry.assignments_each)
        for annotator in people.list_annotators(session, campaign)
    )


def _lacks_gold(session: Session, campaign: Campaign, of_round: AnnotationRound) -> bool:
    """Whether no gold version of the campaign's split was made since its round was closed."""
    if campaign.gold_rule is None or campaign.level is None:
        return False
    closed = select(RoundEvent.made_at).where(
        RoundEvent.round_id == of_round.id, RoundEvent.event == "closed"
    )
    made = (
        select(GoldVersion.id)
        .join(Split, Split.id == GoldVersion.split_id)
        .join(Level, Level.id == Split.level_id)
        .where(
            Level.task_id == campaign.task_id,
            Level.slug == campaign.level,
            Split.name == campaign.split,
            GoldVersion.made_at >= closed.scalar_subquery(),
        )
    )
    return session.scalar(made.limit(1)) is None
