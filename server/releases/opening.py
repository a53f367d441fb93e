"""Opening the gold of a split for everybody: with a release, once nobody can send a file under a deadline."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from server.access import tasks
from server.audit import service as audit
from server.core.actors import Actor
from server.core.dates import clock_words
from server.core.errors import Conflict
from server.core.i18n import _
from server.phases import windows
from server.phases.models import Phase
from server.phases.rules import Window
from server.releases.models import Release
from server.tasks.models import Split, Task


def is_open(phase: Phase) -> bool:
    """Whether the gold of all items of the phase is public."""
    return all(split.public_gold for split in _splits(phase))


def list_opened(session: Session, task: Task) -> dict[str, datetime]:
    """Since when the gold of each split is public that was opened with a release, by the split's name."""
    query = select(Phase.split, func.min(Release.made_at)).join(Release, Release.phase_id == Phase.id)
    rows = session.execute(query.where(Phase.task_id == task.id, Release.opens_gold).group_by(Phase.split))
    return {row[0]: row[1] for row in rows}


def require_may_open(session: Session, phase: Phase, at: datetime) -> None:
    """Let pass what would open the gold at an instant when no file can come under a deadline.

    Raises:
        Conflict: the gold is public already, or a phase on the items still takes files then.
    """
    if is_open(phase):
        raise Conflict(
            _(
                "The gold of the %(split)s items is public already; release without opening it.",
                split=phase.split,
            )
        )
    last = windows.find_last_deadline(session, phase, grace=True)
    if last is not None and at <= last:
        raise Conflict(
            _(
                "Files on the %(split)s items are taken until %(at)s, late ones and teams’ own extensions "
                "included; the gold can be opened after that.",
                split=phase.split,
                at=clock_words(last),
            )
        )


def require_shut(session: Session, phase: Phase, window: Window) -> None:
    """Let times of a phase pass that give nobody more time who could have read the gold by then.

    Raises:
        Conflict: the gold was opened once the phase took no more files, and it would take some again.
    """
    opened = list_opened(session, phase.task).get(phase.split)
    ended = phase.window.grace_ends
    if opened is None or ended is None or ended >= opened:
        return
    if window.grace_ends is None or window.grace_ends > ended:
        raise Conflict(
            _(
                "The gold of the %(split)s items is public since %(at)s, so %(phase)s takes no more files. "
                "Add a phase for runs that come after.",
                split=phase.split,
                at=clock_words(opened),
                phase=phase.title,
            )
        )


def open_gold(session: Session, actor: Actor, phase: Phase, now: datetime) -> None:
    """Make the gold of all items of a phase public; the caller has asked whether it may be."""
    for split in _splits(phase):
        split.public_gold = True
    session.flush()
    audit.record(session, actor, now, "gold.open", phase.task_id, phase=phase.slug, split=phase.split)


def _splits(phase: Phase) -> Sequence[Split]:
    found = [tasks.find_split(level, phase.split) for level in tasks.levels_of(phase)]
    return [split for split in found if split is not None]
