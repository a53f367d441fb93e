"""What the evidence of a release proves: its files, its signatures, its receipts and its ranks."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from scorer.boards.board import rows_of
from scorer.boards.serialization import board_of, read_board
from scorer.bundles.bundle import Bundle
from scorer.bundles.reader import read_bundle
from scorer.bundles.zips import is_zip
from scorer.errors import DataError, Problem, ProofError
from scorer.proof.document_verification import time_text
from scorer.proof.evidence import BOARD, INFERENCE, KEYS, RULES, STATEMENT, Evidence, file_fault, list_files
from scorer.proof.evidence_gold import check_gold
from scorer.proof.evidence_receipts import check_receipts
from scorer.proof.findings import Finding, is_proved
from scorer.proof.keys import KeyRing, VerificationKeys, read_keys
from scorer.proof.reranking import reranked_json
from scorer.proof.signing import SignedDocument, has_valid_signature, read_json, read_signed
from scorer.proof.statements import ReleaseStatement, read_statement

MAX_FAULTS_SHOWN = 100
"""How many files that are at fault are named."""
REST_NOT_CHECKED = Finding("open", "all else that the files say: nothing more was looked at")
NamedKeyRing = tuple[str, KeyRing]
"""What the keys' file is called, and the keys."""


def verify_evidence(evidence: Evidence, published: NamedKeyRing | None = None) -> list[Finding]:
    """Hold evidence against its signatures, and its parts against each other; nothing is computed anew.

    Parameters
    ----------
    evidence : Evidence
        From `read_evidence`.
    published : (str, KeyRing), optional
        The site's keys, got from the site itself: what the file is called, and what it says.

    Returns
    -------
    list of Finding
        At least one. Where the manifest, a file or a key fails, nothing else is looked at.
    """
    findings = [*_check_manifest(evidence), *_check_files(evidence)]
    if not is_proved(findings):
        return [*findings, REST_NOT_CHECKED]
    try:
        return [*findings, *_check_parts(evidence, published)]
    except DataError as error:
        return [*findings, *(Finding("fails", f"{problem}.") for problem in error.problems)]


def _check_parts(evidence: Evidence, published: NamedKeyRing | None) -> Iterator[Finding]:
    """The keys, the statement, the receipts and the ranks."""
    source, ring = published or (KEYS, read_keys(evidence.read(KEYS), KEYS))
    keys = VerificationKeys(source, ring, vouched=published is not None)
    document = read_signed(evidence.read(STATEMENT), STATEMENT)
    statement = read_statement(document, STATEMENT)
    signed = [_check_manifest_key(evidence, keys), *_check_statement_signature(document, statement, keys)]
    yield from signed
    if any(finding.state == "fails" for finding in signed):
        yield REST_NOT_CHECKED
        return
    yield from _check_statement(evidence, statement, keys.signer(document.key, statement.made))
    bundle = read_bundle(evidence.folder)
    yield from _check_bundle(evidence, bundle, statement)
    yield from check_receipts(evidence, bundle, statement, keys)
    yield _check_ranks(evidence)
    yield from _check_inferred_systems(evidence)
    yield from check_gold(evidence, statement)
    yield from (Finding("open", f"what is left out, {part}: {why}") for part, why in evidence.left_out)
    yield Finding(
        "open",
        f"that entry {statement.audit_number} of the audit log of {statement.site} still has the hash "
        f"{statement.audit_sha256}: who reads the log can tell, and whether anything before it was rewritten",
    )


def _check_manifest(evidence: Evidence) -> Iterator[Finding]:
    if not has_valid_signature(evidence.signed):
        yield Finding(
            "fails", f"evidence.json is not signed by the key {evidence.signed.key}: it was changed."
        )
        return
    yield Finding("holds", f"Whoever holds the key {evidence.signed.key} signed evidence.json as it is here.")
    if not evidence.signed.as_written:
        text = "how evidence.json is laid out: not as the site writes it, though it says the same"
        yield Finding("open", text)


