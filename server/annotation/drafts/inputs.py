"""What the form of a drafted campaign proposes, and the draft with a person's answers."""

from collections.abc import Container, Mapping
from dataclasses import asdict, replace
from itertools import chain, count
from typing import Any

from scorer.bundles.bundle import SPLITS
from scorer.campaigns.config import scale_points
from scorer.campaigns.drafts.draft import CampaignDraft
from scorer.campaigns.scales import find_scale_fault
from server.core.i18n import _
from server.core.placeholders import is_placeholder
from server.tasks.forms import read_labels, write_labels
from server.tasks.models import Task
from server.tasks.split_names import split_words

NO_GOLD = "none"
_ANSWERS = ("header", "title", "slug", "contact", "text_language", "low", "high", "answers", "assignment")
"""The values of the form that are those of a draft."""


def list_targets(task: Task) -> dict[str, str]:
    """Return where the gold standard can go, as choices of a form: the levels and splits, or nowhere."""
    targets = {
        f"{level.slug}.{split}": f"{level.title}: {split_words(split)}"
        for level in task.levels
        for split in SPLITS
    }
    return {"": _("Choose one"), **targets, NO_GOLD: _("none of the task’s levels")}


def suggest_values(task: Task, draft: CampaignDraft, taken: Container[str]) -> dict[str, Any]:
    """Return the guesses of a draft as values of the form, with the contact and the scale of the task.

    `taken`: the short names of the task's other campaigns.
    """
    return {
        **asdict(draft),
        "slug": find_free_slug(draft.slug, taken),
        "contact": "" if is_placeholder(task.contact) else task.contact,
        "compared": "",
        # The first level without items waits for a campaign.
        "gold": next((f"{level.slug}.test" for level in task.levels if not level.splits), ""),
        **_suggest_scale(task, draft),
    }


def find_free_slug(slug: str, taken: Container[str]) -> str:
    """Return a short name that is not taken: this one, or else the first one with a number that is free."""
    names = chain([slug], (f"{slug[:60]}-{number}" for number in count(2)))
    return next(name for name in names if name not in taken)


def draft_values(draft: CampaignDraft) -> dict[str, Any]:
    """Return a draft that a person has corrected as values of the form."""
    return {
        **asdict(draft),
        **{name: _without_zero(getattr(draft, name)) for name in ("low", "high", "step")},
        "labels": write_labels(draft.labels.items()),
        "gold": NO_GOLD if draft.level is None else f"{draft.level}.{draft.split}",
    }


def gold_scale(draft: CampaignDraft) -> tuple[float, float] | None:
    """Return the lowest and the highest value of the gold standard; None: the draft makes none."""
    if draft.level is None:
        return None
    return (draft.low, draft.high) if draft.kind == "rate" else (0.0, 1.0)


def _suggest_scale(task: Task, draft: CampaignDraft) -> dict[str, Any]:
    """Return the scale of the task with its labels, or the usual scale; a step that misfits is left out."""
    labels = list[Any]()
    if task.scale_min is not None and task.scale_max is not None:
        step, labels = task.scale_step or draft.step, task.labels
        draft = replace(draft, low=task.scale_min, high=task.scale_max, step=step)
    fits = find_scale_fault(draft.low, draft.high, draft.step) is None
    points = scale_points(draft.scale) if fits else ()
    return {
        "low": _without_zero(draft.low),
        "high": _without_zero(draft.high),
        "step": _without_zero(draft.step) if fits else None,
        "labels": write_labels(label for label in labels if label[0] in points),
    }


def _without_zero(number: float) -> float:
    """Return a whole number as an int, which is shown without a decimal point."""
    return int(number) if number.is_integer() else number


def correct_draft(draft: CampaignDraft, values: Mapping[str, Any]) -> CampaignDraft:
    """Put the values of the form into a draft. The pages begin in the language of the texts if they can."""
    level, _dot, split = values["gold"].partition(".")
    return replace(
        draft,
        **{name: values[name] for name in _ANSWERS},
        roles=tuple(values["roles"]),
        step=values["step"] or 0.0,
        labels=dict(read_labels(values["labels"] or "")),
        compared=values["compared"] or "",
        languages=tuple(sorted(values["languages"], key=lambda code: code != values["text_language"])),
        guide=(values["guide"] or "").strip(),
        level=level if split else None,
        split=split or None,
    )
