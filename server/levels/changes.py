"""Until when the levels, items and scale of a task can be changed: until teams or annotators used them."""

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from server.access import service as access
from server.annotation.models import Campaign
from server.core.actors import Actor
from server.core.errors import Conflict
from server.core.i18n import _
from server.phases.models import Phase
from server.releases.models import Release
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


def find_split_obstacle(session: Session, level: Level, split: str) -> str | None:
    """Return why the items and columns of a split can no longer be changed, or None."""
    task = level.task
    if task.state == "archived":
        return _("The task is archived.")
    if listings.has_team_file(session, task, split):
        return _("A submission of a team has been scored on the %(split)s items.", split=split_words(split))
    query = select(Campaign.title).where(
        Campaign.task_id == task.id, Campaign.level == level.slug, Campaign.split == split
    )
    if (title := session.scalar(query.limit(1))) is not None:
        return _(
            "The %(split)s items are those of the campaign %(title)s.", split=split_words(split), title=title
        )
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
        raise Conflict(_("%(obstacle)s So this can no longer be changed.", obstacle=obstacle))
