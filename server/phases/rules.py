"""When a phase takes files. Deadlines are law, and mercy is a rule."""

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
    """A phase's times; None: without that bound."""

    opens: datetime | None
    closes: datetime | None
    grace_hours: int = 0

    @property
    def grace_ends(self) -> datetime | None:
        """The last instant at which a late file is taken."""
        return None if self.closes is None else self.closes + timedelta(hours=self.grace_hours)

    def overlaps(self, other: "Window") -> bool:
        """Whether there is an instant at which both take files, late ones too."""
        return _begins_before_end(self, other) and _begins_before_end(other, self)

    def state(self, at: datetime) -> PhaseState:
        """What a file that arrived at `at` meets; the closing instant itself is on time."""
        if self.opens is not None and at < self.opens:
            return "early"
        if self.closes is None or at <= self.closes:
            return "open"
        if self.grace_ends is not None and at <= self.grace_ends:
            return "grace"
        return "over"


def files_may_come(windows: Iterable[tuple[Window, Feedback]], at: datetime) -> bool:
    """Whether files on some items may still come, late ones too, that what is told of the items would help.

    The windows are those of all phases on the items, and of each team with an extension of its own. One
    without a deadline is never over while its scores are hidden; where teams see them, nobody waits for it.
    """
    return any(
        feedback == "hidden" if window.grace_ends is None else at <= window.grace_ends
        for window, feedback in windows
    )


def _begins_before_end(one: Window, other: Window) -> bool:
    return one.opens is None or other.grace_ends is None or one.opens <= other.grace_ends


ArrivalKind = Literal["file", "run"]
"""What arrives: a file of a run, or the name of a new one."""

_EARLY_MESSAGES: dict[ArrivalKind, str] = {
    "file": N_("%(phase)s opens at %(opens)s; your file arrived at %(at)s."),
    "run": N_("%(phase)s opens at %(opens)s; it is %(at)s."),
}
_CLOSED_MESSAGES: dict[ArrivalKind, str] = {
    "file": N_("%(phase)s closed at %(closed)s; your file arrived at %(at)s."),
    "run": N_("%(phase)s closed at %(closed)s; it is %(at)s."),
}
_GRACE_OVER_MESSAGES: dict[ArrivalKind, str] = {
    "file": N_(
        "%(phase)s closed at %(closed)s and accepted late submissions until %(ends)s; your file "
        "arrived at %(at)s."
    ),
    "run": N_("%(phase)s closed at %(closed)s and accepted late submissions until %(ends)s; it is %(at)s."),
}


def explain_closed_phase(
    window: Window, at: datetime, title: str, subject: ArrivalKind = "file"
) -> str | None:
    """Why what arrives at `at` is not taken, with both clocks; None if it is."""
    state, facts = window.state(at), {"phase": title, "at": format_utc(at)}
    if state == "early" and window.opens is not None:
        return _(_EARLY_MESSAGES[subject], opens=format_utc(window.opens), **facts)
    if state != "over" or window.closes is None or window.grace_ends is None:
        return None
    facts["closed"] = format_utc(window.closes)
    if not window.grace_hours:
        return _(_CLOSED_MESSAGES[subject], **facts)
    return _(_GRACE_OVER_MESSAGES[subject], ends=format_utc(window.grace_ends), **facts)
