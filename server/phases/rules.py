"""When a phase accepts files. Deadlines are strict; exceptions are extensions and grace periods."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Literal

from server.core.dates import format_utc
from server.core.i18n import N_, _
from server.phases.feedback import Feedback

PhaseState = Literal["early", "open", "grace", "over"]
BoardMode = Literal["released", "live"]
BaselinesShown = Literal["after", "always"]


@dataclass(frozen=True, slots=True)
class Window:
    """The times of a phase; None: unlimited."""

    opens: datetime | None
    closes: datetime | None
    grace_hours: int = 0

    @property
    def grace_ends(self) -> datetime | None:
        """The last instant at which a late file is accepted."""
        return None if self.closes is None else self.closes + timedelta(hours=self.grace_hours)

    def overlaps(self, other: "Window") -> bool:
        """Whether there is an instant at which both accept files, including late ones."""
        return _begins_before_end(self, other) and _begins_before_end(other, self)

    def state(self, at: datetime) -> PhaseState:
        """Return the phase's state for a file that arrived at `at`; the closing instant itself is on time."""
        if self.opens is not None and at < self.opens:
            return "early"
        if self.closes is None or at <= self.closes:
            return "open"
        if self.grace_ends is not None and at <= self.grace_ends:
            return "grace"
        return "over"


def files_may_come(windows: Iterable[tuple[Window, Feedback]], at: datetime) -> bool:
    """Whether files on some items may still arrive, even late, so that facts about the items stay secret.

    The windows are those of all phases on the items, and of each team with its own extension. A window
    without a deadline never ends while its scores are hidden; if teams see their scores, it does not count.
    """
    return any(
        feedback == "hidden" if window.grace_ends is None else at <= window.grace_ends
        for window, feedback in windows
    )


def _begins_before_end(one: Window, other: Window) -> bool:
    return one.opens is None or other.grace_ends is None or one.opens <= other.grace_ends


ArrivalKind = Literal["file", "run"]
"""What arrives: a file of a run, or a new run."""

_EARLY_MESSAGES: dict[ArrivalKind, str] = {
    "file": N_("%(phase)s opens on %(opens)s; your file arrived on %(at)s."),
    "run": N_("%(phase)s opens on %(opens)s; it is %(at)s."),
}
_CLOSED_MESSAGES: dict[ArrivalKind, str] = {
    "file": N_("%(phase)s closed on %(closed)s; your file arrived on %(at)s."),
    "run": N_("%(phase)s closed on %(closed)s; it is %(at)s."),
}
_GRACE_OVER_MESSAGES: dict[ArrivalKind, str] = {
    "file": N_(
        "%(phase)s closed on %(closed)s and accepted late submissions until %(ends)s; your file "
        "arrived on %(at)s."
    ),
    "run": N_("%(phase)s closed on %(closed)s and accepted late submissions until %(ends)s; it is %(at)s."),
}


def explain_closed_phase(
    window: Window, at: datetime, title: str, subject: ArrivalKind = "file"
) -> str | None:
    """Explain why an arrival at `at` is rejected, with both times; None: it is accepted."""
    state, facts = window.state(at), {"phase": title, "at": format_utc(at, seconds=True)}
    if state == "early" and window.opens is not None:
        return _(_EARLY_MESSAGES[subject], opens=format_utc(window.opens), **facts)
    if state != "over" or window.closes is None or window.grace_ends is None:
        return None
    facts["closed"] = format_utc(window.closes)
    if not window.grace_hours:
        return _(_CLOSED_MESSAGES[subject], **facts)
    return _(_GRACE_OVER_MESSAGES[subject], ends=format_utc(window.grace_ends), **facts)