def _check_files(evidence: Evidence) -> Iterator[Finding]:
    """Whether the files are those of the manifest."""
    faults = [(file.path, fault) for file in evidence.files if (fault := file_fault(evidence, file))]
    paths = {file.path for file in evidence.files}
    faults += [
        (name, "is not named by evidence.json") for name in list_files(evidence.folder) if name not in paths
    ]
    yield from (Finding("fails", f"{path} {fault}.") for path, fault in faults[:MAX_FAULTS_SHOWN])
    if len(faults) > MAX_FAULTS_SHOWN:
        yield Finding("fails", f"{len(faults) - MAX_FAULTS_SHOWN} more files are at fault.")
    if not faults:
        count = len(evidence.files)
        yield Finding("holds", f"All {count} files are those that it names: none changed, missing or added.")


def _check_manifest_key(evidence: Evidence, keys: VerificationKeys) -> Finding:
    """Whether the manifest's key is the site's."""
    source, ring = keys.source, keys.ring
    manifest_key = ring.find(evidence.signed.key)
    if manifest_key is None and ring.site != evidence.site:
        return Finding("fails", f"{source} has the keys of {ring.site}; this is evidence of {evidence.site}.")
    if manifest_key is None:
        newer = "; fetch it again if it is older than this" if keys.vouched else ""
        return Finding("fails", f"{source} does not have the key of evidence.json{newer}.")
    if keys.vouched:
        return Finding("holds", f"{source}: that key is key {manifest_key.number} of {ring.site}.")
    advice = f"compare it with {ring.site.rstrip('/')}/keys, or give the site's keys.json as --key FILE"
    return Finding("open", f"that the key is the site's, though keys.json in here says so: {advice}")


def _check_statement_signature(
    document: SignedDocument, statement: ReleaseStatement, keys: VerificationKeys
) -> Iterator[Finding]:
    """Whether the statement is signed, by a key that its site had then."""
    if not has_valid_signature(document):
        yield Finding("fails", f"{STATEMENT} is not signed by the key {document.key}: it was changed.")
        return
    statement_key = keys.ring.find(document.key)
    if statement_key is None and statement.site != keys.ring.site:
        yield Finding(
            "open",
            f"that the key {document.key} is that of {statement.site}, where the release was made: compare "
            f"it with {statement.site.rstrip('/')}/keys",
        )
    elif statement_key is None or not statement_key.held_at(statement.made):
        words = f"{keys.source} does not have the key of {STATEMENT} for the time that it claims"
        yield Finding("fails", f"{words}.")


def _check_statement(evidence: Evidence, statement: ReleaseStatement, signer: str) -> Iterator[Finding]:
    """Whether the statement is of these files."""
    names = {"task": evidence.task, "phase": evidence.phase, "number": evidence.release}
    wrong = [name for name, value in names.items() if getattr(statement, name) != value]
    wrong += [
        path
        for path, digest in ((BOARD, statement.board), (RULES, statement.rules))
        if evidence.sha256(path) != digest
    ]
    yield from (Finding("fails", f"{STATEMENT} speaks of another {name}.") for name in wrong)
    if not wrong:
        of = f"this {BOARD} (SHA-256 {statement.board}) and these rules"
        yield Finding("holds", f"{STATEMENT}: {signer} signed that release {statement.number} is of {of}.")
        yield Finding("says", f"{STATEMENT}: it was signed at {time_text(statement.made)}.")


