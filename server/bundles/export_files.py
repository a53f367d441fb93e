"""The files of an export: their names, and where their contents are."""

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from server.core.storage import text_sha256
from server.core.zips import UniqueFilenames
from server.runs.models import Run
from server.submissions.models import Submission
from server.tasks.models import Level, Split


@dataclass(frozen=True, slots=True)
class StoredContent:
    """A file of the store."""

    sha256: str


@dataclass(slots=True)
class ExportFiles:
    """Files by name; the same object always gets the same name."""

    contents: dict[str, bytes | StoredContent] = field(default_factory=dict)
    names: UniqueFilenames = field(default_factory=UniqueFilenames)
    hashes: set[str] = field(default_factory=set)
    """The files of the store that are there already."""

    def put(self, name: str, content: bytes | StoredContent) -> str:
        """Add a file, and return its name."""
        self.contents[name] = content
        if isinstance(content, StoredContent):
            self.hashes.add(content.sha256)
        return name

    def items(self, split: Split) -> str:
        """Add the items of a split."""
        return self.put(f"items/{split.name}/{self._level(split.level)}", StoredContent(split.items_sha256))

    def public_items(self, split: Split) -> str | None:
        """Add the ids of a split's public items, if some were declared."""
        if split.public_items_sha256 is None:
            return None
        name = f"public/{split.name}/{self._level(split.level)}"
        return self.put(name, StoredContent(split.public_items_sha256))

    def gold(self, split: Split, sha256: str) -> str:
        """Add the gold file of a split that is in force."""
        return self.put(f"gold/{split.name}/{self._level(split.level)}", StoredContent(sha256))

    def senses(self, level: Level) -> str | None:
        """Add the sense inventory of a level, if it has one."""
        if level.senses_sha256 is None:
            return None
        return self.put(f"senses/{self._level(level)}", StoredContent(level.senses_sha256))

    def counting(self, run: Run, submission: Submission) -> str:
        """Add a submission that counts as runs/PHASE/TEAM/RUN/LEVEL.tsv, so that people find it."""
        team = self.names.give("runs", run.team_id, run.team.name)
        name = self.names.give(f"runs/{run.phase.slug}/{team}", run.id, run.name)
        suffix = PurePosixPath(submission.filename).suffix.lower()
        suffix = suffix if suffix in (".tsv", ".csv", ".txt") else ".tsv"
        level = self._level(submission.level).removesuffix(".tsv")
        late = ".late" if submission.late else ""
        path = f"runs/{run.phase.slug}/{team}/{name}/{level}{late}{suffix}"
        return self.put(path, StoredContent(submission.sha256))

    def stored(self, sha256: str) -> None:
        """Add a file of the store, unless it is there under another name."""
        if sha256 not in self.hashes:
            self.put(f"history/files/{sha256}", StoredContent(sha256))

    def text(self, text: str) -> str:
        """Add a text, byte for byte, and return its SHA-256."""
        sha256 = text_sha256(text)
        self.put(f"history/files/{sha256}", text.encode())
        return sha256

    def terms(self, text: str) -> str:
        """Add the terms in force."""
        return self.put("terms.md", text_file(text))

    def _level(self, level: Level) -> str:
        return self.names.give("levels", level.id, level.slug) + ".tsv"


def text_file(text: str) -> bytes:
    """Encode a text; readers drop one byte order mark, so a text that starts with one gets another."""
    return text.encode("utf-8-sig" if text.startswith("\ufeff") else "utf-8")
