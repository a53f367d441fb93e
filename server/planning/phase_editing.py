"""Adding, editing and removing a phase. Whether a submission is late never changes by an edit."""

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from scorer.bundles.bundle import PhaseSettings
from server.access import service as access, tasks
from server.audit import service as audit
from server.core.actors import Actor
from server.core.errors import Conflict, FilesPrivate, InvalidDates, NameTaken, TitleTaken
from server.core.i18n import ngettext
from server.core.storage import text_sha256
from server.mail import notices
from server.mail.models import Announcement, Reminder
from server.phases.models import Extension, Phase
from server.phases.rules import Window
from server.planning.run_limits import find_low_limits
from server.releases import confirmations, live_boards, release_gold
from server.releases.models import Release, ReleasePlan
from server.runs.models import Run
from server.submissions import follow_up_jobs
from server.submissions.models import Submission
from server.tasks.models import Task


@dataclass(frozen=True, slots=True)
class PhaseEdit(PhaseSettings):
    """The new dates and rules of a phase."""


def add_phase(
    session: Session,
    actor: Actor,
    task: Task,
    slug: str,
    split: str,
    edit: PhaseEdit,
    now: datetime,
    *,
    sure: bool = False,
) -> Phase:
    """Add a phase after the task's other phases.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        NameTaken: the task has a phase with this slug.
        TitleTaken: the task has a phase with this title.
        InvalidDates: the phase would close before it opens.
        ConfirmationRequired: its items would be public at once, and `actor` has not confirmed it.
        Conflict: no level of a task that was published has the split, or a level does not say which of its
            items are public.
    """
    access.require_organizer(session, actor, task)
    access.require_not_archived(task)
    present = list(session.scalars(select(Phase).where(Phase.task_id == task.id)))
    if slug in {phase.slug for phase in present}:
        raise NameTaken.of('The task already has a phase "%(slug)s". Choose another short name.', slug=slug)
    _require_free_title(present, edit.title)
    window = Window(edit.opens, edit.closes, edit.grace_hours)
    consequences = confirmations.list_item_consequences(session, task, split, window, now)
    confirmations.require_confirmation(consequences, sure=sure)
    position = max((phase.position for phase in present), default=-1) + 1
    phase = Phase(task_id=task.id, position=position, slug=slug, split=split, **_column_values(edit))
    phase.task = task
    if task.published_at is not None and not tasks.levels_of(phase):
        raise Conflict.of("No level of this task has %(split)s items.", split=split)
    _require_valid_edit(phase, edit)
    session.add(phase)
    session.flush()
    audit.record(session, actor, now, "phase.add", task.id, phase=slug, split=split)
    return phase


def edit_phase(
    session: Session, actor: Actor, phase: Phase, edit: PhaseEdit, now: datetime, *, sure: bool = False
) -> list[str]:
    """Change a phase's dates and rules, and return which; the audit log records old and new ones.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        TitleTaken: another phase of the task has this title.
        InvalidDates: the phase would close before it opens.
        FilesPrivate: submissions would be published, although their teams were promised otherwise.
        ConfirmationRequired: hidden scores would be shown, the items would be public, or the phase would
            stop accepting submissions, each at once, and `actor` has not confirmed it.
        Conflict: the deciding items would change after teams have sent files, a level does not say
            which of its items are public, a limit would be below what a team has used, or files would be
            accepted again after the gold was published.
    """
    access.require_organizer(session, actor, phase.task)
    access.require_not_archived(phase.task)
    if edit.title != phase.title:
        others = select(Phase).where(Phase.task_id == phase.task_id, Phase.id != phase.id)
        _require_free_title(session.scalars(others), edit.title)
    _require_valid_edit(phase, edit)
    window = Window(edit.opens, edit.closes, edit.grace_hours)
    release_gold.require_no_reopening(session, phase, window)
    if (edit.feedback == "public-part") != (phase.feedback == "public-part") and has_files(session, phase):
        raise Conflict.of(
            "There are submissions in %(phase)s, so you can no longer change which items decide "
            "the leaderboard.",
            phase=phase.title,
        )
    if low := find_low_limits(session, phase, asdict(edit), now):
        raise Conflict(" ".join(low.values()))
    if edit.runs_public and not phase.runs_public and has_files(session, phase):
        raise FilesPrivate.of(
            "There are submissions in %(phase)s, and their teams were told that these are not "
            "published. This can no longer be changed.",
            phase=phase.title,
        )
    consequences = confirmations.list_date_consequences(session, phase, window, now)
    if phase.feedback == "hidden" != edit.feedback and (count := _count_files(session, phase)):
        consequences.append(
            ngettext(
                "Teams will see the scores of %(num)d submission at once. This cannot be undone.",
                "Teams will see the scores of %(num)d submissions at once. This cannot be undone.",
                count,
            )
        )
    confirmations.require_confirmation(consequences, sure=sure)
    before, changed = notices.read_dates(session, phase), dict[str, Any]()
    for name, new in _column_values(edit).items():
        old = getattr(phase, name)
        if _without_microseconds(old) != _without_microseconds(new):
            setattr(phase, name, new)
            audited = text_sha256 if name == "title" else _audit_value
            changed[name] = [audited(old), audited(new)]
    session.flush()
    if changed:
        audit.record(session, actor, now, "phase.edit", phase.task_id, phase=phase.slug, changed=changed)
        if "board" in changed and live_boards.is_paused(session, phase):
            live_boards.replace_with_live(session, actor, phase, now)
        notices.queue_date_notice(session, phase, before, now)
        follow_up_jobs.add_follow_up_jobs(session, phase, now)
    return list(changed)


