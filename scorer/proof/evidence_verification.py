"""Verify the evidence of a release: its files, signatures, receipts, ranks and gold."""

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from scorer.boards.board import rows_of
from scorer.boards.people import read_people
from scorer.bundles.zips import is_zip
from scorer.errors import DataError, Problem, ProofError
from scorer.proof.document_verification import audit_log_text, key_advice, time_text
from scorer.proof.evidence import BOARD, INFERENCE, KEYS, RULES, STATEMENT, Evidence, file_fault, list_files
from scorer.proof.evidence_gold import check_gold
from scorer.proof.evidence_receipts import check_receipts
from scorer.proof.findings import Finding, claimed, failed, has_failed, not_covered, proved, run_checks
from scorer.proof.keys import KeyRing, VerificationKeys, read_keys
from scorer.proof.reranking import reranked_json
from scorer.proof.signing import has_valid_signature, read_json

MAX_FAULTS_SHOWN = 100
"""The maximum number of faulty files that are listed."""
REST_NOT_CHECKED = not_covered("Nothing else was checked.")
NamedKeyRing = tuple[str, KeyRing]
"""The name of the keyring's file in messages, and the keyring."""


def verify_evidence(evidence: Evidence, published: NamedKeyRing | None = None) -> list[Finding]:
    """Verify the signatures of evidence, and that its parts agree with each other.

    This does not recompute scores; `check_board` does.

    Parameters
    ----------
    evidence : Evidence
        The result of `read_evidence`.
    published : (str, KeyRing), optional
        The keyring that was downloaded from the site itself, after the name of its file in messages.

    Returns
    -------
    list of Finding
        At least one finding. If the manifest, a file or a key fails, nothing else is checked.
    """
    findings = [*_check_manifest(evidence), *_check_files(evidence)]
    if has_failed(findings):
        return [*findings, REST_NOT_CHECKED]
    try:
        source, ring = published or (KEYS, read_keys(evidence.read(KEYS), KEYS))
        keys = VerificationKeys(source, ring, vouched=published is not None)
        parts = chain(
            _check_statement(evidence, keys),
            _check_bundle(evidence),
            check_receipts(evidence, keys),
            _check_ranks(evidence),
            _check_inferred_systems(evidence),
            check_gold(evidence),
            _tell_uncovered(evidence),
        )
        return [*findings, *run_checks(_check_keys(evidence, keys), parts)]
    except DataError as error:
        return [*findings, *(failed(f"{problem}.") for problem in error.problems)]


def _check_manifest(evidence: Evidence) -> Iterator[Finding]:
    key = evidence.signed.key
    if not has_valid_signature(evidence.signed):
        yield failed(f"The signature by the key {key} is not valid for evidence.json. The file was changed.")
        return
    yield proved(f"The holder of the key {key} signed evidence.json. It was not changed after that.")
    if not evidence.signed.as_written:
        yield not_covered(
            "The signature does not cover the layout of evidence.json. It is not as the site wrote it, but "
            "the content is the same."
        )


def _check_files(evidence: Evidence) -> Iterator[Finding]:
    """Check whether the files are exactly those in the manifest."""
    files = evidence.manifest.files
    faults = [f"{file.path} {fault}." for file in files if (fault := file_fault(evidence, file))]
    faults += [
        f"{path} is not listed in evidence.json."
        for path in list_files(evidence.folder)
        if not evidence.has(path)
    ]
    yield from map(failed, faults[:MAX_FAULTS_SHOWN])
    if len(faults) > MAX_FAULTS_SHOWN:
        yield failed(f"{len(faults) - MAX_FAULTS_SHOWN} more files are missing, changed or not listed.")
    if not faults:
        yield proved(
            f"All {len(files)} files listed in evidence.json are here and unchanged, and there are no others."
        )


def _check_keys(evidence: Evidence, keys: VerificationKeys) -> Iterator[Finding]:
    """Check whether the manifest and the statement were signed with keys of the site."""
    signed = [_check_manifest_key(evidence, keys), *_check_statement_key(evidence, keys)]
    yield from signed
    if has_failed(signed):
        yield REST_NOT_CHECKED


def _check_manifest_key(evidence: Evidence, keys: VerificationKeys) -> Finding:
    site, ring = evidence.manifest.site, keys.ring
    manifest_key = ring.find(evidence.signed.key)
    if manifest_key is None and ring.site != site:
        return failed(f"{keys.source} has the keys of {ring.site}, but the evidence is from {site}.")
    if manifest_key is None:
        newer = " If it is older than the evidence, download it again." if keys.vouched else ""
        return failed(f"{keys.source} does not have the key of evidence.json.{newer}")
    if keys.vouched:
        return proved(f"According to {keys.source}, this key is key {manifest_key.number} of {ring.site}.")
    return not_covered(
        "The evidence does not prove that the key belongs to the site, because its keys.json is part of it. "
        f"{key_advice(ring.site)}"
    )


def _check_statement_key(evidence: Evidence, keys: VerificationKeys) -> Iterator[Finding]:
    """Check the signature of the statement, and whether its site had the key at that time."""
    key, statement = evidence.signed_statement.key, evidence.statement
    if not has_valid_signature(evidence.signed_statement):
        yield failed(f"The signature by the key {key} is not valid for {STATEMENT}. The file was changed.")
        return
    holder = keys.ring.holder(key, statement.site, statement.made)
    if holder == "another site":
        yield not_covered(
            f"The release was made at {statement.site}. The evidence does not prove that the key {key} "
            f"belongs to that site. Compare it with {statement.site.rstrip('/')}/keys."
        )
    elif holder == "nobody":
        yield failed(f"{keys.source} does not have the key of {STATEMENT} for the claimed time of signing.")


