"""The whole preview of a gold version as JSON and as text; the page shows only its beginning."""

import json
from typing import Any

from server.boards import service as boards
from server.boards.significance_changes import SignificanceChange, TeamRun
from server.corrections.preview import GoldPreview
from server.gold.models import GoldVersion

SCHEMA = "assay.gold-preview/1"
DASH = "–"


def preview_json(preview: GoldPreview) -> str:
    """Export a preview as JSON, with full precision."""
    return json.dumps(_preview_values(preview), ensure_ascii=False, indent=1) + "\n"


def preview_text(preview: GoldPreview) -> str:
    """Export a preview as text for a terminal."""
    version, split, progress = preview.version, preview.version.split, preview.progress
    lines = [
        f"{split.level.slug}, {split.name}: gold version {version.number}, {preview.state}",
        f"{progress.scored} of {progress.of} files scored by scorer {version.scorer}",
        *preview.errors,
        *(f"WARNING: {sentence}" for sentence in preview.warnings),
    ]
    if preview.in_force is None or preview.in_force.id == version.id:
        return "\n".join(lines) + "\n"
    lines.append(
        f"{len(preview.labels)} of {split.n_items} labels differ from version {preview.in_force.number}"
    )
    if preview.labels:
        lines.append("item\told label\tnew label")
    lines += [f"{label.item}\t{_label(label.old)}\t{_label(label.new)}" for label in preview.labels]
    for entry in preview.phases or ():
        slug, files = entry.phase.slug, entry.files
        lines += ["", f"{slug}: the scores of {files.changed} of {files.scored} files would change"]
        lines.append(boards.changes_text(entry.changes).rstrip("\n"))
        lines += [
            f"{each.level or 'total'}: {_name(each.one)} and {_name(each.other)}: {_better(each.before)}, "
            f"then {_better(each.after)}"
            for each in entry.verdicts or ()
        ]
    return "\n".join(lines) + "\n"


def _label(value: float | None) -> str:
    return DASH if value is None else repr(value).removesuffix(".0")


def _name(system: TeamRun) -> str:
    return " ".join(system)


def _better(system: TeamRun | None) -> str:
    return "not significantly different" if system is None else f"{_name(system)} is better"


def _significance_values(change: SignificanceChange) -> dict[str, Any]:
    """Convert a change in the significantly better one of two neighbours to plain values."""
    named = {"one": change.one, "other": change.other, "before": change.before, "after": change.after}
    systems = {
        name: None if system is None else {"team": system[0], "run": system[1]}
        for name, system in named.items()
    }
    return {"level": change.level, **systems}


def _preview_values(preview: GoldPreview) -> dict[str, Any]:
    split, progress = preview.version.split, preview.progress
    return {
        "schema": SCHEMA,
        "level": split.level.slug,
        "split": split.name,
        "state": preview.state,
        "version": _version_values(preview.version),
        "in_force": None if preview.in_force is None else _version_values(preview.in_force),
        "files": progress.of,
        "scored": progress.scored,
        "errors": list(preview.errors),
        "warnings": list(preview.warnings),
        "labels": [{"item": label.item, "old": label.old, "new": label.new} for label in preview.labels],
        "phases": None
        if preview.phases is None
        else [
            {
                "phase": entry.phase.slug,
                "files": entry.files.scored,
                "files_changed": entry.files.changed,
                "release": None if entry.release is None else entry.release.release.number,
                "board": boards.changes_values(entry.changes),
                "neighbours": None
                if entry.verdicts is None
                else [_significance_values(each) for each in entry.verdicts],
            }
            for entry in preview.phases
        ],
    }


def _version_values(version: GoldVersion) -> dict[str, Any]:
    return {
        "number": version.number,
        "sha256": version.sha256,
        "scorer": version.scorer,
        "reason": version.reason,
        "made_at": version.made_at.isoformat(),
    }
