"""The files in the evidence of a release: everything public about it, from the release's own data."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Row, select
from sqlalchemy.orm import Session

from scorer.proof.evidence import BOARD, INFERENCE, KEYS, RULES, SALTS, STATEMENT, OmittedPart
from scorer.proof.evidence_gold import SCHEMA as SALTS_SCHEMA
from scorer.values import write_json
from server.access import tasks
from server.bundles.export_files import text_file
from server.core.identity import get_identity
from server.core.storage import storage_of
from server.core.zips import UniqueFilenames
from server.phases.feedback import Feedback
from server.phases.models import Phase
from server.releases import inferences, release_gold, seals
from server.releases.run_files import ReleasedFile
from server.releases.service import ReleaseState
from server.runs.models import Run
from server.signing import service as signing_keys
from server.submissions.models import Receipt, Submission

REVEALING_FEEDBACK: tuple[Feedback, ...] = ("scores", "rounded")
"""With the same gold version, such feedback shows no more about a file than the released leaderboard."""
RunFileRow = Row[int, str | None, str | None]
"""A submission that counts: its id, the name of its baseline if it is one, and its receipt."""


class EvidenceFiles:
    """The public files of a release, by path; the caller checks that the release has evidence.

    The texts that are written for the evidence, `task.toml`, README.md and the manifest, are not included.
    """

    def __init__(self, session: Session, phase: Phase, state: ReleaseState, now: datetime) -> None:
        self.session, self.phase, self.state, self.now = session, phase, state, now
        self.site_url = get_identity(session).site_url
        self.texts: dict[str, bytes] = {}
        self.stored: dict[str, ReleasedFile] = {}
        self.of: dict[str, str] = {}
        """The run file of each receipt."""
        self.left_out: list[OmittedPart] = []
        rules = state.release.rules["levels"]
        self.gold_versions = {level["slug"]: level["gold"] and level["gold"]["version"] for level in rules}
        """The gold version of each level, in the order of the release; None: it had none."""
        levels = {level.slug: level for level in phase.task.levels}
        of_release = [levels[slug] for slug in self.gold_versions if slug in levels]
        splits = [(level, tasks.find_split(level, phase.split)) for level in of_release]
        self.levels = [(level, split) for level, split in splits if split is not None]
        names = UniqueFilenames()
        self.files = {
            level.slug: f"{names.give('levels', level.id, level.slug)}.tsv" for level, _ in self.levels
        }
        """The name of a level's file in every folder."""
        runs = self._add_runs()
        self.baselines = {path: row.baseline for path, row in runs.items()}
        """The name of each run file's baseline; None: a team's run."""
        self.golds = self._add_gold(self._add_receipts(runs))
        """The gold file of each level, if it is public."""
        self._add_items()
        self._add_release()

    def _leave_out(self, what: str, why: str) -> None:
        self.left_out.append(OmittedPart(what, why))

    def _add_runs(self) -> dict[str, RunFileRow]:
        """Add the run files, if they are published; return the baseline and the receipt of each, by path."""
        if self.state.files is None:
            self._leave_out("runs", f"{self.phase.title} does not publish submissions.")
            return {}
        # One folder more than in a bundle, where runs without an entry in task.toml are searched: these have
        # one.
        folder, named = f"runs/{self.phase.slug}", self.state.naming is not None
        self.stored = {f"{folder}/{file.path}": file for file in self.state.files}
        ids = {
            f"{folder}/{(record.get('named', record) if named else record)['path']}": record["submission"]
            for record in self.state.release.files or []
        }
        query = (
            select(Submission.id, Run.baseline, Receipt.text)
            .join(Run, Run.id == Submission.run_id)
            .outerjoin(Receipt, Receipt.submission_id == Submission.id)
            .where(Submission.id.in_(ids.values()))
        )
        rows = {row.id: row for row in self.session.execute(query)}
        return {path: rows[submission_id] for path, submission_id in ids.items()}

    def _add_receipts(self, runs: Mapping[str, RunFileRow]) -> list[dict[str, Any]]:
        """Add the receipts of submissions that count, if they reveal no more than is public."""
        if self.state.anonymous:
            self._leave_out("receipts", "They name teams, which are anonymous here.")
            return []
        if self.state.files is None:
            self._leave_out("receipts", "They name submissions that are not published.")
            return []
        signed = [
            (json.loads(row.text)["signed"], path, row.text)
            for path, row in runs.items()
            if row.text is not None
        ]
        opened = {level.slug for level, split in self.levels if split.public_gold}
        contents, withheld = [], 0
        for content, path, text in sorted(signed, key=lambda entry: entry[0]["receipt"]):
            if content["level"] not in opened and self._reveals_scores(content):
                withheld += 1
                continue
            names = (f"receipts/{content['receipt']}{more}.json" for more in ("", "-2", "-3"))
            name = next(name for name in names if name not in self.texts)
            self.texts[name], self.of[name] = text.encode(), path
            contents.append(content)
        if withheld:
            why = (
                f"{withheld} of them contain scores that are not on the leaderboard, "
                "and the gold standard is not public."
            )
            self._leave_out("receipts", why)
        return contents

    def _reveals_scores(self, receipt: Mapping[str, Any]) -> bool:
        """Whether a receipt has scores that do not follow from the leaderboard."""
        same_gold = receipt["gold"]["version"] == self.gold_versions.get(receipt["level"])
        return bool(receipt["scores"]) and not (same_gold and self.phase.feedback in REVEALING_FEEDBACK)

    def _add_gold(self, receipts: Sequence[Mapping[str, Any]]) -> dict[str, str]:
        """Add the public gold files of the release and its receipts, with salts; return them by level."""
        of_release = [(slug, number) for slug, number in self.gold_versions.items() if number is not None]
        earlier = {(receipt["level"], receipt["gold"]["version"]) for receipt in receipts} - {*of_release}
        versions = release_gold.list_public_versions(
            self.session, self.phase, self.state, self.now, [*of_release, *sorted(earlier)]
        )
        salts, paths = list[dict[str, Any]](), dict[str, str]()
        for (slug, number), version in sorted(versions.items()):
            path = f"gold/earlier/{number}-{self.files[slug]}"
            if self.gold_versions[slug] == number:
                path = paths[slug] = f"gold/{self.files[slug]}"
            self.texts[path] = storage_of(self.session).get(version.sha256)
            salts.append({"level": slug, "version": number, "salt": version.salt, "file": path})
        if salts:
            values = {"schema": SALTS_SCHEMA, "salts": salts}
            self.texts[SALTS] = write_json(values).encode()
        hidden = [slug for slug in self.gold_versions if slug not in paths]
        if hidden:
            self._leave_out("gold", f"The gold standard of {', '.join(hidden)} is not public.")
        return paths

    def _add_items(self) -> None:
        for level, split in self.levels:
            hashes = {
                "items": split.items_sha256,
                "public": split.public_items_sha256,
                "senses": level.senses_sha256,
            }
            for folder, sha256 in hashes.items():
                if sha256 is not None:
                    self.texts[f"{folder}/{self.files[level.slug]}"] = storage_of(self.session).get(sha256)

    def _add_release(self) -> None:
        """Add the leaderboard, its rules, its statement, and its inference."""
        release, sha256 = self.state.release, self.state.sha256
        self.texts[BOARD] = self.state.text.encode()
        self.texts[RULES] = seals.format_rules(release.rules).encode()
        self.texts[STATEMENT] = seals.get_seal(self.session, release.id, sha256).text.encode()
        self.texts[KEYS] = signing_keys.published_keys_text(self.session).encode()
        row = inferences.find_row(self.session, release.id, sha256)
        if row is not None and row.text is not None:
            self.texts[INFERENCE] = row.text.encode()
        else:
            self._leave_out(
                "inference", "Confidence intervals and significance tests have not been computed yet."
            )
        self.texts["description.md"] = text_file(self.phase.task.description)
