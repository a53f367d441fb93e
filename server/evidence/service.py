"""The evidence of a release: everything public about it, in one bundle with a signed list of its files.

Two of its text files are written here: `task.toml`, from the rules of that release, and a README.
"""

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import tomli_w
from sqlalchemy.orm import Session

from scorer.proof.evidence import INFERENCE, MANIFEST, SALTS, SCHEMA, OmittedPart, omitted_inputs
from server.bundles import task_toml
from server.core.errors import NotFound
from server.evidence.files import EvidenceFiles
from server.phases.models import Phase
from server.releases.service import ReleaseState
from server.runs.archives import RunArchive
from server.signing import service as signing_keys
from server.tasks.models import Level, Split


def require_evidence(phase: Phase, state: ReleaseState, now: datetime) -> None:
    """Raise unless a release has evidence.

    Raises:
        NotFound: it is live, or its items are not public yet.
    """
    why = explain_missing_evidence(phase, state, now)
    if why is not None:
        raise NotFound(why)


def explain_missing_evidence(phase: Phase, state: ReleaseState, now: datetime) -> str | None:
    """Explain why a signed release has no evidence; None: it has."""
    if state.release.feedback is not None:
        return "A live release has no evidence. Only releases made by the organizers have it."
    if phase.window.state(now) == "early":
        return "The items of this release are not public yet, so there is no evidence."
    return None


def collect_evidence(session: Session, phase: Phase, state: ReleaseState, now: datetime) -> RunArchive:
    """Collect the public files of a release, from its own data; unchanged data gives the same bytes.

    Raises:
        NotFound: it has none.
    """
    require_evidence(phase, state, now)
    evidence = EvidenceFiles(session, phase, state, now)
    texts, stored = evidence.texts, evidence.stored
    texts["task.toml"] = _write_toml(evidence).encode()
    texts["README.md"] = _write_readme(evidence).encode()
    files = {path: (hashlib.sha256(text).hexdigest(), len(text)) for path, text in texts.items()}
    files |= {path: (file.sha256, file.size) for path, file in stored.items()}
    content = {
        "schema": SCHEMA,
        "site": evidence.site_url,
        "task": phase.task.slug,
        "phase": phase.slug,
        "release": state.release.number,
        "files": [
            {"path": path, "sha256": sha256, "bytes": size, "of": evidence.of.get(path)}
            for path, (sha256, size) in sorted(files.items())
        ],
        "left_out": [{"what": part.what, "why": part.why} for part in evidence.left_out],
    }
    texts[MANIFEST] = signing_keys.sign_document(session, content, now).encode()
    name = f"{phase.task.slug}-{phase.slug}-release-{state.release.number}-evidence"
    return RunArchive(name, texts, {path: file.sha256 for path, file in stored.items()})


def evidence_etag(archive: RunArchive) -> str:
    """Return an ETag of the zip that needs no compression: its signed list names every file."""
    return hashlib.sha256(archive.tables[MANIFEST]).hexdigest()


def list_left_out(session: Session, phase: Phase, state: ReleaseState, now: datetime) -> list[OmittedPart]:
    """List what the evidence of a release leaves out now."""
    return EvidenceFiles(session, phase, state, now).left_out


FOLDERS = ("items", "public", "senses", "runs")
TOML_HEADER = "# Evidence of a release: `scorer verify` checks it, `scorer board` prints the leaderboard.\n\n"


def _write_toml(evidence: EvidenceFiles) -> str:
    """Write the bundle's task.toml by the release's rules, with one phase and one split."""
    rules, task = evidence.state.release.rules, evidence.phase.task
    task_values = task_toml.task_values(task) | {"title": evidence.state.file.title, "terms": "none"}
    del task_values["history"]
    values = {
        "task": task_values,
        "board": {**rules["board"], "oov": task.oov, "runs_per_team": rules["runs_per_team"]},
        "level": [
            _level(evidence, level, split, level_rules)
            for (level, split), level_rules in zip(evidence.levels, rules["levels"], strict=True)
        ],
        "phase": [_phase(rules)],
        "run": _runs(evidence),
    }
    return TOML_HEADER + tomli_w.dumps({name: value for name, value in values.items() if value})


