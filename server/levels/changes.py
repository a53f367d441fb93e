"""Until when the levels, items and scale of a task can be changed: until teams or annotators used them."""

from collections.abc import Sequence

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from server.access import service as access
from server.annotation.campaigns import service as campaigns
from server.annotation.models import Campaign
from server.core.actors import Actor
from server.core.errors import Conflict, InvalidFile
from server.core.i18n import _
from server.gold import versions as gold_versions
from server.phases.models import Phase
from server.releases.models import Release
from server.scoring import service as scoring
from server.submissions import listings
from server.tasks.models import Level, Task
from server.tasks.split_names import split_words


def find_task_obstacle(session: Session, task: Task) -> str | None:
    """Return why the scale, the metrics, the total and the list of levels can no longer be changed, or None.

    Baselines do not count, because they are computed again.
    """
    if task.state == "archived":
        return _("The task is archived.")
    if listings.has_team_file(session, task):
        return _("A submission of a team has been scored.")
    return None


def find_campaign(session: Session, level: Level, split: str | None = None) -> Campaign | None:
    """Return a campaign that makes the items of a level, or of one of its splits.

    One that was closed and whose gold standard was not made into a split makes none.
    """
    query = select(Campaign).where(Campaign.task_id == level.task_id, Campaign.level == level.slug)
    present = {row.name for row in level.splits}
    for campaign in session.scalars(query.order_by(Campaign.id)):
        round_ = campaigns.get_gold_round(campaign)
        is_used = campaign.split in present or campaigns.round_state(session, round_) != "closed"
        if is_used and split in (None, campaign.split):
            return campaign
    return None


def find_split_obstacle(session: Session, level: Level, split: str) -> str | None:
    """Return why the items and columns of a split can no longer be changed, or None."""
    if (campaign := find_campaign(session, level, split)) is not None:
        return _(
            "The %(split)s items are those of the campaign %(title)s.",
            split=split_words(split),
            title=campaign.title,
        )
    return find_public_gold_obstacle(session, level, split)


def find_public_gold_obstacle(session: Session, level: Level, split: str) -> str | None:
    """Return why a draft can no longer change whether the gold of a split is public, or None."""
    task = level.task
    if task.state == "archived":
        return _("The task is archived.")
    if listings.has_team_file(session, task, split):
        return _("A submission of a team has been scored on the %(split)s items.", split=split_words(split))
    on_items = select(Release.id).join(Phase, Phase.id == Release.phase_id)
    on_items = on_items.where(Phase.task_id == task.id, Phase.split == split)
    if session.scalar(select(exists(on_items))):
        return _("Results on the %(split)s items have been released.", split=split_words(split))
    return None


def require_changeable_task(session: Session, actor: Actor, task: Task) -> None:
    """Raise unless the scale, the metrics, the total and the list of levels can be changed by `actor`.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the task is archived, or a team's submission was scored.
    """
    access.require_organizer(session, actor, task)
    if (obstacle := find_task_obstacle(session, task)) is not None:
        raise Conflict.of("%(obstacle)s So this can no longer be changed.", obstacle=obstacle)


def require_fitting_gold(session: Session, levels: Sequence[Level]) -> None:
    """Raise Conflict if a gold version in force does not fit the scale, the columns or the metrics."""
    splits = [split for level in levels for split in level.splits]
    golds = gold_versions.list_golds(session, splits)
    for split in splits:
        if split.id not in golds:
            continue
        try:
            scoring.gold_of(session, split, golds[split.id])
        except InvalidFile as error:
            reason = next((str(problem) for problem in error.problems), error.message)
            raise Conflict.of(
                "The gold standard of %(level)s, %(split)s, does not fit: %(reason)s",
                level=split.level.title,
                split=split_words(split.name),
                reason=reason,
            ) from error
