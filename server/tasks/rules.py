"""What the roles of a task allow. Gold is seen by role, and by these roles alone."""

from collections.abc import Mapping
from typing import Literal, get_args

from server.core.i18n import N_, _
from server.tasks.models import Task

RoleName = Literal["organizer", "co-organizer", "observer"]
Capability = Literal["see", "run", "people"]
"""See all of a task, gold and hidden scores too; run it; say who has which role in it."""

ROLE_NAMES: tuple[RoleName, ...] = get_args(RoleName)
ROLES: Mapping[RoleName, frozenset[Capability]] = {
    "organizer": frozenset({"see", "run", "people"}),
    "co-organizer": frozenset({"see", "run"}),
    "observer": frozenset({"see"}),
}


def grants(role: RoleName | None, capability: Capability) -> bool:
    """Whether a role allows something; None: a person without a role."""
    return role is not None and capability in ROLES[role]


def splits(task: Task) -> list[str]:
    """The names of a task's splits, in the order in which people meet them."""
    names = {split.name for level in task.levels for split in level.splits}
    return sorted(names, key=("trial", "training", "test").index)


SPLITS = {"trial": N_("Trial"), "training": N_("Training"), "test": N_("Test")}
KINDS = {"items": N_("Items"), "gold": N_("Gold"), "senses": N_("Senses"), "public": N_("Public items")}


def split_words(name: str) -> str:
    """The name of a split, to head a column with."""
    return _(SPLITS[name])


def kind_words(kind: str) -> str:
    """What a data file holds."""
    return _(KINDS[kind])
