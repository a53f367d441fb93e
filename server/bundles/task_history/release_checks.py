"""Checks a history's releases: boards, rules, inferences, seals, published files and pseudonyms."""

import re
from collections.abc import Sequence

from scorer.boards.serialization import is_board
from scorer.errors import ProofError
from scorer.metrics import METRICS
from scorer.proof.signing import SignedDocument, has_valid_signature, read_signed
from scorer.proof.statements import read_statement
from server.boards.inference_json import read_inference
from server.bundles.task_history.checks import RecordChecker
from server.bundles.task_history.records import ReleaseRecord
from server.bundles.task_history.release_records import FileRecord, RulesRecord
from server.bundles.task_history.serialization import HISTORY_FILE, plain_values
from server.core.storage import text_sha256
from server.phases.feedback import FEEDBACKS
from server.releases.creation import RULES_SCHEMA
from server.releases.rules import NOTE_MAX_LENGTH
from server.releases.seals import format_rules

_PATH = re.compile(r"(?:[A-Za-z0-9_-][A-Za-z0-9_.-]*/){2}[A-Za-z0-9_-][A-Za-z0-9_.-]*")


class ReleaseChecker(RecordChecker):
    """Checks releases, and the pseudonyms in anonymous ones."""

    def check(self) -> None:
        """Check that releases are in order, each has a leaderboard, and pages can show their names."""
        for k, release in enumerate(self.history.releases):
            self._release(f"releases[{k}]", release)
        for k, pseudonym in enumerate(self.history.pseudonyms):
            self.plain_name(f"pseudonyms[{k}].name", pseudonym.name)

    def _release(self, where: str, release: ReleaseRecord) -> None:
        if release.feedback not in (None, *FEEDBACKS):
            self.refuse(f"{where}.feedback", f'"{release.feedback}" is not one of {", ".join(FEEDBACKS)}')
        if (release.withdrawn_at is None) != (release.withdrawn_reason is None):
            self.refuse(where, "a withdrawal has a time and a reason")
        elif release.withdrawn_at is not None and release.withdrawn_at < release.made_at:
            self.refuse(f"{where}.withdrawn_at", "is before the release")
        if release.note is not None and not 0 < len(release.note) <= NOTE_MAX_LENGTH:
            self.refuse(f"{where}.note", f"must have 1 to {NOTE_MAX_LENGTH} characters")
        self._board(f"{where}.file", release.file, release.sha256)
        if release.rules is not None:
            self._rules(f"{where}.rules", release.rules)
        if release.published is not None:
            self._published(f"{where}.published", release.published.files)
        self._named(where, release)
        self._inferences(where, release)
        self._seals(where, release)

    def _inferences(self, where: str, release: ReleaseRecord) -> None:
        """Check that each inference belongs to one of the two leaderboards, and can be shown."""
        boards = [release.sha256, release.named_sha256]
        self.once(f"{where}.inferences", [inference.board_sha256 for inference in release.inferences])
        for k, inference in enumerate(release.inferences):
            place = f"{where}.inferences[{k}]"
            if inference.board_sha256 not in boards:
                self.refuse(f"{place}.board_sha256", "is not that of a board of this release")
            data = self.read_text(f"{place}.file", inference.file, inference.sha256)
            try:
                if data is not None:
                    read_inference(data.decode())
            except ValueError as error:
                self.refuse(f"{place}.file", f"is not an inference: {error}")

    def _seals(self, where: str, release: ReleaseRecord) -> None:
        """Check that each seal is signed, and belongs to one of the two leaderboards of this release."""
        self.once(f"{where}.seals", [seal.board_sha256 for seal in release.seals])
        for k, seal in enumerate(release.seals):
            place = f"{where}.seals[{k}]"
            data = self.read_text(f"{place}.file", seal.file, seal.sha256)
            try:
                if data is not None:
                    self._seal(place, release, seal.board_sha256, read_signed(data, seal.file))
            except ProofError as error:
                self.refuse(f"{place}.file", f"is not a statement of a release: {error.problems[0].message}")

    def _seal(self, place: str, release: ReleaseRecord, board_sha256: str, signed: SignedDocument) -> None:
        statement = read_statement(signed, HISTORY_FILE)
        split = self.phases[release.phase].split if release.phase in self.phases else None
        release_key = (statement.task, statement.phase, statement.split, statement.number)
        first = board_sha256 == release.sha256
        at = release.made_at if first else release.named_at
        named = (
            {level.slug: level.gold.version for level in release.rules.levels if level.gold}
            if release.rules
            else {}
        )
        rules = (
            (not has_valid_signature(signed), "its signature is not of this content: it was changed"),
            (
                release_key != (self.bundle.task.slug, release.phase, split, release.number),
                "it is of another task, phase or release",
            ),
            (
                statement.board != board_sha256 or not (first or board_sha256 == release.named_sha256),
                "it is of another board",
            ),
            (
                statement.rules != text_sha256(format_rules(plain_values(release.rules) or {})),
                "it is of other rules",
            ),
            (statement.made != at, "it is of another time"),
            (
                {level: version for level, (version, _) in statement.gold.items()} != named,
                "it is of other gold",
            ),
        )
        for wrong, why in rules:
            if wrong:
                self.refuse(f"{place}.file", f"is not what was signed of this release: {why}")
                return

    def _named(self, where: str, release: ReleaseRecord) -> None:
        if release.named_file is not None:
            self._board(f"{where}.named_file", release.named_file, release.named_sha256)
        elif release.named_at is not None or release.named_sha256 is not None:
            self.refuse(f"{where}.named_file", "is missing, although there is something to say of it")
        if release.named_at is not None and release.named_at < release.made_at:
            self.refuse(f"{where}.named_at", "is before the release")

    def _rules(self, where: str, rules: RulesRecord) -> None:
        if rules.schema != RULES_SCHEMA:
            self.refuse(f"{where}.schema", f'must be "{RULES_SCHEMA}"')
        if rules.feedback.kind not in FEEDBACKS:
            self.refuse(f"{where}.feedback", f'"{rules.feedback.kind}" is not one of {", ".join(FEEDBACKS)}')
        if rules.board.total not in ("sum", "mean", "weighted", "none"):
            self.refuse(f"{where}.board.total", "must be sum, mean, weighted or none")
        for k, level in enumerate(rules.levels):
            unknown = sorted(set(level.metrics) - set(METRICS)) if level.metrics else ["nothing"]
            if unknown:
                self.refuse(f"{where}.levels[{k}].metrics", f"{', '.join(unknown)} is no metric")

    def _published(self, where: str, files: Sequence[FileRecord]) -> None:
        """Check that a release publishes files of runs only, and nothing else from the store."""
        hashes = {submission.sha256 for submission in self.history.submissions}
        for paths in ([file.path for file in files], [file.named.path for file in files if file.named]):
            self.once(where, paths)
        for k, file in enumerate(files):
            of = None if file.submission is None else self.submissions.get(file.submission)
            if file.submission is not None and (
                of is None or (of.sha256, of.level) != (file.sha256, file.level)
            ):
                self.refuse(f"{where}[{k}].submission", "is not the submission with this file")
            if file.sha256 not in hashes:
                self.refuse(f"{where}[{k}].sha256", "no run of this history has such a file")
            for path in [file.path, *([file.named.path] if file.named else [])]:
                if not _PATH.fullmatch(path):
                    self.refuse(f"{where}[{k}].path", "must be TEAM/RUN/FILE in plain characters")

    def _board(self, where: str, file: str, sha256: str | None) -> None:
        data = self.read_text(where, file, sha256)
        if data is not None and not is_board(data):
            self.refuse(where, "is not a board as `scorer board --format json` prints it")
