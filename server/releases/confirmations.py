"""What an organizer confirms first: acts that show what is hidden, or that stop a phase at once.

Each function lists what would happen, in sentences for the organizer; an empty list needs no confirmation.
"""

from collections.abc import Iterator, Sequence
from datetime import datetime

from sqlalchemy.orm import Session

from server.access import service as access
from server.core.dates import format_utc
from server.core.errors import ConfirmationRequired
from server.core.i18n import _
from server.phases import windows
from server.phases.models import Phase
from server.phases.rules import Window
from server.releases import (
    creation as release_creation,
    pseudonyms,
    scheduling as release_scheduling,
    service as releases,
)
from server.releases.creation import ReleaseOptions
from server.tasks.models import Task
from server.teams import service as teams


def require_confirmation(consequences: Sequence[str], *, sure: bool) -> None:
    """Raise if an act has consequences and was not confirmed.

    Raises:
        ConfirmationRequired: with the consequences.
    """
    if consequences and not sure:
        raise ConfirmationRequired(" ".join(consequences))


def require_release_confirmation(
    session: Session,
    phase: Phase,
    manner: ReleaseOptions,
    due_at: datetime | None,
    now: datetime,
    *,
    sure: bool,
) -> None:
    """Raise if a release now, or scheduled for `due_at`, has consequences and was not confirmed.

    What is refused anyway is refused first, so that nobody confirms in vain.

    Raises:
        ConfirmationRequired: with the consequences.
        InvalidDates: the time is in the past.
        Conflict: a release is scheduled already, or the options are not possible.
    """
    if due_at is None:
        release_creation.require_allowed_options(session, phase, manner, now)
    else:
        release_scheduling.require_may_schedule(session, phase, due_at, now, manner)
    consequences = list_release_consequences(session, phase, manner, due_at, now)
    require_confirmation(consequences, sure=sure)


def list_release_consequences(
    session: Session, phase: Phase, manner: ReleaseOptions, due_at: datetime | None, now: datetime
) -> list[str]:
    """List what a release would show that is hidden now, or that teams could use while they may submit.

    A release that is scheduled for a time when the phase is over can be cancelled until then, so that its
    exact scores alone need no confirmation.
    """
    consequences = list(_find_consequences(session, phase, manner, due_at, now))
    if consequences:
        consequences.append(
            _("You can withdraw the release, but not what people have read or downloaded in the meantime.")
            if due_at is None
            else _("You can cancel the scheduled release until %(at)s.", at=format_utc(due_at))
        )
    return consequences


def _find_consequences(
    session: Session, phase: Phase, manner: ReleaseOptions, due_at: datetime | None, now: datetime
) -> Iterator[str]:
    accepting = accepts_files(session, phase, now if due_at is None else due_at)
    shown = _shows_exact_scores(session, phase)
    hides = phase.feedback != "scores" and (accepting or (due_at is None and not shown))
    publishes = phase.runs_public and accepting
    if accepting and (hides or publishes or not shown):
        yield _say_when_it_accepts(phase, due_at, now)
    if hides and shown:
        yield _("An earlier release already shows exact scores. A new release shows the current ones.")
    elif hides:
        yield _("A release shows exact official scores, which this phase does not show to teams.")
    if publishes:
        yield _(
            "Everyone can then download the submissions that count and the late ones, even teams that "
            "can still submit."
        )
    if not manner.anonymous and pseudonyms.list_anonymous(session, phase):
        yield _(
            "There is an anonymous release. Anyone who compares the two leaderboards can see which team "
            "is which."
        )
    if manner.opens_gold:
        yield _(
            "Everyone can then download the gold standard of the %(split)s items. This cannot be undone, "
            "even by withdrawing the release.",
            split=phase.split,
        )


def accepts_files(session: Session, phase: Phase, at: datetime) -> bool:
    """Whether a team may still submit to a phase at an instant, perhaps later or by its own extension."""
    by_team = windows.windows_by_team(session, phase, teams.list_teams(session, phase.task))
    return any(window.state(at) != "over" for window in (phase.window, *by_team.values()))


def _say_when_it_accepts(phase: Phase, due_at: datetime | None, now: datetime) -> str:
    if due_at is not None:
        return _("At that time, %(phase)s still accepts submissions.", phase=phase.title)
    if phase.window.state(now) == "early":
        return _("%(phase)s has not opened yet.", phase=phase.title)
    if phase.window.state(now) == "grace":
        return _("%(phase)s still accepts late submissions.", phase=phase.title)
    return _("%(phase)s still accepts submissions.", phase=phase.title)


def _shows_exact_scores(session: Session, phase: Phase) -> bool:
    """Whether the newest release of a phase is public and shows exact scores."""
    newest = releases.find_newest(session, phase)
    return newest is not None and newest.withdrawal is None and newest.release.feedback in (None, "scores")


def list_date_consequences(session: Session, phase: Phase, window: Window, now: datetime) -> list[str]:
    """List what new dates of a phase would do at once: close it, stop it, or make its items public.

    Nobody sees the phases of a draft, so that its dates need no confirmation.
    """
    if phase.task.state == "draft":
        return []
    before, after, title = phase.window.state(now), window.state(now), phase.title
    consequences = list_item_consequences(session, phase.task, phase.split, window, now)
    if after == "over" != before:
        consequence = (
            _("%(phase)s closes at once and accepts no more submissions.", phase=title)
            if before != "grace"
            else _("%(phase)s stops accepting late submissions at once.", phase=title)
        )
    elif after == "grace" and before in ("early", "open"):
        consequence = _(
            "The new deadline of %(phase)s has passed. From now on, submissions are late: they are "
            "scored, but not ranked.",
            phase=title,
        )
    elif after == "early" and before in ("open", "grace") and window.opens is not None:
        opens = format_utc(window.opens)
        consequence = _("%(phase)s accepts no submissions until %(opens)s.", phase=title, opens=opens)
    else:
        return consequences
    remains = _(
        "You can change the dates again later, but submissions that are late or rejected in the meantime "
        "stay late or rejected."
    )
    return [*consequences, consequence, remains]


def list_item_consequences(
    session: Session, task: Task, split: str, window: Window, now: datetime
) -> list[str]:
    """Say that a phase would make its items public at once, unless they are public or the task is a draft."""
    if task.state == "draft" or window.state(now) == "early":
        return []
    if split in access.open_splits(windows.list_phases_on_items(session, task.id, split), now):
        return []
    return [
        _(
            "The dates make the %(split)s items public: everyone can download them at once. This cannot be "
            "undone.",
            split=split,
        )
    ]
