"""Checks a bundle's history: every reference, file and order; each problem names its place."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from operator import attrgetter
from pathlib import Path
from typing import Any

from scorer.bundles.bundle import BASELINES, Bundle
from scorer.errors import ProofError
from scorer.proof.receipts import read_receipt
from scorer.proof.signing import has_valid_signature, read_signed
from server.bundles.task_history.records import (
    GoldKey,
    SubmissionRecord,
    TaskHistory,
    find_counting,
    list_withdrawn_runs,
)
from server.bundles.task_history.serialization import HISTORY_FILE, list_mentions
from server.bundles.task_history.tables import TABLES, RecordTable
from server.core.errors import FileProblem
from server.runs.links import is_link, split_links
from server.teams.service import name_key

_SALT = re.compile(r"[0-9a-f]{64}")


class RecordChecker:
    """Checks the records of a history, and adds what is wrong to `problems`.

    `contents` gets the files that become texts in the database, by name.
    """

    def __init__(
        self,
        bundle: Bundle,
        history: TaskHistory,
        problems: list[FileProblem],
        contents: dict[str, bytes],
    ) -> None:
        self.bundle = bundle
        self.history = history
        self.problems = problems
        self.contents = contents
        self.phases = {phase.slug: phase for phase in bundle.phases}
        self.levels = {level.slug: level for level in bundle.levels}
        self.runs = {run.id: run for run in history.runs}
        self.submissions = {submission.id: submission for submission in history.submissions}

    def refuse(self, where: str, message: str) -> None:
        """Add a problem of one record."""
        self.problems.append(FileProblem(HISTORY_FILE, None, "bad_history", f"{where}: {message}"))

    def read(self, where: str, file: str | None, sha256: str | None) -> bytes | None:
        """Return a file of the bundle, if it has the hash that the record names."""
        path = self.bundle.folder / (file or "")
        root = self.bundle.folder.resolve()
        if not file or Path(file).is_absolute() or not path.resolve().is_relative_to(root):
            self.refuse(where, f'"{file}" lies outside the bundle')
        elif not _is_file(path):
            self.refuse(where, f'there is no file "{file}" in the bundle')
        elif hashlib.sha256(data := path.read_bytes()).hexdigest() != sha256:
            self.refuse(where, f'"{file}" is not the file that was exported: its SHA-256 differs')
        else:
            return data
        return None

    def read_text(self, where: str, file: str, sha256: str | None) -> bytes | None:
        """Return a file that becomes a text in the database, if it has the hash that the record names."""
        data = self.read(where, file, sha256)
        if data is not None:
            self.contents[file] = data
        return data

    def once(self, where: str, keys: Iterable[object]) -> None:
        """Report values that occur a second time."""
        seen: set[object] = set()
        for number, key in enumerate(keys):
            if key in seen:
                self.refuse(f"{where}[{number}]", "occurs twice")
            seen.add(key)

    def plain_name(self, where: str, name: str) -> None:
        """Report a name that no page could show."""
        odd = not all(
            char.isprintable() or char in "\u200c\u200d" for char in name
        )  # joiners are parts of letters
        if odd or not name or name != " ".join(name.split()) or "/" in name or "\\" in name:
            self.refuse(where, "must be a name of one line, without controls, slashes and doubled blanks")


def _is_file(path: Path) -> bool:
    """Whether there is such a file; a name may be longer than file systems allow."""
    try:
        return path.is_file()
    except OSError:
        return False


class HistoryChecker(RecordChecker):
    """Checks all lists of a history, and then each list except the releases."""

    def check(self) -> None:
        """Check the rules for all lists, then each list."""
        for list_name, table in TABLES.items():
            self._check_fields(list_name, table)
            self._check_references(list_name, table)
        self._check_people()
        self._check_terms()
        self._check_gold()
        self._check_teams()
        self._check_runs()
        self._check_submissions()
        self._check_counting()
        self._check_withdrawals()
        self._check_rejections()
        self._check_announcements()

    def _check_fields(self, list_name: str, table: RecordTable) -> None:
        """Check that words are known, unique values occur once, and numbers count from one."""
        records = getattr(self.history, list_name)
        for name, allowed in table.choices.items():
            for k, record in enumerate(records):
                if getattr(record, name) not in allowed:
                    self.refuse(f"{list_name}[{k}].{name}", f"must be one of {', '.join(allowed)}")
        for names in table.unique:
            self.once(list_name, map(attrgetter(*names), records))
        if table.numbered_within is None:
            return
        numbers: dict[str, list[int]] = defaultdict(list)
        for record in records:
            group = ", ".join(getattr(record, name) for name in table.numbered_within)
            numbers[f"{list_name} of {group}" if group else list_name].append(record.number)
        for where, counted in numbers.items():
            if counted != list(range(1, len(counted) + 1)):
                self.refuse(where, "its numbers must be 1, 2, 3 and so on, in this order")

    def _check_references(self, list_name: str, table: RecordTable) -> None:
        """Check that the records to which others refer exist."""
        known: dict[str, Any] = {
            "phases": self.phases,
            "levels": self.levels,
            "teams": {team.name for team in self.history.teams},
            "runs": self.runs,
            "submissions": self.submissions,
            "questions": {question.id for question in self.history.questions},
        }
        for k, record in enumerate(getattr(self.history, list_name)):
            values = {name: getattr(record, name) for name in table.references}
            missing = {
                name: value
                for name, value in values.items()
                if value is not None and value not in known[table.references[name]]
            }
            if missing and table.missing is not None:
                self.refuse(f"{list_name}[{k}]", table.missing)
                continue
            for name, value in missing.items():
                quoted = f'"{value}"' if isinstance(value, str) else value
                self.refuse(f"{list_name}[{k}].{name}", f"there is no {name} {quoted}")

    def _check_people(self) -> None:
        """Check that every mentioned person is among the people."""
        self.once("people", [person.id for person in self.history.people])
        ids = {person.id for person in self.history.people}
        for person, where in list_mentions(self.history):
            if person not in ids:
                self.refuse(where, f'"{person}" is not in people')

    def _check_terms(self) -> None:
        """Check that versions are in order, and the newest equals that of task.toml."""
        versions = self.history.terms
        text = None
        for k, version in enumerate(versions):
            text = None
            if version.file is not None:
                data = self.read_text(f"terms[{k}].file", version.file, version.sha256)
                text = self._text(f"terms[{k}].file", data)
        if text != self.bundle.task.terms:
            self.refuse("terms", "the newest version is not the text that task.toml has")
        for k, acceptance in enumerate(self.history.acceptances):
            if not 1 <= acceptance.number <= len(versions):
                self.refuse(f"acceptances[{k}].number", "there is no such version of the terms")

    def _text(self, where: str, data: bytes | None) -> str | None:
        try:
            return None if data is None else data.decode("utf-8-sig")
        except UnicodeDecodeError:
            self.refuse(where, "is not UTF-8")
            return None

    def _check_gold(self) -> None:
        """Check that versions are in order, and those in force equal those of task.toml."""
        files: dict[GoldKey, str] = {}
        in_force: dict[tuple[str, str], str] = {}
        for k, version in enumerate(self.history.gold):
            level = self.levels.get(version.level)
            if level is None or version.split not in level.splits:
                self.refuse(f"gold[{k}]", f"there is no level {version.level} with a split {version.split}")
                continue
            self.read(f"gold[{k}].file", version.file, version.sha256)
            if version.salt is not None and not _SALT.fullmatch(version.salt):
                self.refuse(f"gold[{k}].salt", "must be 64 hexadecimal digits in lower case")
            files[version.level, version.split, version.number] = version.file
            if not self.history.gold_events:
                in_force[version.level, version.split] = version.file
        in_force |= self._gold_events(files)
        for level in self.bundle.levels:
            for name, spec in level.splits.items():
                if spec.gold != in_force.get((level.slug, name)):
                    self.refuse("gold", f"task.toml has another file in force for {level.slug}, {name}")

    def _gold_events(self, files: Mapping[GoldKey, str]) -> dict[tuple[str, str], str]:
        """Check the events of each version, and return the files of those in force."""
        in_force = {}
        for k, record in enumerate(self.history.gold_events):
            file = files.get((record.level, record.split, record.number))
            if file is None:
                self.refuse(f"gold_events[{k}]", "there is no such gold version")
            elif record.event == "published":
                in_force[record.level, record.split] = file
        return in_force

    def _check_teams(self) -> None:
        """Check that teams have valid and unique names."""
        self.once("teams", [name_key(team.name) for team in self.history.teams])
        for k, team in enumerate(self.history.teams):
            self.plain_name(f"teams[{k}].name", team.name)
            if team.state == "declined" and not team.reason:
                self.refuse(f"teams[{k}].reason", "is missing; a declined team reads why")

    def _check_runs(self) -> None:
        """Check that runs have valid names and links, and the baselines of task.toml."""
        for k, run in enumerate(self.history.runs):
            self.plain_name(f"runs[{k}].name", run.name)
            if run.baseline is not None and run.baseline not in BASELINES:
                self.refuse(f"runs[{k}].baseline", f'there is no baseline "{run.baseline}"')
            for link in split_links(run.links):
                if not is_link(link):
                    self.refuse(f"runs[{k}].links", "each line is an address that begins with https://")
        primary = [(run.phase, run.team) for run in self.history.runs if run.is_primary]
        for phase, team in sorted({key for key in primary if primary.count(key) > 1}):
            self.refuse("runs", f"{team} has two primary runs in {phase}")
        removed = {number for number, withdrawn in list_withdrawn_runs(self.history).items() if withdrawn}
        in_history = {
            (run.phase, run.team, run.name, run.baseline)
            for number, run in self.runs.items()
            if run.baseline and number not in removed
        }
        named = {
            (phase.slug, run.team, run.name, run.baseline)
            for phase in self.bundle.phases
            for run in self.bundle.runs
            if run.baseline is not None and self.bundle.belongs(run, phase)
        }
        for phase, team, name, _baseline in sorted(in_history ^ named):
            self.refuse("runs", f"the baseline {team}, {name} in {phase} is not as task.toml has it")

    def _check_withdrawals(self) -> None:
        """Check that each step, of a run or of a submission, is a change and not too early."""
        for k, withdrawal in enumerate(self.history.run_withdrawals):
            run = self.runs.get(withdrawal.run)
            if run is not None and withdrawal.made_at < run.created_at:
                self.refuse(f"run_withdrawals[{k}].made_at", "is before the run was added")
        for list_name, name in (("run_withdrawals", "run"), ("withdrawals", "submission")):
            withdrawn: dict[int, bool] = defaultdict(bool)
            for k, step in enumerate(getattr(self.history, list_name)):
                if step.withdrawn == withdrawn[getattr(step, name)]:
                    self.refuse(f"{list_name}[{k}].withdrawn", "changes nothing")
                withdrawn[getattr(step, name)] = step.withdrawn

    def _check_level(self, where: str, run_id: int, level: str) -> None:
        """Check that the level has items in the phase of the run."""
        run = self.runs.get(run_id)
        phase = None if run is None else self.phases.get(run.phase)
        if phase is not None and level in self.levels and phase.split not in self.levels[level].splits:
            self.refuse(f"{where}.level", f"{level} has no items in the phase {phase.slug}")

    def _check_submissions(self) -> None:
        """Check that files exist, are in the order in which they were stored, and match their receipts."""
        before = 0
        for k, submission in enumerate(self.history.submissions):
            if submission.id <= before:
                self.refuse(f"submissions[{k}].id", "ids grow in the order in which files were stored")
            before = submission.id
            self.read(f"submissions[{k}].file", submission.file, submission.sha256)
            self._check_level(f"submissions[{k}]", submission.run, submission.level)
            if submission.receipt is not None:
                self._check_receipt(f"submissions[{k}].receipt", submission, submission.receipt)

    def _check_receipt(self, where: str, submission: SubmissionRecord, file: str) -> None:
        """Check that a receipt is signed by its site for exactly this file."""
        data = self.read_text(where, file, submission.receipt_sha256)
        if data is None:
            return
        try:
            document = read_signed(data, file)
            receipt = read_receipt(document, file)
        except ProofError as error:
            self.refuse(where, str(error))
            return
        receipt_values = receipt.file_sha256, receipt.level, receipt.arrived, receipt.late
        if not has_valid_signature(document):
            self.refuse(where, f'the signature of "{file}" is wrong: it was changed')
        elif receipt_values != (submission.sha256, submission.level, submission.arrived_at, submission.late):
            self.refuse(where, f'"{file}" is the receipt of another file')

    def _check_counting(self) -> None:
        """Check that what counts by the history is what task.toml names."""
        expected = {
            (run.phase, run.team, run.name, level, late, submission.file)
            for (run_id, level, late), submission in find_counting(self.history).items()
            if (run := self.runs.get(run_id)) is not None and run.baseline is None
        }
        named = {
            (phase.slug, run.team, run.name, level.slug, late, file)
            for phase in self.bundle.phases
            for run in self.bundle.runs
            for level in self.bundle.levels
            for late in (False, True)
            if self.bundle.belongs(run, phase) and (file := run.file(level.slug, late=late)) is not None
        }
        for phase, team, name, level, late, _file in sorted(expected ^ named):
            what = f"the {'late ' if late else ''}file of {team}, {name} at {level} in {phase}"
            self.refuse("submissions", f"{what} that counts is not the one that task.toml names")

    def _check_rejections(self) -> None:
        """Check that levels belong to the run's phase, and that counts are not below the listed problems."""
        for k, rejection in enumerate(self.history.rejections):
            self._check_level(f"rejections[{k}]", rejection.run, rejection.level)
            if rejection.count < len(rejection.problems):
                self.refuse(f"rejections[{k}].count", "is less than the problems that are listed")

    def _check_announcements(self) -> None:
        """Check that the chosen teams of announcements exist."""
        teams = {team.name for team in self.history.teams}
        for k, announcement in enumerate(self.history.announcements):
            for missing in sorted(set(announcement.teams) - teams):
                self.refuse(f"announcements[{k}].teams", f'there is no team "{missing}"')
