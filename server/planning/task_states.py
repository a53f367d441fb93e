"""Publishing, hiding, archiving, renaming and deleting a task."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal

from sqlalchemy.orm import Session

from server.access import service as access, tasks
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import ConfirmationRequired, Conflict
from server.core.i18n import N_, _
from server.core.placeholders import is_placeholder, is_placeholder_date
from server.levels import baseline_files
from server.phases.models import Phase
from server.planning import drafts
from server.submissions import follow_up_jobs, listings
from server.tasks.models import Level, Task
from server.tasks.rules import TaskState

StateChange = Literal["publish", "hide", "archive", "unarchive"]
CHANGES: Mapping[tuple[TaskState, TaskState], StateChange] = {
    ("draft", "published"): "publish",
    ("published", "draft"): "hide",
    ("published", "archived"): "archive",
    ("archived", "published"): "unarchive",
}
"""The possible changes of a task's state."""
STATE_WORDS: Mapping[TaskState, str] = {
    "draft": N_("a draft"),
    "published": N_("published"),
    "archived": N_("archived"),
    "deleted": N_("deleted"),
}


def change_state(
    session: Session, actor: Actor, task: Task, to: TaskState, now: datetime, *, sure: bool = False
) -> StateChange:
    """Publish, hide, archive or unarchive a task, and return which of them it was.

    `sure`: the organizer confirmed that it is published with placeholders.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: the task's state does not allow it, a team's submission was scored before it was hidden, or
            it lacks something without which it cannot be published.
        ConfirmationRequired: the published task would have placeholders.
    """
    access.require_organizer(session, actor, task)
    change = CHANGES.get((task.state, to))
    if change is None:
        raise Conflict.of("The task is %(state)s. Nothing was changed.", state=_(STATE_WORDS[task.state]))
    if to == "draft":
        _require_no_submission(session, task)
    if change == "publish":
        require_publishable(session, task, now, sure=sure)
        task.slug = task.short_name  # which is reserved from now on
    task.state = to
    if change == "publish":
        task.published_at = task.published_at or now
        baseline_files.add_job(session, task, now)  # of items that came from a campaign
        for view in tasks.list_phases(session, task, now):
            follow_up_jobs.add_follow_up_jobs(session, view.phase, now)
    session.flush()
    action = {
        "publish": "task.publish",
        "hide": "task.hide",
        "archive": "task.archive",
        "unarchive": "task.unarchive",
    }[change]
    audit.record(session, actor, now, action, task.id)
    return change


def require_publishable(session: Session, task: Task, now: datetime, *, sure: bool) -> None:
    """Raise unless the task has all that a published task has, and no placeholders.

    Raises:
        Conflict: it lacks something, or another task has its short name.
        ConfirmationRequired: there are placeholders, and the organizer did not confirm them.
    """
    phases = tasks.list_phases(session, task, now)
    if missing := drafts.list_missing(session, task, phases):
        raise Conflict(" ".join(missing))
    placeholders = list_placeholders(task, [view.phase for view in phases])
    if placeholders and not sure:
        raise ConfirmationRequired.of(
            "The task still has placeholders: %(what)s. Replace them, or confirm that you publish them.",
            what=", ".join(placeholders),
        )


def list_placeholders(task: Task, phases: Iterable[Phase]) -> list[str]:
    """List the texts and dates that `scorer bundle new` left for someone to write."""
    texts = {
        _("the title"): [task.title],
        _("the description"): [task.description],
        _("the licence"): [task.licence],
        _("the labels of the scale"): [label for _point, label in task.labels],
    }
    named = [name for name, values in texts.items() if any(map(is_placeholder, values))]
    dated = [phase for phase in phases if any(map(is_placeholder_date, (phase.opens, phase.closes)))]
    return named + [_("the dates of %(phase)s", phase=phase.title) for phase in dated]


def _require_no_submission(session: Session, task: Task) -> None:
    if listings.has_team_file(session, task):
        raise Conflict.of(
            "A submission has been scored, so the task can no longer be hidden. You can archive it: "
            "it stays readable, and takes no more submissions."
        )


def list_gaps(
    task: Task, views: Sequence[tasks.PhaseView], levels_without_gold: Mapping[int, Sequence[Level]]
) -> list[str]:
    """List what may be missing before the task is published, but does not prevent it.

    Placeholders have to be confirmed.

    `levels_without_gold`: by the ids of the phases.
    """
    gaps = []
    if not task.description.strip():
        gaps.append(_("The task has no description."))
    if not task.licence.strip():
        gaps.append(_("The licence of the data is not given."))
    if placeholders := list_placeholders(task, [view.phase for view in views]):
        gaps.append(_("These are still placeholders: %(what)s.", what=", ".join(placeholders)))
    for view in views:
        gaps += _list_phase_gaps(view, levels_without_gold.get(view.phase.id, ()))
    return gaps


def _list_phase_gaps(view: tasks.PhaseView, without_gold: Sequence[Level]) -> list[str]:
    phase, gaps = view.phase, list[str]()
    if view.state == "over":
        gaps.append(_("%(phase)s is already closed. Check its dates.", phase=phase.title))
    elif view.state == "grace":
        gaps.append(_("The deadline of %(phase)s has already passed. Check its dates.", phase=phase.title))
    elif view.state == "open":
        gaps.append(
            _("%(phase)s opens as soon as the task is published. Check its dates.", phase=phase.title)
        )
    if without_gold and view.state != "over":
        levels = ", ".join(level.title for level in without_gold)
        gaps.append(
            _(
                "%(phase)s has no gold standard for %(levels)s. Submissions are rejected there until you "
                "upload it.",
                phase=phase.title,
                levels=levels,
            )
        )
    return gaps
