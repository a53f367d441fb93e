"""What the roles of a task allow. Only these roles give access to the gold standard."""

import re
import unicodedata
from collections.abc import Mapping
from typing import Literal, get_args

RoleName = Literal["organizer", "co-organizer", "observer"]
Registration = Literal["open", "approved"]
Capability = Literal["see", "run", "people"]
"""See all of a task, with the gold standard and hidden scores; organize it; give and end roles."""

TaskState = Literal["draft", "published", "archived", "deleted"]
"""A draft and a deleted task are hidden; an archived task can be read, but takes no teams or submissions.

The row of a deleted task stays, without texts and under another slug, because the audit log names it.
"""
DRAFT_MARK = "~"
"""What comes between the short name and the id of a draft in addresses; a short name cannot have it."""
HIDDEN_STATES: frozenset[TaskState] = frozenset({"draft", "deleted"})
VISIBLE_STATES: frozenset[TaskState] = frozenset({"published", "archived"})

ROLE_NAMES: tuple[RoleName, ...] = get_args(RoleName)
ROLE_CAPABILITIES: Mapping[RoleName, frozenset[Capability]] = {
    "organizer": frozenset({"see", "run", "people"}),
    "co-organizer": frozenset({"see", "run"}),
    "observer": frozenset({"see"}),
}


def grants(role: RoleName | None, capability: Capability) -> bool:
    """Whether a role allows something; None: a person without a role."""
    return role is not None and capability in ROLE_CAPABILITIES[role]


def suggest_slug(title: str) -> str:
    """Return a short name for a title: lowercase letters, digits and hyphens; empty if it has none of them.

    >>> suggest_slug("Größe & Ähnlichkeit, 2026")
    'grosse-ahnlichkeit-2026'
    """
    plain = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:64].rstrip("-")


def draft_slug(short_name: str, task_id: int) -> str:
    """Return the part of addresses that names a draft: no other task ever has it, so forms left open fit."""
    return f"{short_name}{DRAFT_MARK}{task_id}"
