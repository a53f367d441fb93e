"""The steps of a task setup, with what is done and what is missing."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Literal

from scorer.metrics import METRICS
from server.core.dates import format_utc
from server.core.i18n import N_, _, ngettext
from server.setups.bundle_files import MOMENTS
from server.setups.models import TaskSetup
from server.setups.rules import SPLITS, Step, StepName
from server.tasks.split_names import split_words

StepState = Literal["done", "missing", "needed", "optional"]


@dataclass(frozen=True, slots=True)
class Missing:
    """Something that is missing, and the step that adds it."""

    step: Step
    words: str


@dataclass(frozen=True, slots=True)
class StepStatus:
    """A step, whether something is missing, and in words what it has."""

    name: StepName
    state: StepState
    words: str

    @property
    def title(self) -> str:
        """The title of the step."""
        return _(STEP_TITLES[self.name])


STEP_TITLES: dict[StepName, str] = {
    "texts": N_("Texts"),
    "scale": N_("Scale and metrics"),
    "levels": N_("Levels"),
    "phases": N_("Phases"),
    "teams": N_("Teams"),
    "baselines": N_("Baselines"),
}


def list_steps(setup: TaskSetup) -> list[StepStatus]:
    """Return the steps in their order; this reads no file."""
    return [
        _texts(setup.tables["task"]),
        _scale(setup),
        _levels(setup),
        _phases(setup),
        StepStatus("teams", "done", describe_teams(setup)),
        _baselines(setup),
    ]


def list_missing(setup: TaskSetup) -> list[Missing]:
    """Return what has to be there before the bundle can be checked as a whole; this reads no file."""
    levels, phases = setup.tables.get("level", ()), setup.tables.get("phase", ())
    missing = []
    if "scale" not in setup.tables["task"]:
        missing.append(Missing(Step("scale"), _("Enter the lowest and the highest value of the scale.")))
    if not levels:
        missing.append(Missing(Step("levels"), _("Add a level.")))
    for level in levels:
        given = [level[split] for split in SPLITS if split in level]
        if not given or any("items" not in files for files in given):
            words = _("Upload the items of %(level)s.", level=level["title"])
            missing.append(Missing(Step("levels", level["slug"]), words))
    if not phases:
        missing.append(Missing(Step("phases"), _("Add a phase.")))
    for phase in phases if levels else ():
        if not any(phase["split"] in level for level in levels):
            words = _(
                "%(phase)s uses the %(split)s items, but no level has any. Upload them, or choose other "
                "items for the phase.",
                phase=phase["title"],
                split=phase["split"],
            )
            missing.append(Missing(Step("phases", phase["slug"]), words))
    return missing


def list_notes(setup: TaskSetup, now: datetime) -> list[str]:
    """Return what is allowed, but worth a second look before the task is created."""
    needed = ", ".join(list_needed_to_publish(setup.tables["task"]))
    phases, levels = setup.tables.get("phase", ()), setup.tables.get("level", ())
    splits = [(level["title"], name, level[name]) for level in levels for name in SPLITS if name in level]
    missing = [(title, name) for title, name, files in splits if "gold" not in files]
    return [
        *([_("Needed to publish: %(what)s. Add them under Texts.", what=needed)] if needed else ()),
        *(
            _("%(phase)s is already closed. Check its dates.", phase=phase["title"])
            for phase in phases
            if is_over(phase, now)
        ),
        *(
            _(
                "%(phase)s has no opening date: it opens as soon as the task is published.",
                phase=phase["title"],
            )
            for phase in phases
            if "opens" not in phase
        ),
        *(_("%(phase)s has no deadline.", phase=phase["title"]) for phase in phases if "closes" not in phase),
        *(
            _(
                "%(level)s has no gold for its %(split)s items: add it before teams submit.",
                level=title,
                split=name,
            )
            for title, name in missing
        ),
        *(
            _("Everyone can download the gold of the test items of %(level)s.", level=title)
            for title, name, files in splits
            if name == "test" and files.get("public_gold")
        ),
    ]


def list_needed_to_publish(task: Mapping[str, Any]) -> list[str]:
    """Return what the texts lack before a site publishes the task."""
    names = {"organizers": _("organizers"), "contact": _("contact")}
    return [words for key, words in names.items() if not task.get(key)]


def is_over(phase: Mapping[str, Any], now: datetime) -> bool:
    """Whether a phase has closed, also for late submissions."""
    if "closes" not in phase:
        return False
    grace = timedelta(hours=phase.get("grace_hours", 0))
    return datetime.fromisoformat(phase["closes"]) + grace <= now


def describe_level(level: Mapping[str, Any]) -> str:
    """Say which files a level has."""
    parts = []
    for split in SPLITS:
        files = level.get(split, {})
        if "items" in files and "gold" in files:
            parts.append(_("%(split)s: items and gold", split=split_words(split)))
        elif "items" in files:
            parts.append(_("%(split)s: items without gold", split=split_words(split)))
        elif "gold" in files:
            parts.append(_("%(split)s: gold without items", split=split_words(split)))
    return "; ".join(parts) or _("no files yet")


def describe_phase(phase: Mapping[str, Any]) -> str:
    """Say when a phase opens and closes."""
    dates = {key: datetime.fromisoformat(phase[key]) for key in MOMENTS if key in phase}
    opens = _("opens %(at)s", at=format_utc(dates["opens"])) if "opens" in dates else _("opens at once")
    closes = _("closes %(at)s", at=format_utc(dates["closes"])) if "closes" in dates else _("no deadline")
    return f"{split_words(phase['split'])}; {opens}; {closes}"


def _texts(task: Mapping[str, Any]) -> StepStatus:
    names = {"description": _("description"), "licence": _("licence"), "terms": _("terms")}
    present = [words for key, words in names.items() if task.get(key)]
    names = {
        "description": _("no description yet"),
        "organizers": _("no organizers yet"),
        "contact": _("no contact yet"),
    }
    missing = [words for key, words in names.items() if not task.get(key)]
    state: StepState = "needed" if list_needed_to_publish(task) else "optional" if missing else "done"
    return StepStatus("texts", state, "; ".join(filter(None, (", ".join(present), *missing))))


def _scale(setup: TaskSetup) -> StepStatus:
    task = setup.tables["task"]
    if "scale" not in task:
        return StepStatus("scale", "missing", _("no scale yet"))
    low, high = task["scale"]["min"], task["scale"]["max"]
    words = _(
        "%(low)s to %(high)s; official metric: %(metric)s",
        low=f"{low:g}",
        high=f"{high:g}",
        metric=METRICS[task["metrics"][0]].title,
    )
    return StepStatus("scale", "done", words)


def _levels(setup: TaskSetup) -> StepStatus:
    levels = setup.tables.get("level", ())
    if not levels:
        return StepStatus("levels", "missing", _("no level yet"))
    good = all(any("items" in level.get(split, {}) for split in SPLITS) for level in levels)
    words = ngettext("%(num)d level", "%(num)d levels", len(levels))
    return StepStatus("levels", "done" if good else "missing", words)


def _phases(setup: TaskSetup) -> StepStatus:
    phases = setup.tables.get("phase", ())
    words = ngettext("%(num)d phase", "%(num)d phases", len(phases)) if phases else _("no phase yet")
    return StepStatus("phases", "done" if phases else "missing", words)


def describe_teams(setup: TaskSetup) -> str:
    """Say how large teams can be, and who can create one."""
    teams = setup.tables.get("teams", {})
    size, approved = teams.get("size"), teams.get("registration") == "approved"
    limit = _("no size limit") if size is None else _("at most %(size)d people", size=size)
    opening = _("an organizer approves each team") if approved else _("anyone can create a team")
    return f"{limit}; {opening}"


def _baselines(setup: TaskSetup) -> StepStatus:
    names = [run["name"] for run in setup.tables.get("run", ())]
    return StepStatus("baselines", "done", ", ".join(names) or _("none"))