def _level(evidence: EvidenceFiles, level: Level, split: Split, rules: Mapping[str, Any]) -> dict[str, Any]:
    file, gold = evidence.files[level.slug], evidence.golds.get(level.slug)
    values = {
        "slug": level.slug,
        "title": rules["title"],
        **level.layout,
        "sides": level.sides,
        "metrics": rules["metrics"],
        "counts": rules["counts"],
        "senses": None if level.senses_sha256 is None else f"senses/{file}",
        split.name: task_toml.drop_none(
            {
                "items": f"items/{file}",
                "gold": gold,
                "public_gold": gold is not None,
                "held_out_genres": split.held_out_genres,
                "public_items": None if split.public_items_sha256 is None else f"public/{file}",
            }
        ),
    }
    return task_toml.drop_none(values)


def _phase(rules: Mapping[str, Any]) -> dict[str, Any]:
    phase, feedback = rules["phase"], rules["feedback"]
    at = {name: datetime.fromisoformat(phase[name]) for name in ("opens", "closes") if phase[name]}
    return task_toml.drop_none(
        {
            **phase,
            **{name: at.get(name) for name in ("opens", "closes")},
            "feedback": feedback["kind"],
            "places": feedback["places"],
            "step": feedback["step"],
            "runs_public": rules["runs_public"],
            "runs_per_team": rules["runs_per_team"],
            "files_per_level": rules["files_per_level"],
            "files_per_day": rules["files_per_day"],
        }
    )


def _runs(evidence: EvidenceFiles) -> list[dict[str, Any]]:
    """Return the runs with their files on time and late; baselines too, which saves computing them."""
    files_by_run: dict[tuple[str, str, str | None], dict[str, dict[str, str]]] = defaultdict(
        lambda: defaultdict(dict)
    )
    for path, file in sorted(evidence.stored.items()):
        key = (file.team, file.run, evidence.baselines[path])
        files_by_run[key]["late_files" if file.late else "files"][file.level] = path
    return [
        task_toml.drop_none(
            {"team": team, "name": run, "phase": evidence.phase.slug, "baseline": baseline, **by}
        )
        for (team, run, baseline), by in files_by_run.items()
    ]


def _write_readme(evidence: EvidenceFiles) -> str:
    """Write what the bundle contains, and the commands that verify it."""
    phase, number, site = evidence.phase, evidence.state.release.number, evidence.site_url
    address = f"{site}/tasks/{phase.task.slug}/boards/{phase.slug}/releases/{number}"
    inside = {path.partition("/")[0] for path in (*evidence.texts, *evidence.stored)}
    folders = "".join(f", `{folder}/`" for folder in FOLDERS if folder in inside)
    omitted = omitted_inputs(evidence.left_out)
    does = "print the signed values, ranked again" if omitted else "compute the leaderboard from these files"
    more = {
        f"scorer board . --bootstrap 10000 --significance    # with {INFERENCE}": INFERENCE in inside,
        "- `gold/`, `salts.json`: the gold standard, and the salts of its commitments.": SALTS in inside,
        "- `receipts/`: the signed receipt of each submission.": "receipts" in inside,
        "- `rules.json` also has the human ceiling: how well people would do. The site computed it from "
        "ratings\n  that are not here. Once they are published, `scorer verify . --ratings LEVEL=FILE` "
        "recomputes it.": evidence.state.people is not None,
        f"- `{INFERENCE}`: confidence intervals, significance tests, rank ranges and clusters.": INFERENCE
        in inside,
    }
    again, *listed = (f"{text}\n" if present else "" for text, present in more.items())
    return f"""\
# Evidence of release {number}: {phase.task.title}, {phase.title}

This evidence was downloaded from {address}.
The signed file `evidence.json` lists every file with its SHA-256. It also lists what was left out, and why.

You can verify the evidence with the command `scorer` of Assay. It does not need a network connection:

    scorer verify .                       # report what this evidence proves, and what it cannot prove
    scorer verify . --key ../keys.json    # the same, with {site}/keys.json, which you downloaded yourself
    scorer board .                        # {does}
{again and "    " + again}
- `board.json`, `rules.json`: the leaderboard, and the rules it was computed by.
- `release.json`: the signed statement about the release.
- `task.toml`{folders}: the task as it was for this release.
{"".join(listed)}"""
