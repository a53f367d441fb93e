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
_LEVEL_KEY = re.compile(r"level\[(?P<slug>[A-Za-z0-9_-]+)\]")
_STEP_OF_TABLE: dict[str, StepName] = {
    "board": "scale",
    "level": "levels",
    "phase": "phases",
    "teams": "teams",
    "run": "baselines",
}
_TEXTS = ("slug", "title", "description", "terms", "licence")


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
    """Return the step in which a problem is fixed, by the file and the key that it names."""
    if file := _LEVEL_FILE.match(source):
        return Step("levels", file["slug"])
    table, _dot, key = message.partition(":")[0].partition(".")
    name = table.partition("[")[0]
    if name == "task":
        return Step("texts" if key in _TEXTS else "scale")
    step = _STEP_OF_TABLE.get(name, "texts")
    level = _LEVEL_KEY.search(message) if step == "levels" else None
    phase = re.match(r"phase\[([a-z0-9-]+)\]", table)
    return Step(step, level["slug"] if level else phase[1] if phase else None)
