"""Verify the receipts in the evidence of a release: their signatures, run files, items, times and gold."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import NamedTuple

from scorer.bundles.bundle import Bundle
from scorer.files.text import count_noun
from scorer.proof.document_verification import time_text
from scorer.proof.evidence import Evidence, EvidenceReceipt
from scorer.proof.findings import Finding, claimed, failed, not_covered, proved
from scorer.proof.keys import CLOCK_TOLERANCE, VerificationKeys
from scorer.proof.signing import has_valid_signature


class RunFilePlace(NamedTuple):
    """The team, run and level to which a run file belongs, and whether it was late."""

    team: str
    run: str
    level: str
    late: bool


def check_receipts(evidence: Evidence, keys: VerificationKeys) -> Iterator[Finding]:
    """Verify each receipt: its signature, its key, and whether it names the right run file, items and gold.

    Yields
    ------
    Finding
        A finding for each receipt that fails, and one for each signer of the other receipts. Further
        findings tell what the receipts claim and what they do not cover.

    Raises
    ------
    ProofError
        If a file that should be a receipt is not a receipt.
    """
    places = _run_file_places(evidence.bundle)
    signers, arrivals, renamed, foreign = Counter[str](), list[datetime](), 0, set[str]()
    for entry in evidence.receipts:
        receipt, key = entry.receipt, entry.signed.key
        holder = keys.ring.holder(key, receipt.site, receipt.arrived)
        fault = _find_fault(evidence, entry, places.get(entry.of))
        if fault is None and holder == "nobody":
            fault = f"is signed with a key that {keys.ring.site} did not have when the file arrived"
        if fault is not None:
            yield failed(f"{entry.path} {fault}.")
            continue
        if holder == "another site":
            foreign.add(receipt.site)
        signers[keys.signer(key, receipt.arrived)] += 1
        arrivals.append(receipt.arrived)
        renamed += places[entry.of][:2] != (receipt.team, receipt.run)
    for signer, good in signers.items():
        by = f"{count_noun(good, 'receipt is', 'receipts are')} signed by {signer}."
        whose = "Its run file and items are those" if good == 1 else "Their run files and items are those"
        yield proved(f"{by} {whose} in the evidence.")
    yield from _tell_arrivals(arrivals)
    if renamed:
        names = count_noun(renamed, "receipt has", "receipts have")
        yield not_covered(
            f"{names} another team name or run name than task.toml. The evidence does not show why. Teams "
            "can rename runs."
        )
    for site in sorted(foreign):
        yield not_covered(
            f"The evidence does not prove that receipts that name {site} are signed with a key of that site. "
            f"Compare the key with {site.rstrip('/')}/keys."
        )
    lacking = set(places) - {entry.of for entry in evidence.receipts} - _baseline_files(evidence.bundle)
    if lacking:
        files = count_noun(len(lacking), "run file has", "run files have")
        yield not_covered(f"{files} no receipt in the evidence, which does not show when they arrived.")


def _tell_arrivals(arrivals: Sequence[datetime]) -> Iterator[Finding]:
    """Yield the claim of the receipts about when the files arrived."""
    if arrivals:
        first, last = time_text(min(arrivals)), time_text(max(arrivals))
        when = f"at {first}" if first == last else f"between {first} and {last}"
        files = "file of this receipt" if len(arrivals) == 1 else f"files of these {len(arrivals)} receipts"
        yield claimed(f"The {files} arrived {when}.")


def _find_fault(evidence: Evidence, entry: EvidenceReceipt, place: RunFilePlace | None) -> str | None:
    """Return what is wrong with a receipt apart from its key, or None if nothing is wrong."""
    receipt, statement, hashes = entry.receipt, evidence.statement, evidence.hashes
    if not has_valid_signature(entry.signed):
        return f"is not signed by the key {entry.signed.key}: it was changed"
    if place is None or entry.of not in hashes:
        return f"is for {entry.of}, which is not a run file of the evidence"
    level = next(level for level in evidence.bundle.levels if level.slug == place.level)
    split = level.splits.get(statement.split)
    if split is None or (receipt.level, receipt.split) != (place.level, statement.split):
        return (
            f"is for the level {receipt.level}, {receipt.split}, but {entry.of} is for another level or split"
        )
    public = None if split.public_items is None else hashes.get(split.public_items)
    version, commitment = statement.gold.get(receipt.level, (None, None))
    faults = (
        (receipt.file_sha256 != hashes[entry.of], f"is for another file than {entry.of}"),
        (receipt.items_sha256 != hashes.get(split.items), "is for other items than those in the evidence"),
        (receipt.public_sha256 not in (public, None), "is for other public items than those in the evidence"),
        ((receipt.task, receipt.phase) != (statement.task, statement.phase), "is for another task or phase"),
        (receipt.late != place.late, f"and task.toml differ about whether {entry.of} was late"),
        (
            receipt.arrived > statement.made + CLOCK_TOLERANCE,
            "is for a file that arrived after the release was made",
        ),
        (
            receipt.gold_version == version and receipt.commitment != commitment,
            f"has another salted hash of gold version {receipt.gold_version} than the release",
        ),
    )
    return next((fault for wrong, fault in faults if wrong), None)


def _run_file_places(bundle: Bundle) -> dict[str, RunFilePlace]:
    """Return the team, run and level of each run file, by its path."""
    return {
        path: RunFilePlace(run.team, run.name, level, late)
        for run in bundle.runs
        for files, late in ((run.files, False), (run.late_files, True))
        for level, path in files.items()
    }


def _baseline_files(bundle: Bundle) -> set[str]:
    return {path for run in bundle.runs if run.baseline is not None for path in run.files.values()}
