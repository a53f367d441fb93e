"""The evidence of a release: everything public about it, in one bundle with a signed list of its files."""

import hashlib
from datetime import datetime

from sqlalchemy.orm import Session

from scorer.proof.evidence import MANIFEST, SCHEMA, OmittedPart
from server.core.errors import NotFound
from server.core.storage import Storage
from server.evidence import text_files
from server.evidence.files import EvidenceFiles
from server.phases.models import Phase
from server.releases.service import ReleaseState
from server.runs.archives import RunArchive
from server.signing import service as signing_keys


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


def collect_evidence(
    session: Session, storage: Storage, phase: Phase, state: ReleaseState, now: datetime
) -> RunArchive:
    """Collect the public files of a release, from its own data; unchanged data gives the same bytes.

    Raises:
        NotFound: it has none.
    """
    require_evidence(phase, state, now)
    evidence = EvidenceFiles(session, storage, phase, state, now)
    texts, stored = evidence.texts, evidence.stored
    texts["task.toml"] = text_files.write_toml(evidence).encode()
    texts["README.md"] = text_files.write_readme(evidence).encode()
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


def list_left_out(
    session: Session, storage: Storage, phase: Phase, state: ReleaseState, now: datetime
) -> list[OmittedPart]:
    """List what the evidence of a release leaves out now."""
    return EvidenceFiles(session, storage, phase, state, now).left_out
