"""The files of an export: their names, and where their contents are."""

from dataclasses import dataclass, field
from pathlib import PurePosixPath

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

    def put(self, name: str, content: bytes | StoredContent) -> str:
        """Add a file, and return its name."""
        self.contents[name] = content
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

    def gold(self, split: Split, sha256: str, older: int | None = None) -> str:
        """Add the gold file of a split that is in force, or an older version by its number."""
        if older is None:
            return self.put(f"gold/{split.name}/{self._level(split.level)}", StoredContent(sha256))
        return self.put(
            f"history/gold/{split.name}/{older}-{self._level(split.level)}", StoredContent(sha256)
        )

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

    def other(self, sha256: str) -> str:
        """Add a submission that no longer counts, by its hash."""
        return self.put(f"history/files/{sha256}", StoredContent(sha256))

    def receipt(self, number: int, text: str) -> str:
        """Add the receipt of a submission, byte for byte."""
        return self.put(f"history/receipts/{number}.json", text.encode())

    def release(self, phase: str, number: int, board: str, ending: str = "") -> str:
        """Add a released leaderboard, byte for byte."""
        return self.put(f"history/releases/{phase}-{number}{ending}.json", board.encode())

    def inference(self, phase: str, number: int, board_sha256: str, text: str) -> str:
        """Add the inference of a released leaderboard, byte for byte."""
        name = f"history/releases/{phase}-{number}-inference-{board_sha256[:10]}.json"
        return self.put(name, text.encode())

    def seal(self, phase: str, number: int, board_sha256: str, text: str) -> str:
        """Add the signed statement about a released leaderboard, byte for byte."""
        name = f"history/releases/{phase}-{number}-signed-{board_sha256[:10]}.json"
        return self.put(name, text.encode())

    def campaign_bundle(self, slug: str, sha256: str) -> str:
        """Add the zip from which a campaign was made."""
        return self.put(f"campaigns/{slug}/annotation.zip", StoredContent(sha256))

    def campaign_plan(self, slug: str, sha256: str) -> str:
        """Add a plan of a campaign's assignments, by its hash."""
        return self.put(plan_file(slug, sha256), StoredContent(sha256))

    def campaign_rows(self, slug: str, data: bytes) -> str:
        """Add the rows of a campaign."""
        return self.put(f"campaigns/{slug}/campaign.json", data)

    def terms(self, text: str, older: int | None = None) -> str:
        """Add the terms in force, or an older version by its number."""
        return self.put("terms.md" if older is None else f"history/terms/{older}.md", text_file(text))

    def _level(self, level: Level) -> str:
        return self.names.give("levels", level.id, level.slug) + ".tsv"


def plan_file(slug: str, sha256: str) -> str:
    """Return the name of the file of a campaign's plan."""
    return f"campaigns/{slug}/plans/{sha256}.json"


def text_file(text: str) -> bytes:
    """Encode a text; readers drop one byte order mark, so a text that starts with one gets another."""
    return text.encode("utf-8-sig" if text.startswith("\ufeff") else "utf-8")
