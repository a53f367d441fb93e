"""Checks a history's people, terms, gold, teams, extensions and announcements.

`RecordChecker` is the base class of all checkers: it notes each problem with its place."""

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import get_args

from scorer.bundles.bundle import Bundle
from server.bundles.task_history.records import GoldKey, TaskHistory
from server.bundles.task_history.serialization import HISTORY_FILE, list_mentions
from server.core.errors import FileProblem
from server.gold.models import GoldEventName
from server.teams.models import TeamState
from server.teams.service import name_key


class RecordChecker:
    """One history beside its bundle; what is wrong with it goes to `problems`."""

    def __init__(self, bundle: Bundle, history: TaskHistory, problems: list[FileProblem]) -> None:
        self.bundle = bundle
        self.history = history
        self.problems = problems
        self.phases = {phase.slug: phase for phase in bundle.phases}
        self.levels = {level.slug: level for level in bundle.levels}
        self.runs = {run.id: run for run in history.runs}
        self.teams = {team.name for team in history.teams}

    def refuse(self, where: str, message: str) -> None:
        """Note a problem of one record."""
        self.problems.append(FileProblem(HISTORY_FILE, None, "bad_history", f"{where}: {message}"))

    def read(self, where: str, file: str | None, sha256: str | None) -> bytes | None:
        """A file of the bundle, if it is the one whose hash the record has."""
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

    def once(self, where: str, keys: Iterable[object]) -> None:
        """Refuse what stands there a second time."""
        seen: set[object] = set()
        for number, key in enumerate(keys):
            if key in seen:
                self.refuse(f"{where}[{number}]", "stands there twice")
            seen.add(key)

    def counted(self, where: str, numbers: Sequence[int]) -> None:
        """Refuse numbers that do not count from one."""
        if list(numbers) != list(range(1, len(numbers) + 1)):
            self.refuse(where, "its numbers must be 1, 2, 3 and so on, in this order")

    def plain_name(self, where: str, name: str) -> None:
        """Refuse a name that no page could show."""
        odd = not all(
            char.isprintable() or char in "\u200c\u200d" for char in name
        )  # joiners are letters' own
        if odd or not name or name != " ".join(name.split()) or "/" in name or "\\" in name:
            self.refuse(where, "must be a name of one line, without controls, slashes and doubled blanks")


def _is_file(path: Path) -> bool:
    """Whether there is such a file; none has a name longer than names can be."""
    try:
        return path.is_file()
    except OSError:
        return False


_SALT = re.compile(r"[0-9a-f]{64}")


class TaskChecker(RecordChecker):
    """People, terms, gold, teams, extensions, announcements."""

    def check_people(self) -> None:
        """Whoever is mentioned is among the people."""
        self.once("people", [person.id for person in self.history.people])
        ids = {person.id for person in self.history.people}
        for person, where in list_mentions(self.history):
            if person not in ids:
                self.refuse(where, f'"{person}" is not in people')

    def check_terms(self) -> None:
        """Versions in order, the newest as task.toml has it."""
        versions = self.history.terms
        self.counted("terms", [version.number for version in versions])
        text = None
        for k, version in enumerate(versions):
            text = None
            if version.file is not None:
                data = self.read(f"terms[{k}].file", version.file, version.sha256)
                text = self._text(f"terms[{k}].file", data)
        if text != self.bundle.task.terms:
            self.refuse("terms", "the newest version is not the text that task.toml has")
        self.once(
            "acceptances", [(acceptance.number, acceptance.person) for acceptance in self.history.acceptances]
        )
        for k, acceptance in enumerate(self.history.acceptances):
            if not 1 <= acceptance.number <= len(versions):
                self.refuse(f"acceptances[{k}].number", "there is no such version of the terms")

    def _text(self, where: str, data: bytes | None) -> str | None:
        try:
            return None if data is None else data.decode("utf-8-sig")
        except UnicodeDecodeError:
            self.refuse(where, "is not UTF-8")
            return None

    def check_gold(self) -> None:
        """Versions in order, and those in force as task.toml has them."""
        numbers: dict[tuple[str, str], list[int]] = defaultdict(list)
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
            numbers[version.level, version.split].append(version.number)
            files[version.level, version.split, version.number] = version.file
            if not self.history.gold_events:
                in_force[version.level, version.split] = version.file
        in_force |= self._gold_events(files)
        for (slug, split), gold_numbers in numbers.items():
            self.counted(f"gold of {slug}, {split}", gold_numbers)
        for level in self.bundle.levels:
            for name, spec in level.splits.items():
                if spec.gold != in_force.get((level.slug, name)):
                    self.refuse("gold", f"task.toml has another file in force for {level.slug}, {name}")

    def _gold_events(self, files: Mapping[GoldKey, str]) -> dict[tuple[str, str], str]:
        """What became of each version; the files of those in force."""
        in_force = {}
        for k, record in enumerate(self.history.gold_events):
            file = files.get((record.level, record.split, record.number))
            if file is None:
                self.refuse(f"gold_events[{k}]", "there is no such gold version")
            elif record.event not in get_args(GoldEventName):
                self.refuse(f"gold_events[{k}].event", f"must be one of {', '.join(get_args(GoldEventName))}")
            elif record.event == "published":
                in_force[record.level, record.split] = file
        return in_force

    def check_teams(self) -> None:
        """Teams with plain names, each person in one."""
        self.once("teams", [name_key(team.name) for team in self.history.teams])
        self.once("members", [member.person for member in self.history.members])
        for k, team in enumerate(self.history.teams):
            self.plain_name(f"teams[{k}].name", team.name)
            if team.state not in get_args(TeamState):
                self.refuse(f"teams[{k}].state", f"must be one of {', '.join(get_args(TeamState))}")
            if team.state == "declined" and not team.reason:
                self.refuse(f"teams[{k}].reason", "is missing; a declined team reads why")
        for k, member in enumerate(self.history.members):
            if member.team not in self.teams:
                self.refuse(f"members[{k}].team", f'there is no team "{member.team}"')

    def check_extensions(self) -> None:
        """Phases and teams that are there."""
        for k, extension in enumerate(self.history.extensions):
            if extension.phase not in self.phases:
                self.refuse(f"extensions[{k}].phase", f'there is no phase "{extension.phase}"')
            if extension.team is not None and extension.team not in self.teams:
                self.refuse(f"extensions[{k}].team", f'there is no team "{extension.team}"')

    def check_announcements(self) -> None:
        """Phases that are there."""
        for k, announcement in enumerate(self.history.announcements):
            if announcement.phase is not None and announcement.phase not in self.phases:
                self.refuse(f"announcements[{k}].phase", f'there is no phase "{announcement.phase}"')

    def check_reminders(self) -> None:
        """Phases and teams that are there, each reminder once."""
        self.once(
            "reminders",
            [
                (reminder.phase, reminder.team, reminder.closes, reminder.hours)
                for reminder in self.history.reminders
            ],
        )
        for k, reminder in enumerate(self.history.reminders):
            if reminder.phase not in self.phases:
                self.refuse(f"reminders[{k}].phase", f'there is no phase "{reminder.phase}"')
            if reminder.team not in self.teams:
                self.refuse(f"reminders[{k}].team", f'there is no team "{reminder.team}"')
