"""The evidence of a release: all that is public of it, in one bundle with a signed list of its files."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from scorer.proof.evidence import BOARD, INFERENCE, KEYS, MANIFEST, RULES, SALTS, SCHEMA, STATEMENT
from scorer.proof.evidence_gold import SCHEMA as SALTS_SCHEMA
from server.access import tasks
from server.bundles.export_files import text_file
from server.core.errors import NotFound
from server.core.storage import Storage
from server.core.zips import UniqueFilenames
from server.evidence import text_files
from server.phases.feedback import Feedback
from server.phases.models import Phase
from server.releases import inferences, release_gold, seals
from server.releases.models import Release
from server.releases.run_files import ReleasedFile
from server.releases.service import ReleaseState
from server.runs.archives import RunArchive
from server.runs.models import Run
from server.signing import service as signing_keys
from server.submissions.models import Receipt, Submission
from server.tasks.models import Level, Split

REVEALING_FEEDBACK: tuple[Feedback, ...] = ("scores", "rounded")
"""Feedback that tells of a file what the released board tells of it, where the gold is the same."""


@dataclass(frozen=True, slots=True)
class OmittedFile:
    """What is not in it, and why."""

    what: str
    why: str


@dataclass(slots=True)
class EvidenceFiles:
    """The files of one release's evidence; `of`: of a receipt, the run file that it is for."""

    texts: dict[str, bytes] = field(default_factory=dict)
    stored: dict[str, ReleasedFile] = field(default_factory=dict)
    of: dict[str, str] = field(default_factory=dict)
    left_out: list[OmittedFile] = field(default_factory=list)

    def leave_out(self, what: str, why: str) -> None:
        """Note what is not in it."""
        self.left_out.append(OmittedFile(what, why))

    def files(self) -> list[dict[str, Any]]:
        """Every file as the manifest names it."""
        entries = {
            path: (hashlib.sha256(content).hexdigest(), len(content)) for path, content in self.texts.items()
        }
        entries |= {path: (file.sha256, file.size) for path, file in self.stored.items()}
        return [
            {"path": path, "sha256": entries[path][0], "bytes": entries[path][1], "of": self.of.get(path)}
            for path in sorted(entries)
        ]


def require_evidence(session: Session, phase: Phase, state: ReleaseState, now: datetime) -> None:
    """Let pass a release that stands and has evidence.

    Raises:
        NotFound: it is live, or of before releases were signed, or its items are not public yet.
    """
    seals.get_seal(session, state.release.id, state.sha256)
    why = explain_missing_evidence(phase, state, now)
    if why is not None:
        raise NotFound(why)


def explain_missing_evidence(phase: Phase, state: ReleaseState, now: datetime) -> str | None:
    """Why a signed release has no evidence; None: it has."""
    if state.release.feedback is not None:
        return "A live release has no evidence; what the organizers release has."
    if phase.window.state(now) == "early":
        return "The items of this release are not public yet, so there is no evidence of it."
    if any("submission" not in record for record in state.release.files or ()):
        return "This release was made before it was kept whose files count in it, so there is no evidence."
    return None


def collect_evidence(
    session: Session, storage: Storage, phase: Phase, state: ReleaseState, now: datetime
) -> RunArchive:
    """What is public of a release that stands, from its own record; the same bytes while that is the same.

    Raises:
        NotFound: it has none.
    """
    require_evidence(session, phase, state, now)
    evidence = gather_files(session, storage, phase, state, now)
    content = {
        "schema": SCHEMA,
        "site": signing_keys.get_identity(session).site_url,
        "task": phase.task.slug,
        "phase": phase.slug,
        "release": state.release.number,
        "files": evidence.files(),
        "left_out": [{"what": omitted.what, "why": omitted.why} for omitted in evidence.left_out],
    }
    texts = evidence.texts | {MANIFEST: signing_keys.sign_document(session, content, now).encode()}
    name = f"{phase.task.slug}-{phase.slug}-release-{state.release.number}-evidence"
    return RunArchive(name, texts, {path: file.sha256 for path, file in evidence.stored.items()})


