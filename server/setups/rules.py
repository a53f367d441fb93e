"""Short names that are suggested for titles, and the step in which a problem of the bundle is fixed."""

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

StepName = Literal["texts", "scale", "levels", "phases", "teams", "baselines"]
SPLITS = ("trial", "training", "test")
FileKind = Literal["items", "gold"]
KINDS: tuple[FileKind, ...] = ("items", "gold")
_LEVEL_FILE = re.compile(r"(?:items|gold)/(?:trial|training|test)/(?P<slug>[A-Za-z0-9_-]+)\.tsv")
TASK_FILE, DESCRIPTION_FILE, TERMS_FILE = "task.toml", "description.md", "terms.md"
_TEXT_FILES = (DESCRIPTION_FILE, TERMS_FILE)
_STEP_OF_TABLE: dict[str, StepName] = {
    "board": "scale",
    "level": "levels",
    "phase": "phases",
    "teams": "teams",
    "run": "baselines",
}
_TEXT_KEYS = (
    "slug", "title", "description", "terms", "licence", "organizers", "contact", "mailing_list",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Step:
    """Where a problem is fixed: a step, and the short name of the level or phase if it is about one."""

    name: StepName
    slug: str | None = None


def suggest_slug(title: str) -> str:
    """Return a short name for a title: lowercase letters, digits and hyphens; empty if it has none of them.

    >>> suggest_slug("Größe & Ähnlichkeit, 2026")
    'grosse-ahnlichkeit-2026'
    """
    plain = unicodedata.normalize("NFKD", title.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:64].rstrip("-")


def file_path(kind: FileKind, split: str, level: str) -> str:
    """Return the path of a file in the bundle."""
    return f"{kind}/{split}/{level}.tsv"


def find_step(source: str, message: str) -> Step:
    """Return the step in which a problem is fixed, by the file and the key that it names.

    What names neither is about a baseline, which is the only thing that is computed.
    """
    if file := _LEVEL_FILE.fullmatch(source):
        return Step("levels", file["slug"])
    if source in _TEXT_FILES:
        return Step("texts")
    path = message.partition(":")[0] if source == TASK_FILE else ""
    table, _dot, key = path.partition(".")
    name, _bracket, slug = table.rstrip("]").partition("[")
    if name == "task":
        return Step("texts" if key in _TEXT_KEYS else "scale")
    step = _STEP_OF_TABLE.get(name, "baselines")
    return Step(step, slug or None if step in ("levels", "phases") else None)
