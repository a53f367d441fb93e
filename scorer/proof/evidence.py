"""The evidence of a release: a bundle whose every file a signed manifest names."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from scorer.boards.serialization import read_board
from scorer.bundles.bundle import Bundle
from scorer.bundles.reader import read_bundle
from scorer.errors import Problem, ProofError
from scorer.files.reading import read_bytes
from scorer.proof.document_schema import Count, Document, Fault, Ordinal, Sha256, Site, read_document
from scorer.proof.receipts import Receipt, read_receipt
from scorer.proof.signing import SignedDocument, read_signed
from scorer.proof.statements import ReleaseStatement, read_statement

MANIFEST = "evidence.json"
SCHEMA = "assay.evidence/1"
BOARD, RULES, STATEMENT, KEYS = "board.json", "rules.json", "release.json", "keys.json"
INFERENCE, SALTS = "inference.json", "salts.json"
REQUIRED_FILES = ("task.toml", BOARD, RULES, STATEMENT, KEYS)
"""What each evidence has."""


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """A file of the evidence; `of`: of a receipt, the run file that it is for."""

    path: str
    sha256: Sha256
    size: Count = field(metadata={"at": "bytes"})
    of: str | None


@dataclass(frozen=True, slots=True)
class OmittedPart:
    """What is not in the evidence, and why."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class EvidenceManifest(Document):
    """What is signed of the evidence of one release: whose it is, and every file but the manifest."""

    KIND = SCHEMA
    FAULT_CODE = "bad_evidence"

    site: Site
    task: str
    phase: str
    release: Ordinal
    files: tuple[EvidenceFile, ...]
    left_out: tuple[OmittedPart, ...]

    def contradictions(self) -> Iterator[Fault]:
        """Paths that lead outside or stand there twice, and files that each evidence has."""
        paths = set[str]()
        for number, file in enumerate(self.files, start=1):
            if not _stays_inside(file.path):
                yield f"files[{number}].path", "does not stay inside the folder"
            if file.path in paths:
                yield f"files[{number}].path", "stands there twice"
            paths.add(file.path)
        yield from (("files", f"does not name {path}") for path in REQUIRED_FILES if path not in paths)


@dataclass(frozen=True, slots=True)
class EvidenceReceipt:
    """A receipt in the evidence: its path, the path of the run file that it is for, and what it says."""

    path: str
    of: str
    signed: SignedDocument
    receipt: Receipt


@dataclass(frozen=True)
class Evidence:
    """The evidence of one release; its documents are read when they are first asked for, and once.

    Parameters
    ----------
    folder : Path
        Where its files are.
    signed : SignedDocument
        The manifest as it was signed.
    manifest : EvidenceManifest
        What that says.
    """

    folder: Path
    signed: SignedDocument
    manifest: EvidenceManifest

    @cached_property
    def hashes(self) -> dict[str, str]:
        """The SHA-256 that the manifest gives each file, by its path."""
        return {file.path: file.sha256 for file in self.manifest.files}

    def has(self, path: str) -> bool:
        """Whether the manifest names a file."""
        return path in self.hashes

    def read(self, path: str) -> bytes:
        """The bytes of a file."""
        return read_bytes(str(self.folder / path))

    @property
    def left_out(self) -> tuple[OmittedPart, ...]:
        """What is not in it, and why."""
        return self.manifest.left_out

    @cached_property
    def signed_statement(self) -> SignedDocument:
        """What was signed of the release."""
        return read_signed(self.read(STATEMENT), STATEMENT)

    @cached_property
    def statement(self) -> ReleaseStatement:
        """What that says."""
        return read_statement(self.signed_statement, STATEMENT)

    @cached_property
    def bundle(self) -> Bundle:
        """The task, as it is described in it."""
        return read_bundle(self.folder)

    @cached_property
    def board(self) -> dict[str, Any]:
        """The board that was released."""
        return read_board(self.read(BOARD), BOARD)

    @cached_property
    def receipts(self) -> tuple[EvidenceReceipt, ...]:
        """The receipts."""
        files = self.manifest.files
        return tuple(self._read_receipt(file.path, file.of) for file in files if file.of is not None)

    def _read_receipt(self, path: str, of: str) -> EvidenceReceipt:
        signed = read_signed(self.read(path), path)
        return EvidenceReceipt(path, of, signed, read_receipt(signed, path))

    @property
    def title(self) -> str:
        """What it is, in one line."""
        of = self.manifest
        return f"evidence of release {of.release} of {of.site}, task {of.task}, phase {of.phase}"


def omitted_inputs(left_out: Iterable[OmittedPart]) -> list[str]:
    """Which of gold and runs are left out, wholly or in part: the board is computed from both."""
    return sorted({"gold", "runs"} & {part.what for part in left_out})


def is_evidence(folder: Path) -> bool:
    """Whether a folder is the evidence of a release, and no other bundle."""
    return (folder / MANIFEST).is_file()


def refuse_extra_files(folder: Path, called: str) -> None:
    """Refuse a folder in which evidence lies beside something else.

    Parameters
    ----------
    folder : Path
        That may be evidence itself, or no evidence at all.
    called : str
        What messages call it.

    Raises
    ------
    ProofError
        If one of its folders is evidence, with what stands beside that.
    """
    inner = sorted(folder.glob(f"*/{MANIFEST}"))
    if not inner or is_evidence(folder):
        return
    strangers = sorted(path.name for path in folder.iterdir() if path != inner[0].parent)
    beside = ", ".join(strangers[:5]) + (" and more" if len(strangers) > 5 else "")
    message = (
        f"has evidence in {inner[0].parent.name}/, and beside it {beside}, which nothing names; take it away"
    )
    raise ProofError([Problem(called, None, "stranger", message)])


def read_evidence(folder: Path, called: str) -> Evidence:
    """The evidence in a folder; nothing of it is known to be true before `verify_evidence` says so.

    Parameters
    ----------
    folder : Path
        With the manifest, evidence.json, in it.
    called : str
        What messages call it.

    Returns
    -------
    Evidence
        What the manifest says.

    Raises
    ------
    ProofError
        If the manifest is none, with every place that is wrong.
    """
    refuse_extra_files(folder, called)
    if not is_evidence(folder):
        message = f"has no {MANIFEST}; evidence of a release has it, an ordinary bundle has not"
        raise ProofError([Problem(called, None, "no_file", message)])
    signed = read_signed(read_bytes(str(folder / MANIFEST)), MANIFEST)
    return Evidence(folder, signed, read_document(EvidenceManifest, signed.content, MANIFEST))


def _stays_inside(path: str) -> bool:
    parts = path.split("/")
    return path.isprintable() and not {"", ".", ".."} & {*parts} and "\\" not in path and ":" not in parts[0]


def list_files(folder: Path) -> Iterator[str]:
    """The files that are in a folder, the manifest aside; a link is one, wherever it leads."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name != MANIFEST and (path.is_symlink() or not path.is_dir()):
            yield name


def file_fault(evidence: Evidence, file: EvidenceFile) -> str | None:
    """What is wrong with a file of the evidence; None: it is as the manifest says."""
    path = evidence.folder / PurePosixPath(file.path)
    if path.is_symlink() or not path.resolve().is_relative_to(evidence.folder.resolve()):
        return "is a link"
    if not path.is_file():
        return "is missing"
    if path.stat().st_size != file.size:
        return f"has {path.stat().st_size} bytes, not {file.size}"
    if hashlib.sha256(evidence.read(file.path)).hexdigest() != file.sha256:
        return f"was changed: its SHA-256 is not {file.sha256}"
    return None