def evidence_etag(archive: RunArchive) -> str:
    """What tells one such zip from another, without packing it: its signed list names every file."""
    return hashlib.sha256(archive.tables[MANIFEST]).hexdigest()


def list_left_out(
    session: Session, storage: Storage, phase: Phase, state: ReleaseState, now: datetime
) -> list[OmittedFile]:
    """What the evidence of a release leaves out now."""
    return gather_files(session, storage, phase, state, now).left_out


def gather_files(
    session: Session, storage: Storage, phase: Phase, state: ReleaseState, now: datetime
) -> EvidenceFiles:
    """All files but the manifest; the caller knows that the release has evidence."""
    release, evidence = state.release, EvidenceFiles()
    levels = _levels(phase, release)
    names = UniqueFilenames()
    files = {level.slug: names.give("levels", level.id, level.slug) + ".tsv" for level, _ in levels}
    runs = _runs(session, phase, state, evidence)
    receipts = _receipts(phase, state, runs, evidence)
    golds = _gold(session, storage, phase, state, now, receipts, files, evidence)
    for level, split in levels:
        evidence.texts[f"items/{files[level.slug]}"] = storage.get(split.items_sha256)
        for folder, sha256 in (("public", split.public_items_sha256), ("senses", level.senses_sha256)):
            if sha256 is not None:
                evidence.texts[f"{folder}/{files[level.slug]}"] = storage.get(sha256)
    evidence.texts[BOARD] = state.text.encode()
    evidence.texts[RULES] = seals.format_rules(release.rules).encode()
    evidence.texts[STATEMENT] = seals.get_seal(session, release.id, state.sha256).text.encode()
    evidence.texts[KEYS] = signing_keys.published_keys_text(session).encode()
    row = inferences.find_row(session, release.id, state.sha256)
    if row is not None and row.text is not None:
        evidence.texts[INFERENCE] = row.text.encode()
    else:
        evidence.leave_out("inference", "It is not computed yet which ranks of this release are real.")
    evidence.texts["description.md"] = text_file(phase.task.description)
    of = text_files.EvidenceContents(
        phase, state, levels, files, golds, {p: facts.baseline for p, facts in runs.items()}
    )
    evidence.texts["task.toml"] = text_files.write_toml(of, evidence.stored).encode()
    site = signing_keys.get_identity(session).site_url
    paths = [*evidence.texts, *evidence.stored]
    whole = not {"gold", "runs"} & {omitted.what for omitted in evidence.left_out}
    evidence.texts["README.md"] = text_files.write_readme(
        phase, release.number, site, paths, whole=whole
    ).encode()
    return evidence


@dataclass(frozen=True, slots=True)
class _RunFileFacts:
    """What there is of a published file beside its bytes."""

    baseline: str | None
    receipt: dict[str, Any] | None
    text: str | None


def _levels(phase: Phase, release: Release) -> list[tuple[Level, Split]]:
    """The levels of the release, in its order."""
    pairs = {level.slug: (level, tasks.find_split(level, phase.split)) for level in phase.task.levels}
    level_splits = [pairs[level["slug"]] for level in release.rules["levels"] if level["slug"] in pairs]
    return [(level, split) for level, split in level_splits if split is not None]


def _runs(
    session: Session, phase: Phase, state: ReleaseState, evidence: EvidenceFiles
) -> dict[str, _RunFileFacts]:
    """The files of runs, where they are published, and what is known of each by its path."""
    if state.files is None:
        evidence.leave_out("runs", f"{phase.title} does not publish the files of runs.")
        return {}
    ids = {_bundle_path(phase, shown): record["submission"] for shown, record in _files_with_records(state)}
    query = (
        select(Submission.id, Run.baseline, Receipt.text)
        .join(Run, Run.id == Submission.run_id)
        .outerjoin(Receipt, Receipt.submission_id == Submission.id)
        .where(Submission.id.in_(ids.values()))
    )
    rows = {row.id: row for row in session.execute(query)}
    evidence.stored = {_bundle_path(phase, file): file for file in state.files}
    return {path: _facts_of_row(rows[submission_id]) for path, submission_id in ids.items()}


