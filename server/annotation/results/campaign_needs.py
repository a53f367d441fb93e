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
from server.annotation.campaigns import consents, exclusions, people, service as campaigns
from server.annotation.models import AnnotationRound, Campaign, RoundEvent
from server.annotation.results import gold
from server.annotation.results.progress import count_answers
from server.core.actors import Actor
from server.gold.models import GoldVersion
from server.tasks.models import Task

NeedKind = Literal["campaign planned", "campaign stalled", "campaign complete", "campaign gold"]
"""planned: its next round is not open yet. stalled: answers of an open round are missing, and nobody may give
them. complete: every unit of an open round has all its answers. gold: its rounds are closed, and its gold was
not made.
"""


@dataclass(frozen=True, slots=True)
class CampaignNeed:
    """One thing to do in one campaign, perhaps in one of its rounds."""

    kind: NeedKind
    campaign: Campaign
    round: AnnotationRound | None = None

    @property
    def title(self) -> str:
        """The title of the campaign, and which of its rounds is meant if it has several."""
        if self.round is None or len(self.campaign.rounds) == 1:
            return self.campaign.title
        return f"{self.campaign.title} ({self.round.slug})"


def list_campaign_needs(session: Session, actor: Actor, task: Task, now: datetime) -> list[CampaignNeed]:
    """List what there is to do in the campaigns of a task; nothing in those of an archived one.

    Raises:
        Forbidden, NotFound: `actor` may not see all of the task.
    """
    if task.state == "archived":
        return []
    needs = [_find_need(session, row, now) for row in campaigns.list_campaigns(session, actor, task)]
    return [need for need in needs if need is not None]


def _find_need(session: Session, campaign: Campaign, now: datetime) -> CampaignNeed | None:
    """Return what an open round needs; or else that the next one is to be opened, or the gold to be made."""
    states = [(round_, campaigns.round_state(session, round_)) for round_ in campaign.rounds]
    in_work = [round_ for round_, state in states if state in ("open", "paused")]
    for round_ in in_work:
        kind = _judge_work(session, round_, now)
        if kind is not None:
            return CampaignNeed(kind, campaign, round_)
    planned = next((round_ for round_, state in states if state == "planned"), None)
    if in_work:
        return None
    if planned is not None:
        return CampaignNeed("campaign planned", campaign, planned)
    return CampaignNeed("campaign gold", campaign) if lacks_gold(session, campaign) else None


def _judge_work(session: Session, round_: AnnotationRound, now: datetime) -> NeedKind | None:
    """Return whether an open round is complete or stalled; its answers are loaded only if nobody works."""
    works = progress.round_progress(session, round_, now)
    first = plans.list_plans(session, round_)[0]
    n_taken = sum(work.assignment.plan_id == first.id for work in works)
    is_left = any(work.n_open for work in works if work.state in ("expired", "left"))
    if not is_left and n_taken == first.n_assignments:
        if any(work.n_open for work in works):
            return None
        progress_now = count_answers(session, round_)
        if progress_now.complete == progress_now.units:
            return "campaign complete"
    return None if _has_helpers(session, round_, works) else "campaign stalled"


def _has_helpers(session: Session, round_: AnnotationRound, works: Sequence[AssignmentProgress]) -> bool:
    """Whether an annotator may take an assignment of the round that they do not have yet."""
    campaign = round_.campaign
    uncounted = exclusions.list_excluded(session, campaign) | consents.list_withdrawn(session, campaign)
    taken = Counter(work.assignment.annotator_id for work in works)
    return any(
        annotator.id not in uncounted
        and campaigns.is_for(round_, annotator)
        and (annotator.entry.assignments_each == 0 or taken[annotator.id] < annotator.entry.assignments_each)
        for annotator in people.list_annotators(session, campaign)
    )


def lacks_gold(session: Session, campaign: Campaign) -> bool:
    """Whether no gold version of the campaign's split was made since the round was closed that gives it."""
    if campaign.gold_rule is None or campaign.level is None:
        return False
    closed = select(RoundEvent.made_at).where(
        RoundEvent.round_id == campaigns.get_gold_round(campaign).id, RoundEvent.event == "closed"
    )
    made = gold.select_versions(campaign).where(GoldVersion.made_at >= closed.scalar_subquery())
    return session.scalar(made.limit(1)) is None
