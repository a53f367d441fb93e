"""What splits and data files are called on pages."""

from server.core.i18n import N_, _
from server.tasks.models import Task


def list_split_names(task: Task) -> list[str]:
    """The names of a task's splits, in the order in which people meet them."""
    names = {split.name for level in task.levels for split in level.splits}
    return sorted(names, key=("trial", "training", "test").index)


SPLIT_WORDS = {"trial": N_("Trial"), "training": N_("Training"), "test": N_("Test")}
FILE_KIND_WORDS = {
    "items": N_("Items"),
    "gold": N_("Gold labels"),
    "senses": N_("Senses"),
    "public": N_("Public items"),
}


def split_words(name: str) -> str:
    """The name of a split, to head a column with."""
    return _(SPLIT_WORDS[name])


def file_kind_words(kind: str) -> str:
    """What a data file holds."""
    return _(FILE_KIND_WORDS[kind])