def _files_with_records(state: ReleaseState) -> list[tuple[ReleasedFile, Mapping[str, Any]]]:
    """Each published file with the record of it that says which submission it is."""
    records = state.release.files or []
    by_path = {file.path: file for file in state.files or []}
    named = state.naming is not None
    paths = [(record.get("named", {}) if named else {}).get("path", record["path"]) for record in records]
    return [(by_path[path], record) for path, record in zip(paths, records, strict=True)]


def _bundle_path(phase: Phase, file: ReleasedFile) -> str:
    """In a folder more than where a bundle finds runs without an entry: these have one."""
    return f"runs/{phase.slug}/{file.path}"


def _facts_of_row(row: Any) -> _RunFileFacts:
    return _RunFileFacts(row.baseline, None if row.text is None else json.loads(row.text)["signed"], row.text)


def _receipts(
    phase: Phase, state: ReleaseState, runs: Mapping[str, _RunFileFacts], evidence: EvidenceFiles
) -> list[dict[str, Any]]:
    """The receipts of the files that count, as far as they tell no more than is public."""
    if state.anonymous or state.files is None:
        why = (
            "They name teams, which have letters here."
            if state.anonymous
            else "They name files that are not published."
        )
        evidence.leave_out("receipts", why)
        return []
    golds = {
        level["slug"]: level["gold"] and level["gold"]["version"] for level in state.release.rules["levels"]
    }
    opened = {level.slug for level, split in _levels(phase, state.release) if split.public_gold}
    contents, withheld = [], 0
    for path, sent in sorted(runs.items(), key=lambda entry: (entry[1].receipt or {}).get("receipt", 0)):
        if sent.receipt is None or sent.text is None:
            continue
        content = sent.receipt
        if content["level"] not in opened and _reveals_scores(phase, content, golds):
            withheld += 1
            continue
        name = next(
            name
            for name in (f"receipts/{content['receipt']}{more}.json" for more in ("", "-2", "-3"))
            if name not in evidence.texts
        )
        evidence.texts[name], evidence.of[name] = sent.text.encode(), path
        contents.append(content)
    if withheld:
        why = f"{withheld} of them tell scores that the board does not have, and the gold is not public."
        evidence.leave_out("receipts", why)
    return contents


def _reveals_scores(phase: Phase, content: Mapping[str, Any], golds: Mapping[str, int | None]) -> bool:
    """Whether a receipt has scores that do not follow from the board."""
    same = content["gold"]["version"] == golds.get(content["level"]) and phase.feedback in REVEALING_FEEDBACK
    return bool(content["scores"]) and not same


def _gold(
    session: Session,
    storage: Storage,
    phase: Phase,
    state: ReleaseState,
    now: datetime,
    receipts: Sequence[Mapping[str, Any]],
    files: Mapping[str, str],
    evidence: EvidenceFiles,
) -> dict[str, str]:
    """The public gold of the release and of its receipts, with the salts; the file of each level's."""
    named = {
        level["slug"]: level["gold"] and level["gold"]["version"] for level in state.release.rules["levels"]
    }
    named_versions = [(slug, number) for slug, number in named.items() if number is not None]
    earlier = {(receipt["level"], receipt["gold"]["version"]) for receipt in receipts} - {*named_versions}
    versions = release_gold.list_public_versions(
        session, phase, state, now, [*named_versions, *sorted(earlier)]
    )
    salts, paths = list[dict[str, Any]](), dict[str, str]()
    for (slug, number), version in sorted(versions.items()):
        current = named[slug] == number
        path = f"gold/{files[slug]}" if current else f"gold/earlier/{number}-{files[slug]}"
        paths |= {slug: path} if current else {}
        evidence.texts[path] = storage.get(version.sha256)
        salts.append({"level": slug, "version": number, "salt": version.salt, "file": path})
    if salts:
        values = {"schema": SALTS_SCHEMA, "salts": salts}
        evidence.texts[SALTS] = (json.dumps(values, ensure_ascii=False, indent=1) + "\n").encode()
    hidden = [slug for slug in named if slug not in paths]
    if hidden:
        evidence.leave_out("gold", f"The gold of {', '.join(hidden)} is not public.")
    return paths