def _check_statement(evidence: Evidence, keys: VerificationKeys) -> Iterator[Finding]:
    """Check whether the statement names this release and these files."""
    statement, manifest = evidence.statement, evidence.manifest
    compared = {
        "task": (statement.task, manifest.task),
        "phase": (statement.phase, manifest.phase),
        "number": (statement.number, manifest.release),
        BOARD: (statement.board, evidence.hashes[BOARD]),
        RULES: (statement.rules, evidence.hashes[RULES]),
    }
    wrong = [name for name, (stated, actual) in compared.items() if stated != actual]
    yield from (failed(f"{STATEMENT} names another {name} than the evidence has.") for name in wrong)
    if not wrong:
        signer = keys.signer(evidence.signed_statement.key, statement.made)
        parts = f"this {BOARD} (SHA-256 {statement.board}) with this {RULES}"
        yield proved(
            f"{STATEMENT} is signed by {signer}. It says that release {statement.number} is {parts}."
        )
        yield claimed(f"{STATEMENT} was signed at {time_text(statement.made)}.")


def _check_bundle(evidence: Evidence) -> Iterator[Finding]:
    """Check whether task.toml, the board, the rules and the statement agree with each other."""
    bundle, statement = evidence.bundle, evidence.statement
    phase, split, golds = _read_rules(evidence)
    file, levels = evidence.board, evidence.board.board.levels
    compared: dict[str, tuple[object, ...]] = {
        "task": (bundle.task.slug, file.task, statement.task),
        "title": (bundle.task.title, file.title),
        "split": (file.split, statement.split, split),
        "phase": (phase, statement.phase),
        "phases": (
            [(bundle_phase.slug, bundle_phase.split) for bundle_phase in bundle.phases],
            [(statement.phase, statement.split)],
        ),
        "levels": ([level.slug for level in bundle.levels], [level.slug for level in levels], list(golds)),
        "metrics": ([level.metrics for level in bundle.levels], [level.metrics for level in levels]),
        "gold versions": (
            {level: version for level, version in golds.items() if version is not None},
            {gold.level: gold.version for gold in statement.golds},
        ),
    }
    for name, (first, *others) in compared.items():
        if any(other != first for other in others):
            yield failed(f"task.toml, {BOARD}, {RULES} and {STATEMENT} do not agree about the {name}.")


def _read_rules(evidence: Evidence) -> tuple[str, str, dict[str, int | None]]:
    """Read the phase, the split and the gold version by level, and check the human ceilings."""
    values = read_json(evidence.read(RULES), RULES)
    try:
        golds = {level["slug"]: level["gold"] and level["gold"]["version"] for level in values["levels"]}
        read_people(values)
        return values["phase"]["slug"], values["phase"]["split"], golds
    except (AttributeError, TypeError, LookupError, ValueError) as error:
        message = "is not a file of rules of a release: it lacks the phase or the levels"
        raise ProofError([Problem(RULES, None, "bad_rules", message)]) from error


def _check_ranks(evidence: Evidence) -> Iterator[Finding]:
    if reranked_json(evidence.board).encode() == evidence.read(BOARD):
        yield proved(f"The ranks, totals and order in {BOARD} follow from its values and rules.")
    else:
        yield failed(f"The ranks, totals or order in {BOARD} do not follow from its values and rules.")


def _check_inferred_systems(evidence: Evidence) -> Iterator[Finding]:
    """Check whether the inference has the systems of the board, except those that it says it leaves out."""
    if not evidence.has(INFERENCE):
        return
    values = read_json(evidence.read(INFERENCE), INFERENCE)
    inference = values if isinstance(values, dict) else {}
    rows = [{"kind": row.kind, "team": row.team, "run": row.run} for row in rows_of(evidence.board.board)]
    left_out = inference["left_out"] if isinstance(inference.get("left_out"), list) else []
    omitted = [
        {name: system.get(name) for name in ("kind", "team", "run")}
        for system in left_out
        if isinstance(system, dict)
    ]
    if inference.get("systems") != [row for row in rows if row not in omitted]:
        yield failed(f"{INFERENCE} does not have the systems of {BOARD} in the same order.")


def _tell_uncovered(evidence: Evidence) -> Iterator[Finding]:
    """Yield what is not in the evidence, and what no file can prove about the audit log."""
    yield from (
        not_covered(f"The evidence lacks {part.what}, or part of it. {part.why}")
        for part in evidence.manifest.left_out
    )
    statement = evidence.statement
    number, sha256 = statement.audit_number, statement.audit_sha256
    yield not_covered(audit_log_text("evidence", number, statement.site, sha256))


def packaging_findings(package: Path) -> list[Finding]:
    """Return which properties of a zip file or folder the signed manifest does not cover.

    Parameters
    ----------
    package : Path
        A zip file or a folder.

    Returns
    -------
    list of Finding
        One finding.
    """
    rest = "because evidence.json lists only the files and their contents."
    if is_zip(package):
        packing = "dates, attributes, order, empty folders, extra bytes"
        return [not_covered(f"The evidence does not prove how the zip file is packed ({packing}), {rest}")]
    properties = "the dates and attributes of the files, or whether there are empty folders"
    return [not_covered(f"The evidence does not prove {properties}, {rest}")]


def require_valid_evidence(evidence: Evidence) -> None:
    """Raise ProofError if any check of the evidence fails. What is not covered is not an error.

    Parameters
    ----------
    evidence : Evidence
        The result of `read_evidence`.

    Raises
    ------
    ProofError
        If a check fails. The error lists all failed checks.
    """
    failed = [finding.text for finding in verify_evidence(evidence) if finding.state == "fails"]
    if failed:
        raise ProofError([Problem("evidence", None, "bad_evidence", text) for text in failed])
