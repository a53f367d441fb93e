"""The phases of a task setup, from and to the form's fields."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from server.bundles.task_toml import PHASE_KEYS
from server.core.errors import InvalidDates, NameTaken, NotFound
from server.core.i18n import _
from server.setups.bundle_files import MOMENTS
from server.setups.models import TaskSetup
from server.setups.rules import SPLITS
from server.setups.service import change_tables

MAX_PHASES = 50
DEFAULTS: dict[str, Any] = {
    "feedback": "hidden",
    "board": "released",
    "baselines": "after",
    "grace_hours": 0,
    "reminders": (),
    "runs_per_team": 3,
    "runs_public": False,
}
"""The defaults of a phase; other fields are empty."""


def list_phases(setup: TaskSetup) -> list[dict[str, Any]]:
    """Return the tables of the phases."""
    return list(setup.tables.get("phase", ()))


def get_phase(setup: TaskSetup, slug: str) -> dict[str, Any]:
    """Return the table of a phase.

    Raises:
        NotFound: there is no such phase.
    """
    for phase in list_phases(setup):
        if phase["slug"] == slug:
            return phase
    raise NotFound(_("There is no such page."))


def list_splits(setup: TaskSetup) -> list[str]:
    """Return the splits that have items, or all splits as long as there are none."""
    present = [name for name in SPLITS if any(name in level for level in setup.tables.get("level", ()))]
    return present or list(SPLITS)


def suggest_phase(setup: TaskSetup) -> dict[str, Any]:
    """Return the fields of the next phase: the evaluation on the test items, then practice on trial items."""
    slugs = {phase["slug"] for phase in list_phases(setup)}
    splits = list_splits(setup)
    if "evaluation" not in slugs:
        split = "test" if "test" in splits else splits[0]
        return {**DEFAULTS, "title": _("Evaluation"), "slug": "evaluation", "split": split}
    practice = next((name for name in ("trial", "training") if name in splits), None)
    if "practice" not in slugs and practice is not None:
        shown = {"feedback": "scores", "board": "live", "runs_per_team": 10}
        return {**DEFAULTS, **shown, "title": _("Practice"), "slug": "practice", "split": practice}
    return {**DEFAULTS, "split": splits[-1]}


def save_phase(setup: TaskSetup, slug: str | None, fields: Mapping[str, Any], now: datetime) -> None:
    """Add a phase, or change the one with this short name.

    Raises:
        NotFound: there is no such phase.
        NameTaken: another phase has the new short name, or there are too many phases.
        InvalidDates: the phase would close before it opens.
    """
    phases = list_phases(setup)
    if slug is not None:
        get_phase(setup, slug)
    if fields["slug"] in {phase["slug"] for phase in phases if phase["slug"] != slug}:
        words = _('The task already has a phase "%(slug)s". Choose another short name.', slug=fields["slug"])
        raise NameTaken(words)
    if slug is None and len(phases) >= MAX_PHASES:
        raise NameTaken(_("A task can have at most %(most)d phases.", most=MAX_PHASES))
    if fields["opens"] is not None and fields["closes"] is not None and fields["closes"] <= fields["opens"]:
        raise InvalidDates(_("The phase must close after it opens. Correct one of the two dates."))
    table = _table_of(fields)
    changed = [table if phase["slug"] == slug else phase for phase in phases]
    change_tables(setup, now, phase=[*changed, table] if slug is None else changed)


def remove_phase(setup: TaskSetup, slug: str, now: datetime) -> None:
    """Remove a phase.

    Raises:
        NotFound: there is no such phase.
    """
    removed = get_phase(setup, slug)
    change_tables(setup, now, phase=[phase for phase in list_phases(setup) if phase != removed])


def fields_of(phase: Mapping[str, Any]) -> dict[str, Any]:
    """Return the form's fields of a phase."""
    fields = {column: phase.get(key) for column, key in PHASE_KEYS.items()}
    moments = {key: datetime.fromisoformat(phase[key]) for key in MOMENTS if key in phase}
    return {**fields, **moments, "reminders": tuple(phase.get("reminders", ()))}


def _table_of(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of a phase, without what does not apply to its feedback."""
    feedback = fields["feedback"]
    applying = {
        **fields,
        "opens": _as_text(fields["opens"]),
        "closes": _as_text(fields["closes"]),
        "feedback_places": (2 if fields["feedback_places"] is None else fields["feedback_places"])
        if feedback == "rounded"
        else None,
        "ladder_step": (fields["ladder_step"] or 0.01) if feedback == "ladder" else None,
        "reminders": sorted({*fields["reminders"]}, reverse=True) or None,
    }
    values = {key: applying.get(column) for column, key in PHASE_KEYS.items()}
    return {key: value for key, value in values.items() if value is not None}


def _as_text(moment: datetime | None) -> str | None:
    return None if moment is None else moment.astimezone(UTC).isoformat()