def list_revealing_phases(session: Session, phase: Phase) -> list[Phase]:
    """List overlapping phases on the same items of which one shows scores that the other hides."""
    query = select(Phase).where(
        Phase.task_id == phase.task_id, Phase.split == phase.split, Phase.id != phase.id
    )
    return [
        other
        for other in session.scalars(query.order_by(Phase.position))
        if other.window.overlaps(phase.window)
        and other.feedback != phase.feedback
        and {other.feedback, phase.feedback} & {"hidden", "public-part"}
    ]


def find_post_evaluation_phase(session: Session, phase: Phase) -> Phase | None:
    """Return a phase without a deadline on the same items, for runs after the evaluation."""
    same = select(Phase).where(Phase.task_id == phase.task_id, Phase.split == phase.split)
    return session.scalar(same.where(Phase.closes.is_(None)).order_by(Phase.position).limit(1))


def can_remove_phase(session: Session, phase: Phase) -> bool:
    """Whether a phase has not been used, so that it can be removed."""
    return not any(
        session.scalar(select(table.phase_id).where(table.phase_id == phase.id).limit(1)) is not None
        for table in (Run, Release, ReleasePlan, Extension, Announcement, Reminder)
    )


def remove_phase(session: Session, actor: Actor, phase: Phase, now: datetime) -> None:
    """Remove a phase that has not been used, such as one that was added by mistake.

    Raises:
        Forbidden, NotFound: `actor` does not organize the task.
        Conflict: it has runs, releases, scheduled releases, extensions or announcements.
    """
    access.require_organizer(session, actor, phase.task)
    access.require_not_archived(phase.task)
    if not can_remove_phase(session, phase):
        raise Conflict.of(
            "%(phase)s cannot be removed because it has runs, releases, scheduled releases, "
            "extensions or announcements.",
            phase=phase.title,
        )
    audit.record(session, actor, now, "phase.remove", phase.task_id, phase=phase.slug)
    session.delete(phase)
    session.flush()


def has_files(session: Session, phase: Phase) -> bool:
    """Whether a team has uploaded a file for the phase."""
    return _count_files(session, phase) > 0


def _count_files(session: Session, phase: Phase) -> int:
    query = (
        select(func.count(Submission.id)).join(Run).where(Run.phase_id == phase.id, Run.baseline.is_(None))
    )
    return session.scalar(query) or 0


def count_files_after(session: Session, phase: Phase, at: datetime | None) -> int:
    """Count the teams' submissions that are on time and arrived after `at`; None: without a deadline."""
    if at is None:
        return 0
    query = (
        select(func.count(Submission.id))
        .join(Run)
        .where(
            Run.phase_id == phase.id,
            Run.baseline.is_(None),
            Submission.late.is_(False),
            Submission.arrived_at > at,
        )
    )
    return session.scalar(query) or 0


def _column_values(edit: PhaseEdit) -> dict[str, Any]:
    """Return the new values of the columns."""
    return {**asdict(edit), "reminders": list(edit.reminders)}


def _require_free_title(others: Iterable[Phase], title: str) -> None:
    if title.casefold() in {other.title.casefold() for other in others}:
        raise TitleTaken.of(
            'The task already has a phase with the title "%(title)s". Choose another one.', title=title
        )


def _require_valid_edit(phase: Phase, edit: PhaseEdit) -> None:
    if edit.opens is not None and edit.closes is not None and edit.closes <= edit.opens:
        raise InvalidDates.of("The phase must close after it opens. Correct one of the two dates.")
    if edit.feedback != "public-part":
        return
    for level, split in tasks.splits_of(phase):
        if split.public_items_sha256 is None:
            raise Conflict.of(
                "First declare which %(split)s items of %(level)s are public.",
                split=phase.split,
                level=level.title,
            )


def _without_microseconds(value: Any) -> Any:
    """Ignore microseconds, which forms do not show, so that an instant that was not edited stays equal."""
    return value.replace(microsecond=0) if isinstance(value, datetime) else value


def _audit_value(value: Any) -> Any:
    return value.isoformat() if isinstance(value, datetime) else value