def _check_bundle(evidence: Evidence, bundle: Bundle, statement: ReleaseStatement) -> Iterator[Finding]:
    """Whether task.toml, the rules and the statement speak of one release."""
    rules, board = _read_rules(evidence), read_board(evidence.read(BOARD), BOARD)
    phases = [(phase.slug, phase.split) for phase in bundle.phases]
    values_by_name = {
        "task": (bundle.task.slug, board["task"], statement.task),
        "title": (bundle.task.title, board["title"]),
        "split": (board["split"], statement.split, rules.split),
        "phase": (rules.phase, statement.phase),
        "phases": (phases, [(statement.phase, statement.split)]),
        "levels": (
            [level.slug for level in bundle.levels],
            [level["slug"] for level in board["levels"]],
            list(rules.golds),
        ),
        "metrics": (
            [list(level.metrics) for level in bundle.levels],
            [level["metrics"] for level in board["levels"]],
        ),
        "gold versions": (
            {level: version for level, version in rules.golds.items() if version is not None},
            {level: version for level, (version, _) in statement.gold.items()},
        ),
    }
    wrong = [name for name, values in values_by_name.items() if any(value != values[0] for value in values)]
    yield from (
        Finding("fails", f"task.toml, {BOARD}, {RULES} and {STATEMENT} differ in the {name}.")
        for name in wrong
    )


@dataclass(frozen=True, slots=True)
class _ReleaseRules:
    """What the rules of a release say that its other files say too; `golds`: the version, by level."""

    phase: str
    split: str
    golds: dict[str, int | None]


def _read_rules(evidence: Evidence) -> _ReleaseRules:
    values = read_json(evidence.read(RULES), RULES)
    try:
        golds = {level["slug"]: level["gold"] and level["gold"]["version"] for level in values["levels"]}
        return _ReleaseRules(values["phase"]["slug"], values["phase"]["split"], golds)
    except (TypeError, LookupError) as error:
        message = "is not what a release was made under: it lacks phase and levels"
        raise ProofError([Problem(RULES, None, "bad_rules", message)]) from error


def _check_ranks(evidence: Evidence) -> Finding:
    data = evidence.read(BOARD)
    if reranked_json(read_board(data, BOARD)).encode() == data:
        return Finding("holds", f"Ranks, totals and order of {BOARD} follow from its values by its rules.")
    return Finding("fails", f"Ranks, totals or order of {BOARD} do not follow from its values and rules.")


def _check_inferred_systems(evidence: Evidence) -> Iterator[Finding]:
    """Whether what was inferred is of the systems of this board, those aside that it says it leaves out."""
    if not evidence.has(INFERENCE):
        return
    values, board = read_json(evidence.read(INFERENCE), INFERENCE), read_board(evidence.read(BOARD), BOARD)
    inference = values if isinstance(values, dict) else {}
    rows = [{"kind": row.kind, "team": row.team, "run": row.run} for row in rows_of(board_of(board))]
    left_out = inference["left_out"] if isinstance(inference.get("left_out"), list) else []
    gone = [
        {name: system.get(name) for name in ("kind", "team", "run")}
        for system in left_out
        if isinstance(system, dict)
    ]
    if inference.get("systems") != [row for row in rows if row not in gone]:
        yield Finding("fails", f"{INFERENCE} is not of the systems of {BOARD}, in their order.")


def packaging_findings(package: Path) -> list[Finding]:
    """What a zip or a folder has beside its files: nothing signs that.

    Parameters
    ----------
    package : Path
        A zip, or a folder.

    Returns
    -------
    list of Finding
        One.
    """
    rest = "for evidence.json names files alone"
    if is_zip(package):
        words = "how the zip is packed: dates, attributes, order, empty folders, bytes around it"
        return [Finding("open", f"{words}, {rest}")]
    return [Finding("open", f"dates and attributes of the files, and empty folders, {rest}")]


def require_valid_evidence(evidence: Evidence) -> None:
    """Let evidence pass of which nothing fails, whatever is left open.

    Parameters
    ----------
    evidence : Evidence
        From `read_evidence`.

    Raises
    ------
    ProofError
        With every sentence that fails.
    """
    failed = [finding.text for finding in verify_evidence(evidence) if finding.state == "fails"]
    if failed:
        raise ProofError([Problem("evidence", None, "bad_evidence", text) for text in failed])
