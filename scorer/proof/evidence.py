"""The evidence of a release: a bundle with a signed manifest that lists the hash of each of its files."""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path, PurePosixPath

from scorer.boards.people import PeopleRow, read_people
from scorer.boards.serialization import BoardFile, read_board
from scorer.bundles.bundle import Bundle
from scorer.bundles.reader import read_bundle
from scorer.errors import Problem, ProofError
from scorer.files.reading import read_bytes
from scorer.proof.document_schema import Count, Document, Ordinal, Sha256, Site, read_document
from scorer.proof.receipts import Receipt, read_receipt
from scorer.proof.signing import SignedDocument, read_json, read_signed
from scorer.proof.statements import ReleaseStatement, read_statement
from scorer.typed_json import Fault

MANIFEST = "evidence.json"
SCHEMA = "assay.evidence/1"
BOARD, RULES, STATEMENT, KEYS = "board.json", "rules.json", "release.json", "keys.json"
INFERENCE, SALTS = "inference.json", "salts.json"
REQUIRED_FILES = ("task.toml", BOARD, RULES, STATEMENT, KEYS)
"""The files that must be in all evidence."""


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """A file of the evidence, as the manifest describes it."""

    path: str
    sha256: Sha256
    size: Count = field(metadata={"at": "bytes"})
    of: str | None
    """If the file is a receipt, the path of its run file, else None."""


@dataclass(frozen=True, slots=True)
class OmittedPart:
    """A part that is not in the evidence, and the reason."""

    what: str
    why: str


@dataclass(frozen=True, slots=True)
class EvidenceManifest(Document):
    """The manifest of evidence: the release that it belongs to, and all files except the manifest itself."""

    KIND = SCHEMA
    FAULT_CODE = "bad_evidence"

    site: Site
    task: str
    phase: str
    release: Ordinal
    files: tuple[EvidenceFile, ...]
    left_out: tuple[OmittedPart, ...]

    def contradictions(self) -> Iterator[Fault]:
        """Yield paths that lead outside the folder or are repeated, and required files that are missing."""
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
    """A receipt in the evidence."""

    path: str
    of: str
    """The path of the run file for which the receipt was given."""
    signed: SignedDocument
    receipt: Receipt


@dataclass(frozen=True)
class Evidence:
    """The evidence of one release. Its documents are read on first access and then cached.

    Parameters
    ----------
    folder : Path
        The folder of its files.
    signed : SignedDocument
        The manifest as a signed document.
    manifest : EvidenceManifest
        The parsed content of the manifest.
    """

    folder: Path
    signed: SignedDocument
    manifest: EvidenceManifest

    @cached_property
    def hashes(self) -> dict[str, str]:
        """The SHA-256 of each file according to the manifest, by path."""
        return {file.path: file.sha256 for file in self.manifest.files}

    def has(self, path: str) -> bool:
        """Whether the manifest lists a file with this path."""
        return path in self.hashes

    def read(self, path: str) -> bytes:
        """Return the contents of a file."""
        return read_bytes(str(self.folder / path))

    @cached_property
    def signed_statement(self) -> SignedDocument:
        """The release statement as a signed document."""
        return read_signed(self.read(STATEMENT), STATEMENT)

    @cached_property
    def statement(self) -> ReleaseStatement:
        """The parsed content of the release statement."""
        return read_statement(self.signed_statement, STATEMENT)

    @cached_property
    def bundle(self) -> Bundle:
        """The bundle that describes the task; its site has accepted its runs."""
        return replace(read_bundle(self.folder), first_is_score=True)

    @cached_property
    def board(self) -> BoardFile:
        """The board that was released."""
        return read_board(self.read(BOARD), BOARD)

    @cached_property
    def people(self) -> PeopleRow | None:
        """How well people would do, by the rules of the release; None: they do not say it."""
        return read_people(read_json(self.read(RULES), RULES))

    @cached_property
    def receipts(self) -> tuple[EvidenceReceipt, ...]:
        """The receipts of run files."""
        files = self.manifest.files
        return tuple(self._read_receipt(file.path, file.of) for file in files if file.of is not None)

    def _read_receipt(self, path: str, of: str) -> EvidenceReceipt:
        signed = read_signed(self.read(path), path)
        return EvidenceReceipt(path, of, signed, read_receipt(signed, path))

    @property
    def title(self) -> str:
        """One line that identifies the evidence."""
        of = self.manifest
        return f"evidence of release {of.release} of {of.site}, task {of.task}, phase {of.phase}"


def omitted_inputs(left_out: Iterable[OmittedPart]) -> list[str]:
    """Return which inputs of the board, "gold" or "runs", are left out completely or in part."""
    return sorted({"gold", "runs"} & {part.what for part in left_out})


def is_evidence(folder: Path) -> bool:
    """Whether a folder is the evidence of a release rather than an ordinary bundle."""
    return (folder / MANIFEST).is_file()


def refuse_extra_files(folder: Path, called: str) -> None:
    """Reject a folder that contains the folder of some evidence next to other files.

    Parameters
    ----------
    folder : Path
        The folder to check. A folder that is evidence itself, or that contains no evidence, is accepted.
    called : str
        The name of the folder in messages.

    Raises
    ------
    ProofError
        If a direct subfolder is evidence. The error lists the other files next to it.
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
    """Open the evidence in a folder. It is not trusted until `verify_evidence` has verified it.

    Parameters
    ----------
    folder : Path
        The folder with the manifest, evidence.json.
    called : str
        The name of the folder in messages.

    Returns
    -------
    Evidence
        The evidence, of which only the manifest has been read.

    Raises
    ------
    ProofError
        If the folder has no valid manifest. The error lists all problems of the manifest.
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
    """Yield the paths of all files in a folder except the manifest. A symbolic link counts as a file."""
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if name != MANIFEST and (path.is_symlink() or not path.is_dir()):
            yield name


def file_fault(evidence: Evidence, file: EvidenceFile) -> str | None:
    """Return how a file differs from its description in the manifest, or None if it matches."""
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
