"""Publishing, hiding, archiving, renaming and deleting a task."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Literal

from sqlalchemy import select
from sqlalchemy.orm import Session

from server.access import service as access
from server.access.tasks import PhaseView
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import ConfirmationRequired, Conflict
from server.core.i18n import N_, _
from server.phases.models import Phase
from server.runs.models import Run
from server.submissions import follow_up_jobs
from server.submissions.models import Submission
from server.tasks.contacts import has_contact
from server.tasks.models import Level, Task
from server.tasks.placeholders import is_placeholder, is_placeholder_date
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
        Conflict: the task's state does not allow it, or a team's submission was scored before it was hidden.
        ConfirmationRequired: the published task would have placeholders.
    """
    access.require_organizer(session, actor, task)
    change = CHANGES.get((task.state, to))
    if change is None:
        raise Conflict(_("The task is %(state)s. Nothing was changed.", state=_(STATE_WORDS[task.state])))
    if to == "draft":
        _require_no_submission(session, task)
    if change == "publish":
        require_publishable(session, task, sure=sure)
    task.state = to
    if change == "publish":
        task.published_at = task.published_at or now
        for phase in _list_phases(session, task):
            follow_up_jobs.add_follow_up_jobs(session, phase, now)
    session.flush()
    action = {
        "publish": "task.publish",
        "hide": "task.hide",
        "archive": "task.archive",
        "unarchive": "task.unarchive",
    }[change]
    audit.record(session, actor, now, action, task.id)
    return change


def require_publishable(session: Session, task: Task, *, sure: bool) -> None:
    """Raise unless the task says who organizes it and how to reach them, and has no placeholders.

    Raises:
        Conflict: the names or the address are missing.
        ConfirmationRequired: there are placeholders, and the organizer did not confirm them.
    """
    if (blocker := find_blocker(task)) is not None:
        raise Conflict(blocker)
    placeholders = list_placeholders(task, _list_phases(session, task))
    if placeholders and not sure:
        raise ConfirmationRequired(
            _(
                "The task still has placeholders: %(what)s. Replace them, or confirm that you publish them.",
                what=", ".join(placeholders),
            )
        )


def find_blocker(task: Task) -> str | None:
    """Return what the task lacks without which it cannot be published, or None."""
    if has_contact(task):
        return None
    return _(
        "Teams need to know who organizes the task and how to reach you. Enter the organizers and a contact "
        "under Description and terms. Then publish the task."
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


def _list_phases(session: Session, task: Task) -> Sequence[Phase]:
    return session.scalars(select(Phase).where(Phase.task_id == task.id).order_by(Phase.position)).all()


def has_submission(session: Session, task: Task) -> bool:
    """Whether a submission of a team was scored; baselines do not count."""
    query = select(Submission.id).join(Run).join(Run.phase)
    query = query.where(Phase.task_id == task.id, Run.baseline.is_(None))
    return session.scalar(query.limit(1)) is not None


def _require_no_submission(session: Session, task: Task) -> None:
    if has_submission(session, task):
        raise Conflict(
            _(
                "A submission has been scored, so the task can no longer be hidden. You can archive it: "
                "it stays readable, and takes no more submissions."
            )
        )


def list_gaps(
    task: Task, views: Sequence[PhaseView], levels_without_gold: Mapping[int, Sequence[Level]]
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


def _list_phase_gaps(view: PhaseView, without_gold: Sequence[Level]) -> list[str]:
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
