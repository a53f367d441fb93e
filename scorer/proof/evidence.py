"""The evidence of a release: a bundle whose every file a signed manifest names."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from scorer.errors import Problem, ProofError
from scorer.files.reading import read_bytes
from scorer.proof.document_schema import nullable, schema_faults
from scorer.proof.signing import SignedDocument, read_signed

MANIFEST = "evidence.json"
SCHEMA = "assay.evidence/1"
BOARD, RULES, STATEMENT, KEYS = "board.json", "rules.json", "release.json", "keys.json"
INFERENCE, SALTS = "inference.json", "salts.json"
REQUIRED_FILES = ("task.toml", BOARD, RULES, STATEMENT, KEYS)
"""What each evidence has."""
_MANIFEST_SCHEMA = {
    "schema": "text",
    "site": "site",
    "task": "text",
    "phase": "text",
    "release": "ordinal",
    "files": [{"path": "text", "sha256": "sha256", "bytes": "count", "of": nullable("text")}],
    "left_out": [{"what": "text", "why": "text"}],
}


@dataclass(frozen=True, slots=True)
class EvidenceFile:
    """A file of the evidence; `of`: of a receipt, the run file that it is for."""

    path: str
    sha256: str
    size: int
    of: str | None


@dataclass(frozen=True, slots=True)
class Evidence:
    """The evidence of one release, as its manifest describes it.

    Parameters
    ----------
    folder : Path
        Where its files are.
    signed : SignedDocument
        The manifest.
    site, task, phase, release : str, str, str, int
        What it is the evidence of, and who says so.
    files : tuple of EvidenceFile
        Every file but the manifest.
    left_out : tuple of (str, str)
        What is not in it, and why.
    """

    folder: Path
    signed: SignedDocument
    site: str
    task: str
    phase: str
    release: int
    files: tuple[EvidenceFile, ...]
    left_out: tuple[tuple[str, str], ...]

    def has(self, path: str) -> bool:
        """Whether the manifest names a file."""
        return any(file.path == path for file in self.files)

    def sha256(self, path: str) -> str | None:
        """The SHA-256 that the manifest gives a file; None: it names none."""
        return next((file.sha256 for file in self.files if file.path == path), None)

    def read(self, path: str) -> bytes:
        """The bytes of a file."""
        return read_bytes(str(self.folder / path))

    @property
    def receipts(self) -> tuple[EvidenceFile, ...]:
        """The receipts, each with the run file that it is for."""
        return tuple(file for file in self.files if file.of is not None)

    @property
    def title(self) -> str:
        """What it is, in one line."""
        return f"evidence of release {self.release} of {self.site}, task {self.task}, phase {self.phase}"


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
    content = signed.content
    faults = list(schema_faults(content, _MANIFEST_SCHEMA))
    if content.get("schema") != SCHEMA:
        faults = [("schema", f'is not "{SCHEMA}"; is it of another kind, or of a later version?')]
    faults = faults or list(_path_faults([entry["path"] for entry in content["files"]]))
    if faults:
        raise ProofError([Problem(MANIFEST, None, "bad_evidence", f"{at}: {fault}") for at, fault in faults])
    return Evidence(
        folder,
        signed,
        **{name: content[name] for name in ("site", "task", "phase", "release")},
        files=tuple(
            EvidenceFile(entry["path"], entry["sha256"], entry["bytes"], entry["of"])
            for entry in content["files"]
        ),
        left_out=tuple((entry["what"], entry["why"]) for entry in content["left_out"]),
    )


def _path_faults(paths: list[str]) -> Iterator[tuple[str, str]]:
    """Paths that lead outside or stand there twice, and files that each evidence has."""
    for number, path in enumerate(paths, start=1):
        if not _stays_inside(path):
            yield f"files[{number}].path", "does not stay inside the folder"
        if path in paths[: number - 1]:
            yield f"files[{number}].path", "stands there twice"
    yield from (("files", f"does not name {path}") for path in REQUIRED_FILES if path not in paths)


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
