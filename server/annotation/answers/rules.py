"""What an answer is, and what it means beside the earlier answers to the same step."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal, get_args

from server.annotation.models import InputKind

CLOCK_TOLERANCE = timedelta(seconds=2)
"""A page cannot have been in front for longer than since it was made, but clocks differ."""

Outcome = Literal["stored", "changed", "replaced", "repeated", "late"]
"""What became of an answer.

stored: the first one of its step. changed: it supersedes the answer that its page showed. replaced: it
supersedes another answer, which its page did not show: that of another window. repeated: it says nothing new.
late: the round was closed, or the annotator had handed in the assignment, or its pass was done; it is kept
and never in force.
"""


Picks = Mapping[str, Any]
"""What was chosen, as `UnitAnswer.picks` has it."""
Choice = dict[str, Any]
"""The "value", "picks" or "written" of an answer, by which of these it has."""
Content = tuple[float | Picks | str | None, str | None, str | None]
"""The rating, what was chosen, or the text that was written; the comment; and the reason."""


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """What an annotator answered, and how."""

    value: float | None = None
    """None: they cannot judge the unit, or chose or wrote something."""
    comment: str | None = None
    reason: str | None = None
    """Why they cannot judge the unit."""
    visible_ms: int | None = None
    input: InputKind = "none"
    picks: Picks | None = None
    written: str | None = None

    @property
    def content(self) -> Content:
        """What was said, without how."""
        return find_choice(self.value, self.picks, self.written), self.comment, self.reason


@dataclass(frozen=True, slots=True)
class KnownAnswer:
    """An earlier answer to the same step."""

    id: int
    nonce: str
    counts: bool
    content: Content


def find_choice(value: float | None, picks: Picks | None, written: str | None) -> float | Picks | str | None:
    """Return the one of these that an answer has; None: the annotator cannot judge the unit."""
    return next((each for each in (value, picks, written) if each is not None), None)


def content_nonce(nonce: str, given: GivenAnswer) -> str:
    """Return the idempotency key of an answer: the same form with the same content has the same one.

    A browser may show a form again as it was sent, when the annotator goes back. What they change in it is
    another answer.
    """
    content = json.dumps(given.content, ensure_ascii=False)
    return nonce + hashlib.sha256(f"{nonce} {content}".encode()).hexdigest()[:16]


def find_repeated(earlier: Sequence[KnownAnswer], key: str, given: GivenAnswer) -> KnownAnswer | None:
    """Return the earlier answer that `given` only repeats: its own row, or an equal one that is in force."""
    in_force = find_in_force(earlier)
    if in_force is not None and in_force.content == given.content:
        return in_force
    return next((answer for answer in earlier if answer.nonce == key), None)


def find_in_force(earlier: Sequence[KnownAnswer]) -> KnownAnswer | None:
    """Return the newest answer that counts; `earlier` is in the order of arrival."""
    return next((answer for answer in reversed(earlier) if answer.counts), None)


def judge_outcome(in_force: KnownAnswer | None, nonce: str, known_answer_id: int | None) -> Outcome:
    """Say what a new answer that counts does to the one in force."""
    if in_force is None:
        return "stored"
    is_known = in_force.id == known_answer_id or in_force.nonce.startswith(nonce)
    return "changed" if is_known else "replaced"


def find_input(name: str) -> InputKind:
    """Return how an answer was given, as the script says; "none" without it."""
    kinds: tuple[InputKind, ...] = get_args(InputKind)
    return next((kind for kind in kinds if kind == name), "none")


def credible_visible_ms(visible_ms: int | None, shown_at: datetime, arrived_at: datetime) -> int | None:
    """Return how long the page was in front, or None if it cannot have been for so long."""
    if visible_ms is None or visible_ms < 0:
        return None
    longest = arrived_at - shown_at + CLOCK_TOLERANCE
    return visible_ms if timedelta(milliseconds=visible_ms) <= longest else None


def hash_texts(given: GivenAnswer, salt: str) -> str:
    """Return the hash of an answer's free texts, which stays when the texts and the salt are erased."""
    texts = [salt, given.comment, given.reason, given.written]
    return hashlib.sha256(json.dumps(texts, ensure_ascii=False).encode()).hexdigest()
