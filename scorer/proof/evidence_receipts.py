"""The receipts in the evidence of a release: whose files they name, when these came, against which gold."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime

from scorer.bundles.bundle import Bundle
from scorer.proof.document_verification import time_text
from scorer.proof.evidence import Evidence, EvidenceFile
from scorer.proof.findings import Finding
from scorer.proof.keys import CLOCK_TOLERANCE, KeyRing, VerificationKeys
from scorer.proof.receipts import Receipt, read_receipt
from scorer.proof.signing import SignedDocument, has_valid_signature, read_signed
from scorer.proof.statements import ReleaseStatement

RunFilePlace = tuple[str, str, str, bool]
"""Team, run, level, late: where a run file stands."""


def check_receipts(
    evidence: Evidence, bundle: Bundle, statement: ReleaseStatement, keys: VerificationKeys
) -> Iterator[Finding]:
    """Hold each receipt against its signature, the keys, the run file at its place, items and gold.

    Parameters
    ----------
    evidence : Evidence
        With the receipts.
    bundle : Bundle
        Its description.
    statement : Statement
        Of the release.
    keys : Keys
        That they are held against.

    Yields
    ------
    Finding
        One for each receipt that fails, and for each signer of the others.

    Raises
    ------
    ProofError
        If one is no receipt.
    """
    places = _places(bundle)
    signers, came, renamed, foreign = Counter[str](), list[datetime](), 0, set[str]()
    for file in evidence.receipts:
        signed = read_signed(evidence.read(file.path), file.path)
        receipt = read_receipt(signed, file.path)
        why = _receipt_fault(evidence, bundle, statement, file, signed, receipt)
        why = why or _key_fault(signed, receipt, keys.ring, foreign)
        if why is not None:
            yield Finding("fails", f"{file.path} {why}.")
            continue
        signers[keys.signer(signed.key, receipt.arrived)] += 1
        came.append(receipt.arrived)
        renamed += places[file.of or ""][:2] != (receipt.team, receipt.run)
    lacking = set(places) - {file.of for file in evidence.receipts} - _baselines(bundle)
    for signer, good in signers.items():
        subject = _count_text(good, "receipt is", "receipts are")
        by = signer.removesuffix(",")
        yield Finding(
            "holds", f"{subject} signed by {by}, each of the run file at its place and of these items."
        )
    yield from _arrival_findings(came)
    if renamed:
        yield Finding(
            "open", f"why {_count_text(renamed, 'run', 'runs')} had another name when the file came"
        )
    for site in sorted(foreign):
        yield Finding("open", f"that receipts are of {site}: compare their key with {site.rstrip('/')}/keys")
    if lacking:
        subject = _count_text(len(lacking), "file came that has", "files came that have")
        yield Finding("open", f"when {subject} no receipt in here")


def _arrival_findings(came: Sequence[datetime]) -> Iterator[Finding]:
    """When the files came, as their receipts say."""
    if came:
        first, last = time_text(min(came)), time_text(max(came))
        when = f"at {first}" if first == last else f"from {first} to {last}"
        yield Finding("says", f"what the receipts are of came {when}.")


def _receipt_fault(
    evidence: Evidence,
    bundle: Bundle,
    statement: ReleaseStatement,
    file: EvidenceFile,
    signed: SignedDocument,
    receipt: Receipt,
) -> str | None:
    """What is wrong with a receipt; None: nothing."""
    if not has_valid_signature(signed):
        return f"is not signed by the key {signed.key}: it was changed"
    place, run = _places(bundle).get(file.of or ""), evidence.sha256(file.of or "")
    if place is None or run is None:
        return f"is of {file.of}, which is no run file of this bundle"
    level = next(level for level in bundle.levels if level.slug == place[2])
    split = level.splits.get(statement.split)
    if split is None or (receipt.level, receipt.split) != (place[2], statement.split):
        return f"is of the level {receipt.level}, {receipt.split}, and not of that of {file.of}"
    public = None if split.public_items is None else evidence.sha256(split.public_items)
    bound = statement.gold.get(receipt.level)
    rules = (
        (receipt.file_sha256 != run, f"is of another file than {file.of}"),
        (receipt.items_sha256 != evidence.sha256(split.items), "is of other items than those in here"),
        (receipt.public_sha256 not in (public, None), "is of other public items than those in here"),
        ((receipt.task, receipt.phase) != (statement.task, statement.phase), "is of another task or phase"),
        (receipt.late != place[3], f"differs from task.toml in whether {file.of} was late"),
        (
            receipt.arrived > statement.made + CLOCK_TOLERANCE,
            "is of a file that came after the release was made",
        ),
        (
            bound is not None and receipt.gold_version == bound[0] and receipt.commitment != bound[1],
            f"binds the site to another gold than the release, for version {receipt.gold_version}",
        ),
    )
    return next((words for wrong, words in rules if wrong), None)


def _key_fault(signed: SignedDocument, receipt: Receipt, ring: KeyRing, foreign: set[str]) -> str | None:
    """Whether the key was the site's when the file came; other sites, whose keys are not here, are noted."""
    published_key = ring.find(signed.key)
    if published_key is None and receipt.site != ring.site:
        foreign.add(receipt.site)
        return None
    had_key = published_key is not None and published_key.held_at(receipt.arrived)
    return None if had_key else f"is signed by a key that {ring.site} did not have when the file came"


def _places(bundle: Bundle) -> dict[str, RunFilePlace]:
    """Where each run file stands, by its path."""
    return {
        path: (run.team, run.name, level, late)
        for run in bundle.runs
        for files, late in ((run.files, False), (run.late_files, True))
        for level, path in files.items()
    }


def _baselines(bundle: Bundle) -> set[str]:
    return {path for run in bundle.runs if run.baseline is not None for path in run.files.values()}


def _count_text(n: int, singular: str, plural: str) -> str:
    return f"{n} {singular if n == 1 else plural}"
