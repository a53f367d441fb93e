"""Names of splits and data files on pages."""

from server.core.i18n import N_, _
from server.tasks.models import Task


def list_split_names(task: Task) -> list[str]:
    """Return the names of a task's splits, in the order in which people use them."""
    names = {split.name for level in task.levels for split in level.splits}
    return sorted(names, key=SPLITS.index)


SPLIT_WORDS = {"trial": N_("Trial"), "training": N_("Training"), "test": N_("Test")}
SPLITS = tuple(SPLIT_WORDS)
"""The names of splits, in the order in which people use them."""
FILE_KIND_WORDS = {
    "items": N_("Items"),
    "gold": N_("Gold labels"),
    "senses": N_("Senses"),
    "public": N_("Public items"),
}


def split_words(name: str) -> str:
    """Return the name of a split as the head of a column."""
    return _(SPLIT_WORDS[name])


def file_kind_words(kind: str) -> str:
    """Describe the contents of a data file."""
    return _(FILE_KIND_WORDS[kind])
