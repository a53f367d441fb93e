"""The steps whose values are one form: from the setup to the form's fields, and back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from server.core.i18n import N_
from server.setups.forms import BaselinesForm, ScaleForm, TextsForm, read_label
from server.setups.models import TaskSetup
from server.setups.service import change_tables, change_task, list_baseline_runs
from server.teams.forms import TeamRulesForm
from server.web.fields import SiteForm

KEYED_COLUMNS = ("id", "score", "gold", "confidence")


@dataclass(frozen=True, slots=True)
class FormStep:
    """One step: a sentence about it, its form, and the functions that read and save its fields."""

    lead: str
    form: type[SiteForm]
    read: Callable[[TaskSetup], dict[str, Any]]
    save: Callable[[TaskSetup, Mapping[str, Any], datetime], None]


_TEXTS = ("description", "licence", "organizers", "contact", "mailing_list", "terms")


def _read_texts(setup: TaskSetup) -> dict[str, Any]:
    return {key: setup.tables["task"].get(key, "") for key in ("title", "slug", *_TEXTS)}


def _save_texts(setup: TaskSetup, fields: Mapping[str, Any], now: datetime) -> None:
    texts = {key: fields[key] or None for key in _TEXTS}
    change_task(setup, {"title": fields["title"], "slug": fields["slug"], **texts}, now)


def _read_scale(setup: TaskSetup) -> dict[str, Any]:
    task, board = setup.tables["task"], setup.tables.get("board", {})
    scale, keyed, labels = task.get("scale", {}), task.get("keyed", {}), task.get("labels", {})
    official, *others = task["metrics"]
    fields = {
        "low": scale.get("min"),
        "high": scale.get("max"),
        "step": scale.get("step"),
        "labels": "\n".join(f"{point} = {label}" for point, label in labels.items()),
        "official": official,
        "others": others,
        "run_format": task.get("run_format", "aligned"),
        "total": board.get("total", "sum"),
        "total_needs": board.get("total_needs", "entered"),
        "enter_at_least": board.get("enter_at_least", 1),
        "confidence": task.get("confidence", 1),
    }
    return fields | {f"keyed_{name}": keyed.get(name, "") for name in KEYED_COLUMNS}


def _save_scale(setup: TaskSetup, fields: Mapping[str, Any], now: datetime) -> None:
    scale = {"min": fields["low"], "max": fields["high"], "step": fields["step"]}
    lines = [read_label(line) for line in (fields["labels"] or "").split("\n")]
    labels = {f"{point[0]:g}": point[1] for point in lines if point is not None}
    is_keyed = fields["run_format"] == "keyed"
    keyed = {name: fields[f"keyed_{name}"] for name in KEYED_COLUMNS if fields[f"keyed_{name}"]}
    values = {
        "scale": {key: value for key, value in scale.items() if value is not None},
        "labels": labels or None,
        "metrics": [fields["official"], *(name for name in fields["others"] if name != fields["official"])],
        "run_format": "keyed" if is_keyed else None,
        "keyed": keyed if is_keyed else None,
        "confidence": None if fields["confidence"] in (None, 1) else fields["confidence"],
    }
    change_task(setup, values, now)
    board = {name: fields[name] for name in ("total", "total_needs", "enter_at_least")}
    change_tables(setup, now, board={**setup.tables.get("board", {}), **board})


def _read_teams(setup: TaskSetup) -> dict[str, Any]:
    return {"size": None, "registration": "open", **setup.tables.get("teams", {})}


def _save_teams(setup: TaskSetup, fields: Mapping[str, Any], now: datetime) -> None:
    size = {} if fields["size"] is None else {"size": fields["size"]}
    change_tables(setup, now, teams={"registration": fields["registration"], **size})


def _read_baselines(setup: TaskSetup) -> dict[str, Any]:
    names = [run["baseline"] for run in setup.tables.get("run", ())]
    return {"lcs": "lcs" in names, "gst": "gst" in names}


def _save_baselines(setup: TaskSetup, fields: Mapping[str, Any], now: datetime) -> None:
    names = [name for name in ("lcs", "gst") if fields[name]]
    change_tables(setup, now, run=list_baseline_runs(names))


FORM_STEPS = {
    "texts": FormStep(
        N_("The title and the texts of the task’s page. You can also change the texts later."),
        TextsForm,
        _read_texts,
        _save_texts,
    ),
    "scale": FormStep(
        N_("The scale of the gold labels, the metrics, and the total over the levels."),
        ScaleForm,
        _read_scale,
        _save_scale,
    ),
    "teams": FormStep(N_("Who may take part."), TeamRulesForm, _read_teams, _save_teams),
    "baselines": FormStep(
        N_("Systems that the site computes from the items. They compare the characters of two texts."),
        BaselinesForm,
        _read_baselines,
        _save_baselines,
    ),
}
"""The steps by their names in addresses."""
