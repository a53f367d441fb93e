"""What splits and data files are called on pages."""

from server.core.i18n import N_, _
from server.tasks.models import Task


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
