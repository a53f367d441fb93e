"""What the form of a drafted campaign proposes, and the draft with a person's corrections."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from scorer.bundles.bundle import SPLITS, ScaleSpec
from scorer.campaigns.config import scale_points
from scorer.campaigns.drafts.draft import CampaignDraft
from scorer.campaigns.scales import find_scale_fault
from server.annotation.drafts.forms import NO_GOLD
from server.core.i18n import _
from server.core.placeholders import is_placeholder
from server.tasks.forms import read_labels
from server.tasks.models import Task
from server.tasks.split_names import split_words

_SAME_NAMES = ("kind", "title", "slug", "contact", "text_language", "answers", "assignment")


def list_targets(task: Task) -> dict[str, str]:
    """Return where the gold standard can go, as choices of a form: the levels and splits, or nowhere."""
    targets = {
        f"{level.slug}.{split}": f"{level.title}: {split_words(split)}"
        for level in task.levels
        for split in SPLITS
    }
    return {"": _("Choose one"), **targets, NO_GOLD: _("none of the task’s levels")}


def suggest_values(task: Task, draft: CampaignDraft) -> dict[str, Any]:
    """Return the guesses of a draft as values of the form, with the contact and the scale of the task."""
    return {
        "shown": draft.layout.delimiter,
        "delimiter": draft.layout.delimiter,
        "header": draft.layout.header,
        "roles": draft.layout.roles,
        "kind": draft.kind,
        "title": draft.title,
        "slug": draft.slug,
        "contact": "" if is_placeholder(task.contact) else task.contact,
        "language": draft.languages[0],
        "text_language": draft.text_language,
        "answers": draft.answers,
        "assignment": draft.assignment,
        "gold": _suggest_target(task),
        **_suggest_scale(task, draft.scale),
    }


def _suggest_target(task: Task) -> str:
    """Return the test split of the first level without items, which waits for a campaign; else no choice."""
    return next((f"{level.slug}.test" for level in task.levels if not level.splits), "")


def _suggest_scale(task: Task, usual: ScaleSpec) -> dict[str, Any]:
    """Return the scale of the task with its labels, or the usual scale; a step that misfits is left out."""
    scale, labels = usual, list[Any]()
    if task.scale_min is not None and task.scale_max is not None:
        scale, labels = ScaleSpec(task.scale_min, task.scale_max, task.scale_step or usual.step), task.labels
    if scale.step is not None and find_scale_fault(scale.min, scale.max, scale.step) is not None:
        scale = replace(scale, step=None)
    points = () if scale.step is None else scale_points(scale)
    return {
        "low": _without_zero(scale.min),
        "high": _without_zero(scale.max),
        "step": None if scale.step is None else _without_zero(scale.step),
        "labels": "\n".join(f"{point:g} = {label}" for point, label in labels if point in points),
    }


def _without_zero(number: float) -> float:
    """Return a whole number as an int, which is shown without a decimal point."""
    return int(number) if number.is_integer() else number


def correct_draft(draft: CampaignDraft, values: Mapping[str, Any]) -> CampaignDraft:
    """Put the values of the form, which were validated, into a draft."""
    languages = tuple(dict.fromkeys((values["language"], *values["others"])))
    changes: dict[str, Any] = {name: values[name] for name in _SAME_NAMES}
    if values["kind"] == "rate":
        changes["scale"] = ScaleSpec(values["low"], values["high"], values["step"])
        if labels := dict(read_labels(values["labels"] or "")):
            changes["labels"] = dict.fromkeys(languages, labels)
    elif values["compared"]:
        changes["compared"] = values["compared"]
    if guide := (values["guide"] or "").strip():
        changes["guide"] = dict.fromkeys(languages, guide)
    if values["gold"] != NO_GOLD:
        changes["level"], _dot, changes["split"] = values["gold"].partition(".")
    layout = replace(draft.layout, header=values["header"], roles=tuple(values["roles"]))
    return replace(draft, layout=layout, languages=languages, **changes)
